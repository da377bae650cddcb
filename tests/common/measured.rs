//! Transforms whose passes follow the measured rules: of each row of lines in a row, columns, rows of planes and
//! clusters one or more; lines that passes share, of all precisions and kinds; lines, arrays and columns without a rule, whose tiles are likely fast;
//! and what passes take turns with.

use mmafft::backend_traits::largest_prime_factor;
use mmafft::lab::{plan_as, Asked};
use mmafft::{Direction, Engine, Kind, Limits, Precision, Request, Shape, KINDS};
use mmafft_testing::{by_products, PlanFn};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Arrays of a request: the last tile is not full.
const BATCH: usize = 9;
/// The same of what takes a block each, or many.
const FEW: usize = 2;
/// Columns that lie beside each other: the last of their tiles is not full.
const BESIDE: usize = 70;

/// A request, and how it is planned so that its passes follow the rules.
pub type Case = (Request, PlanFn);

/// The limits of a device, of those of another.
pub type LimitsFn = fn(&Limits) -> Limits;

/// The devices that have rows of their own; wherever it runs, a plan follows them that is made for one.
pub const H100: &str = "NVIDIA H100 80GB HBM3";
pub const H200: &str = "NVIDIA H200";

fn h100(limits: &Limits) -> Limits {
    Limits {
        device: H100.into(),
        ..limits.clone()
    }
}

fn h200(limits: &Limits) -> Limits {
    Limits {
        device: H200.into(),
        ..limits.clone()
    }
}

/// A device that has no rows of its own.
pub fn another(limits: &Limits) -> Limits {
    Limits {
        device: "another".into(),
        ..limits.clone()
    }
}

/// Limits by which a tile takes whole arrays though there are few: with one worker for them.
fn one_worker(limits: &Limits) -> Limits {
    Limits {
        workers: 1,
        ..limits.clone()
    }
}

/// The table's rows.
pub fn rows() -> impl Iterator<Item = &'static str> {
    let rows = include_str!("../../src/planner/rules.csv").lines();
    rows.filter(|row| !row.starts_with(['#', 'a']))
}

/// What of rows `MMAFFT_CASE` asks for, if it is set: those that contain it, as `NVIDIA H200`.
pub fn asked() -> Option<String> {
    std::env::var("MMAFFT_CASE").ok()
}

/// Those of the table's rows that [`requests`] are for: what takes turns is [`in_turns`]'.
pub fn asked_rows() -> impl Iterator<Item = &'static str> {
    asked_among(rows().filter(|row| !row.contains(" in turns,")))
}

