//! What the threads of a tile have to do: columns of steps, pairs of half spectra, copies, as lowering counts them.

use super::rule::{real_columns, steps_by};
use super::rule_keys::access;
use super::tiles::of_axes;
use super::work::Tile;
use mmafft_backend_traits::real::Reduction;
use mmafft_backend_traits::{
    Engine, Kind, Launch, Pass, ScalarType, Step, Target, TripCount, TripWork,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The trips of an array, or a line.
type Trips = Rc<[TripCount]>;

/// The trips of a pass by such radices as were asked for so far, and by columns that face each other so.
pub struct Counts<'a> {
    pass: &'a Pass,
    target: &'a dyn Target,
    /// By which of their columns face each other, and by radices.
    made: [RefCell<HashMap<Vec<usize>, Option<Trips>>>; 4],
}

impl<'a> Counts<'a> {
    /// Of a pass, none yet.
    pub fn new(pass: &'a Pass, target: &'a dyn Target) -> Self {
        Counts {
            pass,
            target,
            made: Default::default(),
        }
    }

    /// An array of the pass by the radices of a tile, in such a launch; `None` where they do not make its axes.
    pub fn array<'b>(&self, tile: &'b Tile<'b>, facing: [bool; 2]) -> Option<Array<'b>> {
        let [first, last] = facing.map(usize::from);
        let mut made = self.made[first + 2 * last].borrow_mut();
        // A look without a key of its own, as there are many.
        if !made.contains_key(tile.radices) {
            let trips = trips(self.pass, self.target, tile.radices, facing);
            made.insert(tile.radices.to_vec(), trips);
        }
        let trips = made.get(tile.radices)?.clone()?;
        Some(Array::new(self.pass, trips, tile, facing))
    }
}

/// The trips of an array of the pass by these radices.
fn trips(pass: &Pass, target: &dyn Target, radices: &[usize], facing: [bool; 2]) -> Option<Trips> {
    if real_columns(pass, radices).is_none() {
        of_axes(pass, radices)?;
    }
    let whole = || Step::sequence(pass.axes[0].axis, radices, Engine::Simt);
    let mut pass = Pass {
        steps: steps_by(pass, radices).unwrap_or_else(whole),
        reason: String::new(),
        ..pass.clone()
    };
    // Any threads: how many there are changes no trip.
    pass.tile.launch = Some(Launch {
        facing,
        ..Launch::new(32, 1)
    });
    target.trips(&pass).map(Rc::from)
}

/// A contiguous line, the only axis of its tile.
pub struct Line {
    pub reduction: &'static Reduction,
    /// The points of its DFT.
    pub core: usize,
    /// Whether it is of reals on both sides.
    pub real: bool,
    /// Points of the last step's columns.
    pub last: usize,
    /// At which ends a thread has columns that face each other: the load's, the store's.
    pub facing: [bool; 2],
}

/// An array by some tile: a line, or several axes.
pub struct Array<'a> {
    trips: Trips,
    /// The only axis of contiguous lines; of those by real columns none.
    pub line: Option<Line>,
    /// Whether its points lie beside each other, and not those of other lines.
    pub contiguous: bool,
    pub tile: &'a Tile<'a>,
    /// Its points, or each two reals.
    pub points: f64,
    pub double: bool,
}

impl<'a> Array<'a> {
    fn new(pass: &Pass, trips: Trips, tile: &'a Tile<'a>, facing: [bool; 2]) -> Self {
        let contiguous = access(pass) == "rows";
        let complex = pass.axes.iter().all(|axis| axis.kind == Kind::C2C);
        let all: usize = pass.axes.iter().map(|axis| axis.length).product();
        let line = match (&pass.axes[..], tile.radices) {
            ([axis], radices @ [.., last])
                if contiguous && real_columns(pass, radices).is_none() =>
            {
                Some(Line {
                    reduction: axis.kind.reduction_by(axis.length, radices),
                    core: axis.core_length(),
                    real: axis.kind.is_real_to_real(),
                    last: *last,
                    facing,
                })
            }
            _ => None,
        };
        Array {
            trips,
            line,
            contiguous,
            tile,
            points: all as f64 / if complex { 1.0 } else { 2.0 },
            double: pass.math.storage == ScalarType::F64,
        }
    }

    /// How often each thread does something of which there is so much in an array.
    fn rounds(&self, of_array: usize) -> usize {
        (self.tile.lines * of_array).div_ceil(self.tile.threads)
    }

    /// How many columns of a trip a thread has.
    pub fn columns(&self, trip: &TripCount) -> usize {
        let at_a_time = if trip.facing { 2 } else { 1 };
        at_a_time * self.rounds(trip.columns)
    }

    /// All trips, in order.
    pub fn trips(&self) -> std::slice::Iter<'_, TripCount> {
        self.trips.iter()
    }

    /// The steps, in order.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = &TripCount> + Clone {
        self.trips.iter().filter(|trip| is_step(trip))
    }

    /// Whether a copy stores what the last step made.
    pub fn stores_by_copy(&self) -> bool {
        self.trips.len() > 1 && self.trips.last().is_some_and(is_copy)
    }

    /// How many threads have about so many values each, or a column, in every step, as lowering has them.
    pub fn threads(&self, values: usize) -> usize {
        let largest = self.trips.iter().map(|trip| trip.values).max();
        let values = values.max(largest.unwrap_or(1));
        let threads =
            |trip: &TripCount| (self.tile.lines * trip.columns).div_ceil(values / trip.values);
        let threads = self.trips.iter().map(threads);
        threads.max().unwrap_or(1).next_multiple_of(32)
    }
}

/// Whether a trip copies points.
pub fn is_copy(trip: &TripCount) -> bool {
    trip.work == TripWork::Copy
}

fn is_step(trip: &TripCount) -> bool {
    !matches!(trip.work, TripWork::Merge | TripWork::Split) && !is_copy(trip)
}

#[cfg(test)]
#[path = "counts_tests.rs"]
mod tests;
