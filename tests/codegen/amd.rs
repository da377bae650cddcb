//! AMD: clang compiles the text that hipRTC is given, LLVM's tools read what came of it
//! (Debian: `clang-19`, `lld-19`, `llvm-19`; another version by `MMAFFT_LLVM=20`). Long for the list of
//! what may be wrong with a kernel, and for how each is read from what the tools print.

use crate::families::{jobs, Share};
use crate::kept::kept;
use crate::{waits, words};
use mmafft::backend_traits::device::Program;
use mmafft::backend_traits::{radix, Operand};
use mmafft::hip::{compile, source, versions, Device, OPTIONS};
use mmafft::{Engine, Error, Pass, Step};
use mmafft_testing::skip;
use rayon::prelude::*;
use std::path::Path;
use std::process::Command;

/// What a compute unit has, by architecture.
struct Unit {
    architecture: &'static str,
    /// The registers of a lane that the waves of a SIMD unit share, and of how many each is
    /// given a multiple.
    registers: usize,
    granule: usize,
    /// Whether accumulators come out of the same.
    unified: bool,
    compute_units: usize,
}

const UNITS: [Unit; 3] = [
    Unit {
        architecture: "gfx908",
        registers: 256,
        granule: 4,
        unified: false,
        compute_units: 120,
    },
    Unit {
        architecture: "gfx90a",
        registers: 512,
        granule: 8,
        unified: true,
        compute_units: 104,
    },
    Unit {
        architecture: "gfx942",
        registers: 512,
        granule: 8,
        unified: true,
        compute_units: 304,
    },
];

/// Shared memory of a block.
const SHARED: usize = 64 << 10;

fn device(unit: &Unit) -> Device {
    Device {
        ordinal: 0,
        name: format!("invented {}", unit.architecture),
        architecture: unit.architecture.into(),
        multiprocessors: unit.compute_units,
        shared_bytes_per_block: SHARED,
        l2_bytes: 8 << 20,
        memory_bytes: 64 << 30,
        wave: 64,
    }
}

fn tool(name: &str) -> Command {
    let version = std::env::var("MMAFFT_LLVM").unwrap_or("19".into());
    Command::new(format!("{name}-{version}"))
}

fn output(command: &mut Command) -> Result<String, String> {
    let out = command.output().map_err(|e| e.to_string())?;
    match out.status.success() {
        true => Ok(String::from_utf8_lossy(&out.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&out.stderr).into_owned()),
    }
}

/// What makes of clang what hipRTC is: text for the device alone, without HIP's headers.
const FLAGS: &[&str] = &[
    "-x",
    "hip",
    "-nogpuinc",
    "-nogpulib",
    "--cuda-device-only",
    "--no-gpu-bundle-output",
    "-Wno-unused-command-line-argument",
];

/// The code object that clang makes of a kernel's text.
fn assemble(text: &str, unit: &Unit, folder: &Path) -> Result<Vec<u8>, String> {
    let (input, object) = (folder.join("k.hip"), folder.join("k.co"));
    std::fs::write(&input, text).map_err(|e| e.to_string())?;
    output(
        tool("clang")
            .args(FLAGS)
            .arg(format!("--offload-arch={}", unit.architecture))
            .args(OPTIONS)
            .arg(&input)
            .arg("-o")
            .arg(&object),
    )?;
    std::fs::read(&object).map_err(|e| e.to_string())
}

/// What the compiler made of a kernel.
struct Kernel {
    /// The code object's note, a line each `.name: value`.
    note: String,
    code: Vec<waits::Instruction>,
}

impl Kernel {
    fn compile(
        program: &Program,
        unit: &Unit,
        version: &str,
        folder: &Path,
    ) -> Result<Kernel, String> {
        let text = source(program);
        let options = [FLAGS, OPTIONS].concat().join(" ");
        let texts = [&text, unit.architecture, &options, version];
        let make = || {
            assemble(&text, unit, folder).map_err(|message| Error::Device {
                backend: "clang".into(),
                message,
                output_touched: false,
            })
        };
        let code = kept("amd", &texts, make).map_err(|e| e.to_string())?;
        let object = folder.join("k.co");
        std::fs::write(&object, code).map_err(|e| e.to_string())?;
        let note = output(tool("llvm-readelf").arg("--notes").arg(&object))?;
        let code = output(tool("llvm-objdump").arg("-d").arg(&object))?;
        Ok(Kernel {
            note,
            code: waits::instructions(&code),
        })
    }

