//! The kernels that are compiled: every family of them.

use mmafft::backend_traits::device::{lower, Geometry, Program};
use mmafft::backend_traits::{radix, real::CoreLength, Operand};
use mmafft::lab::{plan_as, Asked};
use mmafft::{Direction, Engine, Kind, Limits, Pass, Precision, Request, Shape, KINDS};
use mmafft_testing::PlanFn;
use std::collections::HashSet;

/// Which requests of the families a generation of devices is asked, unless `MMAFFT_CODEGEN=all` asks for all: these
/// take two cores half an hour.
#[derive(Clone, Copy)]
pub enum Share {
    /// Every third one, from this one on: each vendor's newest generation.
    Third(usize),
    /// Every twelfth one, from this one on: generations that compile the same text as another one does, and
    /// differ in few instructions.
    Twelfth(usize),
    /// Those whose name begins so.
    Named(&'static str),
}

impl Share {
    /// Whether the request of this number and name is one of them; `MMAFFT_CASE` asks for those whose name
    /// contains it.
    fn has(self, number: usize, name: &str) -> bool {
        if let Ok(part) = std::env::var("MMAFFT_CASE") {
            return name.contains(&part);
        }
        match self {
            Share::Named(start) => name.starts_with(start),
            Share::Third(first) => all() || number % 3 == first,
            Share::Twelfth(first) => all() || number % 12 == first,
        }
    }
}

/// Whether all kernels are asked for.
pub fn all() -> bool {
    std::env::var("MMAFFT_CODEGEN").is_ok_and(|value| value == "all")
}

/// A kernel to compile: a pass of a family's plan.
pub struct Job {
    pub name: String,
    pub pass: Pass,
    pub program: Program,
}

/// Whatever a cluster holds and no block does, over one.
fn in_clusters(request: &Request, limits: &Limits) -> mmafft::Result<mmafft::Plan> {
    plan_as(request, limits, &Asked::clusters(true))
}

/// Every kernel of that share of the families once.
pub fn jobs(
    limits: &Limits,
    geometry: &Geometry,
    share: Share,
    failures: &mut Vec<String>,
) -> Vec<Job> {
    let ordinary = families()
        .into_iter()
        .map(|case| (case, mmafft::plan as PlanFn));
    let spread = clusters()
        .into_iter()
        .filter(|_| limits.cluster_blocks > 0)
        .map(|case| (case, in_clusters as PlanFn));
    let mut done = HashSet::new();
    let mut jobs = Vec::new();
    for (number, ((name, request), plan)) in ordinary.chain(spread).enumerate() {
        if !share.has(number, &name) || !offered(&request, limits) {
            continue;
        }
        let plan = match plan(&request, limits) {
            Ok(plan) => plan,
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        for (i, pass) in plan.passes.into_iter().enumerate() {
            let name = format!("{name}, pass {i}");
            match lower(&pass, geometry) {
                Ok(lowered) if !done.insert(lowered.program.clone()) => {}
                Ok(lowered) => jobs.push(Job {
                    name,
                    pass,
                    program: lowered.program,
                }),
                Err(error) => failures.push(format!("{name}: {error}")),
            }
        }
    }
    jobs
}

/// A family of kernels: a name, and a request whose passes belong to it.
fn families() -> Vec<(String, Request)> {
    let mut all = Vec::new();
    let engines = |precision| match precision {
        Precision::SplitF16 => &[Engine::Matrix][..],
        _ => &[Engine::Simt, Engine::Matrix],
    };
    for precision in [
        Precision::F32,
        Precision::F64,
        Precision::SplitF16,
        Precision::F16,
        Precision::Bf16,
    ] {
        for &engine in engines(precision) {
            let mut add = |name: &str, request: Request| {
                let request = request.batch(100_000).precision(precision).engine(engine);
                let name = format!("{name} {} {}", precision.row().name, engine.name());
                all.push((name, request));
            };
            let powers = [8, 64, 4096, 8192, 16384, 1 << 20];
            // Of 20000 one fills a block of NVIDIA's, of 7000 one of AMD's.
            let filling = match precision {
                Precision::F32 => &[7000, 20000][..],
                _ => &[],
            };
            let others = [61, 127, 1000, 2197, 65537];
            let others = others.iter().chain(filling).copied();
            for n in powers.into_iter().chain(others) {
                add(&format!("c2c {n}"), Request::forward(Shape::d1(n)));
            }
            if engine == Engine::Matrix && precision.row().storage.bytes() <= 4 {
                for &radix in radix::JOINED {
                    let request = Request::forward(Shape::d1(radix * radix));
                    add(&format!("c2c by {radix}"), request.radices(&[radix]));
                }
            }
            for n in [64, 1000, 4096, 1 << 20] {
                add(&format!("r2c {n}"), Request::r2c(Shape::d1(n)));
                add(&format!("c2r {n}"), Request::c2r(Shape::d1(n)));
            }
            if engine == Engine::Simt && precision.row().storage.bytes() >= 4 {
                for row in KINDS.iter().filter(|row| row.kind.is_real_to_real()) {
                    // Type I by real columns, where its continued line is a multiple of four.
                    let beside = match row.whole.length {
                        CoreLength::TwiceLess => 1,
                        CoreLength::TwiceMore => -1,
                        _ => 0,
                    };
                    let lengths = [1000, 4096].map(|n: usize| n.saturating_add_signed(beside));
                    for n in lengths {
                        let request = Request::of_kind(row.kind, Shape::d1(n));
                        add(&format!("{} {n}", row.name), request);
                    }
                }
            }
            for (kind, n) in [
                (Kind::Dct2, 1 << 20),
                (Kind::Dct3, 1 << 20),
                (Kind::HC2R, 1 << 16),
                (Kind::Dct1, 257),
                (Kind::Dct1, (1 << 16) + 1),
                (Kind::Dst1, (1 << 20) - 1),
            ] {
                let request = Request::of_kind(kind, Shape::d1(n));
                add(&format!("{} {n}", kind.row().name), request);
            }
            if engine == Engine::Simt {
                // The primes that a thread holds; of the others 61 stands above.
                let held = |r: &&usize| !radix::summed(**r, false);
                let primes = radix::DENSE.iter().filter(held);
                for &radix in radix::COMPOSITE.iter().chain(primes) {
                    let request = Request::forward(Shape::d1(radix * radix)).radices(&[radix]);
                    add(&format!("c2c radix {radix}"), request);
                }
            }
            add("c2c 64x64", Request::forward(Shape::d2(64, 64)));
            add("c2c 30x31", Request::forward(Shape::d2(30, 31)));
            add("c2c 1000x1024", Request::forward(Shape::d2(1000, 1024)));
            add("r2c 16x16x16", Request::r2c(Shape::d3(16, 16, 16)));
            // Reals between the axes of a tile.
            for (kind, shape) in [
                (Kind::Dct2, Shape::d2(8, 8)),
                (Kind::Dct3, Shape::d2(64, 64)),
                (Kind::Dst4, Shape::d2(15, 20)),
                (Kind::HC2R, Shape::d3(16, 16, 16)),
            ] {
                let name = format!("{} {shape}", kind.row().name);
                add(&name, Request::of_kind(kind, shape));
            }
        }
    }
    all
}

/// Families of tiles that the blocks of a cluster hold together.
fn clusters() -> Vec<(String, Request)> {
    use Precision::{Bf16, F16, F32, F64};
    let mut all = Vec::new();
    let mut add = |shape: Shape, precision: Precision| {
        let name = format!("cluster {shape} {}", precision.row().name);
        all.push((
            name,
            Request::forward(shape).precision(precision).batch(100_000),
        ));
    };
    for bits in 15..=17 {
        for precision in [F32, F16, Bf16] {
            add(Shape::d1(1 << bits), precision);
        }
        add(Shape::d1(1 << (bits - 1)), F64);
    }
    add(Shape::d1(30000), F32);
    add(Shape::d2(256, 256), F32);
    add(Shape::d2(128, 128), F64);
    // Lines beside each other: of passes that share a line, in the fewest, and of planes.
    for (shape, precision) in [
        (Shape::d1(1 << 25), F32),
        (Shape::d1(1 << 26), F32),
        (Shape::d1(1 << 25), F64),
        (Shape::d1(1 << 26), F64),
        (Shape::d1(1 << 25), F16),
        (Shape::d1(1 << 25), Precision::SplitF16),
        (Shape::d2(8192, 96), F32),
        (Shape::d2(6000, 96), F64),
    ] {
        let name = format!("cluster columns {shape} {}", precision.row().name);
        let request = Request::backward(shape).precision(precision).batch(8);
        all.push((name, request));
    }
    // Lines of reals, packed to as many points.
    for kind in [
        Kind::R2C,
        Kind::C2R,
        Kind::Dht,
        Kind::HC2R,
        Kind::Dct2,
        Kind::Dct3,
        Kind::Dct4,
        Kind::Dst4,
    ] {
        for (bits, precision) in [(16, F32), (15, F64)] {
            let direction = kind.row().direction.unwrap_or(Direction::Forward);
            let request = Request::directed(kind, direction, Shape::d1(1 << bits));
            let name = format!(
                "cluster {} 2^{bits} {}",
                kind.row().name,
                precision.row().name
            );
            all.push((name, request.precision(precision).batch(100_000)));
        }
    }
    all
}

/// Whether the device has the matrix products that the request is computed by, if it is.
fn offered(request: &Request, limits: &Limits) -> bool {
    let product = match request.precision {
        _ if request.engine != Some(Engine::Matrix) => return true,
        Precision::F32 => Operand::F32,
        Precision::F64 => Operand::F64,
        Precision::Bf16 => Operand::Bf16,
        _ => Operand::Half,
    };
    limits.fragments.iter().any(|f| f.operand == product)
}
