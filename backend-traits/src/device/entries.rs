//! The entries of tables: roots of unity, chirps and their spectra, all
//! from double-double arithmetic on the host, rounded once.

use super::long_chirp;
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

/// Four-step twiddles exp(∓2πi·e/n), whether they are times −i, and of which line the first is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Twiddles {
    pub length: usize,
    pub inverse: bool,
    pub turned: bool,
    pub first: usize,
}

impl LineRoots {
    /// With as few digits, and so products, as keep the tables small; `None` where even the most
    /// digits do not, unless they `must`: tables in two levels can neither be turned nor begin with a later line.
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

    /// How many complex numbers they are.
    pub fn entries(&self) -> usize {
        (self.base * self.digits as usize + self.rows).saturating_mul(self.lines)
    }
}

/// Columns whose twiddles lie beside each other: those that NVIDIA's lanes have at a time, and half of those of AMD's.
/// TWIDDLE_COLUMNS of `device/matrix.hpp`.
pub const LANE_COLUMNS: usize = 8;

/// How far behind the first root of a point the second one is, 0 where there is one: two of FP32 are one access, and those
/// of FP64 would leave gaps between what lanes read.
pub fn halves_beside(parts: &[(usize, usize)], roots: HalfRoots, double: bool) -> usize {
    match roots {
        HalfRoots::Plain { .. } => 0,
        HalfRoots::Weighted if !double => 1,
        HalfRoots::Weighted => parts.iter().map(|(_, count)| count).sum(),
    }
}

fn turned(w: Complex<f64>, inverse: bool) -> Complex<f64> {
    if inverse {
        w.conj()
    } else {
        w
    }
}

pub fn twiddles(radix: usize, m: usize, inverse: bool, values: &mut Vec<Complex<f64>>) {
    let roots = Roots::new(radix * m);
    for k in 1..radix {
        for p in 0..m {
            let w = roots.get(p * k % (radix * m)).to_c64();
            values.push(turned(w, inverse));
        }
    }
}

pub fn lane_twiddles(
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

pub fn dense(p: usize, pairs: usize, inverse: bool, values: &mut Vec<Complex<f64>>) {
    let roots = Roots::new(p);
    let row = (p / 2 + 1).next_multiple_of(pairs);
    for n in 1..=p / 2 {
        let of_row = (0..row).map(|k| turned(roots.get(k * n % p).to_c64(), inverse));
        values.extend(of_row);
    }
}

pub fn half_roots(
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

pub fn two_levels(n: usize, bits: u32, inverse: bool, values: &mut Vec<Complex<f64>>) {
    let low = (0..1usize << bits).map(|e| root(e % n, n));
    let high = (0..=(n - 1) >> bits).map(|e| root(e << bits, n));
    let both = low.chain(high).map(|w| turned(w.to_c64(), inverse));
    values.extend(both);
}

pub fn line_roots(
    twiddles: Twiddles,
    shape: &LineRoots,
    double: bool,
    values: &mut Vec<Complex<f64>>,
) {
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
        let mut e = (step as u128 * twiddles.first as u128 % n as u128) as usize;
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

pub fn chirp_spectrum(
    n: usize,
    direction: Direction,
    factors: &[usize],
    double: bool,
    values: &mut Vec<Complex<f64>>,
) {
    let padded: usize = factors.iter().product();
    let exact = padded <= EXACT_SPECTRUM[usize::from(double)];
    let mut in_order = |point: &dyn Fn(usize) -> Complex<f64>| {
        values.extend((0..padded).map(|position| {
            // k = k1 + M1·(k2 + M2·(k3 + …)) lies at (k1·M2 + k2)·M3 + k3 …
            let (mut rest, mut k) = (position, 0);
            for &factor in factors.iter().rev() {
                k = k * factor + rest % factor;
                rest /= factor;
            }
            point(k)
        }));
    };
    // The kernel is the chirp's conjugate, to both sides.
    let of_kernel = |j: usize| Some(j.min(padded - j)).filter(|&k| k < n);
    if exact {
        let chirp = chirp(n, direction);
        let zero = ComplexDd::from(Complex::default());
        let kernel = |j| of_kernel(j).map_or(zero, |k| chirp[k].conj());
        let kernel: Vec<_> = (0..padded).map(kernel).collect();
        let spectrum = ReferenceFft::new(padded).forward(&kernel);
        let scale = Dd::from(1.0) / Dd::from_u64(padded as u64);
        in_order(&|k| spectrum[k].scale(scale).to_c64());
    } else {
        let chirp = long_chirp::chirp(n, direction);
        let kernel = |j| of_kernel(j).map_or(Complex::default(), |k| chirp[k].conj());
        let spectrum = long_chirp::Spectrum::new(padded, kernel);
        in_order(&|k| spectrum.get(k));
    }
}

pub fn weights(
    weight: Weight,
    length: usize,
    points: usize,
    low: u32,
    values: &mut Vec<Complex<f64>>,
) {
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
pub fn powers(p: usize, inverses: bool) -> Vec<usize> {
    let powers = generator_powers(p);
    match inverses {
        true => (0..p - 1).map(|q| powers[(p - 1 - q) % (p - 1)]).collect(),
        false => powers,
    }
}

pub fn numbers(numbers: &[usize], double: bool, values: &mut Vec<Complex<f64>>) {
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

pub fn rader(p: usize, inverse: bool, values: &mut Vec<Complex<f64>>) {
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

pub fn chirp(n: usize, direction: Direction) -> Vec<ComplexDd> {
    let roots = Roots::new(2 * n);
    let order = 2 * n as u128;
    let square = |k: usize| (k as u128 * k as u128 % order) as usize;
    let value = |k| match direction {
        Direction::Forward => roots.get(square(k)),
        Direction::Inverse => roots.get(square(k)).conj(),
    };
    (0..n).map(value).collect()
}
