//! Programs of cuFFT's interface over our libraries, on an emulated device.

use mmafft_testing::{or_skip, skip};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::OnceLock;
use tempfile::TempDir;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

fn main() -> ExitCode {
    mmafft_testing::run(mmafft_testing::tests![
        names_have_versions,
        clients_calls,
        clients_calls_on_a_device,
        plans_are_printed,
        no_device_is_an_error,
        the_rest_goes_to_nvidias_library,
    ])
}

fn output(command: &mut Command) -> (bool, String) {
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said =
        [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    (output.status.success(), said.concat())
}

/// What a command says; its fault is the test's.
fn run(command: &mut Command) -> String {
    let (done, said) = output(command);
    assert!(done, "{command:?}: {said}");
    said
}

fn needs(program: &str) {
    if Command::new(program).arg("--version").output().is_err() {
        skip(format!("needs the packages of {program}"));
    }
}

/// The folder of our libraries, which have emulated devices besides, made once for all tests.
fn libraries() -> &'static Path {
    static INSTALLED: OnceLock<TempDir> = OnceLock::new();
    let made = INSTALLED.get_or_init(|| {
        ["make", "cc", "c++"].into_iter().for_each(needs);
        let folder = tempfile::tempdir().expect("a folder");
        let mut make = Command::new("make");
        make.args(["-C", HERE, "install", "FEATURES=emulate"]);
        make.arg(format!("LIBDIR={}", folder.path().display()));
        run(make.env("CARGO", env!("CARGO")));
        folder
    });
    made.path()
}

/// A program, linked to our library.
fn build(name: &str) -> (TempDir, Command) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut compile = compiler(&folder, name);
    compile.arg(format!("-L{}", libraries().display()));
    run(compile.args(["-lcufft", "-ldl", "-lm", "-o", "program"]));
    let mut program = Command::new(folder.path().join("program"));
    program.env("LD_LIBRARY_PATH", libraries());
    program.env("MMAFFT_CACHE", "off");
    (folder, program)
}

fn compiler(folder: &TempDir, name: &str) -> Command {
    let mut compile = Command::new("cc");
    compile.current_dir(folder.path());
    compile.args(["-O1", "-Wall", "-Wextra", "-Werror"]);
    compile.arg(Path::new(HERE).join("tests").join(name));
    compile
}

/// Programs that were linked to cuFFT look for its names with its version.
fn names_have_versions() {
    for (version, count) in [("11", 75), ("12", 75)] {
        let library = libraries().join(format!("libcufft.so.{version}"));
        let listed = run(Command::new("nm")
            .args(["-D", "--defined-only"])
            .arg(&library));
        let end = format!("@@libcufft.so.{version}");
        let (ours, others): (Vec<_>, Vec<_>) = listed
            .lines()
            .filter(|line| !line.contains(" A "))
            .partition(|line| line.ends_with(&end));
        assert!(
            ours.len() >= count && others.is_empty(),
            "{ours:?} {others:?}"
        );
        let header = run(Command::new("readelf").arg("-d").arg(&library));
        assert!(
            header.contains(&format!("[libcufft.so.{version}]")),
            "{header}"
        );
    }
}

fn clients_calls() {
    let (_folder, mut program) = build("calls.c");
    for device in ["emulated-nvidia", "emulated-amd"] {
        run(program.env("MMAFFT_CUFFT_BACKEND", device));
    }
}

fn clients_calls_on_a_device() {
    or_skip(mmafft::Planner::cuda(0));
    let (_folder, mut program) = build("calls.c");
    run(&mut program);
}

fn plans_are_printed() {
    let (_folder, mut program) = build("calls.c");
    program.env("MMAFFT_CUFFT_BACKEND", "emulated-nvidia");
    let said = run(program.env("MMAFFT_VERBOSE", "1"));
    assert!(
        said.contains("in cuFFT's place: f32 c2c of 60 forward, batch 3"),
        "{said}"
    );
}

fn no_device_is_an_error() {
    let (_folder, mut program) = build("calls.c");
    program.env("MMAFFT_CUFFT_BACKEND", "no-such-device");
    let (done, said) = output(&mut program);
    assert!(!done && said.starts_with("line "), "{said}");
}

fn the_rest_goes_to_nvidias_library() {
    let (folder, mut program) = build("forwarded.c");
    let real = folder.path().join("real.so");
    let mut compile = compiler(&folder, "forwarded.c");
    run(compile
        .args(["-DREAL", "-shared", "-fPIC", "-o"])
        .arg(&real));
    program.env("MMAFFT_CUFFT_BACKEND", "emulated-nvidia");
    program.env("MMAFFT_CUFFT_REAL", &real);
    let said = run(&mut program);
    let expected = "create\nallocate 77 0\nstream 77 0x1230\ngpus 77 2 5\nplan 77 64 41 3\nsize 77\n\
        area 77 0x4560\nrun 77 16 1\ndestroy 77\ncreate\nmany 77 1 8 9 1 8 9 2 3 41 2\nrun 77 0 -1\n\
        destroy 77\nfree 0x70\n";
    assert_eq!(said, expected);
    // Without it there is an error.
    let (done, said) = output(program.env_remove("MMAFFT_CUFFT_REAL"));
    assert!(
        !done && said.contains("cufftXtSetGPUs(several, 2, devices) == 0"),
        "{said}"
    );
}
