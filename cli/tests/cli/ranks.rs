//! Transforms over ranks, as a user asks for them.

use super::kinds::{close, real, transformed};
use super::{folder, mmafft, refused};

#[test]
fn plans_say_what_crosses() {
    let run = mmafft(&["plan", "64x32x16", "--ranks", "4", "--backend", "cpu"]);
    assert!(run.status.success(), "{run:?}");
    let words = String::from_utf8_lossy(&run.stdout).into_owned();
    for said in [
        "over 4 ranks",
        "2 stages, 1 exchange; a rank sends 48 KiB",
        "stage 2: axis 0 of 64x8x16",
        "one device",
    ] {
        assert!(words.contains(said), "{said}: {words}");
    }
    let line = [
        "plan",
        "4096",
        "--ranks",
        "2",
        "--spread",
        "scrambled",
        "--backend",
        "cpu",
    ];
    let words = String::from_utf8_lossy(&mmafft(&line).stdout).into_owned();
    assert!(words.contains("3 stages, 2 exchanges"), "{words}");
}

#[test]
fn files_are_the_same_over_ranks() {
    let folder = folder("ranks");
    let (input, output) = (folder.join("in.npy"), folder.join("out.npy"));
    let values: Vec<f64> = (0..7 * 12).map(|i| f64::from(i * i % 23)).collect();
    real(&input, "(7, 12)", &values);
    for arguments in [
        &["--kind", "r2c"][..],
        &["--kind", "dct2"],
        &["--kind", "c2c", "--axes", "0"],
    ] {
        let cpu = [arguments, &["--backend", "cpu"]].concat();
        let one = transformed(&input, &output, &cpu);
        let shared = transformed(&input, &output, &[&cpu[..], &["--ranks", "3"]].concat());
        assert!(close(&one, &shared), "{arguments:?}");
    }
}

#[test]
fn times_of_ranks() {
    let run = mmafft(&[
        "bench",
        "32x32",
        "--ranks",
        "2",
        "--quick",
        "--mebibytes",
        "1",
        "--backend",
        "cpu",
    ]);
    assert!(run.status.success(), "{run:?}");
    let words = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(
        words.contains("2 ranks, threads") && words.contains("32x32"),
        "{words}"
    );
}

#[test]
fn devices_that_are_none_are_said() {
    let cpu = ["bench", "16x16", "--ranks", "2", "--backend", "cpu"];
    let run = mmafft(&[&cpu[..], &["--devices", "0,1"]].concat());
    let words = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(
        !run.status.success() && words.contains("device 1 of cpu"),
        "{words}"
    );
}

#[test]
fn what_is_no_spread_is_said() {
    for (spread, said) in [("slab:9", "axis 9"), ("grid:2x2", "grid of")] {
        let words = refused(&["plan", "8x8", "--ranks", "3", "--spread", spread]);
        assert!(words.contains(said), "{spread}: {words}");
    }
    for (arguments, said) in [
        (&["--ranks", "3", "--spread", "cube"][..], "slab:AXIS"),
        (&["--spread", "batch"], "--ranks"),
    ] {
        let run = mmafft(&[&["plan", "8x8"], arguments].concat());
        let words = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(!run.status.success() && words.contains(said), "{words}");
    }
    assert!(refused(&["plan", "97", "--ranks", "2"]).contains("prime"));
}
