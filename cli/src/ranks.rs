//! `--ranks`: a transform that is shared by threads of this process, or by those that `mpiexec` started.

use super::request::count;
use super::Failure;
use clap::Args;
use mmafft::ranks::{plan_over, DistributedTransform, Group, How, Spread, Station};
use mmafft::{
    AnyBackend, Backend, Complex, CpuBackend, CpuOptions, Domain, Element, Planner, Precision,
    Request,
};
use std::path::Path;
use std::time::{Duration, Instant};

/// How many ranks, and how they share the array.
#[derive(Args, Debug, Clone)]
pub struct Ranks {
    /// Ranks that share the transform: threads of this process with a worker each; under mpiexec its processes
    #[arg(long, value_parser = count)]
    pub ranks: Option<usize>,
    /// Devices that the ranks of threads take in turn, such as 0,1,2,3 [default: the first one for all]
    #[arg(long, requires = "ranks", value_delimiter = ',')]
    pub devices: Vec<usize>,
    /// How the input is spread: slab:AXIS, batch, grid:2x2x1, or scrambled (of a line) [default: slabs]
    #[arg(long, requires = "ranks", value_parser = spread)]
    pub spread: Option<Spread>,
    /// How the output is spread [default: as it comes out of the fewest exchanges]
    #[arg(long, requires = "ranks", value_parser = spread)]
    pub spread_output: Option<Spread>,
}

/// `slab:0`, `batch`, `grid:2x2x1` or `scrambled`.
fn spread(text: &str) -> Result<Spread, String> {
    let wrong = || "slab:AXIS, batch, grid:2x2x1 or scrambled is expected".to_string();
    match text.split_once(':') {
        None if text == "batch" => Ok(Spread::batch()),
        None if text == "scrambled" => Ok(Spread::scrambled()),
        Some(("slab", axis)) => axis.parse().map(Spread::slab).map_err(|_| wrong()),
        Some(("grid", counts)) => {
            let counts: Result<Vec<usize>, _> = counts.split('x').map(str::parse).collect();
            counts
                .map(|counts| Spread::grid(&counts))
                .map_err(|_| wrong())
        }
        _ => Err(wrong()),
    }
}

/// Whether a launcher of MPI's started this process.
fn is_launched() -> bool {
    let names = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"];
    names.iter().any(|name| std::env::var_os(name).is_some())
}

/// A planner with one worker, as a rank has one.
fn planner(backend: &AnyBackend) -> Planner {
    Planner::on(match backend {
        AnyBackend::Cpu(_) => {
            let options = CpuOptions {
                threads: 1,
                ..CpuOptions::default()
            };
            AnyBackend::Cpu(CpuBackend::new(options))
        }
        other => other.clone(),
    })
}

impl Ranks {
    fn sides(&self) -> [Option<&Spread>; 2] {
        [self.spread.as_ref(), self.spread_output.as_ref()]
    }

    /// The plan of a request in words; it needs neither ranks nor a device of theirs.
    ///
    /// # Errors
    /// What is wrong with the request.
    pub fn explain(&self, backend: &AnyBackend, request: &Request) -> Result<String, Failure> {
        let ranks = self.ranks.unwrap_or(1);
        let planner = planner(backend);
        let plan = plan_over(&planner, request, ranks, self.sides())?;
        let mut groups = Group::threads(ranks)?;
        let station: &Station = groups[0].station();
        let words = plan.explain_on(station, How::Memory, planner.limits());
        groups.clear();
        Ok(words)
    }

    /// A rank's own backend: the one that all have, or the same on a device of its own.
    fn backend(&self, all: &AnyBackend, rank: usize) -> mmafft::Result<AnyBackend> {
        match self.devices.get(rank % self.devices.len().max(1)) {
            None => Ok(all.clone()),
            Some(&device) => AnyBackend::numbered(all.limits().backend, device),
        }
    }

