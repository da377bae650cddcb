//! Plans that are measured, kept, exported and imported.

use super::program::{folder, misused, text};
use super::PROGRAM;
use std::path::Path;
use std::process::Command;

/// What the program prints with a cache of its own.
fn said(cache: &Path, arguments: &[&str]) -> String {
    let mut program = Command::new(PROGRAM);
    let run = program.args(arguments).env("MMAFFT_CACHE", cache);
    let run = run.output().expect("it starts");
    let error = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{arguments:?}: {error}");
    String::from_utf8(run.stdout).expect("text")
}

#[test]
fn what_is_measured_is_kept_and_travels() {
    let folder = folder("measure");
    let [first, second] = ["first", "second"].map(|name| folder.join(name));
    let (wisdom, cases) = (folder.join("wisdom.txt"), folder.join("cases.csv"));
    let list = "class,kind,precision,shape,batch\nmine,r2c,f64,60x12,4\n";
    std::fs::write(&cases, list).expect("a file");
    let export = ["--backend", "cpu", "--export", text(&wisdom)];
    let measured = [
        &[
            "measure",
            "100",
            "7x9",
            "--batch",
            "8",
            "--cases",
            text(&cases),
        ][..],
        &export,
    ];
    let report = said(&first, &measured.concat());
    assert_eq!(report.lines().count(), 3, "{report}");
    assert!(report.contains("f64 r2c of 60x12, batch 8"), "{report}");
    let lines = std::fs::read_to_string(&wisdom).expect("wisdom");
    assert!(lines.contains("\tmeasure\tway "), "{lines}");
    // Elsewhere it is taken, and written again as it was.
    let export = folder.join("again.txt");
    let import = [
        "measure",
        "--import",
        text(&wisdom),
        "--export",
        text(&export),
        "--backend",
        "cpu",
    ];
    let report = said(&second, &import);
    assert!(report.contains(" choices of this device"), "{report}");
    assert_eq!(std::fs::read_to_string(&export).expect("wisdom"), lines);
}

#[test]
fn every_command_takes_an_effort() {
    let folder = folder("effort");
    let plan = [
        "plan",
        "100",
        "--batch",
        "8",
        "--effort",
        "measure",
        "--backend",
        "cpu",
    ];
    assert!(said(&folder, &plan).contains("c2c of 100"));
    let bench = [
        "bench",
        "100",
        "--effort",
        "measure",
        "--backend",
        "cpu",
        "--quick",
    ];
    let bench = [&bench[..], &["--mebibytes", "1"]].concat();
    assert!(said(&folder, &bench).contains("100"));
    let wrong = ["plan", "100", "--effort", "hard"];
    misused(PROGRAM, &wrong, "estimate, measure, patient");
    misused(PROGRAM, &["measure"], "SHAPES");
}
