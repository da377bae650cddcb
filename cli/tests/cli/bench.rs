//! `mmafft bench`: rows of shapes, and what is refused.

use super::program::{figure, Row};
use super::{program, refused, PROGRAM};

fn bench(name: &str, arguments: &[&str]) -> (String, Vec<Row>) {
    program::bench(PROGRAM, name, arguments)
}

#[test]
fn shapes_are_timed_beside_a_copy() {
    let small = ["64", "16x16", "--mebibytes", "1", "--precision", "f32,f16"];
    let (said, rows) = bench("bench-shapes", &small);
    assert!(said.contains("of copy") && said.contains("16x16"), "{said}");
    assert_eq!(rows.len(), 4);
    for row in &rows {
        let (least, ours, most) = (
            figure(row, "ours_least_us"),
            figure(row, "ours_us"),
            figure(row, "ours_most_us"),
        );
        assert!(0.0 < least && least <= ours && ours <= most, "{row:?}");
        assert_eq!(figure(row, "bytes"), f64::from(2 << 20), "{row:?}");
        let copied = figure(row, "copy_us") / ours;
        assert!(
            (figure(row, "fraction") / copied - 1.0).abs() < 1e-3,
            "{row:?}"
        );
        assert_eq!((&*row["placement"], &*row["runs"]), ("in place", "3"));
        assert_eq!(
            (&*row["ratio"], &*row["peer"], &*row["failure"]),
            ("", "", "")
        );
    }
}

#[test]
fn real_kinds_and_small_cases_run_out_of_place() {
    let small = [
        "32x30",
        "--batch",
        "3",
        "--kind",
        "c2r",
        "--precision",
        "f64",
    ];
    let (_, rows) = bench("bench-real", &small);
    assert_eq!(rows[0]["placement"], "out of place");
    assert_eq!(
        figure(&rows[0], "bytes"),
        (3 * 32 * (16 * 16 + 30 * 8)) as f64
    );
    assert!(figure(&rows[0], "together") > 1.0);
}

/// Kernels under the emulator: no copy is a ruler there.
#[test]
#[cfg(feature = "emulate")]
fn emulated_devices_are_timed() {
    let small = ["64", "--batch", "2", "--backend", "emulated-nvidia"];
    let (_, rows) = bench("bench-emulated", &small);
    assert!(figure(&rows[0], "ours_us") > 0.0);
    assert_eq!((&*rows[0]["copy_us"], &*rows[0]["fraction"]), ("", ""));
}

#[test]
fn what_cannot_be_timed_is_refused_in_one_line() {
    let said = refused(&["bench", "8", "--csv", "/nonexistent/folder/out.csv"]);
    assert!(said.contains("/nonexistent/folder/out.csv"), "{said}");
    let said = refused(&["bench", "--kind", "dct2", "--backend", "cpu"]);
    assert!(said.contains("no cases are left"), "{said}");
}
