//! From a program to machine code: NVRTC, with the disk cache in front of it.

use crate::bindings::{Cuda, Nvrtc};
use crate::fragments::capability;
use mmafft_backend_traits::device::Program;
use mmafft_backend_traits::{Error, Result};
use mmafft_driver::{no_device, Compiled, Compiler as _};

/// What NVRTC is told, beside the architecture. Verbose assembly puts the registers and
/// spills of each kernel into the log; it costs no time.
pub const OPTIONS: &[&str] = &["--std=c++17", "--ptxas-options=-v"];

/// Options of newer NVRTCs, and the first version that knows each.
///
/// Kernels need no declarations of textures or of CUDA's own run time. NVRTC's cache would hold what ours holds, and threads wait
/// for each other at it (docs/lab/2026-11-30-long-lines.md).
const NEWER: &[(&str, (u32, u32))] = &[("--minimal", (12, 4)), ("--no-cache", (12, 9))];

/// The NVIDIA half of a kernel's source, in the order in which it is compiled.
pub const PRIMITIVES: &[(&str, &str)] = &[
    ("primitives.hpp", include_str!("../device/primitives.hpp")),
    (
        "instructions.hpp",
        include_str!("../device/instructions.hpp"),
    ),
    ("fragments.hpp", include_str!("../device/fragments.hpp")),
];

/// Compiles a translation unit for an architecture (`sm_90`). Needs NVRTC and no device.
///
/// # Errors
/// `NoDevice` when NVRTC is missing, `Unsupported` when no NVRTC that is there knows the
/// architecture, `Device` with the first lines of the log when the source does not compile.
pub fn compile(source: &str, architecture: &str) -> Result<Compiled> {
    Compiler::find(architecture, None)?.compile(source)
}

/// The source of a program's kernel on NVIDIA devices: one translation unit.
pub fn source(program: &Program) -> String {
    program.source(PRIMITIVES)
}

/// An NVRTC that knows an architecture.
pub struct Compiler {
    nvrtc: &'static Nvrtc,
    architecture: String,
}

impl Compiler {
    /// The first NVRTC that compiles for the architecture, and code that a driver of this
    /// version loads: a driver does not load code of a later major version's compiler.
    pub(crate) fn find(architecture: &str, driver: Option<(u32, u32)>) -> Result<Compiler> {
        let all = Nvrtc::all();
        if all.is_empty() {
            return Err(no_device::<Cuda>(
                "NVIDIA's run-time compiler NVRTC was not found, or is older than CUDA 11.2",
                "install the CUDA toolkit's libnvrtc, or `pip install nvidia-cuda-nvrtc` and put \
                 the folder of its libnvrtc.so in LD_LIBRARY_PATH",
            ));
        }
        let number = capability(architecture);
        let knows = |n: &&Nvrtc| number.is_some_and(|number| n.architectures.contains(&number));
        let loads = |n: &Nvrtc| driver.is_none_or(|(major, _)| n.version.0 <= major);
        let mut able = all.iter().filter(knows).peekable();
        if able.peek().is_none() {
            return Err(Error::Unsupported {
                what: format!("compiling for {architecture}"),
                backend: described(all),
                instead: instead(architecture, number, all),
            });
        }
        match (able.clone().find(|n| loads(n)), driver) {
            (Some(nvrtc), _) => Ok(Compiler {
                nvrtc,
                architecture: architecture.into(),
            }),
            (None, driver) => {
                let (major, minor) = driver.unwrap_or_default();
                Err(Error::Unsupported {
                    what: format!("code for a driver of CUDA {major}.{minor}"),
                    backend: described(all),
                    instead: format!(
                        "install a newer NVIDIA driver, or an NVRTC of CUDA {major} beside this \
                         one"
                    ),
                })
            }
        }
    }
}

impl mmafft_driver::Compiler for Compiler {
    fn source(program: &Program) -> String {
        source(program)
    }

    fn compile(&self, source: &str) -> Result<Compiled> {
        let mut options = vec![format!("--gpu-architecture={}", self.architecture)];
        options.extend(OPTIONS.iter().map(|&option| option.into()));
        // Its version is part of every key, so that no code is taken for another's.
        let known = NEWER
            .iter()
            .filter(|(_, since)| self.nvrtc.version >= *since);
        options.extend(known.map(|(option, _)| option.to_string()));
        let version = self.version();
        self.nvrtc
            .compiler
            .compile(source, &options, [&version, &self.architecture])
    }

    fn told(&self) -> [String; 2] {
        [self.architecture.clone(), OPTIONS.join(" ")]
    }

    fn version(&self) -> String {
        version(self.nvrtc)
    }
}

/// The version of the NVRTC that is looked at first, as `13.0`.
pub(crate) fn compiler_version() -> Option<String> {
    Nvrtc::all().first().map(version)
}

fn version(nvrtc: &Nvrtc) -> String {
    let (major, minor) = nvrtc.version;
    format!("{major}.{minor}")
}

/// `NVRTC 13.0 (sm_75 to sm_121)`.
fn described(all: &[Nvrtc]) -> String {
    let words: Vec<String> = all
        .iter()
        .map(|nvrtc| {
            let ends = nvrtc.architectures.first().zip(nvrtc.architectures.last());
            let ends = ends.map(|(first, last)| format!(" (sm_{first} to sm_{last})"));
            format!("NVRTC {}{}", version(nvrtc), ends.unwrap_or_default())
        })
        .collect();
    words.join(" and ")
}

fn instead(architecture: &str, number: Option<u32>, all: &[Nvrtc]) -> String {
    let oldest = all.iter().filter_map(|n| n.architectures.first()).min();
    match (number, oldest) {
        (None, _) => "name an architecture as `sm_90`".into(),
        (Some(number), Some(&oldest)) if number < oldest => format!(
            "for {architecture} install NVRTC 12.9 or earlier (`pip install \
             nvidia-cuda-nvrtc-cu12==12.9.*`) and put its folder in LD_LIBRARY_PATH; it may \
             stand beside this one"
        ),
        _ => format!("for {architecture} install a newer NVRTC (`pip install nvidia-cuda-nvrtc`)"),
    }
}

#[cfg(test)]
#[path = "compile_tests.rs"]
mod tests;
