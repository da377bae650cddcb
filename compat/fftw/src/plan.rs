//! A plan: a problem, the addresses that it was made with, and its runs.

use mmafft::{Domain, PlanCache};
use mmafft_guru::{Problem, Runs, Side};
use std::sync::{Arc, OnceLock};

/// A plan of any placement: which one runs, the addresses say.
pub struct Plan {
    problem: Problem,
    cache: Arc<PlanCache>,
    /// Input and output.
    pub sides: [Side; 2],
    /// For two memories and for one, each made when it is first wanted.
    runs: [OnceLock<mmafft::Result<Runs>>; 2],
}

// SAFETY: addresses are only kept; who executes a plan answers for the memory behind them.
unsafe impl Send for Plan {}
// SAFETY: as above.
unsafe impl Sync for Plan {}

impl Plan {
    /// Plans a problem for these addresses.
    pub fn new(problem: Problem, sides: [Side; 2], cache: Arc<PlanCache>) -> mmafft::Result<Self> {
        let plan = Plan {
            problem,
            cache,
            sides,
            runs: [OnceLock::new(), OnceLock::new()],
        };
        plan.runs_for(sides).as_ref().map_err(Clone::clone)?;
        Ok(plan)
    }

    /// The same once more.
    pub fn again(&self) -> mmafft::Result<Self> {
        Plan::new(self.problem.clone(), self.sides, self.cache.clone())
    }

    /// Whether input and output are one memory.
    pub fn in_place(sides: [Side; 2]) -> bool {
        sides[0].real == sides[1].real
    }

    fn runs_for(&self, sides: [Side; 2]) -> &mmafft::Result<Runs> {
        let in_place = Plan::in_place(sides);
        let place = &self.runs[usize::from(in_place)];
        place.get_or_init(|| Runs::new(&self.problem, in_place, &self.cache))
    }

    /// The runs that it was made for.
    pub fn runs(&self) -> Option<&Runs> {
        self.runs_for(self.sides).as_ref().ok()
    }

    /// Transforms.
    ///
    /// # Safety
    /// Both sides are memory of all of the problem's elements.
    pub unsafe fn run(&self, sides: [Side; 2]) -> mmafft::Result<()> {
        let runs = self.runs_for(sides).as_ref().map_err(Clone::clone)?;
        // SAFETY: by this function's contract.
        unsafe { runs.run(sides[0], sides[1], None) }
    }

    /// The plan in words.
    pub fn explain(&self) -> String {
        self.runs().map_or(String::new(), Runs::explain)
    }

    /// Bytes that all its runs move.
    pub fn bytes_moved(&self) -> f64 {
        let of = |runs: &Runs| {
            let plan = runs.transform().map_or(0, |fft| fft.plan().bytes_moved());
            plan as f64 * runs.count() as f64
        };
        self.runs().map_or(0.0, of)
    }

    /// Additions and multiplications, as the usual count of 5·n·log2 n for n complex points has them.
    pub fn flops(&self) -> [f64; 2] {
        let points: f64 = self.problem.dims.iter().map(|dim| dim.n as f64).product();
        let arrays: f64 = self.problem.loops.iter().map(|dim| dim.n as f64).product();
        let row = self.problem.request.kind.row();
        let is_complex = [row.input, row.output] == [Domain::Complex; 2];
        let share = if is_complex { 1.0 } else { 0.5 };
        let count = share * arrays * points * points.log2();
        [3.0 * count, 2.0 * count]
    }
}
