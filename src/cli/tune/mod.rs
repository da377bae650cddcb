//! `mmafft tune`: measures which radices, tiles and launches are the fastest for the passes of
//! some transforms, and writes the rules that the planner follows on such a device.

mod candidates;
mod parts;
mod sequences;

#[cfg(any(feature = "cuda", feature = "hip"))]
use super::bench;
use super::bench::cases::{self, Case};
use super::bench::lab::{BufferOf, Lab};
use super::progress::Progress;
use super::{files, Failure};
use clap::Args;
use mmafft::backend_traits::{Backend, Bindings, Slot};
use mmafft::rules::{self, Rule};
use mmafft::{AnyBackend, Kind, Limits, Pass, Plan, Precision, Request};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// Bytes of the transforms whose passes are timed.
const BYTES: usize = 1 << 30;
/// Two are alike unless one is so many times as fast.
const ALIKE: f64 = 1.01;
/// Scratch and outputs may be larger: half spectra, convolutions.
const ROOM: usize = BYTES + (BYTES >> 1);

/// Arguments of `mmafft tune`.
#[derive(Args)]
pub struct Arguments {
    /// The table to write; rows of other passes stay as they are
    #[arg(short, long)]
    output: PathBuf,
    /// Classes of the default list of `mmafft bench`, or of the file's; all where none is named
    #[arg(long, value_delimiter = ',')]
    class: Vec<String>,
    /// Precisions
    #[arg(long, value_delimiter = ',', default_value = "f32,f64,f16,split-f16", value_parser = super::request::precisions())]
    precision: Vec<Precision>,
    /// The transforms, as `mmafft bench` reads them, in place of the default list
    #[arg(long, value_name = "FILE")]
    cases: Option<PathBuf>,
    /// Only passes that have no row in the table yet
    #[arg(long)]
    missing: bool,
    /// Only launches whose columns face each other, and only rows that they make faster
    #[arg(long)]
    facing: bool,
    /// Only products beside butterflies, and only rows that they make faster
    #[arg(long, conflicts_with = "facing")]
    mixed: bool,
    /// Only rows of the table, and what their launches could do otherwise: look up each twiddle of f64, load reals
    /// of type III unasked, multiply roots of splits and merges, ask for later tiles
    #[arg(long, conflicts_with_all = ["missing", "facing", "mixed"])]
    otherwise: bool,
    /// Where to run: cuda or hip
    #[arg(long, default_value = "auto", value_parser = super::request::backends())]
    backend: String,
}

impl Arguments {
    /// Whether only some of what could be faster is tried.
    fn some(&self) -> bool {
        self.facing || self.mixed || self.otherwise
    }

    fn tries(&self, rule: &Rule) -> bool {
        let facing = rule.launch.facing != [false; 2];
        (facing || !self.facing) && (rule.sequence.is_mixed() || !self.mixed)
    }
}

/// Tunes on the device.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match AnyBackend::from_name(&arguments.backend)? {
        #[cfg(feature = "cuda")]
        AnyBackend::Cuda(backend) => run_in(&bench::cuda::lab(backend, None)?, arguments),
        #[cfg(feature = "hip")]
        AnyBackend::Hip(backend) => run_in(&bench::hip::lab(backend, None)?, arguments),
        other => Err(format!(
            "{} has no launches to tune: a GPU has, by --backend cuda or hip",
            other.limits().backend
        )
        .into()),
    }
}

/// Memory for a pass: what it loads and what it stores.
struct Memory<B> {
    input: B,
    output: B,
    scratch: B,
}

