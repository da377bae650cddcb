//! The program as a user runs it.

mod bench;
mod estimates;
mod files;
mod kinds;
mod lengths;
mod measure;
mod memory;
mod plots;
mod ranks;
mod refusals;
#[cfg(unix)]
mod signals;
mod streams;

#[path = "../../../tests/common/program.rs"]
mod program;

use program::{folder, text};
use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_mmafft");

fn mmafft(arguments: &[&str]) -> Output {
    program::run(PROGRAM, arguments)
}

fn refused(arguments: &[&str]) -> String {
    program::refused(PROGRAM, arguments)
}

fn data(name: &str) -> String {
    format!("{}/../examples/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A version 1.0 file of these bytes.
fn npy(path: &Path, descr: &str, shape: &str, bytes: &[u8]) {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(bytes);
    std::fs::write(path, file).expect("a file");
}

#[test]
fn sunspots_have_a_cycle_of_eleven_years() {
    let folder = folder("sunspots");
    let (out, plot) = (folder.join("s.npy"), folder.join("s.svg"));
    let input = data("sunspots.npy");
    let run = mmafft(&[
        "transform",
        &input,
        "-o",
        text(&out),
        "--plot",
        text(&plot),
        "--unit",
        "year",
    ]);
    assert!(run.status.success(), "{run:?}");
    let said = String::from_utf8_lossy(&run.stdout);
    for words in [
        "[309] float64",
        "f64 c2c",
        "backend cpu",
        "relative L2 error about",
    ] {
        assert!(said.contains(words), "{said}");
    }
    let svg = std::fs::read_to_string(plot).expect("the plot");
    assert!(svg.contains("period 11.0 year"));
    assert_eq!(
        std::fs::metadata(out).expect("the result").len() % (309 * 16),
        128
    );
}

#[test]
fn there_and_back_again() {
    let folder = folder("back");
    let (half, back) = (folder.join("h.npy"), folder.join("b.npy"));
    let input = data("moon.npy");
    for arguments in [
        &[
            "transform",
            &input,
            "-o",
            text(&half),
            "--kind",
            "r2c",
            "--precision",
            "f64",
        ][..],
        &[
            "transform",
            text(&half),
            "-o",
            text(&back),
            "--kind",
            "c2r",
            "--norm",
            "backward",
        ],
    ] {
        let run = mmafft(arguments);
        assert!(run.status.success(), "{run:?}");
    }
    let original = std::fs::read(input).expect("the picture");
    let restored = std::fs::read(back).expect("the result");
    let pixels = &original[original.len() - 512 * 512..];
    let values = restored[restored.len() - 512 * 512 * 8..].chunks_exact(8);
    for (pixel, value) in pixels.iter().zip(values) {
        let value = f64::from_ne_bytes(value.try_into().expect("eight bytes"));
        assert!((value - f64::from(*pixel)).abs() < 1e-10);
    }
}

/// Where the system gives no threads, here for stacks that no memory holds, one does it all.
#[cfg(target_os = "linux")]
#[test]
fn no_threads_but_its_own() {
    let out = folder("threads").join("out.npy");
    let moon = data("moon.npy");
    for (arguments, words) in [
        (&["info"][..], "1 threads"),
        (&["transform", &moon, "-o", text(&out)], "wrote"),
        (
            &["transform", &moon, "-o", text(&out), "--threads", "2"],
            "wrote",
        ),
        (
            &["bench", "64", "4096", "--quick", "--mebibytes", "1"],
            "4096",
        ),
    ] {
        let mut program = Command::new(PROGRAM);
        program
            .args(arguments)
            .env("RUST_MIN_STACK", (1u64 << 60).to_string());
        let output = program.output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains(words),
            "{output:?}"
        );
        assert!(output.stderr.is_empty(), "{output:?}");
    }
}

/// Integers of 32 bits keep their digits; what is not finite has no bound.
#[test]
fn digits_are_kept_or_named() {
    let folder = folder("digits");
    let [input, out] = ["in.npy", "out.npy"].map(|name| folder.join(name));
    let integers: Vec<u8> = (0..4i32)
        .flat_map(|i| ((1 << 30) + i).to_le_bytes())
        .collect();
    npy(&input, "<i4", "(4,)", &integers);
    let output = mmafft(&[
        "transform",
        text(&input),
        "-o",
        text(&out),
        "--backend",
        "cpu",
    ]);
    assert!(
        String::from_utf8_lossy(&output.stdout).contains(" f64 "),
        "{output:?}"
    );
    let large: Vec<u8> = [1e30f64; 4].iter().flat_map(|x| x.to_le_bytes()).collect();
    npy(&input, "<f8", "(4,)", &large);
    let arguments = [
        "transform",
        text(&input),
        "-o",
        text(&out),
        "--backend",
        "cpu",
    ];
    let output = mmafft(&[&arguments[..], &["--precision", "f16"]].concat());
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("no bound holds"),
        "{said}"
    );
}

#[test]
fn plans_and_devices_are_printed() {
    let plan = mmafft(&[
        "plan",
        "1024x512",
        "--batch",
        "8",
        "--precision",
        "split-f16",
    ]);
    let said = String::from_utf8_lossy(&plan.stdout);
    assert!(
        plan.status.success() && said.contains("split half"),
        "{said}"
    );
    let info = mmafft(&["info"]);
    let said = String::from_utf8_lossy(&info.stdout);
    assert!(info.status.success(), "{said}");
    for backend in ["cpu", "cuda", "hip"] {
        assert!(said.contains(backend), "{said}");
    }
}

#[test]
fn tables_are_written() {
    let folder = folder("tables");
    let accuracy = folder.join("a.csv");
    let arguments = ["accuracy", "--tables", "3", "--max-points", "4096", "--csv"];
    let run = mmafft(&[&arguments[..], &[text(&accuracy)]].concat());
    assert!(run.status.success(), "{run:?}");
    let csv = std::fs::read_to_string(accuracy).expect("the table");
    assert_eq!(csv.lines().count(), 2, "{csv}");
    let columns = |line: &str| line.split(',').count();
    let head = columns(csv.lines().next().expect("a head"));
    assert!(csv.lines().all(|line| columns(line) == head), "{csv}");
}