    fn build(
        &self,
        backend: &AnyBackend,
        group: &Group,
        request: &Request,
    ) -> mmafft::Result<DistributedTransform> {
        let own = group.all(self.backend(backend, group.rank()))?;
        let planner = planner(&own);
        let mut over = planner.over(group);
        if let Some(spread) = &self.spread {
            over = over.input(spread.clone());
        }
        if let Some(spread) = &self.spread_output {
            over = over.output(spread.clone());
        }
        over.build(request)
    }

    /// Transforms a whole array by threads: the output, and the longest time of a rank's run.
    ///
    /// # Errors
    /// What is wrong with the request; under `mpiexec` that one process is to transform a file.
    pub fn transform<I: Element, O: Element>(
        &self,
        backend: &AnyBackend,
        request: &Request,
        whole: &[I],
        points: usize,
    ) -> Result<(Vec<O>, Duration), Failure> {
        if is_launched() {
            return Err(
                "a file is transformed by threads of one process: leave mpiexec out".into(),
            );
        }
        let groups = Group::threads(self.ranks.unwrap_or(1))?;
        let one = |group: Group| -> mmafft::Result<_> {
            let fft = self.build(backend, &group, request)?;
            let rank = group.rank();
            let part = group.all(fft.plan().scatter(rank, whole))?;
            let mut output = vec![O::default(); fft.output_len()];
            let since = Instant::now();
            fft.process(&part, &mut output)?;
            Ok((rank, fft.plan().clone(), output, since.elapsed()))
        };
        let parts = on_threads(groups, one);
        let mut output = super::room::room("the output", points)?;
        output.resize(points, O::default());
        let mut longest = Duration::ZERO;
        for part in parts {
            let (rank, plan, part, time) = part?;
            plan.gather(rank, &part, &mut output)?;
            longest = longest.max(time);
        }
        Ok((output, longest))
    }

    /// Times requests over ranks and on one device with as many workers: a row each.
    ///
    /// # Errors
    /// What is wrong with a request, or that there are no ranks.
    pub fn bench(
        &self,
        backend: &AnyBackend,
        requests: &[Request],
        runs: usize,
        csv: Option<&Path>,
    ) -> Result<(), Failure> {
        if is_launched() {
            let group = Group::mpi()?;
            let asked = self.ranks.unwrap_or(group.ranks());
            if asked != group.ranks() {
                let started = group.ranks();
                return Err(format!("mpiexec started {started} ranks: --ranks {asked}").into());
            }
            return self.bench_on(backend, &group, requests, runs, csv);
        }
        let groups = Group::threads(self.ranks.unwrap_or(1))?;
        let work = |group: Group| {
            let done = self.bench_on(backend, &group, requests, runs, csv);
            done.map_err(|error| error.to_string())
        };
        let failures = on_threads(groups, work).into_iter();
        let failures: Vec<String> = failures.filter_map(Result::err).collect();
        match failures.into_iter().next() {
            Some(failure) => Err(failure.into()),
            None => Ok(()),
        }
    }

    fn bench_on(
        &self,
        backend: &AnyBackend,
        group: &Group,
        requests: &[Request],
        runs: usize,
        table: Option<&Path>,
    ) -> Result<(), Failure> {
        let first = group.rank() == 0;
        let table = table.filter(|_| first);
        let header = [
            "shape",
            "kind",
            "precision",
            "ranks",
            "devices",
            "ms",
            "one_ms",
        ];
        let mut rows = None;
        if first {
            let Station { ranks, engine, .. } = group.station();
            outln!("{ranks} ranks, {engine}; ms, medians of {runs}; one: the same threads without ranks");
            outln!(
                "{:>16} {:>5} {:>10} {:>10} {:>6}",
                "shape",
                "",
                "ranks",
                "one",
                "ratio"
            );
        }
        for request in requests {
            let row = match request.precision {
                Precision::F64 => self.row::<f64>(backend, group, request, runs)?,
                Precision::F32 | Precision::SplitF16 => {
                    self.row::<f32>(backend, group, request, runs)?
                }
                _ => return Err("ranks are timed by f32, f64 and split-f16".into()),
            };
            if first {
                let [ranks, one] = row;
                outln!(
                    "{:>16} {:>5} {ranks:>10.3} {one:>10.3} {:>6.2}",
                    request.shape.to_string(),
                    request.kind.row().name,
                    one / ranks
                );
                // The file is written over when there is something to write.
                if let (None, Some(path)) = (&rows, table) {
                    let mut file = csv::Writer::from_path(path)?;
                    file.write_record(header)?;
                    rows = Some(file);
                }
                if let Some(rows) = &mut rows {
                    rows.write_record([
                        request.shape.to_string(),
                        request.kind.row().name.into(),
                        request.precision.row().name.into(),
                        group.ranks().to_string(),
                        self.devices.len().clamp(1, group.ranks()).to_string(),
                        format!("{ranks:.4}"),
                        format!("{one:.4}"),
                    ])?;
                    rows.flush()?;
                }
            }
        }
        Ok(())
    }

