//! The program `mmafft` on emulated devices.

use std::path::Path;
use std::process::{Command, Output};

fn mmafft(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mmafft"));
    command.args(arguments).output().expect("the program runs")
}

fn said(arguments: &[&str]) -> String {
    let output = mmafft(arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const SUNSPOTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/sunspots.npy");

/// The half spectrum of 309 years, and what the program said.
fn spectrum(backend: &str) -> (Vec<f64>, String) {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{backend}.npy"));
    let to = out.to_str().expect("a path in UTF-8");
    let said = said(&[
        "transform",
        SUNSPOTS,
        "-o",
        to,
        "--kind",
        "r2c",
        "--backend",
        backend,
    ]);
    let bytes = std::fs::read(out).expect("the result");
    let values = bytes[bytes.len() - 155 * 16..].chunks_exact(8);
    let value = |x: &[u8]| f64::from_ne_bytes(x.try_into().expect("eight bytes"));
    (values.map(value).collect(), said)
}

const BACKENDS: [&str; 2] = ["emulated-nvidia", "emulated-amd"];

#[test]
fn emulated_devices_transform_as_the_cpu_does() {
    let (expected, _) = spectrum("cpu");
    let largest = expected.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    for backend in BACKENDS {
        let (got, said) = spectrum(backend);
        assert!(said.contains(&format!("backend {backend}")), "{said}");
        let close = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-12 * largest;
        assert!(got.iter().zip(&expected).all(close), "{backend}");
    }
}

/// What docs/kernels.md begins with is what the program says.
#[test]
fn the_documentation_shows_a_plan() {
    let document = include_str!("../../docs/kernels.md");
    let words = said(&["plan", "4096", "--batch", "256", "--backend", BACKENDS[0]]);
    assert!(document.contains(&words), "{words}");
}

#[test]
fn emulated_devices_plan_and_are_listed() {
    let info = said(&["info"]);
    for backend in BACKENDS {
        let plan = said(&[
            "plan",
            "64x48",
            "--backend",
            backend,
            "--precision",
            "split-f16",
        ]);
        assert!(plan.contains(backend), "{plan}");
        let (_, lines) = info.split_once(backend).expect("its lines");
        let lines = lines.split("\n\n").next().expect("some");
        for words in [
            "host",
            "split-f16",
            "KiB on chip",
            "points of f32",
            "matrix products",
        ] {
            assert!(lines.contains(words), "{info}");
        }
    }
}