#[cfg_attr(not(any(feature = "cuda", feature = "hip")), allow(dead_code))]
fn run_in<L: Lab>(lab: &L, arguments: &Arguments) -> Result<(), Failure> {
    let limits = lab.backend().limits().clone();
    let mut cases = match &arguments.cases {
        Some(path) => cases::from_file(path)?,
        None => cases::default_list(BYTES),
    };
    cases.retain(|case| {
        (arguments.class.is_empty() || arguments.class.contains(&case.class))
            && arguments.precision.contains(&case.precision)
    });
    let mut passes: BTreeMap<String, (Plan, Pass)> = BTreeMap::new();
    for case in &cases {
        // And what clusters could do, or blocks without them.
        let blocks = Limits {
            cluster_blocks: 0,
            ..limits.clone()
        };
        let request = request(case);
        let plans = [
            mmafft::plan(&request, &limits),
            mmafft::plan_in_clusters(&request, &limits),
            mmafft::plan(&request, &blocks),
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
    let mut table = Table::read(&arguments.output)?;
    if arguments.missing {
        passes.retain(|key, _| !table.rows.contains_key(key));
    }
    let mut memory = Memory {
        input: noise(lab)?,
        output: noise(lab)?,
        scratch: noise(lab)?,
    };
    let copy = copy(lab, &mut memory)?;
    outln!(
        "{}: a copy moves {:.0} GB/s; {} passes",
        limits.device,
        copy / 1e9,
        passes.len()
    );
    let progress = Progress::new(passes.len() as u64);
    let mut bench = Bench { lab, memory, copy };
    // Blocks come first: clusters have to be faster than the rows of these.
    let (blocks, clusters): (Vec<_>, Vec<_>) = passes
        .iter()
        .partition(|(_, (_, pass))| pass.tile.residency.blocks() == 1);
    for (key, (plan, pass)) in blocks.into_iter().chain(clusters) {
        progress.doing(key);
        tune_pass(&mut bench, plan, pass, key, arguments, &mut table);
        table.write(&arguments.output, &limits.device)?;
        progress.step();
    }
    let mut lines: BTreeMap<String, Request> = BTreeMap::new();
    for case in &cases {
        let request = request(case);
        if let Some(key) = parts::key(&request, &limits) {
            lines.entry(key).or_insert(request);
        }
    }
    if arguments.missing {
        lines.retain(|key, _| !table.rows.contains_key(key));
    }
    if arguments.some() {
        lines.clear();
    }
    for (key, request) in &lines {
        progress.doing(key);
        parts::tune(&mut bench, request, key, arguments, &mut table);
        table.write(&arguments.output, &limits.device)?;
    }
    Ok(())
}

/// What times passes: a device, its memory, and the bytes a second of a copy.
struct Bench<'a, L: Lab> {
    lab: &'a L,
    memory: Memory<BufferOf<L>>,
    copy: f64,
}

/// Writes the row of the fastest rule of a pass, if it is faster than what is chosen now.
fn tune_pass<L: Lab>(
    bench: &mut Bench<L>,
    plan: &Plan,
    pass: &Pass,
    key: &String,
    arguments: &Arguments,
    table: &mut Table,
) {
    let limits = bench.lab.backend().limits().clone();
    let rows = key.contains(",rows,");
    let of = |mut rules: Vec<Rule>, bench: &mut Bench<L>| {
        rules.retain(|rule| arguments.tries(rule));
        time_all(bench, plan, pass, rules)
    };
    let chosen = table.rows.get(key).and_then(|row| Rule::parse(row));
    if arguments.otherwise {
        let Some(rule) = chosen.filter(|rule| rule.suits(pass, &limits)) else {
            return;
        };
        let all = candidates::otherwise(pass, &rule, &limits);
        if all.is_empty() {
            return;
        }
        let mut all = time_all(bench, plan, pass, all);
        let Some(same) = time_all(bench, plan, pass, vec![rule]).pop() else {
            return;
        };
        sort(&mut all);
        // As it is, where it makes no more difference than a second run does.
        let better = all.first().filter(|b| b.fraction > ALIKE * same.fraction);
        let row = better.unwrap_or(&same).row();
        outln!("{key},{row}");
        table.rows.insert(key.clone(), row);
        return;
    }
    let mut all = of(candidates::first(pass, rows, &limits), bench);
    sort(&mut all);
    let kept = if arguments.some() { 2 } else { 3 };
    for best in all.clone().iter().take(kept) {
        all.extend(of(candidates::second(pass, best), bench));
    }
    sort(&mut all);
    for best in all.clone().iter().take(kept) {
        all.extend(of(candidates::third(pass, best, &limits), bench));
    }
    let cluster = pass.tile.residency.blocks() > 1;
    if cluster {
        let suited = chosen.iter().filter(|rule| rule.suits(pass, &limits));
        all.extend(time_all(bench, plan, pass, suited.cloned().collect()));
    }
    sort(&mut all);
    // What is chosen now, by a rule or without; where a cluster could be, more passes.
    let before = match cluster {
        true => without_clusters(plan, &limits, table),
        false => Some(alone(plan, pass.clone())),
    };
    let before = before.and_then(|plan| time_plan(bench, &plan, pass));
    let Some(best) = all.first() else { return };
    let was = before.unwrap_or(f64::NAN);
    outln!("{key},{} (was {was:.3})", best.row());
    match (best.fraction <= was, chosen) {
        (true, _) if cluster => table.rows.remove(key),
        // What was chosen is still the fastest.
        (true, Some(rule)) => {
            let fraction = was;
            let row = Rule { fraction, ..rule }.row();
            table.rows.insert(key.clone(), row)
        }
        (true, None) => None,
        (false, _) => table.rows.insert(key.clone(), best.row()),
    };
}

fn sort(rules: &mut [Rule]) {
    rules.sort_by(|a, b| b.fraction.total_cmp(&a.fraction));
}

fn request(case: &Case) -> Request {
    let request = Request::forward(case.shape.clone()).precision(case.precision);
    let mut request = request.batch(cases::batch(case, BYTES));
    request.kind = case.kind;
    request.direction = case.kind.row().direction.unwrap_or(request.direction);
    request
}

/// A plan of nothing but this pass, after which numbers are as large as before.
fn alone(plan: &Plan, mut pass: Pass) -> Plan {
    let points: usize = pass.axes.iter().map(|axis| axis.core_length()).product();
    pass.scale = (points as f64).sqrt().recip();
    Plan {
        passes: vec![pass],
        ..plan.clone()
    }
}

/// Every rule that can be prepared, with its fraction of a copy.
fn time_all<L: Lab>(bench: &mut Bench<L>, plan: &Plan, pass: &Pass, rules: Vec<Rule>) -> Vec<Rule> {
    let limits = bench.lab.backend().limits();
    let plans: Vec<Plan> = rules
        .iter()
        .map(|rule| {
            let mut pass = pass.clone();
            rule.apply(&mut pass, limits);
            alone(plan, pass)
        })
        .collect();
    let mut timed = Vec::new();
    for (mut rule, (plan, prepared)) in rules
        .into_iter()
        .zip(plans.iter().zip(prepare_all(bench.lab, &plans)))
    {
        let Some(prepared) = prepared else {
            continue;
        };
        if let Some(fraction) = time(bench, &plan.passes[0], &prepared) {
            rule.fraction = fraction;
            timed.push(rule);
        }
    }
    timed
}

/// Plans, prepared on all cores; `None` what cannot be.
fn prepare_all<L: Lab>(lab: &L, plans: &[Plan]) -> Vec<Option<super::bench::lab::PreparedOf<L>>> {
    let next = AtomicUsize::new(0);
    let prepared: Vec<Mutex<Option<_>>> = plans.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(plan) = plans.get(i) else { return };
                *prepared[i].lock().expect("no thread panics") = lab.backend().prepare(plan).ok();
            });
        }
    });
    let inner = |p: Mutex<_>| p.into_inner().expect("no thread panics");
    prepared.into_iter().map(inner).collect()
}

