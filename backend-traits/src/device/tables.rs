//! What kernels look up instead of computing: roots of unity, chirps and their spectra, all
//! from double-double arithmetic on the host, rounded once. The file is long because every table that a
//! kernel knows is made here, a function each.

use super::matrices::Lanes;
use crate::kind::Direction;
use crate::real::Weights;
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
        let entries = |l: &LineRoots| (l.base * l.digits as usize + rows).saturating_mul(lines);
        let all = [of(1), of(2), of(3)];
        let fits = |most: usize| all.iter().find(|l| entries(l) <= most).copied();
        let least = || all.last().copied().filter(|_| must);
        fits(small).or_else(|| fits(large)).or_else(least)
    }
}

/// Columns whose twiddles lie beside each other: those that NVIDIA's lanes have at a time, and half of those of AMD's.
/// TWIDDLE_COLUMNS of `device/matrix.hpp`.
const LANE_COLUMNS: usize = 8;

/// The tables of one pass: complex numbers, one after another.
#[derive(Debug)]
pub struct Tables {
    /// Whether the kernel reads f64.
    double: bool,
    values: Vec<Complex<f64>>,
}

fn turned(w: Complex<f64>, inverse: bool) -> Complex<f64> {
    if inverse {
        w.conj()
    } else {
        w
    }
}

impl Tables {
    /// None yet.
    pub fn new(double: bool) -> Self {
        Tables {
            double,
            values: Vec::new(),
        }
    }

    /// Entries so far: the offset of the next table.
    fn end(&self) -> i64 {
        self.values.len() as i64
    }

    /// The twiddles of a step: exp(∓2πi·pk/(m·r)) at [k − 1][p], 0 < k < r, p < m.
    pub fn twiddles(&mut self, radix: usize, m: usize, inverse: bool) -> i64 {
        let at = self.end();
        let roots = Roots::new(radix * m);
        for k in 1..radix {
            for p in 0..m {
                let w = roots.get(p * k % (radix * m)).to_c64();
                self.values.push(turned(w, inverse));
            }
        }
        at
    }

