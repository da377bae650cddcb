//! Which columns of a tile's steps each thread has, and where steps exchange them.

use super::config::*;
use super::matrices;
use super::threads::{product, Sharing, Threads};
use super::trip::Trip;
use crate::error::{Error, Result};

/// The most values of a thread: what the emulation has room for (`MMAFFT_VALUES`), more than registers do, and the reals of two lines of
/// type I, which they have room for.
pub const MOST_VALUES: usize = 66;

/// Steps as threads have them.
pub struct Shared {
    pub threads: Threads,
    pub steps: Vec<StepWords>,
    /// The most values that a thread holds.
    pub held: usize,
}

impl Sharing<'_> {
    /// The steps that these threads share.
    pub fn steps(&self, mut threads: Threads) -> Result<Shared> {
        let mut steps: Vec<StepWords> = Vec::with_capacity(self.outline.trips.len());
        let mut held = 1;
        let mut matrix_words = 0;
        for (i, trip) in self.trips().enumerate() {
            let mut step = trip.words;
            self.say_places(&mut step, i, steps.last());
            if step.engine == ENGINE_DENSE && step.hermitian != 0 && step.source == PLACE_SHARED {
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
            None => PLACE_MEMORY,
            // Of steps that share registers, where the first one's values come from.
            Some(before) if before.target == PLACE_REGISTERS => before.source,
            Some(_) => PLACE_SHARED,
        };
        step.target = match step.target {
            _ if i + 1 == self.outline.trips.len() => PLACE_MEMORY,
            PLACE_CLUSTER | PLACE_REGISTERS => step.target,
            _ => PLACE_SHARED,
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
            step.parts = matrices::parts(radix, pass.math.operand, pass.math.split_matrix) as i64;
            step.matrix = *matrix_words as i64;
            let (rank, parts) = (fill.rank, step.parts as usize);
            let bytes = matrices::fragment_bytes(rank, pass.math.operand, parts);
            *matrix_words += bytes / if self.outline.double() { 8 } else { 4 };
        }
    }
}
