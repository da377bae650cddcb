//! What the lab refuses, and in which words.

#[cfg(feature = "cuda")]
use super::lab;
use super::program::misused;
use super::{folder, refused, text, PROGRAM};

/// Of several results one is enough; a device is known by its names.
#[test]
fn wrong_arguments_say_what_is_expected() {
    for (arguments, words) in [
        (&["price", "--from", "x.csv"][..], "required"),
        (
            &[
                "price", "--from", "x.csv", "--device", "h200", "--cases", "y.csv",
            ],
            "cannot be used with",
        ),
        (&["report", "x.csv"], "--output <OUTPUT>"),
        (&["bench", "-1"], "expected lengths such as 1024"),
        (&["plan", "64", "--device", ""], "gfx908, gfx90a, gfx942"),
        (&["plan", "64", "--device", "sm_60"], "sm_80, sm_86"),
        (&["plan", "64", "--device", "h300"], "h100, h200"),
    ] {
        misused(PROGRAM, arguments, words);
    }
}

/// No command writes over what it reads, or over what it has not written.
#[test]
fn nothing_else_is_overwritten() {
    let folder = folder("overwritten");
    let table = folder.join("table.csv");
    std::fs::write(&table, "class,kind,precision,shape\na,c2c,f32,64\n").expect("written");
    let said = refused(&["bench", "--cases", text(&table), "--csv", text(&table)]);
    assert!(said.contains("overwritten"), "{said}");
    let said = refused(&["report", text(&table), "-o", text(&table)]);
    assert!(said.contains("overwritten"), "{said}");
    let said = refused(&["price", "--cases", text(&table), "--csv", text(&table)]);
    assert!(said.contains("overwritten"), "{said}");
}

/// A device that is not here has a plan, and no measurement.
#[test]
#[cfg(feature = "cuda")]
fn plans_of_other_devices_are_printed() {
    let output = lab(&["plan", "4096", "--batch", "1000", "--device", "h100"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(said.contains("predicted for NVIDIA H100"), "{said}");
}
