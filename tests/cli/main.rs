//! The program as a user runs it.
#![cfg(feature = "cli")]

mod bench;
mod browser;
mod report;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn mmafft(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mmafft"));
    command.args(arguments).output().expect("the program runs")
}

fn data(name: &str) -> String {
    format!("{}/examples/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A directory of its own for a test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// Runs what must fail: one line on standard error, none on standard output.
fn refused(arguments: &[&str]) -> String {
    let output = mmafft(arguments);
    let said = String::from_utf8_lossy(&output.stderr)
        .trim_end()
        .to_string();
    assert!(!output.status.success(), "{arguments:?} succeeded");
    assert!(output.stdout.is_empty(), "{arguments:?} printed a result");
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

/// A version 1.0 file of these bytes.
fn npy(path: &Path, descr: &str, shape: &str, bytes: &[u8]) {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(bytes);
    std::fs::write(path, file).expect("a file");
}

#[test]
fn sunspots_have_a_cycle_of_eleven_years() {
    let folder = folder("sunspots");
    let (out, plot) = (folder.join("s.npy"), folder.join("s.svg"));
    let input = data("sunspots.npy");
    let run = mmafft(&[
        "transform",
        &input,
        "-o",
        text(&out),
        "--plot",
        text(&plot),
        "--unit",
        "year",
    ]);
    assert!(run.status.success(), "{run:?}");
    let said = String::from_utf8_lossy(&run.stdout);
    for words in [
        "[309] float64",
        "f64 c2c",
        "backend cpu",
        "relative L2 error about",
    ] {
        assert!(said.contains(words), "{said}");
    }
    let svg = std::fs::read_to_string(plot).expect("the plot");
    assert!(svg.contains("period 11.0 year"));
    assert_eq!(
        std::fs::metadata(out).expect("the result").len() % (309 * 16),
        128
    );
}

/// The report goes behind the array, and not over it.
#[test]
fn standard_output_may_be_a_file() {
    let out = folder("stdout").join("f.npy");
    let file = std::fs::File::create(&out).expect("a file");
    let mut program = Command::new(env!("CARGO_BIN_EXE_mmafft"));
    program.args(["transform", &data("sunspots.npy"), "-o", "/dev/stdout"]);
    let status = program.stdout(file).status().expect("it runs");
    assert!(status.success());
    let written = std::fs::read(out).expect("the result");
    // The array's bytes come first, after what was said before there was a result.
    let magic = b"\x93NUMPY";
    let at = written.windows(6).position(|bytes| bytes == magic);
    let array = &written[at.expect("an array")..];
    assert!(array.len() >= 128 + 309 * 16, "{}", array.len());
}

#[test]
fn there_and_back_again() {
    let folder = folder("back");
    let (half, back) = (folder.join("h.npy"), folder.join("b.npy"));
    let input = data("moon.npy");
    for arguments in [
        &[
            "transform",
            &input,
            "-o",
            text(&half),
            "--kind",
            "r2c",
            "--precision",
            "f64",
        ][..],
        &[
            "transform",
            text(&half),
            "-o",
            text(&back),
            "--kind",
            "c2r",
            "--norm",
            "backward",
        ],
    ] {
        let run = mmafft(arguments);
        assert!(run.status.success(), "{run:?}");
    }
    let original = std::fs::read(input).expect("the picture");
    let restored = std::fs::read(back).expect("the result");
    let pixels = &original[original.len() - 512 * 512..];
    let values = restored[restored.len() - 512 * 512 * 8..].chunks_exact(8);
    for (pixel, value) in pixels.iter().zip(values) {
        let value = f64::from_ne_bytes(value.try_into().expect("eight bytes"));
        assert!((value - f64::from(*pixel)).abs() < 1e-10);
    }
}

/// What is read stays, and no two outputs are one file.
#[test]
fn nothing_is_overwritten() {
    let folder = folder("overwritten");
    let [input, out, table] = ["in.npy", "out.npy", "table.csv"].map(|name| folder.join(name));
    npy(&input, "<f8", "(4,)", &[0; 32]);
    let before = std::fs::read(&input).expect("it is there");
    let beside = folder.join(".").join("in.npy");
    for [output, plot] in [
        [text(&out), text(&input)],
        [text(&input), text(&out)],
        [text(&out), text(&out)],
        [text(&out), text(&beside)],
    ] {
        let said = refused(&["transform", text(&input), "-o", output, "--plot", plot]);
        assert!(
            said.contains("overwritten") || said.contains("twice"),
            "{said}"
        );
    }
    assert_eq!(std::fs::read(&input).expect("it is there"), before);
    assert!(!out.exists());
    std::fs::write(&table, "class,kind,precision,shape\na,c2c,f32,64\n").expect("written");
    let said = refused(&["bench", "--cases", text(&table), "--csv", text(&table)]);
    assert!(said.contains("overwritten"), "{said}");
    let said = refused(&["bench", "64", "--csv", text(&input), "--backend", "cpu"]);
    assert!(said.contains("no table"), "{said}");
    let said = refused(&["report", text(&table), "-o", text(&table)]);
    assert!(said.contains("overwritten"), "{said}");
    let said = refused(&["tune", "-o", text(&input), "--backend", "cpu"]);
    assert!(said.contains("no launches"), "{said}");
}

/// As other programs write through links, also to what is not there yet.
#[cfg(unix)]
#[test]
fn links_are_written_through() {
    use std::os::unix::fs::symlink;
    let folder = folder("links");
    let [new, first, second, circle] =
        ["new.npy", "first", "second", "circle"].map(|name| folder.join(name));
    symlink("new.npy", &second).expect("a link");
    symlink("second", &first).expect("a link to a link");
    symlink("circle", &circle).expect("a link to itself");
    let input = data("sunspots.npy");
    let twice = [
        "transform",
        &input,
        "-o",
        text(&first),
        "--plot",
        text(&new),
    ];
    let said = refused(&twice);
    assert!(said.contains("twice") && !new.exists(), "{said}");
    let run = mmafft(&twice[..4]);
    assert!(run.status.success(), "{run:?}");
    assert!(first.is_symlink() && second.is_symlink() && !new.is_symlink());
    assert!(std::fs::read(&new)
        .expect("the result")
        .starts_with(b"\x93NUMPY"));
    let said = refused(&["transform", &input, "-o", text(&circle)]);
    assert!(said.contains("circle: ") && circle.is_symlink(), "{said}");
    std::fs::remove_file(&second).expect("a link");
    symlink("nowhere/new.npy", &second).expect("a link");
    let said = refused(&twice[..4]);
    assert!(said.contains("no such folder"), "{said}");
}

/// Where the system gives no threads, here for stacks that no memory holds, one does it all.
#[cfg(target_os = "linux")]
#[test]
fn no_threads_but_its_own() {
    let out = folder("threads").join("out.npy");
    let moon = data("moon.npy");
    for (arguments, words) in [
        (&["info"][..], "1 threads"),
        (&["transform", &moon, "-o", text(&out)], "wrote"),
        (
            &["transform", &moon, "-o", text(&out), "--threads", "2"],
            "wrote",
        ),
        (
            &["bench", "64", "4096", "--quick", "--mebibytes", "1"],
            "4096",
        ),
    ] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_mmafft"));
        program
            .args(arguments)
            .env("RUST_MIN_STACK", (1u64 << 60).to_string());
        let output = program.output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains(words),
            "{output:?}"
        );
        assert!(output.stderr.is_empty(), "{output:?}");
    }
}

/// Of what never ends no more is read than a header.
#[cfg(unix)]
#[test]
fn streams_are_read_as_far_as_their_header_says() {
    let folder = folder("streams");
    let out = folder.join("out.npy");
    let said = refused(&["transform", "/dev/zero", "-o", text(&out)]);
    assert!(said.contains("not a .npy file"), "{said}");
    assert!(!out.exists());
}

/// Integers of 32 bits keep their digits; what is not finite has no bound.
#[test]
fn digits_are_kept_or_named() {
    let folder = folder("digits");
    let [input, out] = ["in.npy", "out.npy"].map(|name| folder.join(name));
    let integers: Vec<u8> = (0..4i32)
        .flat_map(|i| ((1 << 30) + i).to_le_bytes())
        .collect();
    npy(&input, "<i4", "(4,)", &integers);
    let output = mmafft(&[
        "transform",
        text(&input),
        "-o",
        text(&out),
        "--backend",
        "cpu",
    ]);
    assert!(
        String::from_utf8_lossy(&output.stdout).contains(" f64 "),
        "{output:?}"
    );
    let large: Vec<u8> = [1e30f64; 4].iter().flat_map(|x| x.to_le_bytes()).collect();
    npy(&input, "<f8", "(4,)", &large);
    let arguments = [
        "transform",
        text(&input),
        "-o",
        text(&out),
        "--backend",
        "cpu",
    ];
    let output = mmafft(&[&arguments[..], &["--precision", "f16"]].concat());
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("no bound holds"),
        "{said}"
    );
}

