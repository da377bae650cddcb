//! What pictures of spectra show, and say of what they do not show.

use super::{data, folder, mmafft, npy, refused, text};
use std::path::Path;

/// The picture of a transform, as text.
fn picture(input: &Path, more: &[&str]) -> String {
    let plot = input.with_extension("svg");
    let arguments = ["transform", text(input), "--plot", text(&plot)];
    let run = mmafft(&[&arguments[..], more].concat());
    assert!(run.status.success(), "{run:?}");
    std::fs::read_to_string(plot).expect("a picture")
}

fn reals(path: &Path, shape: &str, values: &[f64]) {
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    npy(path, "<f8", shape, &bytes);
}

/// A wave of `cycles` over `points`, above a mean.
fn wave(points: usize, cycles: f64, mean: f64) -> Vec<f64> {
    let turn = std::f64::consts::TAU * cycles / points as f64;
    let value = |i: usize| mean + (turn * i as f64).cos();
    (0..points).map(value).collect()
}

#[test]
fn a_picture_says_what_is_summed_and_what_is_left_out() {
    let folder = folder("captions");
    let [lines, one] = ["lines.npy", "one.npy"].map(|name| folder.join(name));
    let mut values = wave(64, 5.0, 10.0).repeat(8);
    reals(&lines, "(8, 64)", &values);
    let axis = ["--axes", "1"];
    let svg = picture(&lines, &axis);
    assert!(svg.contains("root mean square over 8 lines"), "{svg}");
    assert!(
        svg.contains("zero frequency (magnitude 640) left out"),
        "{svg}"
    );
    let log = picture(&lines, &["--axes", "1", "--scale", "log"]);
    assert!(log.contains("8 lines") && !log.contains("left out"));
    // One line of eight has a value that is not finite, and the others are drawn.
    values[3 * 64 + 7] = f64::NAN;
    reals(&lines, "(8, 64)", &values);
    let svg = picture(&lines, &axis);
    assert!(
        svg.contains("64 of 512 points left out: not finite"),
        "{svg}"
    );
    assert!(svg.contains("0.0781 (period 12.8 sample)"), "{svg}");
    for word in ["NaN", "inf"] {
        assert!(!svg.contains(word), "{svg}");
    }
    reals(&one, "(4,)", &[1.0, f64::INFINITY, 2.0, 3.0]);
    for scale in ["linear", "log", "db"] {
        let svg = picture(&one, &["--scale", scale]);
        assert!(svg.contains("4 of 4 points left out"), "{svg}");
    }
    // Nothing to say, nothing said.
    reals(&one, "(64,)", &wave(64, 5.0, 0.0));
    let svg = picture(&one, &[]);
    assert!(
        !svg.contains("left out") && !svg.contains(" over "),
        "{svg}"
    );
}

#[test]
fn units_and_scales_are_named() {
    let input = folder("units").join("in.npy");
    reals(&input, "(64,)", &wave(64, 5.0, 0.0));
    for (unit, label) in [
        ("s", "frequency (Hz)"),
        ("ms", "frequency (kHz)"),
        ("us", "frequency (MHz)"),
        ("year", "frequency (cycles per year)"),
    ] {
        let svg = picture(&input, &["--unit", unit, "--spacing", "0.001"]);
        assert!(svg.contains(label), "{unit}: {svg}");
    }
    let svg = picture(&input, &["--scale", "db"]);
    assert!(svg.contains("magnitude (dB"), "{svg}");
    let moon = folder("moon").join("moon.npy");
    std::fs::copy(data("moon.npy"), &moon).expect("copied");
    let svg = picture(&moon, &["--axes", "0,1", "--scale", "db", "--unit", "s"]);
    assert!(svg.contains("magnitude (dB") && svg.contains("frequency across (Hz)"));
    let svg = picture(&moon, &["--axes", "0,1", "--scale", "linear"]);
    assert!(svg.contains("zero frequency"), "{svg}");
}

/// Data near the largest number have a picture as others do.
#[test]
fn large_and_small_data_are_drawn() {
    let input = folder("large").join("in.npy");
    for factor in [1e300, 1e-300] {
        let values: Vec<f64> = wave(64, 5.0, 0.0).iter().map(|x| x * factor).collect();
        reals(&input, "(64,)", &values);
        let svg = picture(&input, &[]);
        assert!(!svg.contains("left out"), "{svg}");
        assert!(svg.contains("0.0781 (period 12.8 sample)"), "{svg}");
    }
}

#[test]
fn a_name_says_what_a_file_holds() {
    let folder = folder("extensions");
    let input = data("sunspots.npy");
    let at = |name: &str| folder.join(name);
    let png = at("plot.PNG");
    let run = mmafft(&["transform", &input, "--plot", text(&png)]);
    assert!(run.status.success(), "{run:?}");
    let bytes = std::fs::read(png).expect("a picture");
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
    for name in ["plot.pdf", "plot"] {
        let said = refused(&["transform", &input, "--plot", text(&at(name))]);
        assert!(said.contains(".svg or .png"), "{said}");
    }
    for name in ["out.txt", "out", "out.npz"] {
        let said = refused(&["transform", &input, "-o", text(&at(name))]);
        assert!(said.contains(".npy"), "{said}");
    }
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1);
}
