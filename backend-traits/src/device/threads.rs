//! How many threads share the trips of a tile, and what each of them holds.

use super::config::*;
use super::matrices::{self, Fill, Wave};
use super::neighbours::{self, Tile};
use super::outline::Outline;
use super::trip::Trip;
use crate::geometry::Geometry;
use crate::pass::Pass;
use crate::radix::JOINED_PRODUCT;
use crate::side::End;
use crate::step::{Engine, Step};

/// Values that a thread should hold.
pub const VALUES: usize = 16;
/// The same for matrix steps whose products take the registers of as many again: of FP64, and of
/// padded radices, whose matrices have more parts.
const MATRIX_VALUES: usize = 8;
/// The same where a step is dense: of two columns, which share roots; sums take the registers of as
/// many again.
const DENSE_VALUES: usize = 2 * 2 * DENSE_PAIRS;
/// As many as it may hold of butterflies where its block would else be the only one of a multiprocessor: of FP32, and of
/// FP64, which spills beyond.
pub const MANY_VALUES: [usize; 2] = [40, 24];
/// An outline, and the device whose threads share it.
#[derive(Clone, Copy)]
pub struct Sharing<'a> {
    pub outline: &'a Outline<'a>,
    pub geometry: &'a Geometry,
}

/// The threads of a block.
#[derive(Debug, Clone, Copy)]
pub struct Threads {
    pub threads: usize,
    /// Values that each is to hold, or a column.
    pub values: usize,
    /// Columns beside each other that one access moves, where a tile is loaded and where it is stored.
    pub beside: [usize; 2],
}

/// Whether a trip is a product's, or joins what products made.
pub fn product(trip: &Trip) -> bool {
    trip.words.engine == ENGINE_MATRIX || trip.words.joined > 0
}

