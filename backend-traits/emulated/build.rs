//! Compiles the emulated devices: each is one C++ translation unit, made of the shared
//! kernel source and its vendor's instructions.

use std::process::{exit, Command, Stdio};

/// What may change the emulators: our own translation units, and the kernels' source.
///
/// All but the first are links to the folders of the packages that devices use, and a package
/// that is published holds a copy.
const SOURCES: [&str; 4] = ["device", "shared", "nvidia", "amd"];

fn main() {
    for folder in SOURCES {
        println!("cargo:rerun-if-changed={folder}");
    }
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        // Whatever the profile: unoptimised, the suites would take an hour.
        .opt_level(2)
        .include("shared/host")
        .include("device")
        .files(["device/nvidia.cpp", "device/amd.cpp"])
        // Sums are rounded where the source says so.
        .flag_if_supported("-ffp-contract=off")
        .flag_if_supported("-fno-exceptions")
        .flag_if_supported("-fno-rtti")
        // The shared source names what only some programs use.
        .flag_if_supported("-Wno-unused")
        .flag_if_supported("-Wno-unused-parameter")
        .flag_if_supported("-Wno-maybe-uninitialized")
        .flag_if_supported("-Wno-unknown-pragmas")
        .warnings(true)
        .extra_warnings(true);
    require_compiler(&build);
    if let Err(error) = build.try_compile("mmafft_emulated") {
        eprintln!("mmafft-emulated: the emulated devices do not compile: {error}");
        exit(1);
    }
}

/// cc reports a missing compiler in the middle of much else.
fn require_compiler(build: &cc::Build) {
    let found = build.try_get_compiler().is_ok_and(|tool| {
        let mut command = Command::new(tool.path());
        command.arg("--version").stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    });
    if !found {
        eprintln!(
            "mmafft-emulated needs a C++17 compiler: install g++ or clang++, or name one in CXX"
        );
        exit(1);
    }
}