    /// The same for products: in the order in which the lanes of a wave hold points, so that they read
    /// what lies beside each other, two at a time; and smaller by `down` binary digits.
    pub fn lane_twiddles(&mut self, m: usize, inverse: bool, lanes: &Lanes, down: i32) -> i64 {
        let at = self.even_end();
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
                            self.values.push(w * scale);
                        }
                    }
                }
            }
        }
        at
    }

    /// exp(∓2πi·kn/p) at [n − 1][k], 0 < n ≤ (p − 1)/2, k ≤ (p − 1)/2 and on to a multiple of
    /// `pairs`.
    pub fn dense(&mut self, p: usize, pairs: usize, inverse: bool) -> i64 {
        let at = self.end();
        let roots = Roots::new(p);
        let row = (p / 2 + 1).next_multiple_of(pairs);
        for n in 1..=p / 2 {
            let values = (0..row).map(|k| turned(roots.get(k * n % p).to_c64(), inverse));
            self.values.extend(values);
        }
        at
    }

    /// What splits and merges half spectra of n points, for k ≤ n/2.
    pub fn halves(&mut self, n: usize, roots: HalfRoots) -> HalfTable {
        self.half_roots(&[(n, n / 2 + 1)], roots)
    }

    /// The same for all k < n.
    pub fn facing_halves(&mut self, n: usize, roots: HalfRoots) -> HalfTable {
        self.half_roots(&[(n, n)], roots)
    }

    /// The same for k = a + c·`lines`, part by part: of every c < n, then of every a ≤ lines/2; the
    /// product of two entries.
    pub fn mirrored_halves(&mut self, n: usize, lines: usize, roots: HalfRoots) -> HalfTable {
        self.half_roots(&[(n, n), (n * lines, lines / 2 + 1)], roots)
    }

    /// Of so many k for each n.
    fn half_roots(&mut self, parts: &[(usize, usize)], roots: HalfRoots) -> HalfTable {
        let at = self.even_end();
        let mut entries: Vec<[Complex<f64>; 2]> = Vec::new();
        for &(n, count) in parts {
            let all = Roots::new(8 * n);
            let root = |k: usize| all.get(k % (8 * n)).to_c64();
            entries.extend((0..count).map(|k| match roots {
                HalfRoots::Plain { inverse } => [turned(root(4 * k), inverse); 2],
                HalfRoots::Weighted => [root(5 * k), root(k)],
            }));
        }
        let beside = match roots {
            HalfRoots::Plain { .. } => 0,
            // Two of FP32 are one access; those of FP64 would leave gaps between what lanes read.
            HalfRoots::Weighted if !self.double => 1,
            HalfRoots::Weighted => entries.len(),
        };
        if beside == 1 {
            self.values.extend(entries.iter().flatten());
        } else {
            self.values.extend(entries.iter().map(|[odd, _]| odd));
            self.values
                .extend(entries.iter().take(beside).map(|[_, even]| even));
        }
        HalfTable {
            at,
            weighted: beside as i64,
        }
    }

    /// The offset of a table whose entries are read in pairs.
    fn even_end(&mut self) -> i64 {
        if !self.values.len().is_multiple_of(2) {
            self.values.push(Complex::default());
        }
        self.end()
    }

    /// exp(∓2πi·e/n) in two levels: 2^bits low entries, then one for every multiple of 2^bits.
    pub fn roots(&mut self, n: usize, bits: u32, inverse: bool) -> i64 {
        let at = self.end();
        let low = (0..1usize << bits).map(|e| root(e % n, n));
        let high = (0..=(n - 1) >> bits).map(|e| root(e << bits, n));
        let both = low.chain(high).map(|w| turned(w.to_c64(), inverse));
        self.values.extend(both);
        at
    }

    /// exp(∓2πi·l·at/n) of every line l < `lines`, at [entry][l]: of each digit of a column, then
    /// of each row; see [`LineRoots`].
    pub fn line_roots(&mut self, twiddles: Twiddles, shape: &LineRoots) -> i64 {
        let at = self.end();
        let n = twiddles.length;
        let digit = |d: u32| (0..shape.base).map(move |i| i * shape.base.pow(d));
        let columns = (0..shape.digits).flat_map(digit);
        let rows = (0..shape.rows).map(|k| k * shape.columns);
        let exact = self.double.then(|| Roots::new(n));
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
                self.values.push(match turn {
                    true => Complex::new(w.im, -w.re),
                    false => w,
                });
            }
        }
        at
    }

    /// exp(∓πi·k²/n) for k < n.
    pub fn chirp(&mut self, n: usize, direction: Direction) -> i64 {
        let at = self.end();
        let values = chirp(n, direction).into_iter().map(|w| w.to_c64());
        self.values.extend(values);
        at
    }

    /// The spectrum of the conjugate chirp in `padded` points, divided by `padded`; point k at
    /// the position in which forward passes over these factors leave it.
    pub fn spectrum(&mut self, n: usize, direction: Direction, factors: &[usize]) -> i64 {
        let at = self.end();
        let padded: usize = factors.iter().product();
        let chirp = chirp(n, direction);
        let mut kernel = vec![ComplexDd::from(Complex::default()); padded];
        for (k, w) in chirp.iter().enumerate() {
            kernel[k] = w.conj();
            kernel[(padded - k) % padded] = w.conj();
        }
        let exact = padded <= EXACT_SPECTRUM[usize::from(self.double)];
        let spectrum = spectrum(&kernel, exact);
        for position in 0..padded {
            // k = k1 + M1·(k2 + M2·(k3 + …)) lies at (k1·M2 + k2)·M3 + k3 …
            let (mut rest, mut k) = (position, 0);
            for &factor in factors.iter().rev() {
                k = k * factor + rest % factor;
                rest /= factor;
            }
            self.values.push(spectrum[k]);
        }
        at
    }

    /// The weights of `points` points of a real line; or, in two levels, 2^`low` turns, and then
    /// the weight of every multiple of 2^`low`.
    pub fn weights(&mut self, weights: &Weights, points: usize, low: u32) -> i64 {
        let at = self.end();
        if low == 0 {
            let all = (0..points).map(|p| weights.of(p).to_c64());
            self.values.extend(all);
            return at;
        }
        let turns = (0..1 << low).map(|p| weights.turn(p).to_c64());
        let coarse = (0..=(points - 1) >> low).map(|p| weights.turned(p << low).to_c64());
        self.values.extend(turns.chain(coarse));
        at
    }

    /// Whole numbers below 2^23, of 32 bits each and beside each other, which kernels read as such.
    pub fn numbers(&mut self, numbers: impl Iterator<Item = usize>) -> i64 {
        let at = self.end();
        let numbers: Vec<u32> = numbers.map(|n| n as u32).collect();
        // Of FP32 the bits of a float, which FP64 holds too.
        let words: Vec<f64> = match self.double {
            true => {
                let both = |n: &[u32]| u64::from(n[0]) | u64::from(*n.get(1).unwrap_or(&0)) << 32;
                numbers.chunks(2).map(|n| f64::from_bits(both(n))).collect()
            }
            false => numbers.iter().map(|&n| f32::from_bits(n).into()).collect(),
        };
        let pair = |w: &[f64]| Complex::new(w[0], *w.get(1).unwrap_or(&0.0));
        self.values.extend(words.chunks(2).map(pair));
        at
    }

    /// The spectrum of w^(g^−j), j < p − 1, divided by p − 1: what Rader's convolution
    /// multiplies by. `powers` are those of the generator g.
    pub fn rader(&mut self, powers: &[usize], p: usize, inverse: bool) -> i64 {
        let at = self.end();
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
        self.values
            .extend(spectrum.into_iter().map(|x| x.scale(scale).to_c64()));
        at
    }

    /// The tables as the kernel reads them.
    pub fn bytes(&self) -> Vec<u8> {
        let parts = self.values.iter().flat_map(|w| [w.re, w.im]);
        match self.double {
            true => parts.flat_map(f64::to_ne_bytes).collect(),
            false => parts.flat_map(|x| (x as f32).to_ne_bytes()).collect(),
        }
    }
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
        for e in [0, 1, 31, 32, 999] {
            let w = tables.values[at + e % 32] * tables.values[at + 32 + e / 32];
            assert!((w - root(e, 1000).to_c64().conj()).norm() < 1e-15);
        }
    }
}
