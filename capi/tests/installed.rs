//! The library as it is installed: C, Fortran and CMake programs build with it and run.

use mmafft_testing::skip;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;
use tempfile::TempDir;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

fn main() -> ExitCode {
    mmafft_testing::run(mmafft_testing::tests![
        the_header_is_made_of_the_sources,
        the_c_example_runs,
        ranks_are_processes,
        the_static_library_links,
        the_fortran_example_runs,
        cmake_finds_it,
        hostile_callers_get_errors,
    ])
}

/// What a command says; its fault is the test's.
fn run(command: &mut Command) -> String {
    let output = command.output();
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

/// Without a program the test is reported as ignored.
fn needs(program: &str) {
    if Command::new(program).arg("--version").output().is_err() {
        skip(format!("needs the packages of {program}"));
    }
}

/// The folder in which it is installed, once for all tests.
fn prefix() -> &'static Path {
    static INSTALLED: OnceLock<TempDir> = OnceLock::new();
    let made = INSTALLED.get_or_init(|| {
        needs("make");
        let folder = tempfile::tempdir().expect("a folder");
        let mut make = Command::new("make");
        make.args(["-C", HERE, "install"]);
        make.arg(format!("PREFIX={}", folder.path().display()));
        run(make.env("CARGO", env!("CARGO")));
        folder
    });
    made.path()
}

/// Compiles a program, and runs it.
fn build_and_run(compiler: &str, sources: &[PathBuf], flags: &[&str]) -> String {
    let program = built(compiler, sources, flags);
    run(&mut installed(program.path().join("program")))
}

/// A program that finds the library.
fn installed(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut program = Command::new(program);
    program.env("LD_LIBRARY_PATH", prefix().join("lib"));
    program
}

/// Compiles a program, as `program` of the folder.
fn built(compiler: &str, sources: &[PathBuf], flags: &[&str]) -> TempDir {
    needs(compiler);
    let prefix = prefix();
    let program = tempfile::tempdir().expect("a folder");
    let mut build = Command::new(compiler);
    build.current_dir(program.path()).args(sources);
    build.arg(format!("-I{}", prefix.join("include").display()));
    build.arg(format!("-L{}", prefix.join("lib").display()));
    run(build.args(flags).args(["-o", "program"]));
    program
}

fn here(name: &str) -> PathBuf {
    Path::new(HERE).join(name)
}

fn the_header_is_made_of_the_sources() {
    needs("cbindgen");
    let made = tempfile::tempdir().expect("a folder");
    let header = made.path().join("mmafft.h");
    let mut cbindgen = Command::new("cbindgen");
    cbindgen
        .current_dir(HERE)
        .args(["--config", "cbindgen.toml", "--quiet", "--output"]);
    run(cbindgen.arg(&header));
    let [made, kept] = [header, here("include/mmafft.h")]
        .map(|path| std::fs::read_to_string(path).expect("a header"));
    assert!(
        made == kept,
        "make -C capi header makes another header: look at its difference"
    );
}

fn the_c_example_runs() {
    let flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-lmmafft", "-lm"];
    let said = build_and_run("cc", &[here("examples/image.c")], &flags);
    assert!(said.contains("f64 r2c of 48x64"), "{said}");
    // The header is C++ too.
    let flags = ["-x", "c++", "-fsyntax-only", "-Wall", "-Werror"];
    let mut check = Command::new("c++");
    run(check.args(flags).arg(here("include/mmafft.h")));
}

fn ranks_are_processes() {
    if Command::new("mpiexec").arg("--version").output().is_err() {
        skip("needs an MPI: mpiexec is not in the path");
    }
    let flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-lmmafft"];
    let program = built("cc", &[here("examples/ranks.c")], &flags);
    let mut launcher = installed("mpiexec");
    // Open MPI starts no more ranks than cores, and none for root, unless it is told.
    for name in [
        "OMPI_MCA_rmaps_base_oversubscribe",
        "OMPI_ALLOW_RUN_AS_ROOT",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
    ] {
        launcher.env(name, "1");
    }
    launcher
        .args(["-n", "2"])
        .arg(program.path().join("program"));
    let said = run(&mut launcher);
    assert!(said.contains("2 ranks, right"), "{said}");
}

fn the_static_library_links() {
    let archive = prefix().join("lib/libmmafft.a");
    let sources = [here("examples/image.c"), archive];
    build_and_run("cc", &sources, &["-lpthread", "-ldl", "-lm"]);
}

fn the_fortran_example_runs() {
    let sources = [here("include/mmafft.f90"), here("examples/volume.f90")];
    build_and_run("gfortran", &sources, &["-Wall", "-Werror", "-lmmafft"]);
}

fn cmake_finds_it() {
    needs("cmake");
    let folder = tempfile::tempdir().expect("a folder");
    let lists = format!(
        "cmake_minimum_required(VERSION 3.13)\nproject(image C)\nfind_package(mmafft REQUIRED)\n\
         add_executable(image {})\ntarget_link_libraries(image mmafft::mmafft m)\n",
        here("examples/image.c").display()
    );
    std::fs::write(folder.path().join("CMakeLists.txt"), lists).expect("a file");
    let mut cmake = Command::new("cmake");
    cmake
        .current_dir(folder.path())
        .args(["-S", ".", "-B", "build"]);
    run(cmake.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix().display())));
    run(Command::new("cmake")
        .current_dir(folder.path())
        .args(["--build", "build"]));
    run(&mut Command::new(folder.path().join("build/image")));
}

fn hostile_callers_get_errors() {
    let flags = ["-Wall", "-Werror", "-lmmafft", "-lpthread", "-lm"];
    build_and_run("cc", &[here("tests/hostile.c")], &flags);
}
