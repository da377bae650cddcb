//! Requests that between them use every kind of trip.

use crate::probe::{Probe, Vendor};
use mmafft::backend_traits::device::Driver;
use mmafft::backend_traits::Factor;
use mmafft::emulated::Order;
use mmafft::lab::{plan_as, Asked};
use mmafft::{Direction, Engine, Error, Kind, Layout, Pass, Precision, Request, Shape, Step};
use mmafft_testing::PlanFn;

/// A request, and the device that it is for.
pub struct Case {
    pub name: &'static str,
    pub request: Request,
    /// The tiles that plans are made for; `None` for the device's own.
    pub tile_bytes: Option<usize>,
    /// The blocks that share all tiles; `None` for one a tile.
    pub blocks: Option<u64>,
    /// Whether blocks may share a tile of so many bytes.
    in_clusters: bool,
    pub plan: PlanFn,
}

impl Case {
    fn tiles_of(mut self, bytes: usize) -> Self {
        self.tile_bytes = Some(bytes);
        self
    }

    fn in_clusters(mut self) -> Self {
        self.in_clusters = true;
        self.plan = |request, limits| plan_as(request, limits, &Asked::clusters(true));
        self
    }

    fn on_blocks(mut self, blocks: u64) -> Self {
        self.blocks = Some(blocks);
        self
    }

    /// The device, nothing missing.
    pub fn probe(&self, vendor: Vendor, order: Order) -> Probe {
        let probe = Probe::new(vendor, order);
        let blocks = probe.limits().cluster_blocks;
        let probe = probe.tile_bytes(self.tile_bytes).blocks(self.blocks);
        match self.in_clusters {
            true => probe.cluster_blocks(blocks),
            false => probe,
        }
    }
}

fn case(name: &'static str, request: Request) -> Case {
    Case {
        name,
        request,
        tile_bytes: None,
        blocks: None,
        in_clusters: false,
        plan: mmafft::plan,
    }
}

fn d1(n: usize) -> Request {
    Request::forward(Shape::d1(n))
}

fn simt(n: usize, precision: Precision) -> Request {
    d1(n).precision(precision).engine(Engine::Simt)
}

fn matrix(n: usize, precision: Precision) -> Request {
    d1(n).precision(precision).engine(Engine::Matrix)
}

