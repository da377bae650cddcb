//! The price of a pass by some tile: the time it takes, of a copy's.
//!
//! Three things go on at a time, and add up in some power: memory moves points; waves issue instructions for the values of each
//! trip through registers; and a thread waits, for memory and for others, while other blocks of its multiprocessor go on. The
//! numbers were fitted to timings of tiles of lines that no list had, chosen at random (docs/lab/2026-11-28-price.md), and to
//! compiled kernels (docs/lab/2026-11-30-long-lines.md).
//! `mmafft-lab price` times others, and says how near the cheapest tile comes to the fastest.

use super::counts::{is_copy, Array};
use super::rule_keys::access;
use mmafft_backend_traits::real::{Middle, Order, Pairing, RealSide};
use mmafft_backend_traits::{
    radix, registers_of_thread, End, Limits, Pass, ScalarType, Side, Step, TileAxis, TripCount,
    TripWork,
};

/// What waves issue for a value, of the time in which a point is copied.
const ISSUE: f64 = 0.0582;
/// What a thread of a tile waits for: each of its columns that is loaded, each that is stored, each value of a trip, and of those with
/// twiddles; and as many others at each barrier. Of the time in which 8 KiB are copied.
const LOAD: f64 = 0.199;
const STORE: f64 = 0.1875;
const VALUE: f64 = 0.0493;
const TWIDDLE: f64 = 0.0142;
const BARRIER: f64 = 0.0031;
const TILE_BYTES: f64 = 8192.0;
/// Registers of a thread beside its values, and of each value, with which nothing waits for them: of FP32, of FP64.
///
/// They were fitted to times, and to registers that threads share evenly.
const WANTED: [[f64; 2]; 2] = [[19.5, 3.45], [5.0, 7.0]];
/// Time of a trip for each register that is wanted and not there, and how sharply registers are known.
const TIGHT: f64 = 0.14;
const SHARP: f64 = 4.0;
/// Registers of compiled kernels beside the values themselves, without which values spill.
const NEEDED: f64 = 20.0;
/// Time of a trip for each register that is needed and not there, and how sharply registers are known.
const SPILLED: f64 = 0.4;
const SHARPER: f64 = 2.0;
/// Registers of a value whose mirror image it meets over shared memory, over those of another value.
///
/// A pair has two results and a root beside its points.
const MEETING: f64 = 1.5;
/// What the pieces of 128 bytes, to the power of 3/2, are of which stores have a point.
const SCATTERED: f64 = 2.48;
/// What FP64 issues, of what FP32 does, as its points take twice as long to copy; what it waits.
const DOUBLE: [f64; 2] = [0.389, 1.344];
/// What memory takes of each piece that rows of a tile touch beside those that they fill, of what it takes of one.
const TOUCHED: f64 = 0.165;
/// Bytes of a piece of memory that a cache has or does not have.
const PIECE: usize = 128;
/// In which power what memory does, what is issued and what is waited for add up.
const POWER: f64 = 1.963;
/// The power of contiguous lines whose block is alone: no other goes on while it waits.
///
/// Columns have two blocks only by rows half as wide, and gain nothing on average (docs/lab/2026-11-30-alone.md).
const POWER_ALONE: f64 = 1.7;
/// What memory takes of a pass in turns, of the time of a copy: half of its points stay in the cache.
const MEMORY_IN_TURNS: f64 = 0.69;
/// Lanes of a wave of the devices that the numbers are of.
const LANES: usize = 32;
/// Blocks that a multiprocessor can have, and its registers and threads.
const BLOCKS: usize = 32;
const ALL_REGISTERS: usize = 65536;
/// Registers of a thread at most, and those without which its values have no place.
const MOST_REGISTERS: usize = 255;
const LEAST_REGISTERS: usize = 16;
const ALL_THREADS: usize = 2048;

/// Whether the numbers are of such devices: of waves as wide.
pub fn is_of(limits: &Limits) -> bool {
    limits
        .geometry
        .is_some_and(|geometry| geometry.wave == LANES)
}

/// Whether the numbers are of such passes: lines, contiguous ones or others, whole or parts of complex ones, or arrays of
/// contiguous ones; no convolutions and sums of long primes; type I of columns alone, and of arrays whose lines are a thread's.
pub fn knows(pass: &Pass) -> bool {
    // Times four-step roots, or not.
    let plain = |side: &Side| {
        let factor = None;
        Side { factor, ..*side }.plain()
    };
    let plain = plain(&pass.load) && plain(&pass.store);
    let symmetric = pass.axes.iter().any(|axis| axis.kind.is_symmetric());
    let in_threads = |axis: &TileAxis| !axis.kind.is_symmetric() || pass.in_thread(axis);
    let several = pass.axes.len() > 1 && pass.axes.iter().all(in_threads);
    let there = match access(pass) {
        "rows" => !symmetric || several,
        "cluster" => false,
        _ => pass.axes.len() == 1,
    };
    // Sums over shared memory have other columns than butterflies; in FP64 arrays lowering takes them for all long primes.
    let places = pass.math.storage == ScalarType::F64 && pass.axes.len() > 1;
    let held = |s: &Step| match s {
        Step::Dft { radix, axis, .. } => {
            let alone = |a: &TileAxis| a.axis == *axis && pass.in_thread(a);
            !radix::summed(*radix, places) || pass.axes.iter().any(alone)
        }
        Step::Twiddle { .. } | Step::Exchange | Step::RealColumns { .. } => true,
        _ => false,
    };
    plain && pass.steps.iter().all(held) && there
}