/// What would be planned on a device without clusters, its passes by the table's rows as they are now; factors
/// of long lines are tuned later.
fn without_clusters(plan: &Plan, limits: &Limits, table: &Table) -> Option<Plan> {
    let cluster_blocks = 0;
    let limits = Limits {
        cluster_blocks,
        ..limits.clone()
    };
    let mut plan = mmafft::plan(&plan.request, &limits).ok()?;
    for pass in &mut plan.passes {
        let row = rules::key(pass, &limits).and_then(|key| table.rows.get(&key));
        let rule = row.and_then(|row| Rule::parse(row));
        if let Some(rule) = rule.filter(|rule| rule.suits(pass, &limits)) {
            rule.apply(pass, &limits);
        }
    }
    let points: usize = plan.request.shape.dims().iter().product();
    if let Some(pass) = plan.passes.last_mut() {
        pass.scale = (points as f64).sqrt().recip();
    }
    Some(plan)
}

/// The rate of a plan, over the bytes of this pass.
fn time_plan<L: Lab>(bench: &mut Bench<L>, plan: &Plan, pass: &Pass) -> Option<f64> {
    let prepared = bench.lab.backend().prepare(plan).ok()?;
    time(bench, pass, &prepared)
}

/// The pass' rate over that of a copy; `None` where it does not run.
fn time<L: Lab>(
    bench: &mut Bench<L>,
    pass: &Pass,
    prepared: &super::bench::lab::PreparedOf<L>,
) -> Option<f64> {
    // As it is timed in `mmafft bench`: rows of complex transforms are, in place.
    let in_place = (pass.load.slot, pass.store.slot) == (Slot::Input, Slot::Output)
        && pass.load.domain == pass.store.domain
        && pass.mirrored.is_none()
        && pass.axes.iter().all(|a| a.kind == Kind::C2C);
    time_bytes(bench, pass.bytes(), in_place, prepared)
}

