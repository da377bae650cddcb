//! What kernels look up instead of computing: roots of unity, chirps and their spectra, all
//! from double-double arithmetic on the host, rounded once. The file is long because every table that a
//! kernel knows is made here, a function each.

use super::matrices::Lanes;
use crate::generator_powers;
use crate::kind::Direction;
use crate::real::{Weight, Weights};
use crate::reference::{root, ComplexDd, Dd, ReferenceFft, Roots};
use num_complex::Complex;

/// The longest convolution whose spectrum is computed in double-double, for tables in f32 and
/// in f64; beyond, in f64. The second takes a second, and is seen in the error of 2^20 points.
const EXACT_SPECTRUM: [usize; 2] = [1 << 17, 1 << 21];

/// The tables of four-step twiddles by line: a point of a line is column + row·columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRoots {
    pub lines: usize,
    pub columns: usize,
    pub rows: usize,
    /// Columns are numbers of so many digits to this base.
    pub base: usize,
    pub digits: u32,
}

/// The roots by which half spectra of n points are split and merged.
#[derive(Debug, Clone, Copy)]
pub enum HalfRoots {
    /// exp(∓πi·k/n).
    Plain {
        /// With the upper sign's conjugate.
        inverse: bool,
    },
    /// Those of types II and III, whose points have weights besides: the fifth power of exp(−πi·k/4n), and that.
    Weighted,
}

/// Where such roots begin, and `Step::weighted`.
pub struct HalfTable {
    pub at: i64,
    pub weighted: i64,
}

/// Four-step twiddles exp(∓2πi·e/n), and whether they are times −i.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Twiddles {
    pub length: usize,
    pub inverse: bool,
    pub turned: bool,
}

impl LineRoots {
    /// With as few digits, and so products, as keep the tables small; `None` where even the most
    /// digits do not, unless they `must`: tables in two levels cannot be turned.
    pub fn new(
        lines: usize,
        columns: usize,
        rows: usize,
        double: bool,
        must: bool,
    ) -> Option<Self> {
        let [small, large] = match double {
            true => [1 << 16, 1 << 18],
            false => [1 << 18, 1 << 20],
        };
        let of = |digits: u32| {
            let mut base = (columns as f64).powf(1.0 / f64::from(digits)).ceil() as usize;
            while base.pow(digits) < columns {
                base += 1;
            }
            LineRoots {
                lines,
                columns,
                rows,
                base,
                digits,
            }
        };
        let all = [of(1), of(2), of(3)];
        let fits = |most: usize| all.iter().find(|l| l.entries() <= most).copied();
        let least = || all.last().copied().filter(|_| must);
        fits(small).or_else(|| fits(large)).or_else(least)
    }

    fn entries(&self) -> usize {
        (self.base * self.digits as usize + self.rows).saturating_mul(self.lines)
    }
}

/// Columns whose twiddles lie beside each other: those that NVIDIA's lanes have at a time, and half of those of AMD's.
/// TWIDDLE_COLUMNS of `device/matrix.hpp`.
const LANE_COLUMNS: usize = 8;

/// A table, as what it holds.
#[derive(Debug, Clone)]
enum Table {
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

