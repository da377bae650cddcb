//! Rader's algorithm: a DFT of prime length as a cyclic convolution of one point less.

use super::config::*;
use super::tables::Tables;
use super::trips::{reversed, Builder, SmallDft};

impl Builder<'_> {
    /// Rader's algorithm (1968): with g a generator of the integers modulo a prime p,
    /// `X[g^−m] = x[0] + Σ_q x[g^q]·w^(g^(q−m))` is a cyclic convolution of p − 1 points. The first
    /// DFT takes them, and the last one leaves them, in these orders of powers; between, they lie behind
    /// point 0, which the middle of the convolution adds in.
    pub fn rader(
        &mut self,
        at: usize,
        dfts: &[SmallDft],
        p: usize,
        [input, kept]: [usize; 2],
        inverse: bool,
        tables: &mut Tables,
    ) {
        let mut copy = self.trip(at, OP_COPY, input, p);
        copy.words.columns = p as i64;
        copy.words.points = p as i64;
        self.push(at, copy);
        let first = self.trips.len();
        self.dft(at, dfts, false, p - 1, p - 1, tables);
        let middle = self.trips.len() - 1;
        self.back(at, &reversed(dfts), p - 1, p - 1, tables);
        for trip in &mut self.trips[first..] {
            trip.words.offset = 1;
            trip.words.input = p as i64;
            trip.words.output = p as i64;
        }
        self.extent[at] = p;
        // Lanes of padded products look up to twice as far, and do not use it: the spectrum stands behind both.
        self.trips[first].words.from_table = tables.powers(p, false);
        let last = self.trips.last_mut().expect("a convolution has trips");
        last.words.to_table = tables.powers(p, true);
        let words = &mut self.trips[middle].words;
        words.rader = 1;
        let spectrum = tables.rader(p, inverse);
        (words.after, words.after_table, words.after_length) = (FACTOR_PART, spectrum, NO_END);
        let mut copy = self.trip(at, OP_COPY, p, kept);
        copy.words.columns = kept as i64;
        copy.words.points = p as i64;
        self.push(at, copy);
    }
}