/// A table of rules that cannot be used is named, and the built-in ones are used.
#[test]
fn rules_that_cannot_be_used_are_named() {
    let run = |rules: &str| {
        let program = env!("CARGO_BIN_EXE_mmafft");
        let output = std::process::Command::new(program)
            .args(["plan", "64"])
            .env("MMAFFT_RULES", rules)
            .output();
        let output = output.expect("it runs");
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(run("/nowhere/rules.csv").contains("MMAFFT_RULES=/nowhere/rules.csv: No such file"));
    let folder = folder("rules");
    let rules = folder.join("rules.csv");
    std::fs::write(&rules, "sm_90,f32,simt,c2c,rows,64,junk\n").expect("written");
    let said = run(text(&rules));
    assert!(
        said.contains("no rule is `sm_90") && said.contains("built-in"),
        "{said}"
    );
    std::fs::write(&rules, "# nothing\n").expect("written");
    assert_eq!(run(text(&rules)), "");
}

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
    let said = refused(&[
        "transform",
        bad_input,
        "-o",
        output,
        "--kind",
        "c2r",
        "--length",
        "6",
    ]);
    assert!(said.contains("expected 4") && said.contains('5'), "{said}");
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
        (&["report", "x.csv"], "--output <OUTPUT>|--markdown"),
        (&["plan", "-1"], "expected lengths such as 1024"),
        (&["plan", "64", "--batch", "-1"], "a whole number from 1"),
        (
            &["plan", "64", "--radices", "-1,2"],
            "a whole number from 1",
        ),
        (&["plan", "64", "--nonzero", "-1:0..2"], "such as 0:3..17"),
        (&["plan", "64", "--axes", "x"], "such as 0, or -1"),
        (&["plan", "64", "--device", ""], "gfx908, gfx90a, gfx942"),
        (&["accuracy", "--tables", "-1"], "tables 1 to 9"),
    ] {
        let output = mmafft(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
        assert!(!said.contains("as a value, use"), "{said}");
    }
    let said = refused(&["plan", "8x8", "--kind", "c2c,c2c"]);
    assert!(said.contains("give c2c alone"), "{said}");
}