/// All of them.
pub fn cases() -> Vec<Case> {
    use Precision::{Bf16, F16, F32, F64};
    let split = Precision::SplitF16;
    vec![
        // One axis, one pass, in every precision.
        case("f32", d1(1024).batch(3)),
        case(
            "f32, several lines, the last tile in part",
            d1(120).batch(43),
        ),
        case("f32, a block takes several tiles", d1(256).batch(21)).on_blocks(2),
        case(
            "f32 inverse, mixed radices",
            Request::backward(Shape::d1(1155)),
        ),
        case("f64", simt(360, F64).batch(7)),
        case("f16 by butterflies", simt(256, F16).batch(11)),
        case("bf16 by butterflies", simt(96, Bf16).batch(30)),
        // So short that points are staged in shared memory.
        case("4 points", d1(4).batch(1500)),
        case("8 points", d1(8).batch(300)),
        case("8 points of f64", simt(8, F64).batch(150)),
        case("8 points of f16", simt(8, F16).batch(300)),
        case("4 points, a block takes several tiles", d1(4).batch(3000)).on_blocks(2),
        case(
            "r2c of 3 points, a block takes several tiles",
            Request::r2c(Shape::d1(3)).batch(2000),
        )
        .on_blocks(2),
        case("4 points by matrix products", matrix(4, split).batch(300)),
        // Half spectra.
        case("r2c even", Request::r2c(Shape::d1(256)).batch(19)),
        case("r2c odd", Request::r2c(Shape::d1(225)).batch(10)),
        case("c2r even", Request::c2r(Shape::d1(256)).batch(19)),
        case("c2r odd", Request::c2r(Shape::d1(225)).batch(10)),
        case(
            "r2c f64, 4 points",
            Request::r2c(Shape::d1(4)).precision(F64).batch(9),
        ),
        // Lines over passes.
        case("two passes", d1(1024).batch(3)).tiles_of(4 << 10),
        case("three passes", d1(4096)).tiles_of(1 << 10),
        case("two passes of r2c", Request::r2c(Shape::d1(2048))).tiles_of(8 << 10),
        case("two passes of c2r", Request::c2r(Shape::d1(2048))).tiles_of(8 << 10),
        case("two passes of odd c2r", Request::c2r(Shape::d1(2025))).tiles_of(8 << 10),
        case("two passes of dct2", {
            Request::of_kind(Kind::Dct2, Shape::d1(2048)).batch(3)
        })
        .tiles_of(8 << 10),
        case("two passes of split-f16", matrix(1024, split)).tiles_of(4 << 10),
        // Lines that no radices make.
        case("Bluestein", d1(167).batch(7)),
        case("Bluestein, inverse, f64", {
            Request::directed(Kind::C2C, Direction::Inverse, Shape::d1(166))
                .precision(F64)
                .batch(9)
        }),
        case("Bluestein over passes", d1(1019).batch(2)).tiles_of(1 << 10),
        case("Bluestein over passes, 9/8", d1(1031).batch(2)).tiles_of(1 << 10),
        case("Rader", d1(127).batch(20)),
        case("Rader by dense sums", d1(83).batch(18)),
        case("Rader of few lines", d1(1009).batch(5)),
        case("Rader, r2c odd", Request::r2c(Shape::d1(101)).batch(3)),
        case("31 points", d1(31).batch(70)),
        case("a prime by matrix products", matrix(113, split).batch(3)),
        // Several axes in a tile.
        case("2-D", Request::forward(Shape::d2(16, 24)).batch(9)),
        case(
            "2-D, axes of one step",
            Request::forward(Shape::d2(4, 8)).batch(50),
        ),
        case("2-D r2c", Request::r2c(Shape::d2(12, 32)).batch(5)),
        case("2-D c2r", Request::c2r(Shape::d2(12, 32)).batch(5)),
        case(
            "2-D r2c of the other axis",
            Request::r2c(Shape::d2(32, 12)).axes(&[1, 0]).batch(5),
        ),
        case("2-D r2c of one tile", {
            let request = Request::r2c(Shape::d2(32, 12)).axes(&[1, 0]).precision(F16);
            request.engine(Engine::Simt)
        }),
        case("2-D r2c of one tile, odd", {
            let request = Request::r2c(Shape::d2(15, 12)).axes(&[1, 0]).precision(F16);
            request.engine(Engine::Simt)
        }),
        case("2-D c2r of the other axis", {
            Request::c2r(Shape::d2(32, 12))
                .axes(&[1, 0])
                .precision(Bf16)
                .engine(Engine::Simt)
        }),
        case("2-D c2r odd", Request::c2r(Shape::d2(12, 15)).batch(5)),
        // Beyond the factors of butterflies, and without scratch for half spectra: by edge points.
        case(
            "2-D c2r with edges",
            Request::c2r(Shape::d2(12, 17))
                .batch(5)
                .scratch_limit(1 << 10),
        ),
        case("3-D", Request::forward(Shape::new(&[8, 8, 8])).batch(5)),
        case("3-D of mixed lengths, f64", {
            Request::backward(Shape::new(&[3, 4, 10]))
                .precision(F64)
                .batch(9)
        }),
        case(
            "3-D with primes",
            Request::forward(Shape::new(&[5, 19, 4])).batch(6),
        ),
        case(
            "2-D, a pass an axis, in place",
            Request::forward(Shape::d2(32, 64)).in_place(),
        )
        .tiles_of(4 << 10),
        // What lies between passes is not in the output.
        case(
            "an output only written, 2-D",
            Request::forward(Shape::d2(32, 64))
                .batch(3)
                .write_only_output(),
        )
        .tiles_of(4 << 10),
        case(
            "an output only written, 3-D f64",
            Request::of_kind(Kind::Dct2, Shape::new(&[6, 16, 10]))
                .precision(F64)
                .write_only_output(),
        )
        .tiles_of(1 << 10),
        case(
            "an output only written, 2-D r2c",
            Request::r2c(Shape::d2(15, 32)).batch(2).write_only_output(),
        )
        .tiles_of(2 << 10),
        case(
            "an output only written, 3-D c2r",
            Request::c2r(Shape::new(&[4, 6, 16]))
                .batch(2)
                .write_only_output(),
        )
        .tiles_of(1 << 10),
        // Tiles of several blocks, where there are clusters.
        case("a line in a cluster", d1(1024).batch(2))
            .tiles_of(4 << 10)
            .in_clusters(),
        case(
            "a line in clusters that take several",
            simt(480, F64).batch(3),
        )
        .tiles_of(4 << 10)
        .in_clusters()
        .on_blocks(2),
        case(
            "a plane in a cluster",
            Request::forward(Shape::d2(24, 32)).batch(3),
        )
        .tiles_of(4 << 10)
        .in_clusters(),
        case(
            "a line in a cluster, points to the blocks first",
            d1(48).batch(5),
        )
        .tiles_of(400)
        .in_clusters()
        .on_blocks(8),
        // The matrix engine.
        case("split-f16", matrix(256, split).batch(13)),
        case("split-f16 of mixed radices", matrix(480, split).batch(3)),
        case("f16 products", matrix(64, F16).batch(33)),
        case("bf16 products", matrix(128, Bf16).batch(9)),
        case("f64 products", matrix(128, F64).batch(9)),
        case("f32 products", matrix(128, F32).batch(9)),
        case(
            "split-f16, 3-D",
            Request::forward(Shape::new(&[4, 8, 16]))
                .precision(split)
                .batch(5),
        ),
        // Layouts.
        case("the batch innermost", {
            d1(48)
                .batch(37)
                .input_layout(Layout::strided(&[37]).distance(1))
        }),
        case("one step, a block takes several tiles", {
            d1(16)
                .batch(700)
                .input_layout(Layout::strided(&[700]).distance(1))
                .output_layout(Layout::strided(&[700]).distance(1))
        })
        .on_blocks(2),
        case(
            "zero ranges",
            d1(200)
                .batch(9)
                .nonzero_input(0, 3..77)
                .wanted_output(0, 5..31),
        ),
        case(
            "results staged",
            Request::of_kind(Kind::Dct1, Shape::d1(129)).batch(90),
        )
        .on_blocks(2),
    ]
}

