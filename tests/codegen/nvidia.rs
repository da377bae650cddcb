//! NVIDIA: NVRTC compiles, nvdisasm reads (PyPI: `nvidia-cuda-nvrtc`,
//! `nvidia-cuda-nvdisasm`).

use crate::amd::STORE_VECTOR;
use crate::families::{clusters, families, offered};
use crate::kept::kept;
use mmafft::backend_traits::conformance::PlanFn;
use mmafft::backend_traits::device::{lower, Geometry, Program, Vendor};
use mmafft::backend_traits::{radix, Launch, Operand};
use mmafft::cuda::{compile, source, versions, Device, OPTIONS};
use mmafft::{Engine, Limits, Pass, Precision, Request, Result, ScalarType, Shape, Step};
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

fn geometry(limits: &Limits) -> Geometry {
    Geometry {
        wave: 32,
        threads: 1024,
        shared_bytes: limits.tile_bytes,
        registers: 1 << 16,
        blocks: i32::MAX as u64,
        access: 0,
        vendor: Vendor::Nvidia,
    }
}

/// Registers spilled, by the compiler's log.
fn spilled(log: &str) -> usize {
    let stores = log.split(" bytes spill stores").next().unwrap_or_default();
    let number = stores.rsplit(|c: char| !c.is_ascii_digit()).next();
    number.and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// The machine code of a kernel in words, if nvdisasm is there.
fn disassemble(cubin: &[u8]) -> Option<String> {
    let file = tempfile::NamedTempFile::new().ok()?;
    std::fs::write(file.path(), cubin).ok()?;
    let nvdisasm = std::env::var_os("NVDISASM").unwrap_or("nvdisasm".into());
    let out = Command::new(nvdisasm)
        .arg("-c")
        .arg(file.path())
        .output()
        .ok()?;
    out.status
        .success()
        .then(|| String::from_utf8_lossy(&out.stdout).into_owned())
}

/// A kernel's machine code.
struct Kernel {
    cubin: Vec<u8>,
    /// Bytes of registers that its stores spill.
    spilled: usize,
}

impl Kernel {
    fn compile(program: &Program, architecture: &str) -> Result<Kernel> {
        let text = source(program);
        let compiler = versions().compiler.unwrap_or_default();
        let texts = [&text, architecture, &OPTIONS.join(" "), &compiler];
        let mut code = kept("nvidia", &texts, || {
            let compiled = compile(&text, architecture)?;
            let spilled = spilled(&compiled.log) as u64;
            Ok([&spilled.to_le_bytes()[..], &compiled.cubin].concat())
        })?;
        let cubin = code.split_off(8);
        let spilled = u64::from_le_bytes(code.try_into().expect("eight bytes"));
        Ok(Kernel {
            cubin,
            spilled: spilled as usize,
        })
    }
}

/// Whether a pass has a DFT that is computed by matrix products: dense sums are not.
fn multiplies(pass: &Pass) -> bool {
    let product =
        |step: &Step| matches!(step, Step::Dft { radix: r, .. } if radix::find(*r).is_some());
    pass.engine == Engine::Matrix && pass.steps.iter().any(product)
}

/// The matrix instruction that a pass' operand is multiplied with.
fn instruction(pass: &Pass) -> Option<&'static str> {
    multiplies(pass).then_some(match pass.operand {
        Operand::F64 => "DMMA",
        _ => "HMMA",
    })
}

/// Stores of real or imaginary parts alone where memory takes both as one, beyond the few of points that
/// a branch has changed: each writes half of the sectors that it reaches.
fn parts_alone(pass: &Pass, program: &Program, code: &str) -> usize {
    let part = match pass.storage {
        ScalarType::F32 => "STG.E desc",
        ScalarType::F64 => "STG.E.64 desc",
        _ => return 0,
    };
    let stores = code.matches(part).count();
    let few = 4;
    let as_one = program.config[STORE_VECTOR] > 0;
    if as_one && stores > few {
        stores
    } else {
        0
    }
}