/// What the price of a pass by some tile is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Values for which waves issue instructions, of a point.
    pub issues: f64,
    /// What a thread waits for, of a tile.
    pub waits: f64,
    /// Bytes of the tile in memory.
    pub bytes: f64,
    /// Registers that threads want and do not have, of a point.
    pub tight: f64,
    /// Registers that threads need and do not have, of a point.
    pub spilled: f64,
    /// Pieces of memory that stores of a wave touch, of a point.
    pub pieces: f64,
    /// Pieces that rows of a tile touch beside those that they fill.
    pub touched: f64,
    /// Blocks of a multiprocessor.
    pub residents: usize,
    /// Whether points are of FP64.
    pub double: bool,
    /// Whether lines are contiguous.
    pub contiguous: bool,
}

impl Terms {
    /// Of a pass by a tile, with so many blocks of a multiprocessor, where these of its columns face each other.
    pub fn of(pass: &Pass, array: &Array, residents: usize) -> Terms {
        let tile = array.tile;
        let points = tile.lines as f64 * array.points;
        let there = (ALL_REGISTERS / (tile.threads * residents) / 8 * 8).min(MOST_REGISTERS);
        let wanted = WANTED[usize::from(array.double)];
        let words = if array.double { 4.0 } else { 2.0 };
        Terms {
            issues: array.issues() * tile.filled / points,
            waits: array.waits(),
            bytes: points / tile.filled * if array.double { 16.0 } else { 8.0 },
            tight: array.lacking(wanted, MEETING, SHARP, there) / points,
            spilled: array.lacking(
                [NEEDED, words],
                1.0,
                SHARPER,
                allotted(tile.threads, residents),
            ) / points,
            pieces: array.pieces(),
            touched: match array.contiguous {
                true => 0.0,
                false => touched(pass, tile.lines),
            },
            residents,
            double: array.double,
            contiguous: array.contiguous,
        }
    }

    /// What the pass takes, of the time of a copy.
    pub fn price(&self) -> f64 {
        self.price_of(1.0)
    }

    /// What it takes in turns with another, as what lies between them stays in the cache.
    pub fn price_in_turns(&self) -> f64 {
        self.price_of(MEMORY_IN_TURNS)
    }

    /// What it takes where memory takes so much of the time of a copy.
    fn price_of(&self, memory: f64) -> f64 {
        let [issue, wait] = if self.double { DOUBLE } else { [1.0; 2] };
        let memory = memory * (1.0 + TOUCHED * self.touched);
        let scattered = SCATTERED * self.pieces.powf(1.5);
        let registers = TIGHT * self.tight + SPILLED * self.spilled;
        let issues = issue * (ISSUE * self.issues + registers + scattered);
        let tiles = self.residents as f64 * self.bytes / TILE_BYTES;
        let power = match self.contiguous && self.residents == 1 {
            true => POWER_ALONE,
            false => POWER,
        };
        let all = [memory, issues, wait * self.waits / tiles].map(|term| term.powf(power));
        all.iter().sum::<f64>().powf(1.0 / power)
    }
}

/// Registers that a thread has where a multiprocessor has so many blocks of so many threads.
fn allotted(threads: usize, residents: usize) -> usize {
    registers_of_thread(ALL_REGISTERS, LANES, threads, residents).min(MOST_REGISTERS)
}

/// How many more pieces of memory the rows of a tile of columns touch than they fill, of so many lines beside each other, on average
/// of where rows begin; of those that they fill.
fn touched(pass: &Pass, tile: usize) -> f64 {
    let scalar = pass.math.storage.bytes();
    let of_side = |end: End| {
        let strides = pass.axes.iter().map(|a| a.map(end).stride);
        let mut lines = pass.loops.iter().rev().map(|l| l.map(end).stride);
        let beside = lines.next().unwrap_or(1);
        let bytes = |stride: usize| stride.saturating_mul(scalar);
        let row = tile.saturating_mul(bytes(beside)).max(1);
        // Rows begin at multiples of the power of two that all of these are multiples of.
        let begin = strides.chain(lines).map(bytes);
        let begin = begin.fold(row | PIECE, |all, bytes| all | bytes);
        (PIECE - (1 << begin.trailing_zeros())) as f64 / row as f64
    };
    (of_side(End::Load) + of_side(End::Store)) / 2.0
}

