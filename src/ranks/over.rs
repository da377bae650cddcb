//! [`Ranks`]: planning and preparing over the ranks of a group.

use super::communicator::{Shared, Wanted, Window};
use super::group::{Group, Turn};
use super::place::Stage;
use super::plan::DistributedPlan;
use super::spread::Spread;
use super::transform::DistributedTransform;
use crate::any::AnyBackend;
use crate::transform::Planner;
use mmafft_backend_traits::{Effort, Request, Result};

/// A planner over the ranks of a group: made by [`Planner::over`].
#[derive(Debug, Clone)]
pub struct Ranks<'a> {
    planner: &'a Planner,
    group: &'a Group,
    input: Option<Spread>,
    output: Option<Spread>,
}

impl Planner {
    /// Plans over the ranks of a group, each of which has a planner of its own.
    ///
    /// ```
    /// use mmafft::ranks::Group;
    /// use mmafft::{Complex, CpuBackend, CpuOptions, AnyBackend, Planner, Request, Shape};
    ///
    /// let request = Request::forward(Shape::d3(8, 6, 4));
    /// std::thread::scope(|scope| {
    ///     for group in Group::threads(2).unwrap() {
    ///         let request = &request;
    ///         scope.spawn(move || {
    ///             let options = CpuOptions { threads: 1, ..CpuOptions::default() };
    ///             let planner = Planner::on(AnyBackend::Cpu(CpuBackend::new(options)));
    ///             let fft = planner.over(&group).build(request)?;
    ///             // Slabs of the first axis become slabs of the second.
    ///             assert_eq!(fft.plan().input_part(group.rank()).lengths(), [1, 4, 6, 4]);
    ///             assert_eq!(fft.plan().output_part(group.rank()).lengths(), [1, 8, 3, 4]);
    ///             let input = vec![Complex::new(1.0f32, 0.0); fft.input_len()];
    ///             let mut output = vec![Complex::default(); fft.output_len()];
    ///             fft.process(&input, &mut output)?;
    ///             let sum = if group.rank() == 0 { 192.0 } else { 0.0 };
    ///             assert_eq!(output[0], Complex::new(sum, 0.0));
    ///             Ok::<(), mmafft::Error>(())
    ///         });
    ///     }
    /// });
    /// ```
    pub fn over<'a>(&'a self, group: &'a Group) -> Ranks<'a> {
        Ranks {
            planner: self,
            group,
            input: None,
            output: None,
        }
    }
}

impl Ranks<'_> {
    /// With the input spread like this.
    pub fn input(mut self, spread: Spread) -> Self {
        self.input = Some(spread);
        self
    }

    /// With the output spread like this.
    pub fn output(mut self, spread: Spread) -> Self {
        self.output = Some(spread);
        self
    }

    /// Plans, and stops at the data. It asks no other rank.
    ///
    /// # Errors
    /// Those of [`Planner::plan`]; `Spread` of a spread that is none; `Unsupported` of what ranks do not do.
    pub fn plan(&self, request: &Request) -> Result<DistributedPlan> {
        plan_over(
            self.planner,
            request,
            self.group.ranks(),
            [self.input.as_ref(), self.output.as_ref()],
        )
    }

    /// Collective: plans and prepares. Every rank gets a transform, or every rank an error.
    ///
    /// # Errors
    /// Those of [`Ranks::plan`] and of preparing, on the rank that has it, and `OtherRank` on the others; `Disagree` where
    /// ranks ask for different things; `Lost` where one does not come in time.
    pub fn build(&self, request: &Request) -> Result<DistributedTransform> {
        let limits = self.planner.limits();
        let asked = format!(
            "{request:?} from {:?} to {:?} by mmafft {} on {} {}, messages alone: {}",
            self.input,
            self.output,
            env!("CARGO_PKG_VERSION"),
            limits.backend,
            limits.architecture,
            self.group.has_messages_alone(),
        );
        let mut turn = self.group.turn_to_build();
        turn.same("what to transform", &asked)?;
        let plan = turn.all(self.plan(request))?;
        let backend = self.planner.backend();
        let takes = turn.all(self.group.takes_memory_of(backend))?;
        turn.same("whose memory messages take", &format!("devices': {takes}"))?;
        let windows = windows(backend, self.group, &turn, &plan)?;
        let transform = DistributedTransform::prepare(self.planner, self.group, plan, windows);
        let transform = turn.all(transform)?;
        Ok(transform.numbered(turn.count()))
    }
}

/// Plans over so many ranks without a group.
///
/// # Errors
/// Those of [`Ranks::plan`].
pub fn plan_over(
    planner: &Planner,
    request: &Request,
    ranks: usize,
    [input, output]: [Option<&Spread>; 2],
) -> Result<DistributedPlan> {
    // What one device would do is said, and not done: nothing is measured for it. The stages' own plans are.
    let mut quick = request.clone();
    quick.effort = Some(Effort::Estimate);
    let mut alone = planner.plan(&quick)?;
    alone.request.effort = request.effort;
    DistributedPlan::new(alone, ranks, input, output, planner.limits())
}

/// Windows for the arrays that exchanges spread otherwise, two in turn where there are several exchanges; where ranks
/// exchange messages, why.
fn windows(
    backend: &AnyBackend,
    group: &Group,
    turn: &Turn<'_>,
    plan: &DistributedPlan,
) -> Result<std::result::Result<Vec<Window>, String>> {
    let exchanges = plan.stages.len() - 1;
    if exchanges == 0 {
        return Ok(Err("nothing is exchanged".into()));
    }
    if group.has_messages_alone() {
        return Ok(Err("the group was asked to".into()));
    }
    // Communicators say whether parts are memory of several devices when they have made a window.
    let bytes_of = |two: &[Stage]| {
        let points = [false, true].map(|apart| two[0].across(&two[1], apart).points());
        points[0].max(points[1]) * plan.point_bytes(&two[1].from)
    };
    let bytes = plan.stages.windows(2).map(bytes_of).max().unwrap_or(0);
    let mut windows = Vec::new();
    for exchange in 0..exchanges.min(2) {
        let place = &plan.stages[exchange + 1].from;
        let across = plan.stages[exchange].across(&plan.stages[exchange + 1], true);
        let homes = |granule| across.homes(place, plan.point_bytes(place), granule);
        let wanted = Wanted {
            bytes,
            homes: &homes,
        };
        match turn
            .communicator()
            .window(backend, &wanted, group.waits())?
        {
            Shared::Window(window) => windows.push(window),
            Shared::Apart(reason) => return Ok(Err(reason)),
        }
    }
    Ok(Ok(windows))
}
