//! What a signal leaves of an output: nothing, or all of it.

use super::{folder, mmafft, npy, text, PROGRAM};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Moments at which each signal comes.
const MOMENTS: u32 = 5;
const POINTS: usize = 1 << 20;

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Sends a signal to a run after `delay`.
fn signalled(arguments: &[&str], (name, number): (&str, i32), delay: Duration) {
    let mut program = Command::new(PROGRAM);
    program.args(arguments).stdout(Stdio::null());
    let mut running = program.spawn().expect("it runs");
    std::thread::sleep(delay);
    // The program may have ended before, which is an outcome like the others.
    let _ = Command::new("kill")
        .args(["-s", name, &running.id().to_string()])
        .stderr(Stdio::null())
        .status();
    let status = running.wait().expect("it ends");
    assert!(status.success() || status.signal() == Some(number));
}

#[test]
fn a_signal_leaves_the_old_output_or_the_new() {
    let folder = folder("signals");
    let [input, out] = ["in.npy", "out.npy"].map(|name| folder.join(name));
    npy(&input, "<f8", &format!("({POINTS},)"), &vec![0; POINTS * 8]);
    let arguments = ["transform", text(&input), "-o", text(&out)];
    let started = Instant::now();
    let run = mmafft(&arguments);
    assert!(run.status.success(), "{run:?}");
    let whole = started.elapsed();
    let bytes = std::fs::metadata(&out).expect("the result").len();
    std::fs::remove_file(&out).expect("the result");
    for signal in [("HUP", 1), ("INT", 2), ("QUIT", 3), ("TERM", 15)] {
        for moment in 0..MOMENTS {
            // Each writes a new file at first, and then over another.
            let old = std::fs::metadata(&out).is_ok();
            signalled(&arguments, signal, whole * (moment + 1) / MOMENTS);
            let left = names(&folder);
            match out.exists() {
                true => {
                    let length = std::fs::metadata(&out).expect("the result").len();
                    assert!(left == ["in.npy", "out.npy"] && length == bytes, "{left:?}");
                }
                false => assert!(!old && left == ["in.npy"], "{left:?}"),
            }
            if moment % 2 == 1 {
                let _ = std::fs::remove_file(&out);
            }
        }
    }
}

/// What the program was started to ignore does not end it.
#[test]
fn an_ignored_signal_stays_ignored() {
    let folder = folder("ignored");
    let [input, out] = ["in.npy", "out.npy"].map(|name| folder.join(name));
    npy(&input, "<f8", &format!("({POINTS},)"), &vec![0; POINTS * 8]);
    std::fs::write(&out, "old").expect("written");
    let script = "trap '' HUP; \"$0\" \"$@\" > /dev/null & id=$!; \
                  while kill -s HUP $id 2> /dev/null; do :; done; wait $id";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, PROGRAM]);
    shell.args(["transform", text(&input), "-o", text(&out)]);
    assert!(shell.status().expect("it runs").success());
    assert_eq!(names(&folder), ["in.npy", "out.npy"]);
    assert!(std::fs::metadata(&out).expect("the result").len() > 3);
}
