//! What kernels look up instead of computing: tables as recipes, so that where each begins is known before its
//! [`entries`] are.

use super::entries::{self, halves_beside, LANE_COLUMNS};
pub use super::entries::{HalfRoots, LineRoots, Twiddles};
use super::long_chirp;
use super::matrices::Lanes;
use crate::kind::Direction;
use crate::real::Weight;
use num_complex::Complex;

/// Where such roots begin, and `Step::weighted`.
pub struct HalfTable {
    pub at: i64,
    pub weighted: i64,
}

/// What appends a table's numbers.
type Fill = Box<dyn Fn(&mut Vec<Complex<f64>>)>;

/// The tables of one pass: complex numbers, one after another. Where each begins follows from their lengths; the numbers
/// are computed when [`Tables::bytes`] asks for them.
pub struct Tables {
    /// Whether the kernel reads f64.
    double: bool,
    /// Each with where it begins and how many numbers it has.
    tables: Vec<(usize, usize, Fill)>,
    /// Where the next begins.
    end: usize,
}

impl Tables {
    /// None yet.
    pub fn new(double: bool) -> Self {
        Tables {
            double,
            tables: Vec::new(),
            end: 0,
        }
    }

    /// Adds a table of so many numbers; returns where it begins.
    fn add(&mut self, entries: usize, fill: impl Fn(&mut Vec<Complex<f64>>) + 'static) -> i64 {
        let at = self.end;
        self.end += entries;
        self.tables.push((at, entries, Box::new(fill)));
        at as i64
    }

    /// The same of one whose entries are read in pairs.
    fn add_even(&mut self, entries: usize, fill: impl Fn(&mut Vec<Complex<f64>>) + 'static) -> i64 {
        self.end = self.end.next_multiple_of(2);
        self.add(entries, fill)
    }

    /// The twiddles of a step: exp(∓2πi·pk/(m·r)) at [k − 1][p], 0 < k < r, p < m.
    pub fn twiddles(&mut self, radix: usize, m: usize, inverse: bool) -> i64 {
        self.add((radix - 1) * m, move |values| {
            entries::twiddles(radix, m, inverse, values)
        })
    }

    /// The same for products: in the order in which the lanes of a wave hold points, so that they read
    /// what lies beside each other, two at a time; and smaller by `down` binary digits.
    pub fn lane_twiddles(&mut self, m: usize, inverse: bool, lanes: Lanes, down: i32) -> i64 {
        let each = lanes.values.next_multiple_of(lanes.values.clamp(1, 2));
        let entries = m.next_multiple_of(LANE_COLUMNS) * lanes.lanes * each;
        self.add_even(entries, move |values| {
            entries::lane_twiddles(m, inverse, &lanes, down, values)
        })
    }

    /// exp(∓2πi·kn/p) at [n − 1][k], 0 < n ≤ (p − 1)/2, k ≤ (p − 1)/2 and on to a multiple of
    /// `pairs`.
    pub fn dense(&mut self, p: usize, pairs: usize, inverse: bool) -> i64 {
        let entries = p / 2 * (p / 2 + 1).next_multiple_of(pairs);
        self.add(entries, move |values| {
            entries::dense(p, pairs, inverse, values)
        })
    }

    /// What splits and merges half spectra of n points, for k ≤ n/2.
    pub fn halves(&mut self, n: usize, roots: HalfRoots) -> HalfTable {
        self.half_roots(vec![(n, n / 2 + 1)], roots)
    }

    /// The same for all k < n.
    pub fn facing_halves(&mut self, n: usize, roots: HalfRoots) -> HalfTable {
        self.half_roots(vec![(n, n)], roots)
    }

    /// The same for k = a + c·`lines`, part by part: of every c < n, then of every a ≤ lines/2; the
    /// product of two entries.
    pub fn mirrored_halves(&mut self, n: usize, lines: usize, roots: HalfRoots) -> HalfTable {
        self.half_roots(vec![(n, n), (n * lines, lines / 2 + 1)], roots)
    }