/// The cases between them use every kind of trip.
#[test]
fn cases_are_what_they_are_called() {
    for vendor in Vendor::ALL {
        let mut found: Vec<&str> = Vec::new();
        for case in cases() {
            let probe = case.probe(vendor, Order::Forward);
            let plan = match (case.plan)(&case.request, probe.limits()) {
                Err(Error::Unsupported { .. }) => continue,
                plan => plan.expect("a plan"),
            };
            let (name, passes) = (case.name, plan.passes.len());
            assert!(
                !name.starts_with("two passes") || passes == 2,
                "{name}: {passes}"
            );
            assert!(
                !name.starts_with("three passes") || passes == 3,
                "{name}: {passes}"
            );
            let one_tile =
                matches!(name.get(..2), Some("2-" | "3-")) && !name.contains("a pass an axis");
            let axes = |pass: &Pass| pass.axes.len();
            assert!(
                !one_tile || name.contains("c2r") || axes(&plan.passes[0]) > 1,
                "{name}"
            );
            for pass in &plan.passes {
                let facts = [
                    ("engine", pass.math.engine == Engine::Matrix),
                    ("edges", pass.load.edges.is_some()),
                    ("mirror", pass.load.hermitian.is_some()),
                    ("merge of pairs", pass.load.halves().is_some()),
                    ("split of pairs", pass.store.halves().is_some()),
                    (
                        "roots",
                        matches!(pass.store.factor, Some(Factor::Roots { .. })),
                    ),
                    (
                        "roots back",
                        matches!(pass.load.factor, Some(Factor::Roots { .. })),
                    ),
                    (
                        "chirp over passes",
                        matches!(pass.load.factor, Some(Factor::Chirp { .. })),
                    ),
                    (
                        "part of a tile",
                        !pass
                            .loops
                            .iter()
                            .map(|l| l.count)
                            .product::<usize>()
                            .is_multiple_of(pass.tile.lines),
                    ),
                ];
                found.extend(facts.iter().filter(|f| f.1).map(|f| f.0));
                found.extend(pass.steps.iter().map(|step| match step {
                    Step::Chirp { .. } => "chirp",
                    Step::Rader { .. } => "rader",
                    Step::Convolve { .. } => "convolve",
                    _ => "other",
                }));
            }
        }
        let all = [
            "engine",
            "edges",
            "mirror",
            "merge of pairs",
            "split of pairs",
            "roots",
            "roots back",
            "chirp over passes",
            "part of a tile",
            "chirp",
            "rader",
            "convolve",
        ];
        let missing: Vec<_> = all.iter().filter(|fact| !found.contains(fact)).collect();
        assert!(missing.is_empty(), "{vendor:?}: no case for {missing:?}");
    }
}
