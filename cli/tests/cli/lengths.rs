//! Arrays of any rank, any axes of them, and lengths that crop and pad.

use super::kinds::{close, real, transformed};
use super::{folder, mmafft, npy, refused, text};
use std::path::Path;

fn sequence(count: usize) -> Vec<f64> {
    (0..count).map(|i| ((i * i) % 17) as f64 - 8.0).collect()
}

/// Every point cropped or padded with zeros.
fn resized(x: &[f64], from: &[usize], to: &[usize]) -> Vec<f64> {
    let at = |mut place: usize| {
        let mut position = 0;
        let mut stride = 1;
        for (&n, &m) in from.iter().zip(to).rev() {
            let index = place % m;
            place /= m;
            if index >= n {
                return 0.0;
            }
            position += index * stride;
            stride *= n;
        }
        x[position]
    };
    (0..to.iter().product()).map(at).collect()
}

fn tuple(shape: &[usize]) -> String {
    let lengths: String = shape.iter().map(|n| format!("{n}, ")).collect();
    format!("({})", lengths.trim_end())
}

/// The result is that of the array which NumPy would make of it.
#[test]
fn lengths_crop_and_pad() {
    let folder = folder("lengths");
    let [input, output, whole] = ["in.npy", "out.npy", "whole.npy"].map(|name| folder.join(name));
    let shape = [6, 10];
    let x = sequence(60);
    for (arguments, to) in [
        (&["--length", "16"][..], [6, 16]),
        (&["--length", "7"], [6, 7]),
        (&["--lengths", "8,4"], [8, 4]),
        (&["--axes", "0", "--length", "9"], [9, 10]),
        (&["--axes", "1,0", "--lengths", "3,12"], [12, 3]),
    ] {
        let axes: &[&str] = if arguments[0] == "--axes" {
            &arguments[..2]
        } else {
            &[]
        };
        for kind in ["c2c", "r2c", "dct2", "dht"] {
            real(&input, &tuple(&shape), &x);
            let kind = ["--kind", kind];
            let got = transformed(&input, &output, &[arguments, &kind].concat());
            real(&whole, &tuple(&to), &resized(&x, &shape, &to));
            let expected = transformed(&whole, &output, &[axes, &kind].concat());
            assert!(close(&got, &expected), "{arguments:?} {kind:?}");
        }
    }
    let said = refused(&[
        "transform",
        text(&input),
        "-o",
        text(&output),
        "--lengths",
        "8",
    ]);
    assert!(said.contains("expected 2, got 1"), "{said}");
}

/// As `irfft(y, n)`: the half spectrum is cropped or padded to n/2 + 1 points.
#[test]
fn lengths_of_c2r() {
    let folder = folder("lengths-c2r");
    let [input, there, back] = ["in.npy", "there.npy", "back.npy"].map(|name| folder.join(name));
    for (from, to) in [(12, 12), (11, 11), (12, 20), (12, 7), (11, 8)] {
        let x = sequence(from);
        real(&input, &tuple(&[from]), &x);
        let y = transformed(&input, &there, &["--kind", "r2c"]);
        let length = to.to_string();
        let got = transformed(&there, &back, &["--kind", "c2r", "--length", &length]);
        let half = resized(&y, &[from / 2 + 1, 2], &[to / 2 + 1, 2]);
        let pi = std::f64::consts::PI;
        let point = |n: usize| -> f64 {
            let term = |k: usize| {
                let angle = 2.0 * pi * (k * n % to) as f64 / to as f64;
                let twice = if k > 0 && 2 * k != to { 2.0 } else { 1.0 };
                twice * (half[2 * k] * angle.cos() - half[2 * k + 1] * angle.sin())
            };
            (0..=to / 2).map(term).sum::<f64>() / to as f64
        };
        let expected: Vec<f64> = (0..to).map(point).collect();
        assert!(
            close(&got, &expected),
            "{from}, {to}: {got:?}, {expected:?}"
        );
        assert!(from != to || close(&got, &x));
    }
}

/// All axes by default, and any number of them by name: both ways the array returns.
#[test]
fn any_rank_there_and_back() {
    let folder = folder("ranks");
    let [input, there, back] = ["in.npy", "there.npy", "back.npy"].map(|name| folder.join(name));
    for (shape, axes) in [
        (&[2, 3, 2, 5][..], ""),
        (&[2, 3, 2, 2, 5], ""),
        (&[2, 1, 3, 2, 2, 4, 3], ""),
        (&[2, 3, 2, 2, 5], "0,1,3,4"),
        (&[2, 3, 2, 2, 5], "-1,0"),
    ] {
        let x = sequence(shape.iter().product());
        real(&input, &tuple(shape), &x);
        let named = ["--axes", axes];
        let axes: &[&str] = if axes.is_empty() { &[] } else { &named };
        for kind in ["c2c", "r2c", "dct2"] {
            let kind = ["--kind", kind];
            let length = match (kind[1], axes.last()) {
                ("r2c", Some(&"-1,0")) => "2",
                _ => {
                    if shape.last() == Some(&3) {
                        "3"
                    } else {
                        "5"
                    }
                }
            };
            let forward = [axes, &kind].concat();
            let first: f64 = x.iter().sum();
            let y = transformed(&input, &there, &forward);
            if axes.is_empty() && kind[1] != "dct2" {
                assert!((y[0] - first).abs() < 1e-9, "{shape:?}");
            }
            let odd = ["--inverse", "--length", length];
            let undo = if kind[1] == "r2c" {
                &odd[..]
            } else {
                &odd[..1]
            };
            let mut z = transformed(&there, &back, &[&forward[..], undo].concat());
            if kind[1] == "c2c" {
                z = z.into_iter().step_by(2).collect();
            }
            assert!(close(&z, &x), "{shape:?} {axes:?} {kind:?}");
        }
    }
}

/// The colours of an image are pointed out, and transformed all the same.
#[test]
fn colours_are_pointed_out() {
    let folder = folder("colours");
    let (input, output) = (folder.join("in.npy"), folder.join("out.npy"));
    let said = |descr: &str, shape: &[usize], arguments: &[&str]| {
        let bytes = vec![1; shape.iter().product()];
        npy(Path::new(&input), descr, &tuple(shape), &bytes);
        let whole = ["transform", text(&input), "-o", text(&output)];
        let run = mmafft(&[&whole[..], arguments].concat());
        assert!(run.status.success(), "{run:?}");
        String::from_utf8_lossy(&run.stderr).into_owned()
    };
    for colours in [3, 4] {
        let hint = said("|u1", &[8, 6, colours], &[]);
        assert!(
            hint.contains("--axes 0,1") && hint.lines().count() == 1,
            "{hint}"
        );
    }
    assert_eq!(said("|u1", &[8, 6, 3], &["--axes", "0,1"]), "");
    assert_eq!(said("|u1", &[8, 6, 5], &[]), "");
    assert_eq!(said("|i1", &[8, 6, 3], &[]), "");
    assert_eq!(said("|u1", &[8, 3], &[]), "");
}