    fn add(&mut self, table: Table) -> i64 {
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

    /// The roots of a dense sum.
    pub fn dense(&mut self, p: usize, pairs: usize, inverse: bool) -> i64 {
        self.add(Table::Dense { p, pairs, inverse })
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

    /// Roots in two levels.
    pub fn roots(&mut self, n: usize, bits: u32, inverse: bool) -> i64 {
        self.add(Table::Roots { n, bits, inverse })
    }

    /// Four-step twiddles by line.
    pub fn line_roots(&mut self, twiddles: Twiddles, shape: &LineRoots) -> i64 {
        self.add(Table::LineRoots {
            twiddles,
            shape: *shape,
        })
    }

    /// A chirp.
    pub fn chirp(&mut self, n: usize, direction: Direction) -> i64 {
        self.add(Table::Chirp { n, direction })
    }

    /// The spectrum of a chirp.
    pub fn spectrum(&mut self, n: usize, direction: Direction, factors: &[usize]) -> i64 {
        self.add(Table::Spectrum {
            n,
            direction,
            factors: factors.to_vec(),
        })
    }

    /// The weights of a line of `length` reals, if they are not all 1.
    pub fn weights(&mut self, weight: Weight, length: usize, points: usize, low: u32) -> i64 {
        self.add(Table::Weights {
            weight,
            length,
            points,
            low,
        })
    }

    /// The powers of a prime's generator, or their inverses.
    pub fn powers(&mut self, p: usize, inverses: bool) -> i64 {
        self.add(Table::Powers { p, inverses })
    }

    /// The spectrum of Rader's convolution.
    pub fn rader(&mut self, p: usize, inverse: bool) -> i64 {
        self.add(Table::Rader { p, inverse })
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

/// How far behind the first root of a point the second one is, 0 where there is one: two of FP32 are one access, and those
/// of FP64 would leave gaps between what lanes read.
fn halves_beside(parts: &[(usize, usize)], roots: HalfRoots, double: bool) -> usize {
    match roots {
        HalfRoots::Plain { .. } => 0,
        HalfRoots::Weighted if !double => 1,
        HalfRoots::Weighted => parts.iter().map(|(_, count)| count).sum(),
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
            Table::Twiddles { radix, m, inverse } => twiddles(*radix, *m, *inverse, values),
            Table::LaneTwiddles {
                m,
                inverse,
                lanes,
                down,
            } => lane_twiddles(*m, *inverse, lanes, *down, values),
            Table::Dense { p, pairs, inverse } => dense(*p, *pairs, *inverse, values),
            Table::Halves { parts, roots } => half_roots(parts, *roots, double, values),
            Table::Roots { n, bits, inverse } => two_levels(*n, *bits, *inverse, values),
            Table::LineRoots { twiddles, shape } => line_roots(*twiddles, shape, double, values),
            Table::Chirp { n, direction } => {
                values.extend(chirp(*n, *direction).into_iter().map(|w| w.to_c64()));
            }
            Table::Spectrum {
                n,
                direction,
                factors,
            } => chirp_spectrum(*n, *direction, factors, double, values),
            Table::Weights {
                weight,
                length,
                points,
                low,
            } => weights(*weight, *length, *points, *low, values),
            Table::Powers { p, inverses } => numbers(&powers(*p, *inverses), double, values),
            Table::Rader { p, inverse } => rader(*p, *inverse, values),
        }
    }
}

fn turned(w: Complex<f64>, inverse: bool) -> Complex<f64> {
    if inverse {
        w.conj()
    } else {
        w
    }
}

fn twiddles(radix: usize, m: usize, inverse: bool, values: &mut Vec<Complex<f64>>) {
    let roots = Roots::new(radix * m);
    for k in 1..radix {
        for p in 0..m {
            let w = roots.get(p * k % (radix * m)).to_c64();
            values.push(turned(w, inverse));
        }
    }
}

fn lane_twiddles(
    m: usize,
    inverse: bool,
    lanes: &Lanes,
    down: i32,
    values: &mut Vec<Complex<f64>>,
) {
    let order = lanes.radix * m;
    let roots = Roots::new(order);
    let scale = f64::powi(0.5, down);
    let together = lanes.values.min(2);
    for first in (0..m).step_by(LANE_COLUMNS) {
        for j in (0..lanes.values).step_by(together) {
            for p in first..first + LANE_COLUMNS {
                for t in 0..lanes.lanes {
                    for i in 0..together {
                        let k = lanes.point(t, j + i);
                        let w = match k < lanes.radix {
                            true => turned(roots.get(p * k % order).to_c64(), inverse),
                            false => Complex::default(),
                        };
                        values.push(w * scale);
                    }
                }
            }
        }
    }
}

fn dense(p: usize, pairs: usize, inverse: bool, values: &mut Vec<Complex<f64>>) {
    let roots = Roots::new(p);
    let row = (p / 2 + 1).next_multiple_of(pairs);
    for n in 1..=p / 2 {
        let of_row = (0..row).map(|k| turned(roots.get(k * n % p).to_c64(), inverse));
        values.extend(of_row);
    }
}

fn half_roots(
    parts: &[(usize, usize)],
    roots: HalfRoots,
    double: bool,
    values: &mut Vec<Complex<f64>>,
) {
    let mut entries: Vec<[Complex<f64>; 2]> = Vec::new();
    for &(n, count) in parts {
        let all = Roots::new(8 * n);
        let root = |k: usize| all.get(k % (8 * n)).to_c64();
        entries.extend((0..count).map(|k| match roots {
            HalfRoots::Plain { inverse } => [turned(root(4 * k), inverse); 2],
            HalfRoots::Weighted => [root(5 * k), root(k)],
        }));
    }
    let beside = halves_beside(parts, roots, double);
    if beside == 1 {
        values.extend(entries.iter().flatten());
    } else {
        values.extend(entries.iter().map(|[odd, _]| odd));
        values.extend(entries.iter().take(beside).map(|[_, even]| even));
    }
}

fn two_levels(n: usize, bits: u32, inverse: bool, values: &mut Vec<Complex<f64>>) {
    let low = (0..1usize << bits).map(|e| root(e % n, n));
    let high = (0..=(n - 1) >> bits).map(|e| root(e << bits, n));
    let both = low.chain(high).map(|w| turned(w.to_c64(), inverse));
    values.extend(both);
}

fn line_roots(twiddles: Twiddles, shape: &LineRoots, double: bool, values: &mut Vec<Complex<f64>>) {
    let n = twiddles.length;
    let digit = |d: u32| (0..shape.base).map(move |i| i * shape.base.pow(d));
    let columns = (0..shape.digits).flat_map(digit);
    let rows = (0..shape.rows).map(|k| k * shape.columns);
    let exact = double.then(|| Roots::new(n));
    // Rounded to FP32 next, these need no double-double.
    let quick = |e: usize| {
        let (s, c) = (-std::f64::consts::TAU * e as f64 / n as f64).sin_cos();
        Complex::new(c, s)
    };
    for (i, step) in columns.chain(rows).enumerate() {
        // Every point is multiplied by one column's first digit.
        let turn = twiddles.turned && i < shape.base;
        let mut e = 0;
        for _ in 0..shape.lines {
            let w = exact
                .as_ref()
                .map_or_else(|| quick(e), |roots| roots.get(e).to_c64());
            let w = turned(w, twiddles.inverse);
            e = (e + step) % n;
            values.push(match turn {
                true => Complex::new(w.im, -w.re),
                false => w,
            });
        }
    }
}

fn chirp_spectrum(
    n: usize,
    direction: Direction,
    factors: &[usize],
    double: bool,
    values: &mut Vec<Complex<f64>>,
) {
    let padded: usize = factors.iter().product();
    let chirp = chirp(n, direction);
    let mut kernel = vec![ComplexDd::from(Complex::default()); padded];
    for (k, w) in chirp.iter().enumerate() {
        kernel[k] = w.conj();
        kernel[(padded - k) % padded] = w.conj();
    }
    let exact = padded <= EXACT_SPECTRUM[usize::from(double)];
    let spectrum = spectrum(&kernel, exact);
    for position in 0..padded {
        // k = k1 + M1·(k2 + M2·(k3 + …)) lies at (k1·M2 + k2)·M3 + k3 …
        let (mut rest, mut k) = (position, 0);
        for &factor in factors.iter().rev() {
            k = k * factor + rest % factor;
            rest /= factor;
        }
        values.push(spectrum[k]);
    }
}

fn weights(weight: Weight, length: usize, points: usize, low: u32, values: &mut Vec<Complex<f64>>) {
    let weights = Weights::new(weight, length).expect("some are not 1");
    if low == 0 {
        let all = (0..points).map(|p| weights.of(p).to_c64());
        values.extend(all);
        return;
    }
    let turns = (0..1 << low).map(|p| weights.turn(p).to_c64());
    let coarse = (0..=(points - 1) >> low).map(|p| weights.turned(p << low).to_c64());
    values.extend(turns.chain(coarse));
}

/// The powers of a prime's generator, or their inverses: g^−q = g^(p−1−q).
fn powers(p: usize, inverses: bool) -> Vec<usize> {
    let powers = generator_powers(p);
    match inverses {
        true => (0..p - 1).map(|q| powers[(p - 1 - q) % (p - 1)]).collect(),
        false => powers,
    }
}

fn numbers(numbers: &[usize], double: bool, values: &mut Vec<Complex<f64>>) {
    let numbers: Vec<u32> = numbers.iter().map(|&n| n as u32).collect();
    // Of FP32 the bits of a float, which FP64 holds too.
    let words: Vec<f64> = match double {
        true => {
            let both = |n: &[u32]| u64::from(n[0]) | u64::from(*n.get(1).unwrap_or(&0)) << 32;
            numbers.chunks(2).map(|n| f64::from_bits(both(n))).collect()
        }
        false => numbers.iter().map(|&n| f32::from_bits(n).into()).collect(),
    };
    let pair = |w: &[f64]| Complex::new(w[0], *w.get(1).unwrap_or(&0.0));
    values.extend(words.chunks(2).map(pair));
}

fn rader(p: usize, inverse: bool, values: &mut Vec<Complex<f64>>) {
    let powers = generator_powers(p);
    let roots = Roots::new(p);
    let value = |j: usize| {
        let w = roots.get(powers[(p - 1 - j) % (p - 1)]);
        if inverse {
            w.conj()
        } else {
            w
        }
    };
    let kernel: Vec<ComplexDd> = (0..p - 1).map(value).collect();
    let scale = Dd::from(1.0) / Dd::from_u64(p as u64 - 1);
    let spectrum = ReferenceFft::new(p - 1).forward(&kernel);
    values.extend(spectrum.into_iter().map(|x| x.scale(scale).to_c64()));
}

fn chirp(n: usize, direction: Direction) -> Vec<ComplexDd> {
    let roots = Roots::new(2 * n);
    let order = 2 * n as u128;
    let square = |k: usize| (k as u128 * k as u128 % order) as usize;
    let value = |k| match direction {
        Direction::Forward => roots.get(square(k)),
        Direction::Inverse => roots.get(square(k)).conj(),
    };
    (0..n).map(value).collect()
}

/// The DFT of a convolution's kernel, divided by its length: rounded once, or computed in f64.
fn spectrum(kernel: &[ComplexDd], exact: bool) -> Vec<Complex<f64>> {
    let n = kernel.len();
    if exact {
        let scale = Dd::from(1.0) / Dd::from_u64(n as u64);
        let values = ReferenceFft::new(n).forward(kernel).into_iter();
        return values.map(|x| x.scale(scale).to_c64()).collect();
    }
    let kernel: Vec<_> = kernel.iter().map(|x| x.nearest()).collect();
    let values = ReferenceFft::<f64>::new(n).forward(&kernel).into_iter();
    values.map(|x| x.to_c64() / n as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spectrum_in_f64_is_that_in_double_double() {
        let kernel: Vec<ComplexDd> = (0..144)
            .map(|k| Complex::new(f64::from(k * k % 7), f64::from(k % 5)).into())
            .collect();
        let [rounded, exact] = [false, true].map(|exact| spectrum(&kernel, exact));
        for (x, y) in rounded.into_iter().zip(exact) {
            assert!((x - y).norm() < 1e-14);
        }
    }

    #[test]
    fn two_levels_make_every_root() {
        let mut tables = Tables::new(true);
        let at = tables.roots(1000, 5, true) as usize;
        let values = tables.values();
        for e in [0, 1, 31, 32, 999] {
            let w = values[at + e % 32] * values[at + 32 + e / 32];
            assert!((w - root(e, 1000).to_c64().conj()).norm() < 1e-15);
        }
    }
}
