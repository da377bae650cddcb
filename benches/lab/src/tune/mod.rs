//! `mmafft-lab tune`: measures which radices, tiles and launches are the fastest for the passes of
//! some transforms, and writes the rules that the planner follows on such a device.

mod compile;
mod parts;
mod passes;
mod table;
mod timing;
mod turns;

use clap::Args;
use mmafft::backend_traits::Backend;
use mmafft::lab::rules::{self, Rule};
use mmafft::{AnyBackend, Limits, Pass, Plan, Precision, Request};
use mmafft_cli::bench::cases::{self, Case};
use mmafft_cli::bench::lab::Lab;
use mmafft_cli::bench::lists;
#[cfg(any(feature = "cuda", feature = "hip"))]
use mmafft_cli::bench::{self, device::NoPeer};
use mmafft_cli::progress::Progress;
use mmafft_cli::{files, outln, Failure};
use std::collections::BTreeMap;
use std::path::PathBuf;
use table::{Table, Timings};
use timing::{copy, Bench, Memory, BYTES};

/// Two are alike unless one is so many times as fast.
const ALIKE: f64 = 1.01;
/// Passes whose kernels are compiled together.
const AT_ONCE: usize = 16;

/// Arguments of `mmafft-lab tune`.
#[derive(Args)]
pub struct Arguments {
    /// The table to write; rows of other passes stay as they are
    #[arg(short, long)]
    output: PathBuf,
    /// Classes of the default list of `mmafft bench`, or of the file's; all where none is named
    #[arg(long, value_delimiter = ',')]
    class: Vec<String>,
    /// Precisions
    #[arg(long, value_delimiter = ',', default_value = "f32,f64,f16,split-f16", value_parser = mmafft_cli::request::precisions())]
    precision: Vec<Precision>,
    /// The transforms, as `mmafft bench` reads them, in place of the default list
    #[arg(long, value_name = "FILE")]
    cases: Option<PathBuf>,
    /// Only transforms of these that were below this fraction of a copy, in a file that `mmafft bench --csv` wrote; of as many
    /// arrays as are timed here
    #[arg(long, value_name = "FRACTION", requires = "cases", value_parser = fraction)]
    below: Option<f64>,
    /// Rows of this device alone, where these are faster by 2 %, and not of all devices of its architecture, as those of --turns are
    /// anyway
    #[arg(long, conflicts_with = "turns")]
    this_device: bool,
    /// Only passes that have no row in the table yet
    #[arg(long)]
    missing: bool,
    /// Only passes and lines whose keys in the table contain this, as `columns roots,8192`
    #[arg(long, value_name = "TEXT")]
    key: Option<String>,
    /// Only launches whose columns face each other, and only rows that they make faster
    #[arg(long)]
    facing: bool,
    /// Only products beside butterflies, and only rows that they make faster
    #[arg(long, conflicts_with = "facing")]
    mixed: bool,
    /// Only which factors lines have that passes share, and passes that have no row yet
    #[arg(long, conflicts_with_all = ["facing", "mixed", "clusters", "otherwise"])]
    parts: bool,
    /// Only tiles that the blocks of a cluster share, and only rows that they make faster
    #[arg(long, conflicts_with_all = ["facing", "mixed"])]
    clusters: bool,
    /// Only rows of the table, and what their launches could do otherwise: look up each twiddle of f64, load reals
    /// of type III unasked, multiply roots of splits and merges, stage type I's results,
    /// ask for later tiles
    #[arg(long, conflicts_with_all = ["missing", "facing", "mixed", "clusters"])]
    otherwise: bool,
    /// Only transforms of a batch whose two passes can take turns in one launch, and only rows that make them faster than what is
    /// planned else, or that say that they take none, where they are faster so; with --otherwise: only such rows of the table, with other columns that face each other, wider accesses and more
    /// or fewer blocks too
    #[arg(long, conflicts_with_all = ["facing", "mixed", "parts", "clusters"])]
    turns: bool,
    /// Only a few tiles of each pass, and what the fastest could do otherwise: a third of the time
    #[arg(long, conflicts_with_all = ["facing", "mixed", "parts", "clusters", "otherwise", "turns"])]
    quick: bool,
    /// A file for everything that is timed of single passes, in the form of the table's rows, but several of a key
    #[arg(long, value_name = "FILE", conflicts_with = "turns")]
    timings: Option<PathBuf>,
    /// Compile only the kernels that the input names, into the cache: what tune runs on all cores itself
    #[arg(long, hide = true)]
    compile: bool,
    /// Where to run: cuda or hip
    #[arg(long, default_value = "auto", value_parser = mmafft_cli::request::backends())]
    backend: String,
}

