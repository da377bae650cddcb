//! How many threads share the trips of a tile, and what each of them holds.

use super::config::*;
use super::matrices::{self, Fill, Wave};
use super::neighbours::{self, Tile};
use super::outline::Outline;
use super::trip::Trip;
use crate::error::{Error, Result};
use crate::geometry::Geometry;
use crate::pass::{Engine, Pass, Step};
use crate::radix::JOINED_PRODUCT;
use crate::Domain;

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
/// The most values of a thread: what the emulation has room for (`MMAFFT_VALUES`), more than registers do, and the reals of two lines of
/// type I, which they have room for.
pub const MOST_VALUES: usize = 66;

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
    values: usize,
    /// Columns beside each other that one access moves, where a tile is loaded and where it is stored.
    pub beside: [usize; 2],
}

/// Steps as threads have them.
pub struct Shared {
    pub threads: Threads,
    pub steps: Vec<StepWords>,
    /// The most values that a thread holds.
    pub held: usize,
}

/// Whether a trip is a product's, or joins what products made.
fn product(trip: &Trip) -> bool {
    trip.words.engine == MATRIX || trip.words.joined > 0
}

impl<'a> Sharing<'a> {
    fn pass(&self) -> &'a Pass {
        &self.outline.pass
    }

    fn matrix(&self) -> bool {
        self.pass().engine == Engine::Matrix
    }

    fn trips(&self) -> std::slice::Iter<'a, Trip> {
        self.outline.trips.iter()
    }

    fn dense(&self) -> bool {
        self.outline.any(|words| words.engine == DENSE)
    }

    /// How a wave holds the columns of a product.
    fn fragment(&self, trip: &Trip) -> (Fill, Wave) {
        let joined = trip.words.joined as usize;
        let radix = match joined {
            0 => trip.words.radix as usize,
            _ => JOINED_PRODUCT,
        };
        let (vendor, operand) = (self.geometry.vendor, self.pass().operand);
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
    fn each(&self, trip: &Trip) -> usize {
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
            None => self.geometry.access / (2 * self.pass().storage.bytes()),
        };
        outline.ends().map(|(i, loading)| {
            let trip = &outline.trips[i];
            let points = neighbours::points(self.pass(), &trip.words, &tile, loading, most);
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
        let wanted = self.trips().map(|t| self.wanted(t, values));
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

    /// The steps that these threads share.
    pub fn steps(&self, mut threads: Threads) -> Result<Shared> {
        let mut steps: Vec<StepWords> = Vec::with_capacity(self.outline.trips.len());
        let mut held = 1;
        let mut matrix_words = 0;
        for (i, trip) in self.trips().enumerate() {
            let mut step = trip.words;
            self.say_places(&mut step, i, steps.last());
            if step.engine == DENSE && step.hermitian != 0 && step.source == SHARED {
                return Err(Error::Unsupported {
                    what: "a sum over a half spectrum in shared memory".into(),
                    backend: "the device code".into(),
                    instead: "transform that axis in a pass of its own".into(),
                });
            }
            self.say_groups(&mut step, i, &mut threads);
            held = held.max(step.groups as usize * self.each(trip));
            step.groups *= self.columns_of_group(trip);
            if product(trip) {
                self.say_fragments(&mut step, trip, &mut matrix_words);
            }
            steps.push(step);
        }
        if held > MOST_VALUES {
            let points = self.outline.most_points();
            return Err(Error::Unsupported {
                what: format!("a tile of {points} points, {held} to a thread,"),
                backend: "the device code".into(),
                instead: format!(
                    "{MOST_VALUES} values a thread are the most; plan for a smaller tile"
                ),
            });
        }
        Ok(Shared {
            threads,
            steps,
            held,
        })
    }

    /// Says where a step takes its values from, and where it leaves them.
    fn say_places(&self, step: &mut StepWords, i: usize, before: Option<&StepWords>) {
        step.source = match before {
            None => MEMORY,
            // Of steps that share registers, where the first one's values come from.
            Some(before) if before.target == REGISTERS => before.source,
            Some(_) => SHARED,
        };
        step.target = match step.target {
            _ if i + 1 == self.outline.trips.len() => MEMORY,
            CLUSTER | REGISTERS => step.target,
            _ => SHARED,
        };
    }

    /// Says how many columns a thread has: in rounds of all threads, or in runs of neighbours where they cost no values.
    fn say_groups(&self, step: &mut StepWords, i: usize, threads: &mut Threads) {
        let trip = &self.outline.trips[i];
        let each = self.each(trip);
        let total = self.outline.tile_lines * trip.columns();
        let (share, round) = match product(trip) {
            true => {
                let (fill, held) = self.fragment(trip);
                let columns = held.columns / held.rows * fill.copies;
                (threads.threads / self.geometry.wave * columns, held.rows)
            }
            // The columns of a thread are of one set.
            false => (threads.threads / trip.sets() * trip.sets(), 1),
        };
        let groups = |n: usize| total.div_ceil(share * n) * n;
        let most = threads.values.max(groups(round) * each);
        let mut neighbours = 1;
        for ((at, _), points) in self.outline.ends().into_iter().zip(&mut threads.beside) {
            if at != i {
                continue;
            }
            while *points > 1 && groups(*points) * each > most {
                *points /= 2;
            }
            neighbours = neighbours.max(*points);
        }
        step.neighbours = neighbours as i64;
        step.groups = groups(neighbours.max(round)) as i64;
    }

    /// Columns that a thread has of each group: two that mirror each other, or those of joined products (`joined_groups` of
    /// matrix.hpp for each number).
    fn columns_of_group(&self, trip: &Trip) -> i64 {
        let joined = match (trip.words.joined, self.each(trip) as i64) {
            (0, _) => 1,
            (_, values) if trip.combines() => values / trip.words.radix,
            (joined, values) => values / (values / joined),
        };
        if trip.in_pairs() {
            2 * joined
        } else {
            joined
        }
    }

    /// Says how a product's wave holds its columns, and where its matrix is among all.
    fn say_fragments(&self, step: &mut StepWords, trip: &Trip, matrix_words: &mut usize) {
        let (fill, _) = self.fragment(trip);
        step.rank = fill.rank as i64;
        step.copies = fill.copies as i64;
        let radix = step.radix as usize;
        if !trip.combines() && matrices::multiplied(radix) {
            let pass = self.pass();
            step.parts = matrices::parts(radix, pass.operand, pass.split_matrix) as i64;
            step.matrix = *matrix_words as i64;
            let (rank, parts) = (fill.rank, step.parts as usize);
            let bytes = matrices::fragment_bytes(rank, pass.operand, parts);
            *matrix_words += bytes / if self.outline.double() { 8 } else { 4 };
        }
    }

    /// Blocks whose registers a multiprocessor is to hold at once, of so many threads with so many values: the compiler would
    /// otherwise fetch every twiddle before it uses the first, and leave room for half of them. What does not fit is asked for anew
    /// with fewer (`Program::relaxed`).
    pub fn residents(&self, threads: usize, values: usize) -> usize {
        let pass = self.pass();
        let double = self.outline.double();
        let words = self.words_of_value();
        let beside = self.registers_beside(values * words);
        let beside = if double { beside * 3 / 2 } else { beside };
        // Registers are dealt out by eights, to waves, of which there are multiples of four: in all, or (products, whose
        // registers are harder to tell) in each block.
        let registers = (values * words + beside).next_multiple_of(8);
        let waves = self.geometry.registers / (self.geometry.wave * registers) / 4 * 4;
        let of_block = threads.div_ceil(self.geometry.wave);
        let of_block = match pass.engine {
            Engine::Matrix => of_block.next_multiple_of(4),
            Engine::Simt => of_block,
        };
        (waves / of_block).clamp(1, 2048 / threads)
    }

    /// Registers of a value: of type I that threads have whole lines of, values are reals.
    fn words_of_value(&self) -> usize {
        let copies = |t: &&Trip| t.words.op != OP_COPY;
        let mut steps = self.trips().filter(copies).peekable();
        let reals = steps.peek().is_some() && steps.all(|t| t.words.type_one != 0);
        let each = if reals { 1 } else { 2 };
        if self.outline.double() {
            2 * each
        } else {
            each
        }
    }

    /// Registers beside those of the values, which take so many.
    fn registers_beside(&self, of_values: usize) -> usize {
        let pass = self.pass();
        let complex = pass.load.domain == Domain::Complex && pass.store.domain == Domain::Complex;
        let plain = complex && pass.hermitian.is_none() && pass.mirrored.is_none();
        // No copies, merges, splits or chirps, which have temporaries and addresses of their own, nor other columns of more than
        // 24 points than those of powers of two; behind Rader's point 0 no stride is constant.
        let small = |t: &Trip| t.values().is_power_of_two() || t.values() <= 24;
        let simple =
            |t: &Trip| t.words.op == OP_DFT && t.words.before + t.words.after == 0 && small(t);
        match plain && self.trips().all(simple) {
            _ if self.matrix() => 96,
            _ if self.outline.any(|words| words.offset > 0) => 128,
            // Sums of even points beside those of odd ones, and what they are made of.
            _ if self.dense() => 64 + of_values,
            true => 32,
            // Of 27 points gfx942 needs more than 256.
            _ if self.outline.double() && !self.trips().all(small) => 100,
            // A thread that copies computes an address for every point.
            false if self.outline.any(|words| words.op == OP_COPY) => 64,
            false => 48,
        }
    }
}

/// Whether threads have places of reals beside the twiddles of a convolution: in FP32 half of them are launched at most.
pub fn places_beside_twiddles(pass: &Pass) -> bool {
    let convolution = |s: &Step| matches!(s, Step::Chirp { .. } | Step::Convolve { .. });
    pass.real_load().is_some() && pass.steps.iter().any(convolution)
}
