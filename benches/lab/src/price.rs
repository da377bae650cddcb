//! `mmafft-lab price`: how well the planner's price ranks tiles, beside timings of them.

use crate::plan::devices;
use crate::predict::Sheet;
use clap::Args;
use mmafft::backend_traits::device::shape;
use mmafft::backend_traits::{Backend, TripCount, TripShape};
use mmafft::lab::rules::{priced, Priced};
use mmafft::lab::{alone, plan_as, Asked, BackendClock, Clock as _};
use mmafft::{AnyBackend, Limits, Pass, Plan, Precision, Request};
use mmafft_cli::bench::cases::{self, Case};
use mmafft_cli::bench::lab::Lab;
use mmafft_cli::bench::lists;
#[cfg(any(feature = "cuda", feature = "hip"))]
use mmafft_cli::bench::{self, device::NoPeer};
use mmafft_cli::excerpt::excerpt;
use mmafft_cli::progress::Progress;
use mmafft_cli::{files, outln, Failure};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `mmafft-lab price`.
#[derive(Args)]
pub struct Arguments {
    /// The transforms whose passes are timed, as `mmafft-lab bench` reads them; else those of its own list
    #[arg(long, value_name = "FILE")]
    cases: Option<PathBuf>,
    /// Classes of the list; all where none is named
    #[arg(long, value_delimiter = ',')]
    class: Vec<String>,
    /// Precisions
    #[arg(long, value_delimiter = ',', default_value = "f32,f64", value_parser = mmafft_cli::request::precisions())]
    precision: Vec<Precision>,
    /// Tiles of a pass: half of them the cheapest, half of them any
    #[arg(long, default_value_t = 24)]
    tiles: usize,
    /// Which tiles are the others
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A file for every tile that is timed: what its price is made of, and what it took
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Time nothing: price the tiles of an earlier file anew
    #[arg(long, value_name = "FILE", requires = "device", conflicts_with_all = ["cases", "class", "tiles", "seed"])]
    from: Option<PathBuf>,
    /// The device of that file, by its architecture or name
    #[arg(long, value_parser = devices(), ignore_case = true, requires = "from")]
    device: Option<&'static Sheet>,
    /// Where to run: cuda or hip
    #[arg(long, default_value = "auto", value_parser = mmafft_cli::request::backends())]
    backend: String,
}

impl Arguments {
    /// The transforms whose passes are timed.
    fn cases(&self) -> Result<Vec<Case>, Failure> {
        let mut cases = match &self.cases {
            Some(path) => lists::from_file(path)?,
            None => cases::default_list(BYTES),
        };
        cases.retain(|case| {
            (self.class.is_empty() || self.class.contains(&case.class))
                && self.precision.contains(&case.precision)
        });
        Ok(cases)
    }
}

/// Bytes of the transforms whose passes are timed.
const BYTES: usize = 1 << 30;

/// How dear a tile may be, of the cheapest, to be timed.
const FAR: f64 = 1.5;

/// The first line of the file.
const HEADER: &str = "class,kind,precision,shape,pass,radices,lines,threads,residents,facing,issues,waits,bytes,tight,spilled,pieces,touched,banks,trips,price,took";

/// Times tiles on the device.
///
/// # Errors
/// What the device, a list or a file cannot do.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let (Some(path), Some(sheet)) = (&arguments.from, arguments.device) {
        files::check([path], &arguments.csv)?;
        return again(path, sheet, arguments.csv.as_ref());
    }
    files::check(&arguments.cases, &arguments.csv)?;
    let backend = AnyBackend::from_name(&arguments.backend)?;
    let bytes_a_second: Result<f64, Failure> = match backend.clone() {
        #[cfg(feature = "cuda")]
        AnyBackend::Cuda(device) => copy(&bench::cuda::lab::<NoPeer>(device)?),
        #[cfg(feature = "hip")]
        AnyBackend::Hip(device) => copy(&bench::hip::lab::<NoPeer>(device)?),
        other => Err(format!(
            "{} has no tiles to price: a GPU has, by --backend cuda or hip",
            other.limits().backend
        )
        .into()),
    };
    run_on(&backend, bytes_a_second?, arguments)
}