impl<'a> Sharing<'a> {
    pub fn pass(&self) -> &'a Pass {
        &self.outline.pass
    }

    pub fn matrix(&self) -> bool {
        self.pass().math.engine == Engine::Matrix
    }

    pub fn trips(&self) -> std::slice::Iter<'a, Trip> {
        self.outline.trips.iter()
    }

    pub fn dense(&self) -> bool {
        self.outline.any(|words| words.engine == ENGINE_DENSE)
    }

    /// How a wave holds the columns of a product.
    pub fn fragment(&self, trip: &Trip) -> (Fill, Wave) {
        let joined = trip.words.joined as usize;
        let radix = match joined {
            0 => trip.words.radix as usize,
            _ => JOINED_PRODUCT,
        };
        let (vendor, operand) = (self.geometry.vendor, self.pass().math.operand);
        let fill = matrices::fill(radix, vendor, operand);
        let mut held = matrices::wave(fill.rank, vendor, operand);
        if joined > 0 {
            // Rows of a product are among those that a thread joins.
            let all = trip.values();
            held.columns /= held.rows;
            (held.rows, held.values) = (1, held.values * all / JOINED_PRODUCT);
        }
        (fill, held)
    }

    /// Values that a thread has of each column.
    pub fn each(&self, trip: &Trip) -> usize {
        match product(trip) {
            true => self.fragment(trip).1.values,
            false => trip.values(),
        }
    }

    /// The most threads of a block: half of them where a value takes twice the registers, or products take some.
    fn most_threads(&self) -> usize {
        let most = self.geometry.threads;
        match (self.matrix(), self.outline.double()) {
            (true, true) => most / 4,
            (true, false) | (false, true) => most / 2,
            (false, false) if places_beside_twiddles(self.pass()) => most / 2,
            (false, false) => most,
        }
    }

    /// Values that a thread should hold, or a column.
    fn values(&self) -> usize {
        let padded = |t: &Trip| product(t) && !(t.words.radix as usize).is_power_of_two();
        let padded = self.trips().any(padded);
        // All that a thread has of a column of joined products.
        let joined = self.trips().filter(|t| t.words.joined > 0);
        let joined = joined.map(|t| self.each(t)).max().unwrap_or(1);
        // Butterflies beside products hold whole columns.
        let whole = self.trips().filter(|t| !self.matrix() || !product(t));
        let largest = whole.map(Trip::values).max().unwrap_or(1);
        let values = match (self.matrix(), self.dense()) {
            (_, true) => DENSE_VALUES,
            (true, false) if self.outline.double() || padded => {
                MATRIX_VALUES.max(joined).max(largest)
            }
            (true, false) => VALUES.max(joined).max(largest),
            (false, false) => VALUES.max(largest),
        };
        values.max(self.outline.most_points().div_ceil(self.most_threads()))
    }

    /// How many columns beside each other one access of memory moves, at either end.
    fn beside(&self) -> [usize; 2] {
        let outline = self.outline;
        let tile = Tile {
            order: &outline.order,
            loops: &outline.loops,
            lines: outline.tile_lines,
            within: outline.mirrored[1] as usize,
        };
        let launch = self.pass().tile.launch;
        let most = match launch {
            Some(launch) => launch.neighbours,
            None => self.geometry.access / (2 * self.pass().math.storage.bytes()),
        };
        outline.ends().map(|(i, end)| {
            let trip = &outline.trips[i];
            let points = neighbours::points(self.pass(), &trip.words, &tile, end, most);
            match launch {
                Some(_) => points,
                None => self.held_beside(trip, points),
            }
        })
    }

    /// Of so many columns beside each other as many as a thread holds.
    fn held_beside(&self, trip: &Trip, mut points: usize) -> usize {
        let most = match product(trip) {
            true => neighbours::MATRIX_VALUES,
            false => neighbours::VALUES,
        };
        while points > 1 && points * self.each(trip) > most {
            points /= 2;
        }
        points
    }

    /// How many threads give each about `values` values of a trip.
    fn wanted(&self, trip: &Trip, values: usize) -> usize {
        let columns = self.outline.tile_lines * trip.columns();
        if !product(trip) {
            return columns.div_ceil((values / trip.values()).max(1));
        }
        let (fill, held) = self.fragment(trip);
        let rounds = (values / (held.rows * held.values)).max(1);
        columns.div_ceil(held.columns * fill.copies * rounds) * self.geometry.wave
    }

    /// Whole waves of about so many threads.
    fn in_waves(&self, threads: usize) -> usize {
        let whole = threads.next_multiple_of(self.geometry.wave);
        whole.clamp(self.geometry.wave, self.most_threads())
    }

    /// The threads of a block where each has about `values` values of every trip.
    fn threads_of(&self, values: usize) -> usize {
        // Rader's copies also move point 0, which no step has: a round more costs less than a wave that idles in every step.
        let rader = self.outline.any(|words| words.offset > 0);
        let trips = self.trips().filter(|t| !(rader && t.words.op == OP_COPY));
        let wanted = trips.map(|t| self.wanted(t, values));
        self.in_waves(wanted.max().unwrap_or(1))
    }

    /// How many values more each thread has, so that there are fewer, where registers then suffice for two blocks, for which
    /// shared memory has room.
    ///
    /// A block that is alone on its multiprocessor waits for memory, and for its barriers: 9000 points of FP32
    /// by 512 threads ran at 0.72 of a copy on an H100, by 256 at 0.85.
    fn values_of_two_blocks(&self, values: usize) -> Option<usize> {
        let double = self.outline.double();
        let cell = if double { 16 } else { 8 };
        let most = MANY_VALUES[usize::from(double)];
        let room = 2 * self.outline.most_points() * cell <= self.geometry.shared_bytes;
        let both = |&values: &usize| {
            let threads = self.threads_of(values);
            let held = self.trips().map(|t| self.held_by(t, threads));
            let held = held.max().unwrap_or(1);
            held <= most && self.residents(threads, held) > 1
        };
        room.then(|| (values..=most).find(both)).flatten()
    }

    /// Values of a trip that each of so many threads holds.
    fn held_by(&self, trip: &Trip, threads: usize) -> usize {
        (self.outline.tile_lines * trip.columns()).div_ceil(threads) * self.each(trip)
    }

    /// The threads of a block: as they were measured, or as many as give each about [`VALUES`] values.
    pub fn threads(&self) -> Threads {
        let beside = self.beside();
        let mut values = self.values();
        let launch = self.pass().tile.launch;
        if launch.is_none() {
            let ends = self.outline.ends().into_iter().zip(beside);
            for ((i, _), points) in ends.filter(|(_, points)| *points > 1) {
                values = values.max(points * self.each(&self.outline.trips[i]));
            }
        }
        // Whose places are in a table: many values of a thread are as many addresses.
        let rader = self.outline.any(|words| words.offset > 0);
        let bound = self.matrix() || self.dense() || rader || self.outline.spread;
        if launch.is_none() && !bound {
            values = self.values_of_two_blocks(values).unwrap_or(values);
        }
        Threads {
            threads: match launch {
                Some(launch) => self.in_waves(launch.threads),
                None => self.threads_of(values),
            },
            values,
            beside,
        }
    }
}

/// Whether threads have places of reals beside the twiddles of a convolution: in FP32 half of them are launched at most.
pub fn places_beside_twiddles(pass: &Pass) -> bool {
    let convolution = |s: &Step| matches!(s, Step::Chirp { .. } | Step::Convolve { .. });
    pass.reals(End::Load).is_some() && pass.steps.iter().any(convolution)
}
