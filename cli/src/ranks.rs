//! `--ranks`: a transform that is shared by threads of this process, or by those that `mpiexec` started.

use super::request::count;
use super::Failure;
use clap::Args;
use mmafft::ranks::{plan_over, DistributedTransform, Group, Spread, Station};
use mmafft::{
    AnyBackend, Complex, CpuBackend, CpuOptions, Domain, Element, Planner, Precision, Request,
};
use std::time::{Duration, Instant};

/// How many ranks, and how they share the array.
#[derive(Args, Debug, Clone)]
pub struct Ranks {
    /// Ranks that share the transform: threads of this process with a worker each; under mpiexec its processes
    #[arg(long, value_parser = count)]
    pub ranks: Option<usize>,
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
        let words = plan.explain_on(station, true, planner.limits());
        groups.clear();
        Ok(words)
    }

    fn build(
        &self,
        backend: &AnyBackend,
        group: &Group,
        request: &Request,
    ) -> mmafft::Result<DistributedTransform> {
        let planner = planner(backend);
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
    ) -> Result<(), Failure> {
        if is_launched() {
            let group = Group::mpi()?;
            let asked = self.ranks.unwrap_or(group.ranks());
            if asked != group.ranks() {
                let started = group.ranks();
                return Err(format!("mpiexec started {started} ranks: --ranks {asked}").into());
            }
            return self.bench_on(backend, &group, requests, runs);
        }
        let groups = Group::threads(self.ranks.unwrap_or(1))?;
        let work = |group: Group| {
            let done = self.bench_on(backend, &group, requests, runs);
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
    ) -> Result<(), Failure> {
        let first = group.rank() == 0;
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
        let row = request.kind.row();
        match (row.input, row.output) {
            (Domain::Real, Domain::Real) => self.times::<T, T>(backend, group, request, runs),
            (Domain::Real, Domain::Complex) => {
                self.times::<T, Complex<T>>(backend, group, request, runs)
            }
            (Domain::Complex, Domain::Real) => {
                self.times::<Complex<T>, T>(backend, group, request, runs)
            }
            (Domain::Complex, Domain::Complex) => {
                self.times::<Complex<T>, Complex<T>>(backend, group, request, runs)
            }
        }
    }

    fn times<I: Element, O: Element>(
        &self,
        backend: &AnyBackend,
        group: &Group,
        request: &Request,
        runs: usize,
    ) -> Result<[f64; 2], Failure> {
        let fft = self.build(backend, group, request)?;
        let input = vec![I::default(); fft.input_len()];
        let mut output = vec![O::default(); fft.output_len()];
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
            (0, other) => Some(Planner::on(other.clone()).build(request)).transpose(),
            _ => Ok(None),
        };
        let alone = group.all(alone)?;
        let mut whole = alone.as_ref().map(|fft| {
            let input = vec![I::default(); fft.input_len()];
            (input, vec![O::default(); fft.output_len()])
        });
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..=runs {
            let since = Instant::now();
            fft.process(&input, &mut output)?;
            times[0].push(since.elapsed().as_secs_f64() * 1e3);
            let since = Instant::now();
            let mut done = Ok(());
            if let (Some(fft), Some((input, output))) = (&alone, &mut whole) {
                done = fft.process(input, output);
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
