//! Programs of FFTW's interface over our libraries, and their results beside FFTW's.

use mmafft_testing::skip;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;
use tempfile::TempDir;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

fn main() -> ExitCode {
    mmafft_testing::run(mmafft_testing::tests![
        every_name_is_there,
        problems_at_random_beside_fftw,
        hostile_callers,
        old_fortran,
        plans_are_printed,
    ])
}

/// What a command says; its fault is the test's.
fn run(command: &mut Command) -> String {
    // What earlier runs have measured is not followed.
    let output = command.env("MMAFFT_CACHE", "off").output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said =
        [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(
        output.status.success(),
        "{command:?}: {}{}",
        said[0],
        said[1]
    );
    said.concat()
}

/// Without FFTW's header and libraries the test is reported as ignored.
fn needs_fftw() {
    if !Path::new("/usr/include/fftw3.h").exists() {
        skip("needs libfftw3 and its header, of the packages of libfftw3-dev");
    }
}

fn needs(program: &str) {
    if Command::new(program).arg("--version").output().is_err() {
        skip(format!("needs the packages of {program}"));
    }
}

/// The folder of our libraries, made once for all tests.
fn libraries() -> &'static Path {
    static INSTALLED: OnceLock<TempDir> = OnceLock::new();
    let made = INSTALLED.get_or_init(|| {
        needs("make");
        let folder = tempfile::tempdir().expect("a folder");
        let mut make = Command::new("make");
        make.args(["-C", HERE, "install"])
            .env("CARGO", env!("CARGO"));
        run(make.arg(format!("LIBDIR={}", folder.path().display())));
        folder
    });
    made.path()
}

fn source(name: &str) -> PathBuf {
    Path::new(HERE).join("tests").join(name)
}

/// Compiles a program, linked to our libraries.
fn build(compiler: &str, name: &str, flags: &[&str]) -> (TempDir, Command) {
    needs_fftw();
    needs(compiler);
    let folder = tempfile::tempdir().expect("a folder");
    let libraries = libraries();
    let mut compile = Command::new(compiler);
    compile.current_dir(folder.path()).arg(source(name));
    compile.args(["-O1", "-I/usr/include", "-o", "program"]);
    compile.arg(format!("-L{}", libraries.display()));
    run(compile.args(flags));
    let mut program = Command::new(folder.path().join("program"));
    program.env("LD_LIBRARY_PATH", libraries);
    (folder, program)
}

/// The names that a library defines.
fn names(library: &Path) -> BTreeSet<String> {
    let listed = run(Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(library));
    let names = listed.lines().filter_map(|line| line.split(' ').nth(2));
    names
        .map(|name| name.split('@').next().unwrap_or(name).into())
        .collect()
}

/// All that the header declares, and all that FFTW's libraries have for Fortran.
fn every_name_is_there() {
    needs_fftw();
    needs("nm");
    let header = std::fs::read_to_string("/usr/include/fftw3.h").expect("the header");
    for (library, prefix, fortran) in [("fftw3", "fftw_", "dfftw_"), ("fftw3f", "fftwf_", "sfftw_")]
    {
        let ours = names(&libraries().join(format!("lib{library}.so.3")));
        let declared = header
            .split("FFTW_EXTERN")
            .skip(1)
            .filter_map(declared_name);
        let mut wanted: BTreeSet<String> = declared.map(|name| format!("{prefix}{name}")).collect();
        assert!(wanted.len() > 70, "{wanted:?}");
        for part in ["", "_threads"] {
            let theirs =
                PathBuf::from(format!("/usr/lib/x86_64-linux-gnu/lib{library}{part}.so.3"));
            if theirs.exists() {
                wanted.extend(
                    names(&theirs)
                        .into_iter()
                        .filter(|name| name.starts_with(fortran)),
                );
            }
        }
        let missing: Vec<_> = wanted.difference(&ours).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let others = ours
            .iter()
            .filter(|name| !name.starts_with(prefix) && !name.starts_with(fortran));
        assert_eq!(others.count(), 0, "{ours:?}");
    }
}

/// The name that a declaration of the header's macro declares: the first that is no type.
fn declared_name(text: &str) -> Option<&str> {
    let mut names = text
        .split("X(")
        .skip(1)
        .map(|part| part.split(')').next().unwrap_or(part));
    let first = names.next()?;
    let name = match text.trim_start().starts_with("X(plan)") {
        true => names.next(),
        false => Some(first),
    };
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.filter(|name| name.chars().all(is_letter))
}

fn problems_at_random_beside_fftw() {
    for (library, flag) in [
        ("libfftw3.so.3", "-DDOUBLE"),
        ("libfftw3f.so.3", "-DSINGLE"),
    ] {
        let flags = ["-Wall", "-Wextra", "-Werror", flag, "-ldl", "-lm"];
        let (_folder, mut program) = build("cc", "beside.c", &flags);
        let ours = libraries().join(library);
        // The loader's own places have FFTW's.
        program.env_remove("LD_LIBRARY_PATH").arg(ours);
        let said = run(program.args([library, "2000"]));
        let compared = said.split(' ').next().and_then(|count| count.parse().ok());
        assert!(compared.is_some_and(|count: usize| count > 1800), "{said}");
    }
}

fn hostile_callers() {
    let flags = [
        "-Wall",
        "-Wextra",
        "-lfftw3",
        "-lfftw3f",
        "-lpthread",
        "-lm",
    ];
    let (_folder, mut program) = build("cc", "hostile.c", &flags);
    run(&mut program);
}

fn old_fortran() {
    let (_folder, mut program) = build("gfortran", "old_fortran.f", &["-lfftw3"]);
    run(&mut program);
}

fn plans_are_printed() {
    let flags = ["-lfftw3", "-lfftw3f", "-lpthread", "-lm"];
    let (_folder, mut program) = build("cc", "hostile.c", &flags);
    let said = run(program.env("MMAFFT_VERBOSE", "1"));
    assert_eq!(
        said.matches("f64 c2c of 400x400 inverse, in place").count(),
        1,
        "{said}"
    );
}