    /// A number of the note, of the kernel: there is one in the file.
    fn number(&self, name: &str) -> Result<usize, String> {
        let key = format!(".{name}:");
        let mut lines = self.note.lines().map(|l| l.trim().trim_start_matches("- "));
        let value = lines.find_map(|line| line.strip_prefix(&key));
        let value = value.and_then(|v| v.trim().parse().ok());
        value.ok_or_else(|| format!("the note has no number {name}"))
    }

    fn has(&self, prefix: &str) -> bool {
        self.code.iter().any(|i| i.name.starts_with(prefix))
    }
}

/// The matrix instructions that a pass' operand is multiplied with: of 4×4 for radices to 4, but of
/// FP64, and of 16×16.
fn instructions(pass: &Pass, architecture: &str) -> Vec<&'static str> {
    if pass.math.engine != Engine::Matrix {
        return Vec::new();
    }
    let third = architecture == "gfx942";
    let [small, large] = match pass.math.operand {
        Operand::Half | Operand::SplitHalf if third => {
            ["v_mfma_f32_4x4x4_16b_f16", "v_mfma_f32_16x16x16_f16"]
        }
        Operand::Half | Operand::SplitHalf => ["v_mfma_f32_4x4x4f16", "v_mfma_f32_16x16x16f16"],
        Operand::Bf16 | Operand::SplitBf16 if third => {
            ["v_mfma_f32_4x4x4_16b_bf16", "v_mfma_f32_16x16x16_bf16"]
        }
        Operand::Bf16 | Operand::SplitBf16 if architecture == "gfx908" => {
            ["v_mfma_f32_4x4x2bf16", "v_mfma_f32_16x16x8bf16"]
        }
        Operand::Bf16 | Operand::SplitBf16 => {
            ["v_mfma_f32_4x4x4bf16_1k", "v_mfma_f32_16x16x16bf16_1k"]
        }
        Operand::F32 if third => ["v_mfma_f32_4x4x1_16b_f32", "v_mfma_f32_16x16x4_f32"],
        Operand::F32 => ["v_mfma_f32_4x4x1f32", "v_mfma_f32_16x16x4f32"],
        Operand::F64 if third => ["v_mfma_f64_16x16x4_f64"; 2],
        Operand::F64 => ["v_mfma_f64_16x16x4f64"; 2],
    };
    let of = |step: &Step| match step {
        Step::Dft {
            radix: r,
            engine: Engine::Matrix,
            ..
        } if *r != 2 && radix::multiplied(*r) => Some(if *r <= 4 { small } else { large }),
        _ => None,
    };
    let mut all: Vec<&str> = pass.steps.iter().filter_map(of).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether a pass loads or stores lines that lie behind each other, of points that 16 bytes divide.
fn contiguous(pass: &Pass, load: bool) -> bool {
    let [axis] = &pass.axes[..] else {
        return false;
    };
    let (access, stride) = match load {
        true => (&pass.load, axis.load.stride),
        false => (&pass.store, axis.store.stride),
    };
    let plain = axis.kind == mmafft::Kind::C2C && pass.load.hermitian.is_none();
    let radix = |s: &Step| match s {
        Step::Dft { radix, .. } => Some(*radix),
        _ => None,
    };
    let mut radices = pass.steps.iter().filter_map(radix);
    let end = if load {
        radices.next()
    } else {
        radices.next_back()
    };
    // What a thread of the simt engine holds of neighbouring columns: at most 32 values.
    let most = if pass.math.engine == Engine::Matrix {
        16
    } else {
        32 / (8 / pass.math.storage.bytes())
    };
    plain
        && access.imaginary == 1
        && stride == 2
        && axis.length.is_power_of_two()
        && end.is_none_or(|r| r <= most)
}

