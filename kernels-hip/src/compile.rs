//! From a program to machine code: hipRTC, with the disk cache in front of it.

use crate::bindings::{hiprtc, Hip};
use crate::fragments::{target, ARCHITECTURES};
use mmafft_backend_traits::device::Program;
use mmafft_backend_traits::{Error, Result};
use mmafft_driver::{no_device, Compiled, Compiler as _, RuntimeCompiler};

/// What hipRTC is told, beside the architecture. clang takes the same.
pub const OPTIONS: &[&str] = &["-std=c++17", "-O3"];

/// The AMD half of a kernel's source, in the order in which it is compiled.
pub const PRIMITIVES: &[(&str, &str)] = &[
    ("primitives.hpp", include_str!("../device/primitives.hpp")),
    (
        "instructions.hpp",
        include_str!("../device/instructions.hpp"),
    ),
    ("fragments.hpp", include_str!("../device/fragments.hpp")),
];

/// Compiles a translation unit for an architecture (`gfx942`). Needs hipRTC and no device.
///
/// # Errors
/// `NoDevice` when hipRTC is missing, `Unsupported` when it is too old for the architecture,
/// `Device` with the first lines of the log when the source does not compile.
pub fn compile(source: &str, architecture: &str) -> Result<Compiled> {
    Compiler::find(architecture)?.compile(source)
}

/// The source of a program's kernel on AMD devices: one translation unit.
pub fn source(program: &Program) -> String {
    program.source(PRIMITIVES)
}

/// A hipRTC that knows an architecture.
pub struct Compiler {
    hiprtc: &'static RuntimeCompiler,
    architecture: String,
    version: String,
}

impl Compiler {
    /// hipRTC, if it compiles for the architecture. That is known from its version: asked for
    /// one that it does not know, an old one ends the process.
    pub(crate) fn find(architecture: &str) -> Result<Compiler> {
        let missing = |reason: String| {
            no_device::<Hip>(
                format!("AMD's run-time compiler hipRTC was not found: {reason}"),
                "install ROCm's hip-runtime-amd, or Debian's libamdhip64 and libhiprtc",
            )
        };
        let hiprtc = hiprtc().map_err(missing)?;
        let version = Hip::version(Hip::open()?)?;
        knows(architecture, version)?;
        Ok(Compiler {
            hiprtc,
            architecture: target(architecture).into(),
            version: written(version),
        })
    }
}

impl mmafft_driver::Compiler for Compiler {
    fn source(program: &Program) -> String {
        source(program)
    }

    fn compile(&self, source: &str) -> Result<Compiled> {
        let mut options = vec![format!("--offload-arch={}", self.architecture)];
        options.extend(OPTIONS.iter().map(|&option| option.into()));
        self.hiprtc
            .compile(source, &options, [&self.version, &self.architecture])
    }

    fn told(&self) -> [String; 2] {
        [self.architecture.clone(), OPTIONS.join(" ")]
    }

    /// That of the runtime, as `6.4.43484`.
    fn version(&self) -> String {
        self.version.clone()
    }
}

/// hipRTC's version, which is the runtime's: its own numbering has stayed at 9.0.
pub(crate) fn compiler_version() -> Option<String> {
    hiprtc().ok()?;
    Hip::open().and_then(Hip::version).ok().map(written)
}

pub(crate) fn written((major, minor, patch): (u32, u32, u32)) -> String {
    format!("{major}.{minor}.{patch}")
}

/// Whether hipRTC of this version compiles for the architecture.
fn knows(architecture: &str, (major, minor, _): (u32, u32, u32)) -> Result<()> {
    let row = ARCHITECTURES
        .iter()
        .find(|row| row.name == target(architecture));
    let refused = |instead: String| Error::Unsupported {
        what: format!("compiling for {architecture}, which was not asked of hipRTC,"),
        backend: format!("hipRTC {major}.{minor}"),
        instead,
    };
    match row {
        None => {
            let names: Vec<&str> = ARCHITECTURES.iter().map(|row| row.name).collect();
            Err(refused(format!("use a device of {}", names.join(", "))))
        }
        Some(row) if (major, minor) < row.since => {
            let (major, minor) = row.since;
            Err(refused(format!("install HIP {major}.{minor} or later")))
        }
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
#[path = "compile_tests.rs"]
mod tests;