fn check(architecture: &str) {
    let limits = device(architecture).limits();
    let geometry = geometry(&limits);
    let mut failures = Vec::new();
    let mut done = std::collections::HashSet::new();
    let mut seen_code = 0;
    let only = std::env::var("MMAFFT_CASE").unwrap_or_default();
    let ordinary = families()
        .into_iter()
        .map(|(name, request)| (name, request, mmafft::plan as PlanFn));
    let spread = clusters()
        .into_iter()
        .filter(|_| limits.cluster_blocks > 0)
        .map(|(name, request)| (name, request, mmafft::plan_in_clusters as PlanFn));
    for (name, request, plan) in ordinary.chain(spread) {
        let old = matches!(architecture, "sm_70" | "sm_75");
        let other = old && !name.starts_with("c2c 4096 ");
        if other || !offered(&request, &limits) || !name.contains(&only) {
            continue;
        }
        let plan = match plan(&request, &limits) {
            Ok(plan) => plan,
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        for (i, pass) in plan.passes.iter().enumerate() {
            let program = match lower(pass, &geometry) {
                Ok(lowered) => lowered.program,
                Err(error) => {
                    failures.push(format!("{name}, pass {i}: {error}"));
                    continue;
                }
            };
            if !done.insert(program.clone()) {
                continue;
            }
            let mut kernel = match Kernel::compile(&program, architecture) {
                Ok(kernel) => kernel,
                Err(mmafft::Error::NoDevice { .. }) => {
                    println!("skipped: codegen::{architecture}, needs NVRTC");
                    return;
                }
                Err(mmafft::Error::Unsupported { .. }) if architecture == "sm_70" => {
                    println!("skipped: codegen::{architecture}, needs an older NVRTC");
                    return;
                }
                Err(error) => {
                    failures.push(format!("{name}, pass {i}: {error}"));
                    continue;
                }
            };
            let mut program = program;
            // As a backend prepares it.
            while let (true, Some(relaxed)) = (kernel.spilled > 0, program.relaxed()) {
                program = relaxed;
                kernel = Kernel::compile(&program, architecture).expect("it compiled before");
            }
            let bytes = kernel.spilled;
            if bytes > 0 {
                let shape = (program.threads, program.config[3], program.config[5]);
                failures.push(format!("{name}, pass {i}: {bytes} bytes spilled {shape:?}"));
            }
            if let Ok(folder) = std::env::var("MMAFFT_DUMP") {
                let path = format!("{folder}/{}-{i}.cu", name.replace(' ', "_"));
                std::fs::write(path, source(&program)).expect("written");
            }
            let Some(code) = disassemble(&kernel.cubin) else {
                continue;
            };
            seen_code += 1;
            // Arrays that are indexed by what is known too late.
            if code.contains("LDL") || code.contains("STL") {
                failures.push(format!("{name}, pass {i}: local memory"));
            }
            let parts = parts_alone(pass, &program, &code);
            // Others do it too, of clusters and of products among them; they were not measured without it yet.
            let mended = pass.mirrored.is_some() && pass.engine == Engine::Simt;
            if parts > 0 && mended {
                failures.push(format!("{name}, pass {i}: {parts} stores of parts alone"));
            } else if parts > 0 {
                println!("{architecture}, {name}, pass {i}: {parts} stores of parts alone");
            }
            if let Ok(folder) = std::env::var("MMAFFT_DUMP") {
                let path = format!("{folder}/{}-{i}.sass", name.replace(' ', "_"));
                std::fs::write(path, &code).expect("written");
            }
            for family in ["HMMA", "DMMA"] {
                let expected = instruction(pass) == Some(family);
                if code.contains(family) != expected {
                    failures.push(format!("{name}, pass {i}: {family} expected: {expected}"));
                }
            }
        }
    }
    match seen_code {
        0 => println!("skipped: codegen::{architecture} machine code, needs nvdisasm"),
        // One that reads some kernels must read all, or a check would be passed over.
        _ => assert_eq!(
            seen_code,
            done.len(),
            "{architecture}: kernels disassembled"
        ),
    }
    println!("{architecture}: {} kernels", done.len());
    assert!(
        failures.is_empty(),
        "{architecture}:\n{}",
        failures.join("\n")
    );
}

/// A launch that asks for it moves 16 bytes an access, where the memory is contiguous.
#[test]
fn neighbours_move_together() {
    let limits = device("sm_90").limits();
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
            threads: 4096 * pass.tile.lines / (8 * points),
            residents: 1,
            apart: false,
            neighbours: points,
            facing: [false; 2],
        });
        let program = lower(&pass, &geometry(&limits)).expect("a program").program;
        let compiled = match compile(&source(&program), "sm_90") {
            Err(mmafft::Error::NoDevice { .. }) => {
                println!("skipped: codegen::neighbours_move_together, needs NVRTC");
                return;
            }
            compiled => compiled.expect("machine code"),
        };
        assert_eq!(spilled(&compiled.log), 0, "{precision:?}");
        let Some(code) = disassemble(&compiled.cubin) else {
            println!("skipped: codegen::neighbours_move_together, needs nvdisasm");
            return;
        };
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

#[test]
fn ampere() {
    check(ARCHITECTURES[0]);
}

#[test]
fn hopper() {
    check(ARCHITECTURES[1]);
}

#[test]
fn blackwell() {
    check(ARCHITECTURES[2]);
}

/// Fewer kernels: what has other instructions than later architectures.
#[test]
fn turing() {
    check(ARCHITECTURES[3]);
}

/// The same without any matrix products.
#[test]
fn volta() {
    check(ARCHITECTURES[4]);
}