/// What is wrong with a kernel.
fn faults(kernel: &Kernel, program: &Program, pass: &Pass, unit: &Unit) -> Vec<String> {
    let mut faults = Vec::new();
    let mut expect = |holds: bool, what: String| {
        if !holds {
            faults.push(what);
        }
    };
    let mut numbers = |name: &str| {
        kernel.number(name).unwrap_or_else(|error| {
            expect(false, error);
            0
        })
    };
    let [registers, accumulators, scratch, fixed, spilled] = [
        "vgpr_count",
        "agpr_count",
        "private_segment_fixed_size",
        "group_segment_fixed_size",
        "vgpr_spill_count",
    ]
    .map(&mut numbers);
    expect(scratch == 0, format!("{scratch} bytes of scratch"));
    expect(spilled == 0, format!("{spilled} registers spilled"));
    let shared = program.shared_bytes + fixed;
    expect(shared <= SHARED, format!("{shared} bytes of shared memory"));

    // Waves of a SIMD unit, of four, that the plan counts on.
    let residents = words::head(program, "residents") as usize;
    let waves = (program.threads / 64 * residents).div_ceil(4).max(1);
    let most = unit.registers / waves / unit.granule * unit.granule;
    expect(
        registers <= most && (unit.unified || accumulators <= most),
        format!("{registers} registers, {accumulators} of them or beside them accumulators; {waves} waves have {most} each"),
    );

    let wanted = instructions(pass, unit.architecture);
    let products = kernel.code.iter().map(|i| i.name.as_str());
    let mut found: Vec<&str> = products.filter(|n| n.starts_with("v_mfma")).collect();
    found.sort_unstable();
    found.dedup();
    expect(found == wanted, format!("{found:?}, expected {wanted:?}"));
    expect(!kernel.has("flat_"), "an address of an unknown kind".into());
    expect(
        !kernel.has("scratch_") && !kernel.has("buffer_"),
        "private memory".into(),
    );

    // A point's two parts in one access, and those of its neighbours: 16 bytes where the memory is
    // contiguous.
    for kind in ["load", "store"] {
        let points = words::head(program, &format!("{kind}_vector")) as usize;
        let words = points * 2 * pass.math.storage.bytes() / 4;
        let name = match words {
            0 => continue,
            1 => format!("global_{kind}_dword"),
            _ => format!("global_{kind}_dwordx{words}"),
        };
        let there = kernel.code.iter().any(|i| i.name == name);
        expect(there, format!("no {name}"));
        let narrow = |i: &&waits::Instruction| i.name.starts_with("global_store") && i.name != name;
        let others = kernel
            .code
            .iter()
            .find(narrow)
            .filter(|_| points > 1 && kind == "store");
        expect(
            others.is_none(),
            format!("{:?} beside {name}", others.map(|i| &i.name)),
        );
        let contiguous = contiguous(pass, kind == "load");
        expect(
            !contiguous || words == 4,
            format!("{name} of contiguous points"),
        );
    }
    if let Err(error) = waits::check(&kernel.code) {
        expect(false, error);
    }
    faults
}

fn check(unit: &Unit, share: Share) {
    let architecture = unit.architecture;
    let Ok(version) = output(tool("clang").arg("--version")) else {
        skip("needs clang-19, lld-19 and llvm-19");
    };
    let device = device(unit);
    let limits = device.limits();
    let mut failures = Vec::new();
    let jobs = jobs(&limits, &device.geometry(), share, &mut failures);
    let found = jobs.par_iter().map(|job| {
        let folder = tempfile::tempdir().expect("a folder");
        match Kernel::compile(&job.program, unit, &version, folder.path()) {
            Ok(kernel) => faults(&kernel, &job.program, &job.pass, unit),
            Err(error) => vec![error],
        }
    });
    let found: Vec<Vec<String>> = found.collect();
    for (job, faults) in jobs.iter().zip(&found) {
        if faults.is_empty() {
            continue;
        }
        if let Ok(folder) = std::env::var("MMAFFT_DUMP") {
            let name = job.name.replace([' ', ','], "_");
            let path = format!("{folder}/{architecture}_{name}.hip");
            std::fs::write(path, source(&job.program)).expect("written");
        }
        failures.extend(faults.iter().map(|fault| format!("{}: {fault}", job.name)));
    }
    println!("{architecture}: {} kernels", jobs.len());
    assert!(
        failures.is_empty(),
        "{architecture}:\n{}",
        failures.join("\n")
    );
}

pub fn cdna1() {
    check(&UNITS[0], Share::Twelfth(0));
}

pub fn cdna2() {
    check(&UNITS[1], Share::Twelfth(3));
}

pub fn cdna3() {
    check(&UNITS[2], Share::Third(1));
}

/// The run-time compiler takes the same text, whatever its age.
pub fn hiprtc_takes_what_clang_takes() {
    if versions().compiler.is_none() {
        skip("needs hipRTC");
    }
    for unit in &UNITS {
        let device = device(unit);
        let mut failures = Vec::new();
        let share = Share::Named("c2c 4096 ");
        let jobs = jobs(&device.limits(), &device.geometry(), share, &mut failures);
        for job in &jobs {
            match compile(&source(&job.program), unit.architecture) {
                Ok(compiled) => assert!(!compiled.code.is_empty()),
                // Too old for the architecture.
                Err(Error::Unsupported { what, .. }) => assert!(what.contains(unit.architecture)),
                Err(error) => failures.push(format!("{}: {error}", job.name)),
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}
