//! NVIDIA: NVRTC compiles, nvdisasm reads (PyPI: `nvidia-cuda-nvrtc`,
//! `nvidia-cuda-nvdisasm`).

use crate::families::{self, jobs, Job, Share};
use crate::kept::kept;
use crate::measured::in_turns;
use crate::words::head;
use mmafft::backend_traits::device::{lower, Geometry, Program};
use mmafft::backend_traits::{radix, Launch, Operand, Turns};
use mmafft::cuda::{compile, source, versions, Device, OPTIONS};
use mmafft::lab::{plan_as, Asked};
use mmafft::{Engine, Pass, Precision, Request, Result, ScalarType, Shape, Step};
use mmafft_testing::skip;
use object::{Object, ObjectSection};
use rayon::prelude::*;
use std::process::Command;

/// Ampere, Hopper and Blackwell; and Turing, the oldest that NVRTC 13 knows, and
/// Volta, for which it takes NVRTC 12.9 or earlier.
const ARCHITECTURES: [&str; 5] = ["sm_80", "sm_90", "sm_100", "sm_75", "sm_70"];

fn device(architecture: &str) -> Device {
    Device {
        ordinal: 0,
        name: format!("invented {architecture}"),
        architecture: architecture.into(),
        multiprocessors: 132,
        shared_bytes_per_block: match architecture {
            "sm_70" => 96 << 10,
            "sm_75" => 64 << 10,
            "sm_80" => 163 << 10,
            _ => 227 << 10,
        },
        l2_bytes: 50 << 20,
        memory_bytes: 80 << 30,
        wave: 32,
        clusters: !matches!(architecture, "sm_70" | "sm_75" | "sm_80"),
    }
}

/// How many bytes of this the compiler's log tells of.
fn told(log: &str, what: &str) -> u64 {
    let before = log.split(what).next().unwrap_or_default();
    let number = before.rsplit(|c: char| !c.is_ascii_digit()).next();
    number.and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// Bytes that a thread has in local memory, as the driver reports them, and bytes of registers that its stores spill.
fn local(log: &str) -> [u64; 2] {
    [" bytes stack frame", " bytes spill stores"].map(|what| told(log, what))
}

/// The machine code of kernels in words, if nvdisasm is there. It takes a second to begin, so all are read
/// as one, an instruction a line.
fn disassemble(architecture: &str, cubins: &[&[u8]]) -> Option<Vec<String>> {
    let text = |cubin: &&[u8]| {
        let file = object::File::parse(*cubin).expect("an ELF file");
        let code = |s: &object::Section| s.name().is_ok_and(|name| name.starts_with(".text."));
        let section = file.sections().find(code).expect("a kernel");
        section.data().expect("machine code").to_vec()
    };
    let texts: Vec<Vec<u8>> = cubins.iter().map(text).collect();
    let file = tempfile::NamedTempFile::new().ok()?;
    std::fs::write(file.path(), texts.concat()).ok()?;
    let nvdisasm = std::env::var_os("NVDISASM").unwrap_or("nvdisasm".into());
    let out = Command::new(nvdisasm)
        .args(["--no-dataflow", "--binary"])
        .arg(architecture.replace("sm_", "SM"))
        .arg(file.path())
        .output()
        .ok()?;
    if !out.status.success() {
        return None;
    }
    let words = String::from_utf8_lossy(&out.stdout);
    let mut instructions = words.lines().filter(|line| line.ends_with(';'));
    let mut next = |count| -> String {
        let lines: Vec<&str> = instructions.by_ref().take(count).collect();
        assert_eq!(lines.len(), count, "{architecture}: instructions");
        lines.join("\n")
    };
    Some(texts.iter().map(|text| next(text.len() / 16)).collect())
}

/// A kernel's machine code.
struct Kernel {
    cubin: Vec<u8>,
    /// Bytes of a thread's local memory, for what registers do not hold and arrays that are indexed.
    local: usize,
    /// Bytes of registers that its stores spill.
    spilled: usize,
}

impl Kernel {
    fn compile(program: &Program, architecture: &str) -> Result<Kernel> {
        let text = source(program);
        let compiler = versions().compiler.unwrap_or_default();
        let texts = [&text, architecture, &OPTIONS.join(" "), &compiler, "local"];
        let mut code = kept("nvidia", &texts, || {
            let compiled = compile(&text, architecture)?;
            let [local, spilled] = local(&compiled.log).map(u64::to_le_bytes);
            Ok([&local[..], &spilled, &compiled.code].concat())
        })?;
        let cubin = code.split_off(16);
        let [local, spilled] = [0, 8].map(|at| {
            let bytes = code[at..at + 8].try_into().expect("eight bytes");
            u64::from_le_bytes(bytes) as usize
        });
        Ok(Kernel {
            cubin,
            local,
            spilled,
        })
    }

    /// As a backend prepares it: the program with as few blocks a multiprocessor as its local memory takes.
    fn prepare(program: &mut Program, architecture: &str, geometry: &Geometry) -> Result<Kernel> {
        loop {
            let kernel = Kernel::compile(program, architecture)?;
            match program.relaxed(kernel.local, geometry) {
                Some(relaxed) => *program = relaxed,
                None => return Ok(kernel),
            }
        }
    }
}

/// Whether a pass has a DFT that is computed by matrix products: dense sums are not, nor are DFTs of two points.
fn multiplies(pass: &Pass) -> bool {
    let product = |step: &Step| matches!(step, Step::Dft { radix: r, engine: Engine::Matrix, .. } if *r != 2 && radix::multiplied(*r));
    pass.steps.iter().any(product)
}

/// The matrix instruction that a pass' operand is multiplied with.
fn instruction(pass: &Pass) -> Option<&'static str> {
    multiplies(pass).then_some(match pass.math.operand {
        Operand::F64 => "DMMA",
        _ => "HMMA",
    })
}