#[test]
fn plans_and_devices_are_printed() {
    let plan = mmafft(&[
        "plan",
        "1024x768",
        "--batch",
        "8",
        "--precision",
        "split-f16",
    ]);
    let said = String::from_utf8_lossy(&plan.stdout);
    assert!(
        plan.status.success() && said.contains("split half"),
        "{said}"
    );
    let info = mmafft(&["info"]);
    let said = String::from_utf8_lossy(&info.stdout);
    assert!(info.status.success(), "{said}");
    for backend in ["cpu", "cuda", "hip"] {
        assert!(said.contains(backend), "{said}");
    }
}

#[test]
fn tables_are_written() {
    let folder = folder("tables");
    let accuracy = folder.join("a.csv");
    let arguments = ["accuracy", "--tables", "3", "--max-points", "4096", "--csv"];
    let run = mmafft(&[&arguments[..], &[text(&accuracy)]].concat());
    assert!(run.status.success(), "{run:?}");
    let csv = std::fs::read_to_string(accuracy).expect("the table");
    assert_eq!(csv.lines().count(), 2, "{csv}");
    let columns = |line: &str| line.split(',').count();
    let head = columns(csv.lines().next().expect("a head"));
    assert!(csv.lines().all(|line| columns(line) == head), "{csv}");
}
