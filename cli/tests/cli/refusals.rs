//! What the program refuses, and in which words.

use super::program::misused;
use super::{data, folder, mmafft, npy, refused, text, PROGRAM};

#[test]
fn errors_are_one_clear_line() {
    let folder = folder("errors");
    let (out, bad) = (folder.join("out.npy"), folder.join("bad.npy"));
    let (output, bad_input) = (text(&out), text(&bad));
    let sunspots = data("sunspots.npy");
    let said = refused(&["transform", "nowhere.npy", "-o", output]);
    assert!(said.contains("nowhere.npy"), "{said}");

    npy(&bad, "<f8", "(4,)", &[0; 24]);
    let said = refused(&["transform", bad_input, "-o", output]);
    assert!(said.contains("32") && said.contains("24"), "{said}");
    npy(&bad, "<c8", "(5,)", &[0; 40]);
    let said = refused(&["transform", bad_input, "-o", output, "--kind", "r2c"]);
    assert!(said.contains("real"), "{said}");
    npy(&bad, "<f8", "(5,)", &[0; 40]);
    let said = refused(&["transform", bad_input, "-o", output, "--kind", "c2r"]);
    assert!(
        said.contains("float64") && said.contains("--kind r2c"),
        "{said}"
    );
    let undo = ["--kind", "r2c", "--inverse"];
    let said = refused(&[&["transform", bad_input, "-o", output][..], &undo].concat());
    assert!(said.contains("c2r takes half of a complex"), "{said}");
    npy(&bad, "<f8", "(0,)", &[]);
    refused(&["transform", bad_input, "-o", output]);
    npy(&bad, "<f8", "()", &[0; 8]);
    let said = refused(&["transform", bad_input, "-o", output]);
    assert!(said.contains("rank 0"), "{said}");

    let said = refused(&["transform", &sunspots, "-o", output, "--axes", "1"]);
    assert!(said.contains("axis 1"), "{said}");
    let said = refused(&["plan", "64x64", "--axes", "-1,-3"]);
    assert!(said.contains("axis -3 "), "{said}");
    let said = refused(&[
        "transform",
        &sunspots,
        "-o",
        output,
        "--spacing",
        "0",
        "--plot",
        text(&folder.join("plot.svg")),
    ]);
    assert!(said.contains("--spacing"), "{said}");
    for backend in ["cuda", "hip"] {
        refused(&["transform", &sunspots, "-o", output, "--backend", backend]);
    }
    // `tests/emulated` runs on them where they are built.
    if !cfg!(feature = "emulate") {
        for backend in ["emulated-nvidia", "emulated-amd"] {
            let said = refused(&["transform", &sunspots, "-o", output, "--backend", backend]);
            assert!(said.contains("--features emulate"), "{said}");
        }
    }
    assert!(!out.exists(), "a failed run left an output");

    let said = refused(&["transform", &sunspots, "-o", "/nonexistent/folder/out.npy"]);
    assert!(said.contains("/nonexistent/folder/out.npy"), "{said}");
    let left = std::fs::read_dir(folder).expect("the folder").count();
    assert_eq!(left, 1, "only the bad input is left");
}

/// Of several results one is enough; negative numbers are values, and not flags.
#[test]
fn wrong_arguments_say_what_is_expected() {
    for (arguments, words) in [
        (
            &["transform", "x.npy"][..],
            "--output <OUTPUT>|--plot <PLOT>",
        ),
        (&["plan", "-1"], "expected lengths such as 1024"),
        (&["plan", "64", "--batch", "-1"], "a whole number from 1"),
        (
            &["plan", "64", "--radices", "-1,2"],
            "a whole number from 1",
        ),
        (&["plan", "64", "--nonzero", "-1:0..2"], "such as 0:3..17"),
        (&["plan", "64", "--axes", "x"], "such as 0, or -1"),
        (&["plan", "2^64"], "2^20, 1e6 or 64k"),
        (&["accuracy", "--tables", "-1"], "tables 1 to 9"),
    ] {
        misused(PROGRAM, arguments, words);
    }
    let said = refused(&["plan", "8x8", "--kind", "c2c,c2c"]);
    assert!(said.contains("give c2c alone"), "{said}");
}

/// Names of files may hold anything; the terminal sees none of what controls it.
#[cfg(unix)]
#[test]
fn names_do_not_control_the_terminal() {
    let folder = folder("control");
    let name = folder.join("\u{1b}[2Ja\nb.npy");
    let said = refused(&["transform", text(&name), "-o", "-"]);
    assert!(said.contains("\\u{1b}[2Ja\\nb.npy"), "{said}");
    npy(&name, "<f8", "(4,)", &[0; 32]);
    let out = folder.join("\u{7}.npy");
    let run = mmafft(&["transform", text(&name), "-o", text(&out)]);
    assert!(run.status.success(), "{run:?}");
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(
        said.contains("wrote ") && !said.contains(['\u{1b}', '\u{7}']),
        "{said}"
    );
    npy(&name, "<\u{1b}8", "(4,)", &[0; 32]);
    let said = refused(&["transform", text(&name), "-o", text(&out)]);
    assert!(!said.contains('\u{1b}'), "{said}");
}

/// Lengths are written as in tables.
#[test]
fn lengths_of_tables() {
    let plan = |shape: &str| {
        let run = mmafft(&["plan", shape, "--batch", "1k"]);
        assert!(run.status.success(), "{run:?}");
        String::from_utf8_lossy(&run.stdout).into_owned()
    };
    assert_eq!(plan("2^10x1e3"), plan("1024x1000"));
    assert_eq!(plan("64k"), plan("65536"));
}
