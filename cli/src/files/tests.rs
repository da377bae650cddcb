//! Tests of outputs: whole or nothing, whatever ends the writing.

use super::*;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Writes two pieces to a file made by `new`, twice, over what is there; the second time it is given up first.
fn written(new: impl Fn(&Path) -> io::Result<Unfinished>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.npy");
    for text in ["first", "other"] {
        let output = || {
            let unfinished = new(folder.path()).expect("a file");
            Output(Target::Regular(unfinished, path.clone()))
        };
        let before = fs::read(&path).ok();
        let mut given_up = output();
        given_up.write_all(b"half").expect("written");
        drop(given_up);
        assert_eq!(fs::read(&path).ok(), before);
        let mut output = output();
        output.write_all(&text.as_bytes()[..2]).expect("written");
        output.write_all(&text.as_bytes()[2..]).expect("written");
        output.finish().expect("named");
        assert_eq!(fs::read_to_string(&path).expect("there"), text);
        assert_eq!(names(folder.path()), ["out.npy"]);
    }
}

#[test]
fn whole_or_nothing() {
    written(Unfinished::new);
    written(Unfinished::named);
}

#[cfg(unix)]
#[test]
fn permissions_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.npy");
    fs::write(&path, "old").expect("written");
    fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("set");
    create(&path).and_then(Output::finish).expect("named");
    let mode = fs::metadata(&path).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

/// The folder that a child of [`signals_leave_nothing`] writes to.
#[cfg(unix)]
const CHILD: &str = "MMAFFT_TEST_WRITES_TO";
/// Bytes of each of its files.
#[cfg(unix)]
const BYTES: usize = 16 << 20;

/// The child: writes named files over one another until a signal ends it; does nothing by itself.
#[cfg(unix)]
#[test]
fn writes_until_a_signal() {
    let Some(folder) = std::env::var_os(CHILD).map(PathBuf::from) else {
        return;
    };
    let bytes = vec![7; BYTES];
    loop {
        let unfinished = Unfinished::named(&folder).expect("a file");
        let mut output = Output(Target::Regular(unfinished, folder.join("out")));
        // A signal is an error of either, and ends the program where that error drops the output.
        if output.write_all(&bytes).is_ok() {
            let _ = output.finish();
        }
    }
}

#[cfg(unix)]
#[test]
fn signals_leave_nothing() {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let folder = tempfile::tempdir().expect("a folder");
    let program = std::env::current_exe().expect("this program");
    let child = module_path!().split_once("::").expect("a module").1;
    for (round, (name, signal)) in [("HUP", 1), ("INT", 2), ("QUIT", 3), ("TERM", 15)]
        .into_iter()
        .cycle()
        .take(12)
        .enumerate()
    {
        let mut command = Command::new(&program);
        command.args([&format!("{child}::writes_until_a_signal"), "--exact"]);
        command.env(CHILD, folder.path()).stdout(Stdio::null());
        // A shell's jobs in the background ignore interrupts, and so would their children.
        let by_default = move || {
            // SAFETY: the call changes how this process takes the signal, and nothing else.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
            Ok(())
        };
        // SAFETY: what runs between fork and exec asks for no memory and takes no lock.
        unsafe { command.pre_exec(by_default) };
        let mut running = command.spawn().expect("it runs");
        while names(folder.path()).is_empty() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(20 + 7 * round as u64));
        let kill = Command::new("kill")
            .args(["-s", name, &running.id().to_string()])
            .status();
        assert!(kill.expect("it runs").success());
        assert_eq!(running.wait().expect("it ends").signal(), Some(signal));
        let left = names(folder.path());
        assert!(left.is_empty() || left == ["out"], "{name}: {left:?}");
        if !left.is_empty() {
            let length = fs::metadata(folder.path().join("out"))
                .expect("there")
                .len();
            assert_eq!(length, BYTES as u64);
        }
    }
}