/// The rate of what reads and writes so many bytes, over that of a copy.
fn time_bytes<L: Lab>(
    bench: &mut Bench<L>,
    (read, written): (usize, usize),
    in_place: bool,
    prepared: &super::bench::lab::PreparedOf<L>,
) -> Option<f64> {
    let Bench { lab, memory, copy } = bench;
    let mut seconds: Vec<f64> = Vec::new();
    for _ in 0..5 {
        let from = lab.mark().ok()?;
        let bindings = Bindings {
            input: (!in_place).then_some(&memory.input),
            output: &mut memory.output,
            scratch: &mut memory.scratch,
        };
        lab.launch(lab.stream(), prepared, bindings).ok()?;
        let to = lab.mark().ok()?;
        seconds.push(lab.seconds(&from, &to).ok()?);
    }
    seconds.remove(0);
    seconds.sort_by(f64::total_cmp);
    Some((read + written) as f64 / seconds[1] / *copy)
}

/// Bytes a second, read and written.
fn copy<L: Lab>(lab: &L, memory: &mut Memory<BufferOf<L>>) -> Result<f64, Failure> {
    let mut seconds: Vec<f64> = Vec::new();
    for _ in 0..9 {
        let from = lab.mark()?;
        lab.copy(lab.stream(), &memory.input, &mut memory.output, BYTES)?;
        let to = lab.mark()?;
        seconds.push(lab.seconds(&from, &to)?);
    }
    seconds.sort_by(f64::total_cmp);
    Ok(2.0 * BYTES as f64 / seconds[4])
}

/// Random numbers in (−1, 1), as FP32.
fn noise<L: Lab>(lab: &L) -> Result<BufferOf<L>, Failure> {
    let mut state = 1u32;
    let mut draw = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (f64::from(state) / f64::from(u32::MAX / 2) - 1.0) as f32
    };
    let some: Vec<u8> = (0..1 << 22).flat_map(|_| draw().to_ne_bytes()).collect();
    let mut buffer = lab.backend().allocate(ROOM)?;
    for at in (0..ROOM).step_by(some.len()) {
        lab.backend()
            .write(&mut buffer, at, &some[..some.len().min(ROOM - at)])?;
    }
    Ok(buffer)
}

/// The file of rules.
struct Table {
    comments: Vec<String>,
    rows: BTreeMap<String, String>,
}

impl Table {
    fn read(path: &std::path::Path) -> Result<Self, Failure> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(format!("cannot read {}: {error}", path.display()).into()),
        };
        let mut table = Table {
            comments: Vec::new(),
            rows: BTreeMap::new(),
        };
        for (number, line) in text.lines().enumerate() {
            match line.match_indices(',').nth(5) {
                Some((at, _)) if rules::is_row(line) => {
                    table.rows.insert(line[..at].into(), line[at + 1..].into());
                }
                _ if line.starts_with('#') => table.comments.push(line.into()),
                _ if !rules::is_row(line) || line.trim().is_empty() => {}
                _ => {
                    let (path, line) = (path.display(), number + 1);
                    return Err(format!("{path}, line {line}: no rule of `mmafft tune`").into());
                }
            }
        }
        Ok(table)
    }

    fn write(&mut self, path: &std::path::Path, device: &str) -> Result<(), Failure> {
        let comment = format!("# mmafft tune, on {device}");
        if !self.comments.contains(&comment) {
            self.comments.push(comment);
        }
        let mut lines = self.comments.clone();
        lines.push(rules::HEADER.into());
        lines.extend(self.rows.iter().map(|(key, rule)| format!("{key},{rule}")));
        Ok(files::save_text(path, &(lines.join("\n") + "\n"))?)
    }
}