impl Array<'_> {
    /// Values for which whole waves issue instructions, of the tile's trips.
    fn issues(&self) -> f64 {
        let of_trip = |trip: &TripCount| {
            let lanes = (self.tile.lines * trip.columns).next_multiple_of(LANES);
            (lanes * trip.values) as f64
        };
        self.trips().map(of_trip).sum()
    }

    /// Values that a thread has of a trip: twice those that face each other, as half spectra meet beside the butterflies.
    fn held(&self, trip: &TripCount) -> f64 {
        (self.columns(trip) * trip.values) as f64
    }

    /// What a thread waits for.
    ///
    /// Copies of contiguous lines count for nothing, as all of their accesses are in flight together. Those of several axes
    /// count, as without them other radices than the fastest are the cheapest (docs/lab/2026-11-30-short-lines.md).
    fn waits(&self) -> f64 {
        let in_flight = |trip: &TripCount| self.line.is_some() && is_copy(trip);
        let columns = |trip: Option<&TripCount>| {
            let trip = trip.filter(|trip| !in_flight(trip));
            trip.map_or(0.0, |trip| self.columns(trip) as f64)
        };
        let moved = self.trips().filter(|trip| !in_flight(trip));
        let values: f64 = moved.map(|trip| self.held(trip)).sum();
        let twiddled = self.steps().rev().skip(1).map(|trip| self.held(trip));
        let twiddled: f64 = twiddled.sum();
        let barriers = (self.tile.threads * self.trips().len()) as f64;
        let ends = LOAD * columns(self.trips().next()) + STORE * columns(self.trips().last());
        ends + VALUE * values + TWIDDLE * twiddled + BARRIER * barriers
    }

    /// Registers of all trips' columns beyond those that are `there`.
    ///
    /// Threads have so many beside their values, and so many of each; values that meet have more.
    fn lacking(&self, [beside, each]: [f64; 2], meeting: f64, sharp: f64, there: usize) -> f64 {
        let of_trip = |trip: &TripCount| {
            let times = if meets(trip) { meeting } else { 1.0 };
            let over = beside + each * times * self.held(trip) - there as f64;
            let over = over.max(0.0) + sharp * (-over.abs() / sharp).exp().ln_1p();
            over * (self.tile.lines * trip.columns) as f64 / self.columns(trip) as f64
        };
        self.trips().map(of_trip).sum()
    }

    /// The most blocks that a multiprocessor with so much memory on chip can have, whose threads' values are in registers.
    pub fn most_residents(&self, chip_bytes: usize) -> usize {
        let tile = self.tile;
        let held = self.trips().map(|trip| self.held(trip) as usize).max();
        let each = if self.double { 4 } else { 2 };
        let least = (LEAST_REGISTERS + each * held.unwrap_or(0)).min(MOST_REGISTERS);
        let room = (chip_bytes / (tile.bytes + (1 << 10))).min(ALL_THREADS / tile.threads);
        room.min(BLOCKS)
            .min((ALL_REGISTERS / (tile.threads * least)).max(1))
    }

    /// Pieces of 128 bytes in memory that a wave's stores of a line touch, for each point.
    fn pieces(&self) -> f64 {
        let Some(line) = &self.line else {
            return 0.0;
        };
        let store = &line.reduction.store;
        let facing = line.facing[1];
        let columns = line.core / line.last / if facing { 2 } else { 1 };
        // Columns whose reals lanes store beside each other; how far these are from each other and how wide; how often a point.
        let (columns, [apart, wide], times) = match (line.reduction.middle, line.real) {
            _ if self.stores_by_copy() => (32, [2, 2], 1.0),
            (Middle::Split, real) => {
                let columns = if facing {
                    columns
                } else {
                    line.core.div_ceil(2)
                };
                (
                    columns,
                    if real { [1, 1] } else { [2, 2] },
                    if real { 2.0 } else { 1.0 },
                )
            }
            (_, false) => (columns, [2, 2], 1.0),
            _ if facing && are_apart(store) => (columns, [2, 2], 1.0),
            _ if facing => (columns, [4, 4], 0.5),
            _ if are_apart(store) => (columns, [2, 1], 2.0),
            _ if store.order == Order::EvenOdd => (columns, [4, 1], 2.0),
            _ if store.pairing == Pairing::Pairs => (columns, [2, 2], 1.0),
            _ => (columns, [1, 1], 2.0),
        };
        let columns = columns.clamp(1, 32);
        let scalar = if self.double { 8 } else { 4 };
        let run = ((columns - 1) * apart + wide) * scalar;
        times * (run as f64 / 128.0 + 1.0) / columns as f64
    }
}

/// Whether half spectra meet in a trip.
fn meets(trip: &TripCount) -> bool {
    matches!(trip.work, TripWork::Merge | TripWork::Split)
}

/// Whether the two reals of a point are at both ends of a line, or anywhere.
fn are_apart(side: &RealSide) -> bool {
    side.pairing == Pairing::Ends || side.order == Order::Residues
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
