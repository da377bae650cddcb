//! Transforms from reals to reals, as a user asks for them.

use super::{folder, mmafft, npy, refused, text};
use mmafft::KINDS;
use std::path::Path;

/// Runs `transform` with these arguments; the result's values.
pub fn transformed(input: &Path, output: &Path, arguments: &[&str]) -> Vec<f64> {
    let whole = ["transform", text(input), "-o", text(output)];
    let run = mmafft(&[&whole[..], arguments].concat());
    assert!(run.status.success(), "{arguments:?}: {run:?}");
    values(output)
}

pub fn values(path: &Path) -> Vec<f64> {
    let file = std::fs::read(path).expect("a result");
    let header = 10 + usize::from(u16::from_le_bytes([file[8], file[9]]));
    let values = file[header..].chunks_exact(8);
    let of = |value: &[u8]| f64::from_le_bytes(value.try_into().expect("eight bytes"));
    values.map(of).collect()
}

pub fn real(path: &Path, shape: &str, values: &[f64]) {
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    npy(path, "<f8", shape, &bytes);
}

pub fn close(a: &[f64], b: &[f64]) -> bool {
    let near = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-12;
    a.len() == b.len() && a.iter().zip(b).all(near)
}

/// FFTW's definitions: of 1, 2, 3, 4 by each kind.
#[test]
fn kinds_are_fftws() {
    let folder = folder("kinds");
    let (input, output) = (folder.join("in.npy"), folder.join("out.npy"));
    let x = [1.0, 2.0, 3.0, 4.0];
    real(&input, "(4,)", &x);
    let pi = std::f64::consts::PI;
    let sum = |term: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
        let of = |k: usize| (0..4).map(|j| x[j] * term(j as f64, k as f64)).sum();
        (0..4).map(of).collect()
    };
    // The first and last real of DCT-I, and the first or last of types III, count once.
    let half = |is: bool| if is { 1.0 } else { 2.0 };
    for (kind, expected) in [
        ("r2hc", vec![10.0, -2.0, -2.0, 2.0]),
        (
            "hc2r",
            sum(&|j, k| match j as usize {
                0 => 1.0,
                1 => 2.0 * (pi * k / 2.0).cos(),
                2 => (pi * k).cos(),
                _ => -2.0 * (pi * k / 2.0).sin(),
            }),
        ),
        (
            "dht",
            sum(&|j, k| (pi * j * k / 2.0).cos() + (pi * j * k / 2.0).sin()),
        ),
        (
            "dct1",
            sum(&|j, k| half(j == 0.0 || j == 3.0) * (pi * j * k / 3.0).cos()),
        ),
        ("dct2", sum(&|j, k| 2.0 * (pi * (j + 0.5) * k / 4.0).cos())),
        (
            "dct3",
            sum(&|j, k| half(j == 0.0) * (pi * j * (k + 0.5) / 4.0).cos()),
        ),
        (
            "dct4",
            sum(&|j, k| 2.0 * (pi * (j + 0.5) * (k + 0.5) / 4.0).cos()),
        ),
        (
            "dst1",
            sum(&|j, k| 2.0 * (pi * (j + 1.0) * (k + 1.0) / 5.0).sin()),
        ),
        (
            "dst2",
            sum(&|j, k| 2.0 * (pi * (j + 0.5) * (k + 1.0) / 4.0).sin()),
        ),
        (
            "dst3",
            sum(&|j, k| half(j == 3.0) * (pi * (j + 1.0) * (k + 0.5) / 4.0).sin()),
        ),
        (
            "dst4",
            sum(&|j, k| 2.0 * (pi * (j + 0.5) * (k + 0.5) / 4.0).sin()),
        ),
    ] {
        let got = transformed(&input, &output, &["--kind", kind, "--norm", "none"]);
        assert!(close(&got, &expected), "{kind}: {got:?}, {expected:?}");
    }
}

/// `--inverse` undoes each kind, and a kind for each axis.
#[test]
fn every_kind_and_back() {
    let folder = folder("kinds-back");
    let [input, there, back] = ["in.npy", "there.npy", "back.npy"].map(|name| folder.join(name));
    let x: Vec<f64> = (0..77).map(|i| f64::from(i * i % 13) - 6.0).collect();
    real(&input, "(7, 11)", &x);
    let kinds = KINDS.iter().filter(|row| row.kind.is_real_to_real());
    let mut kinds: Vec<&str> = kinds.map(|row| row.name).collect();
    kinds.extend(["dct2,dst3", "r2hc,dct4", "dst1,dht"]);
    for kind in kinds {
        for norm in [
            &[][..],
            &["none"],
            &["full"],
            &["backward"],
            &["ortho"],
            &["forward"],
        ] {
            let norm: Vec<&str> = norm.iter().flat_map(|norm| ["--norm", norm]).collect();
            let forward = [&["--kind", kind][..], &norm].concat();
            let y = transformed(&input, &there, &forward);
            assert!(!close(&y, &x), "{kind}");
            let z = transformed(&there, &back, &[&forward[..], &["--inverse"]].concat());
            assert!(close(&z, &x), "{kind}, {norm:?}: {z:?}");
        }
    }
}

#[test]
fn what_no_kind_can_do_is_refused() {
    let folder = folder("kinds-refused");
    let (input, output) = (folder.join("in.npy"), folder.join("out.npy"));
    real(&input, "(3, 1)", &[1.0; 3]);
    let refusal = |kinds: &str| {
        let whole = ["transform", text(&input), "-o", text(&output)];
        refused(&[&whole[..], &["--kind", kinds]].concat())
    };
    for (kinds, words) in [
        ("dct1", "at least 2"),
        ("dct2,dct2,dct2", "a list of 3 kinds"),
        ("dct2,c2c", "give c2c alone"),
    ] {
        let said = refusal(kinds);
        assert!(said.contains(words), "{kinds}: {said}");
    }
    npy(&input, "<c16", "(4,)", &[0; 64]);
    let said = refusal("dht");
    assert!(said.contains("real"), "{said}");
    assert!(!output.exists(), "a failed run left an output");
}
