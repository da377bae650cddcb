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

/// A table, as what it holds.
#[derive(Debug, Clone)]
pub enum Table {
    /// exp(∓2πi·pk/(m·r)) at [k − 1][p], 0 < k < r, p < m.
    Twiddles {
        radix: usize,
        m: usize,
        inverse: bool,
    },
    /// The same for products: in the order in which the lanes of a wave hold points, so that they read
    /// what lies beside each other, two at a time; and smaller by `down` binary digits.
    LaneTwiddles {
        m: usize,
        inverse: bool,
        lanes: Lanes,
        down: i32,
    },
    /// exp(∓2πi·kn/p) at [n − 1][k], 0 < n ≤ (p − 1)/2, k ≤ (p − 1)/2 and on to a multiple of
    /// `pairs`.
    Dense {
        p: usize,
        pairs: usize,
        inverse: bool,
    },
    /// What splits and merges half spectra: of each n so many k.
    Halves {
        parts: Vec<(usize, usize)>,
        roots: HalfRoots,
    },
    /// exp(∓2πi·e/n) in two levels: 2^bits low entries, then one for every multiple of 2^bits.
    Roots { n: usize, bits: u32, inverse: bool },
    /// exp(∓2πi·l·at/n) of every line l < `lines`, at [entry][l]: of each digit of a column, then
    /// of each row; see [`LineRoots`].
    LineRoots {
        twiddles: Twiddles,
        shape: LineRoots,
    },
    /// exp(∓πi·k²/n) for k < n.
    Chirp { n: usize, direction: Direction },
    /// The spectrum of the conjugate chirp in as many points as the factors make, divided by that; point k at
    /// the position in which forward passes over these factors leave it.
    Spectrum {
        n: usize,
        direction: Direction,
        factors: Vec<usize>,
    },
    /// The weights of `points` points of a real line; or, in two levels, 2^`low` turns, and then
    /// the weight of every multiple of 2^`low`.
    Weights {
        weight: Weight,
        length: usize,
        points: usize,
        low: u32,
    },
    /// The powers g^q of a prime's generator, q < p − 1, or their `inverses`: whole numbers below 2^23, of 32 bits each
    /// and beside each other, which kernels read as such.
    Powers { p: usize, inverses: bool },
    /// The spectrum of w^(g^−j), j < p − 1, divided by p − 1: what Rader's convolution
    /// multiplies by, g the generator of p.
    Rader { p: usize, inverse: bool },
}

/// The tables of one pass: complex numbers, one after another. Where each begins follows from their lengths; the numbers
/// are computed when [`Tables::bytes`] asks for them.
#[derive(Debug)]
pub struct Tables {
    /// Whether the kernel reads f64.
    double: bool,
    /// Each with where it begins.
    tables: Vec<(usize, Table)>,
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

    /// Adds a table; returns where it begins.
    pub fn add(&mut self, table: Table) -> i64 {
        let at = self.end;
        self.end += table.entries(self.double);
        self.tables.push((at, table));
        at as i64
    }

    /// The same of one whose entries are read in pairs.
    fn add_even(&mut self, table: Table) -> i64 {
        self.end = self.end.next_multiple_of(2);
        self.add(table)
    }

    /// The twiddles of a step.
    pub fn twiddles(&mut self, radix: usize, m: usize, inverse: bool) -> i64 {
        self.add(Table::Twiddles { radix, m, inverse })
    }

    /// The same for products.
    pub fn lane_twiddles(&mut self, m: usize, inverse: bool, lanes: &Lanes, down: i32) -> i64 {
        self.add_even(Table::LaneTwiddles {
            m,
            inverse,
            lanes: *lanes,
            down,
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

    fn half_roots(&mut self, parts: Vec<(usize, usize)>, roots: HalfRoots) -> HalfTable {
        let weighted = halves_beside(&parts, roots, self.double) as i64;
        let at = self.add_even(Table::Halves { parts, roots });
        HalfTable { at, weighted }
    }

    /// The spectrum of a chirp.
    pub fn spectrum(&mut self, n: usize, direction: Direction, factors: &[usize]) -> i64 {
        self.add(Table::Spectrum {
            n,
            direction,
            factors: factors.to_vec(),
        })
    }

    /// Bytes of all of them.
    pub fn size(&self) -> usize {
        self.end * if self.double { 16 } else { 8 }
    }

    fn values(&self) -> Vec<Complex<f64>> {
        let mut values = Vec::with_capacity(self.end);
        for (at, table) in &self.tables {
            values.resize(*at, Complex::default());
            table.fill(self.double, &mut values);
            debug_assert_eq!(values.len(), at + table.entries(self.double), "{table:?}");
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

impl Table {
    /// How many complex numbers it has.
    fn entries(&self, double: bool) -> usize {
        match self {
            Table::Twiddles { radix, m, .. } => (radix - 1) * m,
            Table::LaneTwiddles { m, lanes, .. } => {
                let values = lanes.values.next_multiple_of(lanes.values.clamp(1, 2));
                m.next_multiple_of(LANE_COLUMNS) * lanes.lanes * values
            }
            Table::Dense { p, pairs, .. } => p / 2 * (p / 2 + 1).next_multiple_of(*pairs),
            Table::Halves { parts, roots } => {
                let points: usize = parts.iter().map(|(_, count)| count).sum();
                match roots {
                    HalfRoots::Plain { .. } => points,
                    HalfRoots::Weighted => 2 * points,
                }
            }
            Table::Roots { n, bits, .. } => (1 << bits) + ((n - 1) >> bits) + 1,
            Table::LineRoots { shape, .. } => shape.entries(),
            Table::Chirp { n, .. } => *n,
            Table::Spectrum { factors, .. } => factors.iter().product(),
            Table::Weights { points, low: 0, .. } => *points,
            Table::Weights { points, low, .. } => (1 << low) + ((points - 1) >> low) + 1,
            Table::Powers { p, .. } => (p - 1).div_ceil(if double { 4 } else { 2 }),
            Table::Rader { p, .. } => p - 1,
        }
    }

    /// Appends its numbers.
    fn fill(&self, double: bool, values: &mut Vec<Complex<f64>>) {
        match self {
            Table::Twiddles { radix, m, inverse } => {
                entries::twiddles(*radix, *m, *inverse, values)
            }
            Table::LaneTwiddles {
                m,
                inverse,
                lanes,
                down,
            } => entries::lane_twiddles(*m, *inverse, lanes, *down, values),
            Table::Dense { p, pairs, inverse } => entries::dense(*p, *pairs, *inverse, values),
            Table::Halves { parts, roots } => entries::half_roots(parts, *roots, double, values),
            Table::Roots { n, bits, inverse } => entries::two_levels(*n, *bits, *inverse, values),
            Table::LineRoots { twiddles, shape } => {
                entries::line_roots(*twiddles, shape, double, values)
            }
            Table::Chirp { n, direction } => values.extend(long_chirp::chirp(*n, *direction)),
            Table::Spectrum {
                n,
                direction,
                factors,
            } => entries::chirp_spectrum(*n, *direction, factors, double, values),
            Table::Weights {
                weight,
                length,
                points,
                low,
            } => entries::weights(*weight, *length, *points, *low, values),
            Table::Powers { p, inverses } => {
                entries::numbers(&entries::powers(*p, *inverses), double, values)
            }
            Table::Rader { p, inverse } => entries::rader(*p, *inverse, values),
        }
    }
}

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
