//! Every plan can be lowered for every device: what is launched lies within its limits.

use crate::probe::Vendor;
use crate::words::{constant, dense, head, step, total};
use mmafft::backend_traits::device::Vendor::Amd as AMD;
use mmafft::backend_traits::device::{lower, Driver, Geometry, Lowered, LARGEST_SECTOR};
use mmafft::emulated::config_words;
use mmafft::lab::{plan_as, Asked};
use mmafft::{Limits, Pass, Request, KINDS};

/// A device as planner and lowering see it.
struct Device {
    name: &'static str,
    limits: Limits,
    geometry: Geometry,
}

fn device(name: &'static str, vendor: Vendor, shared_bytes: usize) -> Device {
    let driver = vendor.driver();
    Device {
        name,
        limits: Limits {
            tile_bytes: shared_bytes,
            ..driver.limits().clone()
        },
        geometry: Geometry {
            shared_bytes,
            ..driver.geometry()
        },
    }
}

fn devices() -> [Device; 4] {
    [
        device("compute capability 9.0", Vendor::Nvidia, 227 << 10),
        device("compute capability 8.9", Vendor::Nvidia, 99 << 10),
        device("MI300", Vendor::Amd, 64 << 10),
        device("an invented device", Vendor::Nvidia, 32 << 10),
    ]
}

/// What is wrong with a lowered pass, if anything.
fn wrong(pass: &Pass, lowered: &Lowered, geometry: &Geometry) -> Option<String> {
    let program = &lowered.program;
    let threads = program.threads;
    let word = |name| head(program, name);
    let steps = word("steps");
    let point = match word("storage") == constant("STORAGE_F64") {
        true => 16,
        false => 8,
    } / match word("apart") {
        0 => 1,
        // The real parts, then the imaginary ones.
        _ => 2,
    };
    // Values of a thread in a step.
    let values = |i: usize| {
        let step = |name| step(program, i, name);
        let each = match step("op") {
            op if op == constant("OP_COPY") => 1,
            op if op != constant("OP_DFT") => 2,
            _ if dense(program, i) => 2 * step("copies"),
            // AMD's 4×4 products: a lane holds a whole column.
            _ if step("engine") == constant("ENGINE_MATRIX") => match step("rank") {
                rank if geometry.vendor == AMD && rank <= 4 => rank,
                rank => rank / 4,
            },
            _ => step("radix"),
        };
        step("groups") * each
    };
    // Points of shared memory on either side of a step, padding between lines included.
    let shared = |i: usize| {
        let step = |name| step(program, i, name);
        let side = |pitch, place| {
            if step(place) != constant("PLACE_MEMORY") {
                step(pitch)
            } else {
                0
            }
        };
        side("pitch_in", "source").max(side("pitch_out", "target")) * word("lines")
    };
    let all = 0..steps as usize;
    let facts = [
        (
            "the words of Config",
            program.config.len() == config_words(),
        ),
        (
            "shared memory",
            program.shared_bytes <= geometry.shared_bytes,
        ),
        (
            "room for the points",
            all.clone()
                .all(|i| (shared(i) * point) as usize <= program.shared_bytes),
        ),
        (
            "whole waves",
            threads > 0 && threads.is_multiple_of(geometry.wave),
        ),
        (
            "the most threads",
            threads <= geometry.threads && threads as i64 == word("threads"),
        ),
        ("64 values", (1..=64).contains(&word("values"))),
        (
            "values of each step",
            all.clone().all(|i| values(i) <= word("values")),
        ),
        ("28 steps", (1..=constant("MAX_STEPS")).contains(&steps)),
        (
            "first from memory",
            step(program, 0, "source") == constant("PLACE_MEMORY"),
        ),
        (
            "last to memory",
            step(program, steps as usize - 1, "target") == constant("PLACE_MEMORY"),
        ),
        (
            "whole clusters",
            lowered.blocks.is_multiple_of(word("blocks") as u64)
                && word("blocks") as usize == pass.tile.residency.blocks(),
        ),
        ("blocks", (1..=geometry.blocks).contains(&lowered.blocks)),
        ("lines", {
            let lines: u64 = pass.loops.iter().map(|l| l.count as u64).product();
            lowered.lines * pass.together() as u64 == lines
        }),
        // 2048 threads and 65536 registers are what a multiprocessor has.
        (
            "residents",
            word("residents") >= 1 && word("residents") as usize * threads <= 2048,
        ),
        // A thread has its values in registers, of which it has at most 255.
        ("registers", word("values") * point / 4 < 255),
    ];
    facts.iter().find(|(_, fine)| !fine).map(|(what, _)| {
        format!(
            "{what}: {threads} threads, {} values, {} bytes shared",
            word("values"),
            program.shared_bytes
        )
    })
}

/// Lowers the plans of all requests; panics with a list of those that fail.
fn lower_all(device: &Device, requests: impl Iterator<Item = (String, Request)>) {
    lower_by(mmafft::plan, device, requests)
}