/// What may be below a copy.
fn fraction(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok();
    let within = number.filter(|x| (0.0..=1.0).contains(x));
    within.ok_or("expected a number from 0 to 1, as 0.85".into())
}

impl Arguments {
    /// Whether only some of what could be faster is tried.
    fn some(&self) -> bool {
        self.facing || self.mixed || self.clusters || self.otherwise
    }

    fn tries(&self, rule: &Rule) -> bool {
        let facing = rule.launch.facing != [false; 2];
        (facing || !self.facing)
            && (rule.sequence.is_mixed() || !self.mixed)
            && (rule.blocks > 1 || !self.clusters)
    }
}

/// Tunes on the device.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match AnyBackend::from_name(&arguments.backend)? {
        #[cfg(feature = "cuda")]
        AnyBackend::Cuda(backend) => run_in(&bench::cuda::lab::<NoPeer>(backend)?, arguments),
        #[cfg(feature = "hip")]
        AnyBackend::Hip(backend) => run_in(&bench::hip::lab::<NoPeer>(backend)?, arguments),
        other => Err(format!(
            "{} has no launches to tune: a GPU has, by --backend cuda or hip",
            other.limits().backend
        )
        .into()),
    }
}

#[cfg_attr(not(any(feature = "cuda", feature = "hip")), allow(dead_code))]
fn run_in<L: Lab>(lab: &L, arguments: &Arguments) -> Result<(), Failure> {
    let limits = lab.backend().limits().clone();
    let mut cases = match (&arguments.cases, arguments.below) {
        (Some(path), Some(below)) => lists::below(path, below)?,
        (Some(path), None) => lists::from_file(path)?,
        (None, _) => cases::default_list(BYTES),
    };
    cases.retain(|case| {
        (arguments.class.is_empty() || arguments.class.contains(&case.class))
            && arguments.precision.contains(&case.precision)
    });
    files::check(
        [],
        [&arguments.output].into_iter().chain(&arguments.timings),
    )?;
    let mut table = Table::read(&arguments.output)?;
    if arguments.turns {
        return tune_turns(lab, arguments, &cases, &mut table);
    }
    let blocks = Limits {
        cluster_blocks: 0,
        ..limits.clone()
    };
    let mut passes: BTreeMap<String, (Plan, Pass)> = BTreeMap::new();
    for case in &cases {
        // And what clusters could do, or blocks without them.
        let request = request(case);
        let plans = [
            mmafft::lab::plan_pass_by_pass(&request, &limits),
            mmafft::lab::plan_in_clusters(&request, &limits),
            mmafft::lab::plan_pass_by_pass(&request, &blocks),
        ];
        for plan in plans.iter().flatten() {
            for pass in &plan.passes {
                if let Some(key) = rules::key(pass, &limits) {
                    passes
                        .entry(key)
                        .or_insert_with(|| (plan.clone(), pass.clone()));
                }
            }
        }
    }
    if arguments.compile {
        compile::named(lab, |name| passes::of_name(name, &passes, &limits));
        return Ok(());
    }
    if arguments.parts {
        passes.clear();
    }
    let named = |key: &String| arguments.key.as_ref().is_none_or(|text| key.contains(text));
    passes.retain(|key, _| named(key));
    if arguments.missing {
        passes.retain(|key, _| !table.has(key, &limits));
    }
    let mut lines: BTreeMap<String, Request> = BTreeMap::new();
    for case in &cases {
        let request = request(case);
        if let Some(key) = parts::key(&request, &limits) {
            lines.entry(key).or_insert(request);
        }
    }
    if arguments.missing {
        lines.retain(|key, _| !table.has(key, &limits));
    }
    lines.retain(|key, _| named(key));
    if arguments.some() {
        lines.clear();
    }
    // As much memory as what is timed takes: several processes can have a device.
    let of_lines = lines.values();
    let of_lines = of_lines.filter_map(|r| mmafft::lab::plan_pass_by_pass(r, &blocks).ok());
    let plans = passes.values().map(|(plan, _)| plan.clone());
    let rooms = plans.chain(of_lines).map(|plan| timing::room(&plan));
    let room = rooms.fold(BYTES, usize::max);
    let mut memory = Memory::new(lab, room)?;
    let copy = copy(lab, &mut memory)?;
    outln!(
        "{}: a copy moves {:.0} GB/s; {} passes",
        limits.device,
        copy / 1e9,
        passes.len()
    );
    let progress = Progress::new(passes.len() as u64);
    let mut bench = Bench {
        lab,
        memory,
        copy,
        timings: Timings::new(arguments.timings.clone()),
    };
    // Blocks come first: clusters have to be faster than the rows of these.
    let tuned = passes
        .into_iter()
        .map(|(key, (plan, pass))| passes::Tuned::new(key, plan, pass));
    let (mut blocks, mut clusters): (Vec<_>, Vec<_>) = tuned.partition(|t| !t.is_of_a_cluster());
    for some in blocks
        .chunks_mut(AT_ONCE)
        .chain(clusters.chunks_mut(AT_ONCE))
    {
        passes::tune(&mut bench, some, arguments, &mut table, &progress)?;
        some.iter().for_each(|_| progress.step());
    }
    for (key, request) in &lines {
        progress.doing(key);
        parts::tune(&mut bench, request, key, arguments, &mut table, &progress)?;
        table.write(&arguments.output, &limits.device)?;
    }
    Ok(())
}

