//! `mmafft bench`: rows, lists, peers, and what is refused.

use super::{folder, mmafft, refused, text};
use std::collections::HashMap;
use std::path::Path;

pub type Row = HashMap<String, String>;

/// The rows of a file, by the names of their columns.
fn rows(path: &Path) -> Vec<Row> {
    let reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_path(path);
    let rows = reader.expect("the table").into_deserialize();
    rows.map(|row| row.expect("a row")).collect()
}

pub fn figure(row: &Row, name: &str) -> f64 {
    row[name]
        .parse()
        .unwrap_or_else(|_| panic!("{name}: {row:?}"))
}

/// Runs what must succeed; returns what it prints and its rows.
pub fn bench(name: &str, arguments: &[&str]) -> (String, Vec<Row>) {
    let csv = folder(name).join("out.csv");
    let run = mmafft(&[&["bench"], arguments, &["--quick", "--csv", text(&csv)]].concat());
    assert!(run.status.success(), "{run:?}");
    let head = std::fs::read_to_string(&csv).expect("the table");
    assert!(head.starts_with("# mmafft ") && head.contains(": mmafft bench "));
    (
        String::from_utf8_lossy(&run.stdout).into_owned(),
        rows(&csv),
    )
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

#[test]
fn a_list_is_read_and_a_case_that_fails_is_a_row() {
    let list = folder("bench-list").join("list.csv");
    let lines = "class,kind,precision,shape,batch\na,c2c,f64,12,5\nb,c2c,f32,8,\na,c2c,f32,0,1\n";
    std::fs::write(&list, lines).expect("the list");
    let (_, rows) = bench("bench-rows", &["--cases", text(&list), "--class", "a"]);
    assert_eq!(rows.len(), 2);
    assert_eq!((&*rows[0]["shape"], &*rows[0]["ours_us"]), ("0", ""));
    assert!(
        rows[0]["failure"].contains("expected at least 1"),
        "{rows:?}"
    );
    assert_eq!((&*rows[1]["shape"], &*rows[1]["batch"]), ("12", "5"));
    assert!(figure(&rows[1], "ours_us") > 0.0);
}

/// The default list runs, as far as it is small.
#[test]
fn one_launch_is_a_class() {
    let (said, rows) = bench("bench-launch", &["--class", "launch", "--backend", "cpu"]);
    assert_eq!(rows.len(), 5, "{said}");
    assert!(rows.iter().all(|row| row["batch"] == "1"));
}

#[test]
fn rustfft_is_a_peer() {
    let small = ["60", "1009", "--mebibytes", "1"];
    let beside = ["--threads", "1", "--peer", "rustfft"];
    let (said, rows) = bench("bench-rustfft", &[small, beside].concat());
    for row in &rows {
        let ratio = figure(row, "peer_us") / figure(row, "ours_us");
        assert!((figure(row, "ratio") / ratio - 1.0).abs() < 1e-3, "{row:?}");
        assert!(figure(row, "difference") < 1e-6, "{row:?}");
        assert!(row["peer"].starts_with("rustfft-"), "{row:?}");
    }
    assert!(said.contains("geometric mean"), "{said}");
    // What the peer does not have is ours alone, and says so.
    let real = ["60", "--kind", "r2c", "--mebibytes", "1"];
    let (_, rows) = bench("bench-rustfft-real", &[&real[..], &beside].concat());
    assert!(figure(&rows[0], "ours_us") > 0.0 && rows[0]["peer_us"].is_empty());
    assert!(rows[0]["failure"].contains("rustfft"), "{rows:?}");
    let said = refused(&["bench", "64", "--threads", "2", "--peer", "rustfft"]);
    assert!(said.contains("--threads 1"), "{said}");
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
    let list = folder("bench-refused").join("list.csv");
    let at = text(&list);
    std::fs::write(
        &list,
        "class,kind,precision,shape\na,c2c,f32,8\na,c2c,f32,8 by 8\n",
    )
    .expect("a file");
    let said = refused(&["bench", "--cases", at]);
    assert!(
        said.contains("list.csv, line 3: expected lengths"),
        "{said}"
    );
    let said = refused(&["bench", "--cases", "nowhere.csv"]);
    assert!(said.contains("nowhere.csv"), "{said}");
    let said = refused(&["bench", "--class", "pow3", "--backend", "cpu"]);
    assert!(
        said.contains("'pow3'") && said.contains("pow2, smooth"),
        "{said}"
    );
    let said = refused(&["bench", "8", "--csv", "/nonexistent/folder/out.csv"]);
    assert!(said.contains("/nonexistent/folder/out.csv"), "{said}");
    let said = refused(&["bench", "8", "--norm", "ortho", "--peer", "rustfft"]);
    assert!(said.contains("--norm"), "{said}");
}

/// Whatever the build and the machine lack, the line says how to get it.
#[test]
fn a_peer_that_is_not_there_is_refused() {
    for (backend, peer) in [("cpu", "cufft"), ("cpu", "rocfft"), ("hip", "rocfft")] {
        refused(&["bench", "8", "--backend", backend, "--peer", peer]);
    }
    if cfg!(not(feature = "peers")) {
        let said = refused(&["bench", "8", "--peer", "fftw"]);
        assert!(said.contains("--features peers"), "{said}");
    }
}

#[test]
fn a_cpu_is_not_tuned() {
    let said = refused(&["tune", "-o", "rules.csv", "--backend", "cpu"]);
    assert!(said.contains("cpu has no launches to tune"), "{said}");
}