/// Stores of real or imaginary parts alone where memory takes both as one, beyond the few of points that
/// a branch has changed: each writes half of the sectors that it reaches.
fn parts_alone(pass: &Pass, program: &Program, code: &str) -> usize {
    let part = match pass.math.storage {
        ScalarType::F32 => "STG.E desc",
        ScalarType::F64 => "STG.E.64 desc",
        ScalarType::F16 | ScalarType::Bf16 => "STG.E.U16 desc",
    };
    let stores = code.matches(part).count();
    let few = 8;
    let as_one = head(program, "store_vector") > 0;
    if as_one && stores > few {
        stores
    } else {
        0
    }
}

/// What is wrong with a kernel's machine code.
fn faults(pass: &Pass, program: &Program, kernel: &Kernel, code: &str) -> Vec<String> {
    let mut faults = Vec::new();
    // Arrays that are indexed by what is known too late; registers that were spilled are no more than that.
    let arrays = kernel.local > kernel.spilled.next_multiple_of(16) || kernel.spilled == 0;
    if arrays && (code.contains("LDL") || code.contains("STL")) {
        faults.push("local memory".into());
    }
    let parts = parts_alone(pass, program, code);
    if parts > 0 {
        faults.push(format!("{parts} stores of parts alone"));
    }
    for family in ["HMMA", "DMMA"] {
        let expected = instruction(pass) == Some(family);
        if code.contains(family) != expected {
            faults.push(format!("{family} expected: {expected}"));
        }
    }
    faults
}

fn check(architecture: &str, share: Share) {
    let device = device(architecture);
    let limits = device.limits();
    let mut failures = Vec::new();
    let mut jobs = jobs(&limits, &device.geometry(), share, &mut failures);
    let geometry = device.geometry();
    let prepared = jobs.par_iter_mut().map(|job| {
        let kernel = Kernel::prepare(&mut job.program, architecture, &geometry);
        kernel.map_err(|error| (job.name.clone(), error))
    });
    let kernels = match prepared.collect::<std::result::Result<Vec<Kernel>, _>>() {
        Ok(kernels) => kernels,
        Err((_, mmafft::Error::NoDevice { .. })) => skip("needs NVRTC"),
        Err((_, mmafft::Error::Unsupported { .. })) if architecture == "sm_70" => {
            skip("needs an older NVRTC")
        }
        Err((name, error)) => panic!("{name}: {error}"),
    };
    for (Job { name, program, .. }, kernel) in jobs.iter().zip(&kernels) {
        let bytes = kernel.local;
        if !program.bears(bytes, &geometry) {
            let [residents, values] = ["residents", "values"].map(|word| head(program, word));
            let shape = format!(
                "{} threads, {residents} blocks, {values} values",
                program.threads
            );
            failures.push(format!("{name}: {bytes} bytes of local memory ({shape})"));
        }
    }
    let cubins: Vec<&[u8]> = kernels.iter().map(|k| &k.cubin[..]).collect();
    let codes = disassemble(architecture, &cubins);
    let undone = codes.is_none();
    let dump = std::env::var("MMAFFT_DUMP").ok();
    let kernels = jobs.iter().zip(&kernels);
    for ((job, kernel), code) in kernels.zip(codes.into_iter().flatten()) {
        if let Some(folder) = &dump {
            let name = job.name.replace(", pass ", "-").replace(' ', "_");
            let path = format!("{folder}/{name}");
            std::fs::write(format!("{path}.cu"), source(&job.program)).expect("written");
            std::fs::write(format!("{path}.sass"), &code).expect("written");
        }
        let faults = faults(&job.pass, &job.program, kernel, &code);
        failures.extend(faults.iter().map(|fault| format!("{}: {fault}", job.name)));
    }
    println!("{architecture}: {} kernels", jobs.len());
    assert!(
        failures.is_empty(),
        "{architecture}:\n{}",
        failures.join("\n")
    );
    if undone {
        skip("needs nvdisasm: local memory alone was checked");
    }
}