/// Writes the rows of passes that take turns, where they are faster so.
fn tune_turns<L: Lab>(
    lab: &L,
    arguments: &Arguments,
    cases: &[Case],
    table: &mut Table,
) -> Result<(), Failure> {
    let limits = lab.backend().limits().clone();
    if !limits.architecture.starts_with("sm_") {
        let device = &limits.device;
        return Err(format!("passes take no turns in one launch on {device}").into());
    }
    let mut trials: BTreeMap<String, turns::Trial> = BTreeMap::new();
    for case in cases {
        let trial = turns::Trial::new(&request(case), &limits, arguments.otherwise, table);
        trials.extend(trial.map(|trial| (trial.name().to_string(), trial)));
    }
    let named = |key: &String| arguments.key.as_ref().is_none_or(|text| key.contains(text));
    trials.retain(|_, trial| trial.is(named));
    if arguments.missing {
        trials.retain(|_, trial| !trial.is(|key| table.has(key, &limits)));
    }
    let plans: Vec<Plan> = trials.values().flat_map(|t| t.all_plans(&limits)).collect();
    if arguments.compile {
        compile::named(lab, |name| plans.get(name.parse::<usize>().ok()?).cloned());
        return Ok(());
    }
    let names: Vec<String> = (0..plans.len()).map(|i| i.to_string()).collect();
    compile::in_processes(&names, limits.backend);
    let room = plans.iter().map(timing::room);
    let mut memory = Memory::new(lab, room.fold(BYTES, usize::max))?;
    let copy = copy(lab, &mut memory)?;
    let mut bench = Bench {
        lab,
        memory,
        copy,
        timings: Timings::new(None),
    };
    outln!(
        "{}: a copy moves {:.0} GB/s; {} pairs of passes",
        limits.device,
        copy / 1e9,
        trials.len()
    );
    let progress = Progress::new(trials.len() as u64);
    for (name, trial) in &trials {
        progress.doing(name);
        trial.time(&mut bench, table);
        table.write(&arguments.output, &limits.device)?;
        progress.step();
    }
    Ok(())
}

fn request(case: &Case) -> Request {
    Request::of_kind(case.kind, case.shape.clone())
        .precision(case.precision)
        .batch(cases::batch(case, BYTES))
}
