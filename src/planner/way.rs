//! A way: one method of planning a part of a request. FFTW calls it a solver.
//!
//! A request is taken apart in levels, and what a way of one level makes is what the next level asks about: an array
//! becomes lines, a line that is too long becomes shorter ones, neighbouring lines join in a tile, and each axis of a
//! tile becomes steps. So ways compose by their types: a four-step line inside a plane is a [`Method::Line`] of what a
//! [`Method::Array`] made. [`super::ways::WAYS`] lists all, [`super::choose`] takes the cheapest.

use super::factors::Measured;
use super::fits::Fits;
use super::in_turns::Tiles;
use super::parts::Parts;
use super::problem::Problem;
use super::stage::{is_scattered, Route, Stage};
use mmafft_backend_traits::{radix, Engine, Limits, Pass, Result, Step, TileAxis, Turns};

/// A way and its name in a plan's words.
pub struct Way {
    pub name: &'static str,
    pub method: Method,
}

/// What a way is for: whether it applies, and what it makes, which is nothing where the numbers do not allow it.
pub enum Method {
    /// An array: in which order its axes are transformed, and where what lies between them waits.
    Array {
        applies: fn(&Problem, &Fits) -> bool,
        stages: fn(&Problem, &Fits) -> Option<Route>,
    },
    /// One axis of all lines: by lines that tiles hold.
    Line {
        applies: fn(&Line) -> bool,
        stages: fn(&Line) -> Option<Result<Route>>,
    },
    /// A tile: the axes that it holds beside its first.
    Tile {
        applies: fn(&Joint) -> bool,
        joined: fn(&Joint) -> Option<Joined>,
    },
    /// An axis of a tile: its steps, and why it has these.
    Axis {
        applies: fn(&Axis) -> bool,
        steps: fn(&Axis) -> Result<Chosen>,
    },
    /// Two passes: in which order their tiles run.
    Order {
        applies: fn(&TwoPasses) -> bool,
        turns: fn(&TwoPasses) -> Option<InTurns>,
    },
}

/// Two passes that may take turns.
pub struct TwoPasses<'a> {
    /// As they are without rules.
    pub planned: &'a [Pass],
    /// As they would be one after the other.
    pub followed: &'a [Pass],
    pub scratch_bytes: usize,
    pub problem: &'a Problem,
    pub limits: &'a Limits,
    pub taken: Taken<'a>,
}

/// How two passes take turns.
#[derive(Clone, Copy)]
pub struct Taken<'a> {
    /// The tiles that were measured; without any those that are likely faster so.
    pub tiles: Option<&'a Tiles>,
    /// The turns that are asked for, by whatever tiles.
    pub turns: Option<Turns>,
}

/// Two passes that take turns, and the scratch that they need.
pub struct InTurns {
    pub passes: Vec<Pass>,
    pub turns: Turns,
    pub scratch_bytes: usize,
}

/// The lines of a stage, which may be too long for a tile.
pub struct Line<'a> {
    pub stage: &'a Stage,
    /// Scalars of scratch that the route has already; intermediates lie behind them.
    pub base: usize,
    pub problem: &'a Problem,
    pub fits: &'a Fits<'a>,
    /// Whether a tile holds enough of them.
    pub held: bool,
    /// The factors that were measured or are asked for.
    pub given: Option<Measured>,
}

impl Line<'_> {
    /// Points of the DFT at the core of a line.
    pub fn core(&self) -> usize {
        self.stage.kind.core_length(self.stage.length)
    }

    /// Points of the DFT that passes share.
    pub fn shared(&self) -> usize {
        self.stage.kind.shared_core_length(self.stage.length)
    }

    /// Whether they are split: not what is a part of other lines already.
    pub fn is_whole(&self) -> bool {
        self.stage.inner.is_empty()
    }

    /// Points of a run of scratch between two passes alone: a third would have as short pieces as before.
    pub fn run(&self) -> Option<usize> {
        self.fits.run().filter(|_| !is_scattered(self.stage))
    }

    /// The stages of a line that is the product of its factors, with whole runs of scratch between two.
    pub fn product(&self, mut parts: Parts, run: Option<usize>) -> Route {
        let whole = |run: &usize| parts.factors.len() == 2 && parts.factors[1].is_multiple_of(*run);
        let run = run.filter(whole);
        // Passes of devices can have lines that face each other, two in a tile; convolutions take more on chip than
        // their points.
        let plain = |f: &usize| self.fits.tile_points(*f) == Some(*f);
        let device = self.fits.by_kernels() && self.fits.engine == Engine::Simt;
        if device && parts.factors.iter().all(plain) {
            parts.faces = self.fits.longest_line() / 2;
        }
        parts.run = run;
        parts.product()
    }
}

/// Stages that share a tile, and those that follow.
pub struct Joint<'a> {
    pub tile: &'a [Stage],
    pub rest: &'a [Stage],
    pub problem: &'a Problem,
    pub fits: &'a Fits<'a>,
}

/// The stages of a larger tile, and how many of those that followed it took.
pub struct Joined {
    pub tile: Vec<Stage>,
    pub taken: usize,
}

/// The steps of an axis, and why it has these.
pub type Chosen = (Vec<Step>, String);

/// An axis of a tile that these stages share.
pub struct Axis<'a> {
    pub axis: &'a TileAxis,
    pub stage: &'a Stage,
    pub stages: &'a [Stage],
    pub problem: &'a Problem,
    pub fits: &'a Fits<'a>,
}

impl Axis<'_> {
    /// Points of its DFT.
    pub fn length(&self) -> usize {
        self.axis.core_length()
    }

    /// Whether radices make that many.
    pub fn is_smooth(&self) -> bool {
        radix::factor(self.length(), self.fits.radices()).is_some()
    }

    /// Whether the tile has other axes.
    pub fn several(&self) -> bool {
        self.stages.len() > 1
    }
}