fn asked_among(rows: impl Iterator<Item = &'static str>) -> impl Iterator<Item = &'static str> {
    let asked = asked().unwrap_or_default();
    rows.filter(move |row| row.contains(&asked))
}

/// The requests: arrays of so many points at most, as a check has them transformed in double precision; where `MMAFFT_CASE` is set,
/// of the rows that it asks for alone.
pub fn requests(longest: usize) -> Vec<Case> {
    let shared = shared(longest).filter(|_| asked().is_none());
    let shared = shared.map(|request| (request, mmafft::plan as PlanFn));
    let rows = asked_rows().flat_map(|row| of(row, longest));
    rows.chain(shared).collect()
}

/// What plans say of passes that nobody measured, whose tiles are likely the fastest.
pub const LIKELY: &str = "likely the fastest of its tiles";

/// Lines, arrays and columns of many radices, most of which nobody measured, of every kind whose tiles the model knows.
pub fn likely() -> Vec<Case> {
    let lengths = [
        45, 84, 132, 154, 297, 351, 420, 528, 715, 858, 945, 1331, 1925, 2145, 2835, 3402, 4368,
        5544, 7040, 8820, 11466,
    ];
    let lines = lengths.map(|n| (Shape::d1(n), mmafft::plan as PlanFn));
    let arrays = [
        Shape::d2(8, 15),
        Shape::d2(27, 16),
        Shape::d2(36, 44),
        Shape::d2(25, 32),
        Shape::d3(4, 10, 10),
        Shape::d3(26, 16, 6),
        Shape::d3(9, 28, 13),
    ];
    let in_a_tile: PlanFn = |request, limits| mmafft::plan(request, &one_worker(limits));
    let shapes = lines
        .into_iter()
        .chain(arrays.map(|shape| (shape, in_a_tile)));
    let shapes: Vec<(Shape, PlanFn)> = shapes.collect();
    let wide = [Precision::F32, Precision::F64];
    let kinds = KINDS.iter();
    let kinds = kinds.flat_map(|row| wide.map(|precision| (row.kind, precision)));
    let of = |(kind, precision): (Kind, Precision)| {
        let direction = kind.row().direction.unwrap_or(Direction::Forward);
        let of = move |shape| Request::directed(kind, direction, shape).precision(precision);
        // Type I of whole lines has radices of its own.
        let whole = shapes.iter().filter(move |_| !kind.is_symmetric());
        let whole = whole.map(move |(shape, plan)| (of(shape.clone()).batch(BATCH), *plan));
        let more = match kind {
            Kind::Dct1 => 1,
            Kind::Dst1 => -1,
            _ => 0,
        };
        let columns = [88isize, 234, 364, 616, 1050, 1560, 2080].into_iter();
        let columns = columns.map(move |n| {
            let plane = Shape::d2((n + more).unsigned_abs(), BESIDE);
            (of(plane).axes(&[0]).batch(FEW), mmafft::plan as PlanFn)
        });
        whole.chain(columns).collect::<Vec<Case>>()
    };
    kinds.flat_map(of).collect()
}

/// Requests whose passes take turns by rules, of arrays of so many points at most, one array each, and limits of the device that
/// has the rules; of rows of an architecture another's.
pub fn in_turns(longest: usize) -> Vec<(Request, LimitsFn)> {
    let of = |row: &str| {
        let columns: Vec<&str> = row.split(',').collect();
        let [device, storage, engine, kind, "first in turns", length, ..] = columns[..] else {
            return None;
        };
        let limits: LimitsFn = match device.split_once(' ') {
            None => another,
            Some((_, H100)) => h100,
            Some((_, H200)) => h200,
            Some((_, device)) => panic!("no limits of {device}"),
        };
        let lengths: Vec<usize> = length.split('x').filter_map(|n| n.parse().ok()).collect();
        let kind = Kind::from_name(kind).expect("one kind");
        let precision = match (storage, engine) {
            ("16 bits", _) => Precision::F16,
            ("f32", "matrix") => Precision::SplitF16,
            ("f32", _) => Precision::F32,
            _ => Precision::F64,
        };
        let short = lengths.iter().product::<usize>() <= longest;
        short.then(|| (one(kind, Shape::new(&lengths), precision), limits))
    };
    let rows = asked_among(rows().filter(|row| row.contains(",first in turns,")));
    rows.filter_map(of).collect()
}

/// Requests that nobody measured, whose passes take turns on devices of the architecture that was, as such ones were faster:
/// of arrays of so many points at most, one array each.
pub fn suggested(longest: usize) -> Vec<Request> {
    let shapes = [
        Shape::d2(200, 220),
        Shape::d2(320, 320),
        Shape::d2(300, 400),
        Shape::d2(270, 480),
        Shape::d1(100_800),
        Shape::d1(180_000),
        Shape::d1(240_000),
    ];
    let short = |shape: &Shape| shape.dims().iter().product::<usize>() <= longest;
    let of_arrays = [
        Kind::R2C,
        Kind::C2R,
        Kind::R2HC,
        Kind::Dht,
        Kind::Dct2,
        Kind::Dst2,
        Kind::Dct4,
        Kind::Dst4,
    ];
    let wide = [Precision::F32, Precision::F64];
    let mut all = Vec::new();
    for shape in shapes.into_iter().filter(short) {
        if let &[n] = shape.dims() {
            let kind =
                |kind| wide.map(|precision| one(kind, Shape::d1(beside(kind, n)), precision));
            all.extend(KINDS.iter().flat_map(|row| kind(row.kind)));
            continue;
        }
        all.extend(wide.map(|precision| one(Kind::C2C, shape.clone(), precision)));
        // Arrays of reals of FP32 were as often slower: they do by rules alone.
        all.extend(of_arrays.map(|kind| one(kind, shape.clone(), Precision::F64)));
    }
    all
}

/// One array.
fn one(kind: Kind, shape: Shape, precision: Precision) -> Request {
    let direction = kind.row().direction.unwrap_or(Direction::Forward);
    let request = Request::directed(kind, direction, shape);
    by_products(request.precision(precision).batch(1))
}

/// The length whose type I is as long as the other kinds of `n` reals.
fn beside(kind: Kind, n: usize) -> usize {
    match kind {
        Kind::Dct1 => n + 1,
        Kind::Dst1 => n - 1,
        _ => n,
    }
}

/// Lines that passes share: of powers of two of every kind, for type I one real more or less, and of other complex ones.
fn shared(longest: usize) -> impl Iterator<Item = Request> {
    let of = |kind, n, precision| one(kind, Shape::d1(n), precision);
    let wide = [Precision::F32, Precision::F64];
    let others = [Precision::SplitF16, Precision::F16];
    let powers = (15..=longest.ilog2()).map(|bits| 1 << bits);
    let powers = powers.flat_map(move |n| {
        let kind = move |kind| wide.map(|precision| of(kind, beside(kind, n), precision));
        let kinds = KINDS.iter().flat_map(move |row| kind(row.kind));
        kinds.chain(others.map(|precision| of(Kind::C2C, n, precision)))
    });
    let smooth = [15015, 30030, 48000, 100_000, 1_000_000];
    let smooth = smooth.into_iter().filter(move |n| *n <= longest);
    powers.chain(smooth.flat_map(move |n| wide.map(|precision| of(Kind::C2C, n, precision))))
}

/// Of requests whose plans follow rules, which rows.
#[derive(Default)]
pub struct Followed(Mutex<BTreeSet<String>>);

impl Followed {
    /// Adds a plan's rows.
    pub fn add(&self, plan: &mmafft::Plan) {
        let key = |reason: &str| {
            let rest = reason.strip_prefix("as measured for ")?;
            Some(rest.split(':').next()?.to_string())
        };
        let keys = plan.passes.iter().filter_map(|pass| key(&pass.reason));
        self.0.lock().expect("no thread panics").extend(keys);
    }

    /// The table's rows of passes that no plan follows, as explain() names them.
    pub fn others(&self) -> Vec<String> {
        let followed = self.0.lock().expect("no thread panics");
        let key = |row: &str| row.splitn(7, ',').take(6).collect::<Vec<_>>().join(" ");
        // Parts are no passes.
        let passes = asked_rows().filter(|row| !row.contains(",parts,"));
        let passes = passes.map(key);
        passes.filter(|key| !followed.contains(key)).collect()
    }
}

/// Of a row of convolutions, `rader` and `chirp` or those of a kind, the kind, if it has its own, and the length of lines.
fn convolved(name: &str, n: usize) -> Option<(Option<Kind>, usize)> {
    // Of a chirp n is the convolution's: of the longest line that is no product of radices, and no prime, which might be
    // Rader's. Odd, as even lines of reals are packed, and their convolutions others.
    let padded = |m: &usize| m % 2 == 1 && (62..*m).contains(&largest_prime_factor(*m));
    Some(match name.rsplit_once(' ') {
        Some((kind, "rader" | "chirp")) => (Some(Kind::from_name(kind)?), n),
        None if name == "rader" => (None, n),
        None if name == "chirp" => (None, (2..=n.div_ceil(2)).rev().find(padded)?),
        _ => return None,
    })
}

/// Lines that are such a convolution: complex ones, and those of reals, which go by the same row.
fn of_convolution(kind: Option<Kind>, length: usize, precisions: &[Precision]) -> Vec<Case> {
    let others = [Kind::C2C, Kind::R2C, Kind::C2R, Kind::Dct2, Kind::Dst3];
    let kinds = kind.map_or(others.to_vec(), |kind| vec![kind]);
    let of = |(kind, precision): (Kind, Precision)| {
        let direction = kind.row().direction.unwrap_or(Direction::Forward);
        let request = Request::directed(kind, direction, Shape::d1(length));
        let request = request.batch(BATCH).precision(precision);
        (request.engine(Engine::Simt), mmafft::plan as PlanFn)
    };
    let all = kinds
        .into_iter()
        .flat_map(|kind| precisions.iter().map(move |&p| (kind, p)));
    all.map(of).collect()
}

fn of(row: &str, longest: usize) -> Vec<Case> {
    let columns: Vec<&str> = row.split(',').collect();
    let [device, storage, engine, kind, access, length, ..] = columns[..] else {
        panic!("`{row}` has no key");
    };
    let lengths: Vec<usize> = length.split('x').filter_map(|n| n.parse().ok()).collect();
    let n: usize = lengths.iter().product();
    let precisions: &[Precision] = match (storage, engine) {
        ("16 bits", _) => &[Precision::F16, Precision::Bf16],
        ("f32", "matrix") => &[Precision::SplitF16],
        ("f32", _) => &[Precision::F32],
        _ => &[Precision::F64],
    };
    if let Some((kind, length)) = convolved(kind, n).filter(|_| n <= longest) {
        let cases = of_convolution(kind, length, precisions).into_iter();
        let on_h200: PlanFn = |request, limits| mmafft::plan(request, &h200(limits));
        let plan = |plan| {
            if device.ends_with(H200) {
                on_h200
            } else {
                plan
            }
        };
        return cases.map(|(request, own)| (request, plan(own))).collect();
    }
    let of = |kind: Kind, shape: Shape| {
        let direction = kind.row().direction.unwrap_or(Direction::Forward);
        Request::directed(kind, direction, shape)
    };
    let request = match (kind, access) {
        _ if n > longest => return Vec::new(),
        ("split", "rows") => of(Kind::R2C, Shape::d2(256, 2 * n)),
        ("merge", "rows") => of(Kind::C2R, Shape::d2(256, 2 * n)),
        // Lines, columns, and arrays whose axes a tile has all.
        (kind, access) => match (Kind::from_name(kind), access) {
            (Some(kind), "rows" | "cluster") => of(kind, Shape::new(&lengths)),
            (Some(kind), "columns") => of(kind, Shape::d2(n, 48)).axes(&[0]),
            _ => return Vec::new(),
        },
    };
    let engine = match engine {
        "matrix" => Engine::Matrix,
        _ => Engine::Simt,
    };
    let request = match kind {
        "split" | "merge" => request,
        _ if n > 1 << 13 || access == "columns" => request.batch(FEW),
        _ => request.batch(BATCH),
    };
    // Of few arrays clusters would leave most of the device idle, so that they are not asked for.
    let on_h200 = device.ends_with(H200);
    let plan: PlanFn = match access {
        "cluster" if on_h200 => {
            |request, limits| plan_as(request, &h200(limits), &Asked::clusters(true))
        }
        "cluster" => |request, limits| plan_as(request, limits, &Asked::clusters(true)),
        _ => match (lengths.len() > 1 || access == "columns", on_h200) {
            (true, true) => |request, limits| mmafft::plan(request, &h200(&one_worker(limits))),
            (true, false) => |request, limits| mmafft::plan(request, &one_worker(limits)),
            (false, true) => |request, limits| mmafft::plan(request, &h200(limits)),
            (false, false) => mmafft::plan,
        },
    };
    let with = |&precision: &Precision| {
        let request = request.clone().precision(precision).engine(engine);
        (request, plan)
    };
    precisions.iter().map(with).collect()
}