/// Bytes that a copy on the device reads and writes a second.
#[cfg_attr(not(any(feature = "cuda", feature = "hip")), allow(dead_code))]
fn copy<L: Lab>(lab: &L) -> Result<f64, Failure> {
    let from = lab.backend().allocate(BYTES)?;
    let mut to = lab.backend().allocate(BYTES)?;
    let mut seconds: Vec<f64> = Vec::new();
    for _ in 0..9 {
        let begin = lab.mark()?;
        lab.copy(lab.stream(), &from, &mut to, BYTES)?;
        seconds.push(lab.seconds(&begin, &lab.mark()?)?);
    }
    seconds.sort_by(f64::total_cmp);
    Ok(2.0 * BYTES as f64 / seconds[4])
}

/// A pass of some transform.
struct Job {
    /// As the first columns of the file say it.
    case: String,
    number: usize,
    plan: Plan,
    pass: Pass,
}

impl Job {
    /// The pass by a tile.
    fn tiled(&self, priced: &Priced, limits: &Limits) -> Pass {
        let mut pass = self.pass.clone();
        priced.rule.apply(&mut pass, limits);
        pass
    }
}

/// The passes of transforms on such a device.
fn jobs(cases: &[Case], limits: &Limits) -> Vec<Job> {
    let mut jobs = Vec::new();
    for case in cases {
        let Ok(plan) = plan_as(&request(case), limits, &Asked::pass_by_pass()) else {
            continue;
        };
        let (kind, precision) = (case.kind.row().name, case.precision.row().name);
        let named = format!("{},{kind},{precision},{}", case.class, case.shape);
        jobs.extend(plan.passes.iter().enumerate().map(|(number, pass)| Job {
            case: named.clone(),
            number,
            plan: plan.clone(),
            pass: pass.clone(),
        }));
    }
    jobs
}

/// How near passes come to the fastest tile that was timed, by some choice.
#[derive(Default)]
struct Reached(Vec<f64>);

impl Reached {
    fn say(&self, choice: &str) {
        let all = &self.0;
        let mean = (all.iter().map(|r| r.ln()).sum::<f64>() / all.len().max(1) as f64).exp();
        let least = all.iter().copied().fold(1.0, f64::min);
        outln!(
            "{choice}: {mean:.3} of the fastest that was timed in the geometric mean, {least:.3} at least, of {} passes",
            all.len()
        );
    }
}

fn run_on(backend: &AnyBackend, copy: f64, arguments: &Arguments) -> Result<(), Failure> {
    let limits = backend.limits();
    let jobs = jobs(&arguments.cases()?, limits);
    outln!("{}: a copy moves {:.0} GB/s", limits.device, copy / 1e9);
    let mut clock = BackendClock::new(backend);
    let mut text = format!("{HEADER}\n");
    let progress = Progress::new(jobs.len() as u64);
    let [mut by_price, mut planned] = [Reached::default(), Reached::default()];
    for job in &jobs {
        progress.doing(&job.case);
        let mut all = priced(&job.pass, limits);
        let most = all.first().map_or(0.0, |first| FAR * first.price);
        all.retain(|priced| priced.price <= most);
        let cheapest = arguments.tiles / 2;
        shuffle(all.get_mut(cheapest..).unwrap_or_default(), arguments.seed);
        all.truncate(arguments.tiles);
        let passes = all.iter().map(|priced| job.tiled(priced, limits));
        let plans = passes.chain([job.pass.clone()]);
        let plans: Vec<Plan> = plans.map(|pass| alone(&job.plan, pass)).collect();
        // What each reaches of a copy.
        let (read, written) = job.pass.bytes();
        let reached = |seconds: f64| (read + written) as f64 / seconds / copy;
        let took = clock.seconds(&plans).into_iter();
        let mut took: Vec<Option<f64>> = took.map(|seconds| seconds.map(reached)).collect();
        let own = took.pop().flatten().unwrap_or(0.0);
        for (priced, fraction) in all.iter().zip(&took) {
            if let Some(fraction) = fraction {
                row(&mut text, job, limits, priced, 1.0 / fraction);
            }
        }
        let best = took.iter().flatten().copied().fold(own, f64::max);
        let first = took.first().copied().flatten().unwrap_or(own);
        by_price.0.push(first / best);
        planned.0.push(own / best);
        outln!(
            "{} pass {}: {own:.3} of a copy as planned, {first:.3} by the cheapest tile, {best:.3} by the fastest of {}",
            job.case,
            job.number + 1,
            took.len()
        );
        progress.step();
        if let Some(path) = &arguments.csv {
            std::fs::write(path, &text)?;
        }
    }
    planned.say("as planned");
    by_price.say("by the cheapest");
    Ok(())
}