fn lower_by(
    plan: mmafft_testing::PlanFn,
    device: &Device,
    requests: impl Iterator<Item = (String, Request)>,
) {
    let (mut failures, mut passes) = (Vec::new(), 0);
    for (name, request) in requests {
        let plan = match plan(&request, &device.limits) {
            Ok(plan) => plan,
            Err(error) => {
                failures.push(format!("{name}: {error}\n    {request:?}"));
                continue;
            }
        };
        for (i, pass) in plan.passes.iter().enumerate() {
            passes += 1;
            let what = match lower(pass, &device.geometry) {
                Ok(lowered) => wrong(pass, &lowered, &device.geometry),
                Err(error) => Some(error.to_string()),
            };
            if let Some(what) = what {
                let (lines, points) = (pass.tile.lines, pass.axes[0].length);
                failures.push(format!(
                    "{name}, pass {i} with {lines} lines of {points}: {what}\n    {request:?}"
                ));
            }
        }
    }
    let (name, count) = (device.name, failures.len());
    assert!(
        failures.is_empty(),
        "{name}: {count} of {passes} passes:\n{}",
        failures.join("\n")
    );
}

#[test]
fn the_header_the_emulator_and_lowering_agree_on_the_words() {
    assert_eq!(total(), config_words());
    for device in devices() {
        let request = Request::forward(mmafft::Shape::d1(64));
        let plan = mmafft::plan(&request, &device.limits).expect("a plan");
        let lowered = lower(&plan.passes[0], &device.geometry).expect("a program");
        let program = &lowered.program;
        assert_eq!(program.config.len(), config_words());
        // Some words of every part, by the header's names.
        assert_eq!(head(program, "storage"), constant("STORAGE_F32"));
        assert_eq!(head(program, "threads"), program.threads as i64);
        assert_eq!(
            (head(program, "axes"), head(program, "loops")),
            (1, plan.passes[0].loops.len() as i64)
        );
        let steps = head(program, "steps") as usize;
        let dft = |&i: &usize| step(program, i, "op") == constant("OP_DFT");
        let radices = (0..steps).filter(dft).map(|i| step(program, i, "radix"));
        assert_eq!(radices.product::<i64>(), 64);
        assert_eq!(step(program, steps - 1, "target"), constant("PLACE_MEMORY"));
        // What comes after the last step is not used.
        assert_eq!(
            step(program, constant("MAX_STEPS") as usize - 1, "parts"),
            0
        );
    }
}

#[test]
fn the_table_is_lowered() {
    for device in devices() {
        let requests = mmafft_testing::requests(&device.limits)
            .into_iter()
            .enumerate();
        lower_all(&device, requests.map(|(i, r)| (format!("table-{i}"), r)));
    }
}

#[test]
fn random_requests_are_lowered() {
    for device in devices() {
        let request = |seed| {
            (
                format!("random-{seed}"),
                mmafft_testing::random_request(seed, &device.limits),
            )
        };
        lower_all(&device, (0..2000).map(request));
    }
}

/// Lines and planes that a cluster holds and no block does, of many lengths.
#[test]
fn clusters_are_lowered() {
    use mmafft::{Precision, Shape};
    for device in devices() {
        let mut requests = Vec::new();
        for precision in [Precision::F32, Precision::F64, Precision::Bf16] {
            for n in (1280..140_000).step_by(1600) {
                let line = Request::forward(Shape::d1(n)).precision(precision);
                requests.push((format!("{n}"), line.batch(3)));
                for kind in [mmafft::Kind::R2C, mmafft::Kind::C2R, mmafft::Kind::Dht] {
                    let (forward, n) = (mmafft::Direction::Forward, 2 * n);
                    let direction = kind.row().direction.unwrap_or(forward);
                    let line = Request::directed(kind, direction, Shape::d1(n));
                    let line = line.precision(precision).batch(3);
                    requests.push((format!("{n} {kind:?}"), line));
                }
            }
            for rows in (16..400).step_by(64) {
                for columns in (8..500).step_by(72) {
                    let plane = Request::forward(Shape::d2(rows, columns)).precision(precision);
                    requests.push((format!("{rows}x{columns}"), plane.batch(9)));
                }
            }
        }
        lower_by(
            |request, limits| plan_as(request, limits, &Asked::clusters(true)),
            &device,
            requests.into_iter(),
        );
    }
}