/// Two passes that take turns, as one kernel.
pub fn passes_in_turns() {
    let device = device("sm_90");
    let turns = Turns {
        arrays: 1,
        ahead: 1,
        kept: Some(2),
    };
    let geometry = device.geometry();
    let joined = in_turns(1 << 24)
        .into_iter()
        .step_by(if families::all() { 1 } else { 8 })
        .enumerate()
        .map(|(i, (request, of_device))| {
            let limits = of_device(&device.limits());
            // Few arrays would have smaller tiles.
            let plan = plan_as(&request.batch(1000), &limits, &Asked::turns(turns));
            let plan = plan.expect("a plan");
            assert!(plan.turns.is_some(), "{}", plan.explain());
            let lowered = plan.passes.iter().map(|pass| lower(pass, &geometry));
            let programs: Vec<Program> = lowered.map(|l| l.expect("a program").program).collect();
            let kept = if i % 2 == 0 { 0 } else { usize::MAX };
            let joined = Program::in_turns(&programs[0], &programs[1], kept);
            (plan, joined.expect("as many threads"))
        });
    let mut all: Vec<_> = joined.collect();
    // What counters and the cache are told is other text before and after Ampere.
    for (_, program) in &all[..2] {
        for architecture in ARCHITECTURES {
            match Kernel::compile(program, architecture) {
                Err(mmafft::Error::NoDevice { .. }) => skip("needs NVRTC"),
                Err(mmafft::Error::Unsupported { .. }) if architecture == "sm_70" => {}
                kernel => drop(kernel.expect("machine code")),
            }
        }
    }
    let failures: Vec<String> = all
        .par_iter_mut()
        .filter_map(|(plan, program)| {
            let kernel = Kernel::prepare(program, "sm_90", &geometry).expect("machine code");
            let bytes = kernel.local;
            let said = || format!("{bytes} bytes of local memory: {}", plan.explain());
            (!program.bears(bytes, &geometry)).then(said)
        })
        .collect();
    println!("passes in turns: {} kernels", all.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A launch that asks for it moves 16 bytes an access, where the memory is contiguous.
pub fn neighbours_move_together() {
    let device = device("sm_90");
    let limits = device.limits();
    for (precision, points) in [
        (Precision::F32, 2),
        (Precision::F16, 4),
        (Precision::Bf16, 4),
    ] {
        let request = Request::forward(Shape::d1(4096))
            .batch(1000)
            .precision(precision);
        let plan = mmafft::plan(&request.radices(&[8]).engine(Engine::Simt), &limits);
        let mut pass = plan.expect("a plan").passes.remove(0);
        pass.tile.launch = Some(Launch {
            neighbours: points,
            ..Launch::new(4096 * pass.tile.lines / (8 * points), 1)
        });
        let program = lower(&pass, &device.geometry()).expect("a program").program;
        let compiled = match compile(&source(&program), "sm_90") {
            Err(mmafft::Error::NoDevice { .. }) => skip("needs NVRTC"),
            compiled => compiled.expect("machine code"),
        };
        assert_eq!(local(&compiled.log), [0, 0], "{precision:?}");
        let Some(codes) = disassemble("sm_90", &[&compiled.code]) else {
            skip("needs nvdisasm");
        };
        let code = &codes[0];
        let stores: Vec<&str> = code.lines().filter(|line| line.contains("STG.")).collect();
        let wide = stores.iter().filter(|line| line.contains(".128")).count();
        assert_eq!((wide, stores.len()), (8, 8), "{precision:?}: {stores:?}");
        // Tables come by other loads, which say that they are constant.
        let loads = code
            .lines()
            .filter(|l| l.contains("LDG.") && !l.contains(".CONSTANT"));
        let loads: Vec<&str> = loads.collect();
        let wide = loads.iter().filter(|line| line.contains(".128")).count();
        assert_eq!((wide, loads.len()), (8, 8), "{precision:?}: {loads:?}");
    }
}

pub fn ampere() {
    check(ARCHITECTURES[0], Share::Twelfth(1));
}

pub fn hopper() {
    check(ARCHITECTURES[1], Share::Third(0));
}

pub fn blackwell() {
    check(ARCHITECTURES[2], Share::Twelfth(4));
}

/// Fewer kernels: what has other instructions than later architectures.
pub fn turing() {
    check(ARCHITECTURES[3], Share::Named("c2c 4096 "));
}

/// The same without any matrix products.
pub fn volta() {
    check(ARCHITECTURES[4], Share::Named("c2c 4096 "));
}
