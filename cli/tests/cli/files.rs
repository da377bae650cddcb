//! What the program reads and writes: no file is lost, links are followed.

use super::{data, folder, mmafft, npy, refused, text, PROGRAM};
use std::process::Command;

/// The array alone is there; the report is on standard error.
#[test]
fn standard_output_may_be_a_file() {
    let folder = folder("stdout");
    let input = data("sunspots.npy");
    let plain = folder.join("plain.npy");
    assert!(mmafft(&["transform", &input, "-o", text(&plain)])
        .status
        .success());
    let expected = std::fs::read(plain).expect("the result");
    for name in ["-", "/dev/stdout"] {
        let out = folder.join("f.npy");
        let file = std::fs::File::create(&out).expect("a file");
        let mut program = Command::new(PROGRAM);
        program.args(["transform", &input, "-o", name]).stdout(file);
        let run = program.output().expect("it runs");
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(
            run.status.success() && said.contains("relative L2"),
            "{said}"
        );
        assert_eq!(std::fs::read(out).expect("the result"), expected, "{name}");
    }
    assert!(!std::path::Path::new("-").exists());
}

/// The standard output is `-`, and no file has that name.
#[test]
fn a_dash_is_the_standard_output() {
    let folder = folder("dash");
    let mut program = Command::new(PROGRAM);
    program.args(["transform", &data("sunspots.npy"), "-o", "-"]);
    let run = program.current_dir(&folder).output().expect("it runs");
    assert!(run.status.success(), "{run:?}");
    let magic = b"\x93NUMPY";
    let at = run.stdout.windows(6).position(|bytes| bytes == magic);
    let array = &run.stdout[at.expect("an array")..];
    assert!(array.len() >= 128 + 309 * 16, "{}", array.len());
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 0);
    let both = ["transform", "in.npy", "-o", "-", "--plot", "/dev/stdout"];
    let said = refused(&both);
    assert!(said.contains("two outputs"), "{said}");
}

/// What is read stays, and no two outputs are one file.
#[test]
fn nothing_is_overwritten() {
    let folder = folder("overwritten");
    let [input, out] = ["in.npy", "out.npy"].map(|name| folder.join(name));
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
    let said = refused(&["bench", "64", "--csv", text(&input), "--backend", "cpu"]);
    assert!(said.contains("no table"), "{said}");
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

/// A pipe is written to directly, and its name may end in anything.
#[cfg(unix)]
#[test]
fn pipes_are_written_directly() {
    let folder = folder("pipes");
    let pipe = folder.join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("it runs").success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || std::fs::read(pipe).expect("the result"))
    };
    let run = mmafft(&["transform", &data("sunspots.npy"), "-o", text(&pipe)]);
    assert!(run.status.success(), "{run:?}");
    let array = reader.join().expect("it ends");
    assert!(array.starts_with(b"\x93NUMPY") && array.len() > 309 * 16);
    let names = std::fs::read_dir(&folder).expect("a folder");
    assert_eq!(names.count(), 1);
}