/// Long lines in every precision, which fill tiles and threads.
#[test]
fn long_lines_are_lowered() {
    use mmafft::{Kind, Precision, Shape};
    let powers = (6..=27).map(|bits| 1usize << bits);
    // Odd, smooth, primes that Rader's algorithm takes or does not.
    let lengths: Vec<usize> = powers
        .chain([2187, 4095, 6561, 8191, 10007, 15015, 46375])
        .collect();
    for device in devices() {
        let mut requests = Vec::new();
        for precision in [
            Precision::F32,
            Precision::F64,
            Precision::SplitF16,
            Precision::F16,
            Precision::Bf16,
        ] {
            for &n in &lengths {
                for kind in KINDS.iter().map(|row| row.kind) {
                    if kind.logical_length(n) == 0 {
                        continue;
                    }
                    // Kinds from reals to reals are split as complex lines are. Types I of a power
                    // of two become convolutions, whose tables the host makes: of 2^29 points 8 GB.
                    let as_complex = !matches!(kind, Kind::C2C | Kind::R2C | Kind::C2R);
                    if as_complex && n > 1 << 16 {
                        continue;
                    }
                    let request = Request::of_kind(kind, Shape::d1(n));
                    let request =
                        mmafft_testing::by_products(request.precision(precision).batch(3));
                    requests.push((format!("{n} {kind:?}"), request));
                }
            }
        }
        lower_all(&device, requests.into_iter());
    }
}

/// Passes that the planner does not make: radices that an engine does not have, or that do not make the line.
#[test]
fn other_passes_are_refused() {
    use mmafft::{Engine, Shape, Step};
    for device in devices() {
        let limits = &device.limits;
        let request = Request::forward(Shape::d1(64));
        let plan = mmafft::plan(&request, limits).expect("a plan");
        let lowered = |engine: Engine, steps: Vec<Step>| {
            let mut pass = plan.passes[0].clone();
            (pass.math.engine, pass.steps, pass.tile.launch) = (engine, steps, None);
            lower(&pass, &device.geometry).map(|_| ())
        };
        let simt = |radices: &[usize]| Step::sequence(0, radices, Engine::Simt);
        let matrix = |radices: &[usize]| Step::sequence(0, radices, Engine::Matrix);
        assert!(lowered(Engine::Simt, simt(&[8, 8])).is_ok());
        let line = Step::Line {
            axis: 0,
            length: 64,
            library: "another",
        };
        for (engine, steps) in [
            (Engine::Simt, simt(&[64])),
            (Engine::Simt, simt(&[8, 16])),
            (Engine::Simt, simt(&[8])),
            (Engine::Simt, vec![line]),
            (Engine::Simt, Vec::new()),
            (Engine::Matrix, matrix(&[10, 8])),
            (Engine::Simt, matrix(&[8, 8])),
        ] {
            let error = lowered(engine, steps.clone()).expect_err("no such pass");
            let error = error.to_string();
            let named = [
                "no radix",
                "do not make its line",
                "steps of the CPU",
                "products beside butterflies",
            ];
            assert!(
                named.iter().any(|what| error.contains(what)),
                "{steps:?}: {error}"
            );
        }
        // Runs of no points, of reals, of every so many points of a line.
        let runs = |points| {
            let apart = 2 * points * 64;
            Some(mmafft::backend_traits::Runs { points, apart })
        };
        let faults: [fn(&mut mmafft::Pass); 4] = [
            |pass| pass.axes[0].load.runs.as_mut().expect("runs").apart += 1,
            |pass| pass.axes[0].load.runs.as_mut().expect("runs").points = 0,
            |pass| pass.load.domain = mmafft::Domain::Real,
            |pass| pass.axes[0].load.index = 2,
        ];
        let mut in_runs = plan.passes[0].clone();
        in_runs.axes[0].load.runs = runs(8);
        assert!(lower(&in_runs, &device.geometry).is_ok());
        for fault in faults {
            let mut other = in_runs.clone();
            fault(&mut other);
            let error = lower(&other, &device.geometry).expect_err("no such pass");
            assert!(error.to_string().contains("runs of no points"), "{error}");
        }
        // Of a cluster: half spectra beside products, blocks that do not divide the parts, a part of a line.
        let plan = plan_as(
            &Request::r2c(Shape::d1(1 << 16)),
            limits,
            &Asked::clusters(true),
        );
        let pass = plan.expect("a plan").passes.remove(0);
        if pass.tile.residency.blocks() == 1 {
            continue;
        }
        assert!(lower(&pass, &device.geometry).is_ok());
        let mut others = [pass.clone(), pass.clone(), pass.clone()];
        others[0].math.engine = Engine::Matrix;
        others[1].tile.residency = mmafft::backend_traits::Residency::Cluster(3);
        others[2].load.hermitian = Some(1 << 16);
        for other in others {
            let error = lower(&other, &device.geometry).expect_err("no such pass");
            assert!(error.to_string().contains("cluster"), "{error}");
        }
    }
}

/// A staged row begins as far behind the begin of shared memory as it does behind that of a sector of memory, for which
/// there is room.
#[test]
fn sectors_are_no_larger_than_lowering_expects() {
    for file in [
        "kernels-cuda/device/primitives.hpp",
        "kernels-hip/device/primitives.hpp",
        "backend-traits/device/host/emulated.hpp",
    ] {
        let path = format!("{}/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("a header");
        let (_, value) = text.split_once("enum { SECTOR = ").expect("a sector");
        let bytes: usize = value[..value.find(' ').expect("an end")]
            .parse()
            .expect("bytes");
        assert!(bytes.is_power_of_two() && bytes <= LARGEST_SECTOR, "{file}");
    }
}
