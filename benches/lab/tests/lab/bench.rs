//! `mmafft-lab bench`: lists, peers, and what is refused.

use super::program::{figure, folder, text};
use super::{bench, refused};

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
    if cfg!(not(feature = "cuda")) {
        let said = refused(&["bench", "8", "--peer", "cufft"]);
        assert!(said.contains("--features cuda"), "{said}");
    }
}

#[test]
fn a_cpu_has_no_priced_tiles() {
    let said = refused(&["price", "--backend", "cpu"]);
    assert!(said.contains("cpu has no tiles to price"), "{said}");
}
