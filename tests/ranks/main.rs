//! One transform over ranks that are threads, beside the same on one: the bits of every point, on the CPU and on both
//! emulated devices, by stores into shared memory and by messages.

mod failures;
mod kinds;
mod plans;

use mmafft::ranks::{DistributedTransform, Group, Part, Spread};
use mmafft::{AnyBackend, CpuBackend, CpuOptions, Planner, Request, Result};
use std::time::Duration;

/// The ranks that every kind is spread over.
pub const RANKS: [usize; 5] = [1, 2, 3, 4, 7];

/// How long a rank may be waited for in a test: long after what it takes, and long before anybody gives up.
pub const PATIENCE: Duration = Duration::from_secs(100);

/// A backend with one worker, as each rank has one.
pub fn backend(name: &'static str) -> AnyBackend {
    match name {
        "cpu" => AnyBackend::Cpu(CpuBackend::new(CpuOptions {
            threads: 1,
            ..CpuOptions::default()
        })),
        name => AnyBackend::emulated(name).expect("it needs no device"),
    }
}

/// What joins the ranks of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Joined {
    /// Memory that all have.
    Memory,
    /// So many devices, in turn.
    Devices(usize),
    /// Messages.
    Messages,
}

impl Joined {
    /// The backend of a rank.
    pub fn backend(self, name: &'static str, rank: usize) -> AnyBackend {
        match self {
            Joined::Devices(count) => {
                AnyBackend::emulated_numbered(name, rank % count).expect("it is emulated")
            }
            _ => backend(name),
        }
    }
}

/// Calls `work` on a thread of every rank, and returns what each gave.
pub fn on_ranks<T: Send>(groups: Vec<Group>, work: impl Fn(Group) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let spawn = |group| scope.spawn(move || work(group));
        let threads: Vec<_> = groups.into_iter().map(spawn).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .map(|result| result.expect("no rank panics"))
            .collect()
    })
}

/// The ends of so many threads' group.
pub fn groups(ranks: usize, messages: bool) -> Vec<Group> {
    let all = Group::threads(ranks).expect("there are ranks");
    let of = |group: Group| {
        let group = group.patience(PATIENCE);
        match messages {
            true => group.by_messages(),
            false => group,
        }
    };
    all.into_iter().map(of).collect()
}

/// A request and how its sides are spread.
#[derive(Debug, Clone)]
pub struct Case {
    pub request: Request,
    pub input: Option<Spread>,
    pub output: Option<Spread>,
}

impl Case {
    pub fn new(request: Request) -> Case {
        Case {
            request,
            input: None,
            output: None,
        }
    }

    pub fn input(mut self, spread: Spread) -> Case {
        self.input = Some(spread);
        self
    }

    pub fn output(mut self, spread: Spread) -> Case {
        self.output = Some(spread);
        self
    }

    pub fn build(&self, planner: &Planner, group: &Group) -> Result<DistributedTransform> {
        let mut over = planner.over(group);
        if let Some(spread) = &self.input {
            over = over.input(spread.clone());
        }
        if let Some(spread) = &self.output {
            over = over.output(spread.clone());
        }
        over.build(&self.request)
    }
}

/// The numbers of the elements of a whole array in rows that a part has, in the part's own order.
pub fn elements(part: &Part, lengths: &[usize]) -> Vec<usize> {
    let mut all = vec![0];
    let ranges = std::iter::once(part.batch()).chain(part.ranges().iter().cloned());
    for (range, n) in ranges.zip(lengths) {
        let rows = all.into_iter();
        all = rows
            .flat_map(|row| range.clone().map(move |i| row * n + i))
            .collect();
    }
    all
}
