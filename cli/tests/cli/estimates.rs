//! What the program says of the error of its result.

use super::{folder, mmafft, npy, text};

/// The line on the error, of an array of these bytes.
fn said(name: &str, descr: &str, shape: &str, bytes: &[u8], arguments: &[&str]) -> String {
    let folder = folder(name);
    let (input, output) = (folder.join("in.npy"), folder.join("out.npy"));
    npy(&input, descr, shape, bytes);
    let whole = [
        "transform",
        text(&input),
        "-o",
        text(&output),
        "--backend",
        "cpu",
    ];
    let run = mmafft(&[&whole[..], arguments].concat());
    assert!(run.status.success(), "{run:?}");
    let said = String::from_utf8_lossy(&run.stdout);
    let line = said.lines().find(|line| line.contains("relative L2"));
    line.unwrap_or_else(|| panic!("no error: {said}")).into()
}

fn doubles(count: usize, scale: f64) -> Vec<u8> {
    let value = |i: usize| ((i * i % 1009) as f64 / 504.0 - 1.0) * scale;
    (0..count).flat_map(|i| value(i).to_le_bytes()).collect()
}

/// The estimate and the bound.
fn numbers(line: &str) -> (f64, f64) {
    let after = |words: &str| {
        let (_, rest) = line.split_once(words)?;
        rest.split([',', ' ', ';']).next()?.parse().ok()
    };
    let both = after("about ").zip(after("at most "));
    both.unwrap_or_else(|| panic!("{line}"))
}

#[test]
fn small_arrays_are_compared_as_a_whole() {
    for (shape, count, points) in [
        ("(1,)", 1, "all 1 "),
        ("(97,)", 97, "all 97 "),
        ("(4096,)", 4096, "all 4096 "),
        ("(3, 30, 40)", 3600, "all 3600 "),
    ] {
        for kind in ["c2c", "dht"] {
            let bytes = doubles(count, 1.0);
            let line = said("whole", "<f8", shape, &bytes, &["--kind", kind]);
            let (error, bound) = numbers(&line);
            assert!(line.contains(points) && error <= bound, "{line}");
        }
    }
}

#[test]
fn larger_arrays_are_sampled() {
    for (shape, count, kind, least) in [
        ("(65536,)", 65536, "c2c", 64),
        ("(200, 210)", 42000, "r2c", 64),
        ("(30011,)", 30011, "c2c", 64),
        ("(20000,)", 20000, "dct2", 64),
    ] {
        let line = said(
            "sampled",
            "<f8",
            shape,
            &doubles(count, 1.0),
            &["--kind", kind],
        );
        let (error, bound) = numbers(&line);
        let (_, rest) = line.split_once("a sample of ").expect("a sample");
        let points: usize = rest
            .split(' ')
            .next()
            .expect("words")
            .parse()
            .expect("points");
        assert!(points >= least && error <= bound, "{line}");
    }
}

/// The estimate is there whatever the size of the data is.
#[test]
fn tiny_and_huge_data_have_an_estimate() {
    for scale in [5e-324, 1e-310, 1e-200, 1e200, 1e303] {
        let line = said("scales", "<f8", "(1000,)", &doubles(1000, scale), &[]);
        let (error, bound) = numbers(&line);
        assert!(error <= bound && error.is_finite(), "{scale:e}: {line}");
    }
    let line = said("zeros", "<f8", "(1000,)", &[0; 8000], &[]);
    assert!(line.contains("about 0"), "{line}");
}

/// Where no estimate is made, that is said.
#[test]
fn too_large_is_said() {
    let bytes = vec![0; 8 << 22];
    let line = said("large", "<c8", "(4194304,)", &bytes, &[]);
    assert!(line.contains("not estimated"), "{line}");
}
