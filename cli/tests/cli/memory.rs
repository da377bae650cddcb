//! Memory and threads: how much there is of them, and what the program says where there is too little.
#![cfg(target_os = "linux")]

use super::{data, folder, npy, text, PROGRAM};
use std::process::{Child, Command, Output, Stdio};

/// The most memory that a child has held, in bytes: read while it waits for its output to be read.
fn peak(child: &Child) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}

/// Bytes that the program holds at most while it writes the transform of this file.
fn held(arguments: &[&str]) -> usize {
    use std::io::Read;
    let mut program = Command::new(PROGRAM);
    program
        .args(arguments)
        .args(["--backend", "cpu", "-o", "-"]);
    program.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = program.spawn().expect("it runs");
    let mut stdout = child.stdout.take().expect("a pipe");
    // Once there is output, the program has held what it holds; the pipe is too short for all of it.
    stdout.read_exact(&mut [0; 128]).expect("output");
    std::thread::sleep(std::time::Duration::from_millis(100));
    let peak = peak(&child).expect("its memory");
    std::io::copy(&mut stdout, &mut std::io::sink()).expect("the rest");
    assert!(child.wait().expect("it ends").success());
    peak
}

/// Three times the input, and what the plan states. Of one long line the roots of unity are as long as it is, and are not
/// counted here.
#[test]
fn three_times_the_input_are_enough() {
    let folder = folder("held");
    let input = folder.join("in.npy");
    // Of the program itself; the output is just too long for a pipe.
    npy(&input, "<c8", "(16384,)", &[0; 1 << 17]);
    let alone = held(&["transform", text(&input)]);
    for (descr, shape, count, kind) in [
        ("<c8", "(2048, 2048)", 1 << 22, "c2c"),
        ("<f4", "(2048, 2048)", 1 << 22, "r2c"),
        ("<f8", "(1024, 2048)", 1 << 21, "dct2"),
    ] {
        let bytes = count * if descr == "<f4" { 4 } else { 8 };
        npy(&input, descr, shape, &vec![0; bytes]);
        let shape = shape.trim_matches(['(', ')', ',']).replace(", ", "x");
        let precision = if descr == "<f8" { "f64" } else { "f32" };
        let arguments = [
            &shape,
            "--kind",
            kind,
            "--precision",
            precision,
            "--backend",
            "cpu",
        ];
        let plan = Command::new(PROGRAM).arg("plan").args(arguments).output();
        let plan = String::from_utf8(plan.expect("it runs").stdout).expect("text");
        let held = held(&["transform", text(&input), "--kind", kind]) - alone;
        let scratch = scratch(&plan);
        let most = 3 * bytes + scratch + (1 << 20);
        assert!(
            held <= most,
            "{descr} {shape} {kind}: {held}, {bytes}, {scratch}"
        );
    }
}

/// The bytes of scratch that a plan states, rounded up: as `1.5 MiB`.
fn scratch(plan: &str) -> usize {
    let (_, rest) = plan.split_once("scratch ").expect("scratch");
    let mut words = rest.split_whitespace();
    let value: f64 = words.next().and_then(|n| n.parse().ok()).expect("a number");
    let unit = words.next().expect("a unit").trim_matches([';', ',', '.']);
    let units = ["B", "KiB", "MiB", "GiB"];
    let power = units.iter().position(|name| *name == unit).expect("a unit");
    ((value * 1.06).ceil() as usize) << (10 * power)
}

/// Runs under limits of the shell's.
fn limited(limit: &str, arguments: &[&str]) -> Output {
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("ulimit {limit} && exec \"$0\" \"$@\""));
    shell
        .arg(PROGRAM)
        .args(arguments)
        .output()
        .expect("it runs")
}

/// A result or one line, and never an abort.
#[test]
fn starved_memory_is_one_line() {
    let folder = folder("starved");
    let (input, output) = (folder.join("in.npy"), folder.join("out.npy"));
    // Below this not even the program itself fits, which the system says.
    let fits = |kilobytes: &usize| {
        let limit = format!("-v {kilobytes}");
        limited(&limit, &["--version"]).status.success()
    };
    let least = (4000..400_000).step_by(2000).find(fits);
    let least = least.expect("a limit that lets it run");
    // The second is of a length that is tried when it is planned.
    for (descr, points, bytes) in [("<c8", 1 << 20, 8), ("<c16", 1_000_000, 16)] {
        npy(
            &input,
            descr,
            &format!("({points},)"),
            &vec![0; points * bytes],
        );
        let mut failed = 0;
        for kilobytes in (least..least + 7500 * bytes).step_by(2500) {
            let limit = format!("-v {kilobytes}");
            let run = limited(&limit, &["transform", text(&input), "-o", text(&output)]);
            let said = String::from_utf8_lossy(&run.stderr);
            let code = run.status.code();
            assert!(
                matches!(code, Some(0 | 1)),
                "{descr}, {limit}: {code:?} {said}"
            );
            if code == Some(1) {
                failed += 1;
                assert_eq!(said.lines().count(), 1, "{descr}, {limit}: {said}");
            }
        }
        assert!(failed > 0, "{descr}");
    }
}

#[test]
fn a_small_stack_is_enough() {
    let output = folder("stack").join("out.npy");
    let moon = data("moon.npy");
    let run = limited("-s 64", &["transform", &moon, "-o", text(&output)]);
    assert!(run.status.success(), "{run:?}");
}

/// The environment's threads are clamped as the program's are.
#[test]
fn threads_are_clamped() {
    let mut program = Command::new(PROGRAM);
    program.arg("info").env("RAYON_NUM_THREADS", "100000");
    let run = program.output().expect("it runs");
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(
        said.contains(" 1024 threads") || said.contains(" 1 threads"),
        "{said}"
    );
}