    /// Of each n so many k.
    fn half_roots(&mut self, parts: Vec<(usize, usize)>, roots: HalfRoots) -> HalfTable {
        let double = self.double;
        let weighted = halves_beside(&parts, roots, double) as i64;
        let points: usize = parts.iter().map(|(_, count)| count).sum();
        let entries = match roots {
            HalfRoots::Plain { .. } => points,
            HalfRoots::Weighted => 2 * points,
        };
        let at = self.add_even(entries, move |values| {
            entries::half_roots(&parts, roots, double, values)
        });
        HalfTable { at, weighted }
    }

    /// exp(∓2πi·e/n) in two levels: 2^bits low entries, then one for every multiple of 2^bits.
    pub fn roots(&mut self, n: usize, bits: u32, inverse: bool) -> i64 {
        self.add(two_levels(n, bits), move |values| {
            entries::two_levels(n, bits, inverse, values)
        })
    }

    /// exp(∓2πi·l·at/n) of every line l < `lines`, at [entry][l]: of each digit of a column, then
    /// of each row; see [`LineRoots`].
    pub fn line_roots(&mut self, twiddles: Twiddles, shape: LineRoots) -> i64 {
        let double = self.double;
        self.add(shape.entries(), move |values| {
            entries::line_roots(twiddles, &shape, double, values)
        })
    }

    /// exp(∓πi·k²/n) for k < n.
    pub fn chirp(&mut self, n: usize, direction: Direction) -> i64 {
        self.add(n, move |values| {
            values.extend(long_chirp::chirp(n, direction))
        })
    }

    /// The spectrum of the conjugate chirp in as many points as the factors make, divided by that; point k at
    /// the position in which forward passes over these factors leave it.
    pub fn spectrum(&mut self, n: usize, direction: Direction, factors: &[usize]) -> i64 {
        let (factors, double) = (factors.to_vec(), self.double);
        self.add(factors.iter().product(), move |values| {
            entries::chirp_spectrum(n, direction, &factors, double, values)
        })
    }

    /// The weights of `points` points of a real line; or, in two levels, 2^`low` turns, and then
    /// the weight of every multiple of 2^`low`.
    pub fn weights(&mut self, weight: Weight, length: usize, points: usize, low: u32) -> i64 {
        let entries = match low {
            0 => points,
            low => two_levels(points, low),
        };
        self.add(entries, move |values| {
            entries::weights(weight, length, points, low, values)
        })
    }

    /// The powers g^q of a prime's generator, q < p − 1, or their `inverses`: whole numbers below 2^23, of 32 bits each
    /// and beside each other, which kernels read as such.
    pub fn powers(&mut self, p: usize, inverses: bool) -> i64 {
        let double = self.double;
        let together = if double { 4 } else { 2 };
        self.add((p - 1).div_ceil(together), move |values| {
            entries::numbers(&entries::powers(p, inverses), double, values)
        })
    }

    /// The spectrum of w^(g^−j), j < p − 1, divided by p − 1: what Rader's convolution
    /// multiplies by, g the generator of p.
    pub fn rader(&mut self, p: usize, inverse: bool) -> i64 {
        self.add(p - 1, move |values| entries::rader(p, inverse, values))
    }

    /// Bytes of all of them.
    pub fn size(&self) -> usize {
        self.end * if self.double { 16 } else { 8 }
    }

    fn values(&self) -> Vec<Complex<f64>> {
        let mut values = Vec::with_capacity(self.end);
        for (at, entries, fill) in &self.tables {
            values.resize(*at, Complex::default());
            fill(&mut values);
            debug_assert_eq!(values.len(), at + entries);
        }
        values
    }

    /// The tables as the kernel reads them.
    pub fn bytes(&self) -> Vec<u8> {
        let values = self.values();
        let parts = values.iter().flat_map(|w| [w.re, w.im]);
        match self.double {
            true => parts.flat_map(f64::to_ne_bytes).collect(),
            false => parts.flat_map(|x| (x as f32).to_ne_bytes()).collect(),
        }
    }
}

impl std::fmt::Debug for Tables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tables({} numbers)", self.end)
    }
}

/// The numbers of two levels, 2^bits low ones and one for every multiple of that below n.
fn two_levels(n: usize, bits: u32) -> usize {
    (1 << bits) + ((n - 1) >> bits) + 1
}

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