/// Prices the tiles of an earlier run anew, as for a device that is not here: a change of the price is tried so.
fn again(path: &Path, sheet: &Sheet, csv: Option<&PathBuf>) -> Result<(), Failure> {
    let (limits, _) = sheet.limits()?;
    let timed = mmafft_cli::text::read(path)?;
    let mut rows: BTreeMap<String, Vec<(String, f64)>> = BTreeMap::new();
    for line in timed.lines().skip(1) {
        let columns: Vec<&str> = line.split(',').collect();
        let (Some(case), Some(tile), Some(took)) =
            (columns.get(..5), columns.get(5..10), columns.last())
        else {
            return Err(format!("{}: no row is '{}'", path.display(), excerpt(line)).into());
        };
        let took = took
            .parse()
            .map_err(|_| format!("no time is '{}'", excerpt(took)))?;
        let all = rows.entry(case.join(",")).or_default();
        all.push((tile.join(","), took));
    }
    let mut text = format!("{HEADER}\n");
    let mut by_price = Reached::default();
    // Of each pass there are many rows.
    let mut cases = lists::from_file(path)?;
    cases.dedup();
    for job in jobs(&cases, &limits) {
        let Some(timed) = rows.remove(&format!("{},{}", job.case, job.number)) else {
            continue;
        };
        let timed: BTreeMap<String, f64> = timed.into_iter().collect();
        let mut found = Vec::new();
        for priced in priced(&job.pass, &limits) {
            if let Some(&took) = timed.get(&tile(&priced)) {
                row(&mut text, &job, &limits, &priced, took);
                found.push((priced.price, took));
            }
        }
        let least = |by: fn(&(f64, f64)) -> f64| {
            found
                .iter()
                .min_by(|a, b| by(a).total_cmp(&by(b)))
                .map(|(_, took)| *took)
        };
        if let (Some(first), Some(best)) = (least(|x| x.0), least(|x| x.1)) {
            by_price.0.push(best / first);
        }
    }
    if let Some(path) = csv {
        std::fs::write(path, &text)?;
    }
    by_price.say("by the cheapest");
    Ok(())
}

/// The columns of the file that say which tile it is.
fn tile(priced: &Priced) -> String {
    let rule = &priced.rule;
    let [first, last] = rule.launch.facing.map(u8::from);
    format!(
        "{},{},{},{},{}",
        rule.sequence,
        rule.lines,
        rule.launch.threads,
        rule.launch.residents,
        2 * last + first
    )
}

/// A line of the file.
fn row(text: &mut String, job: &Job, limits: &Limits, priced: &Priced, took: f64) {
    let t = &priced.terms;
    // Writing to a string does not fail.
    let _ = write!(text, "{},{},{}", job.case, job.number, tile(priced));
    for term in [
        t.issues, t.waits, t.bytes, t.tight, t.spilled, t.pieces, t.touched,
    ] {
        let _ = write!(text, ",{term:.4}");
    }
    let (banks, trips) = trips(&job.tiled(priced, limits), limits);
    let _ = writeln!(text, ",{banks:.4},{trips},{:.4},{took:.4}", priced.price);
}

/// What a pass' exchanges take beside the fewest wavefronts, each that stores and loads a tile being 2, and its trips: columns
/// of a line, how many a thread has, their values, and what they are.
fn trips(pass: &Pass, limits: &Limits) -> (f64, String) {
    let shape = limits
        .geometry
        .and_then(|geometry| shape(pass, &geometry).ok());
    let banks = shape.as_ref().map_or(0.0, |shape| shape.bank_waits());
    let trips = shape.into_iter().flat_map(|shape| shape.trips);
    let of_trip = |trip: TripShape| {
        let TripCount {
            work,
            columns,
            values,
            facing,
            ..
        } = trip.count;
        let facing = if facing { " facing" } else { "" };
        format!("{columns}:{}:{values}:{work}{facing}", trip.of_thread)
    };
    let trips: Vec<String> = trips.map(of_trip).collect();
    (banks, trips.join(";"))
}

/// Any order, the same for the same seed.
fn shuffle<T>(all: &mut [T], seed: u64) {
    let mut state = seed;
    for i in (1..all.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        all.swap(i, (state >> 33) as usize % (i + 1));
    }
}

fn request(case: &Case) -> Request {
    Request::of_kind(case.kind, case.shape.clone())
        .precision(case.precision)
        .batch(cases::batch(case, BYTES))
}
