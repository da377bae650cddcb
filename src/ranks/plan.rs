//! [`DistributedPlan`]: ordinary transforms of parts, with exchanges between them, as data.
//!
//! A stage transforms the axes of which every rank has all; an exchange then spreads the array otherwise, so that the
//! next stage has others. Both sides of an exchange are boxes of one array: what a rank sends to another is what its box
//! before has in common with that rank's box behind.

use super::line::{self, Line};
use super::part::Part;
use super::place::{Place, Stage};
use super::spread::Spread;
use super::stages::stages;
use mmafft_backend_traits::{Error, Layout, Limits, Placement, Plan, Request, Result, Slot};

/// What answers a request over ranks: stages of ordinary transforms, an exchange between every two. Plain data, the
/// same on every rank; it can be made, compared and printed ([`DistributedPlan::explain`]) without any other rank.
#[derive(Debug, Clone, PartialEq)]
pub struct DistributedPlan {
    /// What was asked for, with every default filled in.
    pub request: Request,
    /// How many ranks share the array.
    pub ranks: usize,
    /// What happens between exchanges, in order.
    pub stages: Vec<Stage>,
    /// What one device would do.
    pub alone: Plan,
    /// The factors of a single line that is spread.
    pub(crate) line: Option<Line>,
}

impl DistributedPlan {
    /// Plans a request over so many ranks, each on a device with these limits. Without a spread the input lies in slabs,
    /// of a dimension that is not transformed where one is long enough, and the output as it comes out of the fewest
    /// exchanges.
    pub(crate) fn new(
        alone: Plan,
        ranks: usize,
        input: Option<&Spread>,
        output: Option<&Spread>,
        limits: &Limits,
    ) -> Result<Self> {
        let request = alone.request.clone();
        if ranks == 0 {
            return Err(Error::Empty {
                what: "the number of ranks".into(),
            });
        }
        supported(&request, limits)?;
        let spreads = [input, output];
        let (stages, line) = match line::of(&request, spreads)? {
            Some(line) => (line.stages(ranks), Some(line)),
            None => (stages(&request, ranks, spreads)?, None),
        };
        Ok(DistributedPlan {
            request,
            ranks,
            stages,
            alone,
            line,
        })
    }

    /// The factors N1 and N2 of a single line; 1 and 1 of what is none.
    pub fn line_factors(&self) -> [usize; 2] {
        self.line.map_or([1, 1], |line| line.factors)
    }

    /// What the stages ask planners for: the request, of a line that of its two factors.
    pub(crate) fn of_stages(&self) -> Request {
        let line = self.line.as_ref();
        line.map_or_else(|| self.request.clone(), |line| line.request(&self.request))
    }

    /// What a rank has of the input.
    pub fn input_part(&self, rank: usize) -> Part {
        self.outer(&self.stages[0].from, rank, 0)
    }

    /// What a rank has of the output.
    pub fn output_part(&self, rank: usize) -> Part {
        self.outer(&self.stages[self.stages.len() - 1].to, rank, 1)
    }

    /// A rank's part of an input that one process has whole, in rows.
    ///
    /// # Errors
    /// `BufferLength` where that is not the whole array.
    pub fn scatter<T: Copy>(&self, rank: usize, whole: &[T]) -> Result<Vec<T>> {
        let place = &self.stages[0].from;
        self.check_whole(Slot::Input, place, whole.len())?;
        let mut part = Vec::new();
        let (rows, _) = place.rows_of(rank);
        // Rows come in the order of the part.
        rows.each(|from, _, count| part.extend_from_slice(&whole[from..from + count]));
        Ok(part)
    }

    /// Puts a rank's part of the output into an array that one process has whole, in rows.
    ///
    /// # Errors
    /// `BufferLength` where one is not the whole array, or the other not the part.
    pub fn gather<T: Copy>(&self, rank: usize, part: &[T], whole: &mut [T]) -> Result<()> {
        let place = &self.stages[self.stages.len() - 1].to;
        self.check_whole(Slot::Output, place, whole.len())?;
        let (rows, points) = place.rows_of(rank);
        if part.len() != points {
            return Err(Error::BufferLength {
                side: Slot::Output,
                expected: points,
                got: part.len(),
            });
        }
        rows.each(|there, at, count| {
            whole[there..there + count].copy_from_slice(&part[at..at + count]);
        });
        Ok(())
    }

    fn check_whole(&self, side: Slot, place: &Place, got: usize) -> Result<()> {
        let expected = place.points();
        match got == expected {
            true => Ok(()),
            false => Err(Error::BufferLength {
                side,
                expected,
                got,
            }),
        }
    }

    /// A part as users see it: of a line that lies in order, a range of it.
    fn outer(&self, place: &Place, rank: usize, side: usize) -> Part {
        let part = &place.parts[rank];
        match &self.line {
            Some(line) => line.part(part, &place.order, side),
            None => part.clone(),
        }
    }

    /// Bytes of a point of this place.
    pub(crate) fn point_bytes(&self, place: &Place) -> usize {
        place.scalars() * self.request.precision.row().storage.bytes()
    }

    /// Of each exchange the most bytes that a rank sends to others, and the most others that it sends to.
    pub fn exchanges(&self) -> Vec<(usize, usize)> {
        let between = self.stages.windows(2).map(|two| {
            let (before, next) = (&two[0].to, &two[1]);
            let point = self.point_bytes(before);
            let of = |rank: usize| {
                let others = (0..self.ranks).filter(|&other| other != rank);
                let sent = others.map(|other| next.points_between(before, rank, other) * point);
                let sent: Vec<usize> = sent.filter(|&bytes| bytes > 0).collect();
                (sent.iter().sum::<usize>(), sent.len())
            };
            let all: Vec<_> = (0..self.ranks).map(of).collect();
            let most = |of: fn(&(usize, usize)) -> usize| all.iter().map(of).max().unwrap_or(0);
            (most(|all| all.0), most(|all| all.1))
        });
        between.collect()
    }
}

/// Refuses what ranks do not do.
fn supported(request: &Request, limits: &Limits) -> Result<()> {
    let refuse = |what: &str, instead: &str| {
        Err(Error::Unsupported {
            what: format!("{what} over ranks"),
            backend: limits.backend.into(),
            instead: instead.into(),
        })
    };
    if request.placement == Placement::InPlace {
        return refuse("a transform in place", "give it two buffers");
    }
    if request.input != Layout::default() || request.output != Layout::default() {
        return refuse(
            "a layout of the caller's",
            "lay parts out in rows, the last axis contiguous",
        );
    }
    if !request.nonzero_input.is_empty() || !request.wanted_output.is_empty() {
        return refuse("a zero range", "transform all of the array");
    }
    Ok(())
}
