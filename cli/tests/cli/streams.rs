//! Standard input and output as files.

use super::{data, folder, mmafft, text, PROGRAM};
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs with this standard input.
fn piped(arguments: &[&str], input: &[u8]) -> Output {
    let mut program = Command::new(PROGRAM);
    program.args(arguments);
    let pipes = program.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut running = pipes.stderr(Stdio::piped()).spawn().expect("it runs");
    let mut stdin = running.stdin.take().expect("a pipe");
    let bytes = input.to_vec();
    // The program may end before it has read all.
    let writer = std::thread::spawn(move || stdin.write_all(&bytes));
    let output = running.wait_with_output().expect("it ends");
    let _ = writer.join().expect("written");
    output
}

#[test]
fn there_and_back_through_pipes() {
    let folder = folder("pipes");
    let there = mmafft(&["transform", &data("sunspots.npy"), "-o", "-"]);
    assert!(there.status.success(), "{there:?}");
    assert!(there.stdout.starts_with(b"\x93NUMPY"));
    let out = folder.join("b.npy");
    let back = piped(
        &["transform", "-", "-o", text(&out), "--inverse"],
        &there.stdout,
    );
    assert!(back.status.success(), "{back:?}");
    assert!(back.stderr.is_empty(), "{back:?}");
    let original = std::fs::read(data("sunspots.npy")).expect("the data");
    let restored = std::fs::read(out).expect("the result");
    let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    let points = original[original.len() - 309 * 8..].chunks(8).map(number);
    let values = restored[restored.len() - 309 * 16..].chunks(16);
    for (x, y) in points.zip(values) {
        assert!((number(&y[..8]) - x).abs() < 1e-10 && number(&y[8..]).abs() < 1e-10);
    }
}

#[test]
fn the_plot_may_be_the_standard_output() {
    let run = mmafft(&["transform", &data("sunspots.npy"), "--plot", "-"]);
    assert!(run.status.success(), "{run:?}");
    let picture = String::from_utf8_lossy(&run.stdout);
    assert!(picture.trim_end().ends_with("</svg>"), "{picture}");
    let both = ["transform", &data("sunspots.npy"), "--plot", "-", "-o", "-"];
    assert!(!mmafft(&both).status.success());
}

#[test]
fn bad_streams_are_one_line() {
    let whole = std::fs::read(data("sunspots.npy")).expect("the data");
    let longer = [&whole[..], b"x"].concat();
    for (bytes, words) in [
        (&b"PK\x03\x04 not numpy"[..], "not a .npy file"),
        (&whole[..whole.len() - 1], "truncated"),
        (&longer, "trailing data"),
        (b"", "truncated"),
    ] {
        let run = piped(&["transform", "-", "-o", "-"], bytes);
        let said = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(1), "{said}");
        assert!(said.contains(words) && said.lines().count() == 1, "{said}");
        assert!(run.stdout.is_empty());
    }
}