    /// Medians in milliseconds of a request over ranks, and on one device.
    fn row<T: mmafft::RealElement>(
        &self,
        backend: &AnyBackend,
        group: &Group,
        request: &Request,
        runs: usize,
    ) -> Result<[f64; 2], Failure>
    where
        Complex<T>: Element,
    {
        match request.kind.row().input {
            Domain::Real => self.times::<T>(backend, group, request, runs),
            Domain::Complex => self.times::<Complex<T>>(backend, group, request, runs),
        }
    }

    fn times<I: Element>(
        &self,
        backend: &AnyBackend,
        group: &Group,
        request: &Request,
        runs: usize,
    ) -> Result<[f64; 2], Failure> {
        let fft = self.build(backend, group, request)?;
        let input = group.all(fft.upload(&noise::<I>(fft.input_len())))?;
        let mut output = group.all(fft.allocate_output())?;
        // One device is timed by one rank, while the others wait.
        let alone = match (group.rank(), backend) {
            (0, AnyBackend::Cpu(_)) => {
                let options = CpuOptions {
                    threads: group.ranks(),
                    ..CpuOptions::default()
                };
                let planner = Planner::on(AnyBackend::Cpu(CpuBackend::new(options)));
                Some(planner.build(request)).transpose()
            }
            (0, other) => {
                let own = self.backend(other, 0);
                Some(own.and_then(|own| Planner::on(own).build(request))).transpose()
            }
            _ => Ok(None),
        };
        let alone = group.all(alone)?;
        let whole = alone.as_ref().map(|fft| {
            let input = fft.upload(&noise::<I>(fft.input_len()))?;
            Ok((input, fft.allocate_output()?))
        });
        let mut whole = group.all(whole.transpose())?;
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..=runs {
            let since = Instant::now();
            fft.run(&input, &mut output)?;
            times[0].push(since.elapsed().as_secs_f64() * 1e3);
            let since = Instant::now();
            let mut done = Ok(());
            if let (Some(fft), Some((input, output))) = (&alone, &mut whole) {
                done = fft.run(input, output).and_then(|()| fft.synchronize());
            }
            group.all(done)?;
            times[1].push(since.elapsed().as_secs_f64() * 1e3);
        }
        Ok(times.map(|mut times| {
            // The first run warms up.
            times.remove(0);
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        }))
    }
}

/// Numbers in [-1, 1): what devices take for zeros says nothing of their speed.
///
/// They come again and again, after a prime number of them, so that no two lines are alike.
fn noise<T: Element>(count: usize) -> Vec<T> {
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
        (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let mut some = vec![T::default(); count.min(1_048_573)];
    match T::SCALAR.bytes() {
        8 => bytemuck::cast_slice_mut::<T, f64>(&mut some).fill_with(next),
        _ => bytemuck::cast_slice_mut::<T, f32>(&mut some).fill_with(|| next() as f32),
    }
    some.iter().copied().cycle().take(count).collect()
}

/// What each rank's thread returns.
fn on_threads<T: Send>(groups: Vec<Group>, work: impl Fn(Group) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = groups
            .into_iter()
            .map(|group| scope.spawn(move || work(group)))
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
