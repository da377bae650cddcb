//! The matrix engine's model: DFTs as products of 16-bit fragments with FP32 sums.
//!
//! A step of radix r multiplies the columns of an r × n/r complex matrix. In planar form
//! that is a real product of the 2r × 2r matrix [[C, S], [−S, C]] with columns of r real
//! and r imaginary parts; for radix 2 it is two F2 on the diagonal of a 4×4.
//! ```text
//! x = 2^e·(hi + lo·2⁻¹¹)            per column, e from its largest magnitude
//! M = Mhi + Mlo·2⁻¹¹                Mlo = 0 where the matrix is exact (radix 2 and 4)
//! M·x = 2^e·( Mhi·hi + 2⁻¹¹·(Mhi·lo + Mlo·hi) )
//! ```
//! Lo·lo lies below FP32's last bit. `Mhi·hi` is summed outside the fragment, in rounded
//! FP32, as devices whose accumulators truncate must; then twiddles, in FP32. Steps follow
//! each other in Stockham order, as in `columns.rs`: column c = q + s·p takes its points
//! from x[c + j·n/r] and leaves them at y[q + s(r·p + k)].

use super::chirp::{chirp, spectrum};
use super::lines::Lines;
use super::scalar::root;
use half::f16;
use mmafft_backend_traits::fragment::{Fragment, Fragment16, Fragment4, HalfValue};
use mmafft_backend_traits::{radix, split};
use num_complex::Complex;

type C32 = Complex<f32>;

/// One step's matrix, split and cut into fragments.
struct Step<F: Fragment> {
    radix: usize,
    /// Fragments along each side of the padded 2r × 2r matrix.
    tiles: usize,
    /// High parts, row-major.
    hi: Vec<F::A>,
    /// Low parts, scaled up; empty where the matrix is exact, or left unsplit.
    lo: Vec<F::A>,
}

impl<F: Fragment> Step<F> {
    fn new(radix: usize, exact: bool, split_matrix: bool, inverse: bool) -> Self {
        let side = F::SHAPE.m;
        let tiles = (2 * radix).div_ceil(side);
        let padded = tiles * side;
        let mut hi = vec![F::Value::default(); padded * padded];
        let mut lo = hi.clone();
        for k in 0..radix {
            for n in 0..radix {
                let w = root::<f64>(k * n % radix, radix);
                let im = if inverse { -w.im } else { w.im };
                for (row, column, x) in [
                    (k, n, w.re),
                    (k, n + radix, -im),
                    (k + radix, n, im),
                    (k + radix, n + radix, w.re),
                ] {
                    let at = row * padded + column;
                    hi[at] = F::Value::round(x as f32);
                    let rest = x - f64::from(hi[at].widen());
                    lo[at] = F::Value::round((rest * f64::from(1u32 << F::Value::DIGITS)) as f32);
                }
            }
        }
        let cut = |m: &[F::Value]| {
            let tile = |t: usize| {
                F::load_a(
                    &m[(t / tiles) * side * padded + (t % tiles) * side..],
                    padded,
                )
            };
            (0..tiles * tiles).map(tile).collect()
        };
        Step {
            radix,
            tiles,
            hi: cut(&hi),
            lo: if exact || !split_matrix {
                Vec::new()
            } else {
                cut(&lo)
            },
        }
    }
}

/// A step on whichever fragment the radix table names.
enum AnyStep<V: HalfValue> {
    Small(Step<Fragment4<V>>),
    Large(Step<Fragment16<V>>),
}

/// Lines of a product of radices from the table.
pub struct MatrixLines<V: HalfValue> {
    length: usize,
    steps: Vec<AnyStep<V>>,
    /// Per step, the twiddles exp(∓2πi·pk/n) at [p·r + k].
    twiddles: Vec<Vec<C32>>,
}

impl<V: HalfValue> MatrixLines<V> {
    /// Lines of the product of `radices`, each of which the radix table has.
    pub fn new(radices: &[usize], inverse: bool, split_matrix: bool) -> Self {
        let length = radices.iter().product();
        let mut rest: usize = length;
        let mut steps = Vec::new();
        let mut twiddles = Vec::new();
        for &r in radices {
            let row = radix::find(r).expect("the planner takes radices from the table");
            steps.push(match row.fragment {
                4 => AnyStep::Small(Step::new(r, row.exact, split_matrix, inverse)),
                _ => AnyStep::Large(Step::new(r, row.exact, split_matrix, inverse)),
            });
            let m = rest / r;
            let table = (0..m).flat_map(|p| (0..r).map(move |k| root::<f32>(p * k, rest)));
            let turn = |w: C32| if inverse { w.conj() } else { w };
            twiddles.push(table.map(turn).collect());
            rest = m;
        }
        MatrixLines {
            length,
            steps,
            twiddles,
        }
    }

    fn line(&self, line: &mut [C32], other: &mut [C32]) {
        let n = self.length;
        let (mut from, mut to) = (&mut *line, &mut other[..n]);
        let mut s = 1;
        for (step, twiddles) in self.steps.iter().zip(&self.twiddles) {
            match step {
                AnyStep::Small(step) => run_step(step, from, to, s, twiddles),
                AnyStep::Large(step) => run_step(step, from, to, s, twiddles),
            }
            s *= match step {
                AnyStep::Small(step) => step.radix,
                AnyStep::Large(step) => step.radix,
            };
            std::mem::swap(&mut from, &mut to);
        }
        if self.steps.len() % 2 == 1 {
            to.copy_from_slice(from);
        }
    }
}

/// One step over all columns, as many at a time as a fragment is wide.
fn run_step<F: Fragment>(step: &Step<F>, x: &[C32], y: &mut [C32], s: usize, twiddles: &[C32]) {
    let (r, side) = (step.radix, F::SHAPE.n);
    let columns = x.len() / r;
    let padded = step.tiles * side;
    // The largest table radix is 16: 32 rows of at most 16 columns.
    let mut planar = [0f32; 32 * 16];
    let mut hi = [F::Value::default(); 32 * 16];
    let mut lo = hi;
    let mut exponents = [0i32; 16];
    for first in (0..columns).step_by(side) {
        let width = side.min(columns - first);
        load_columns(&mut planar, x, first, width, r, side, columns);
        for (c, exponent) in exponents[..width].iter_mut().enumerate() {
            let column = planar[c..].iter().step_by(side).take(2 * r);
            let largest = column.fold(0u32, |m, x| (x.to_bits() << 1).max(m)) >> 1;
            *exponent = split::exponent_of_magnitude(f32::from_bits(largest));
            let down = split::power_of_two(-*exponent);
            for row in 0..2 * r {
                let at = row * side + c;
                let scaled = (f64::from(planar[at]) * down) as f32;
                (hi[at], lo[at]) = split::split_scaled(scaled);
            }
        }
        for at in 2 * r * side..padded * side {
            (hi[at], lo[at]) = Default::default();
        }
        multiply(step, &hi, &lo, &mut planar);
        for (c, &exponent) in exponents[..width].iter().enumerate() {
            let (p, q) = ((first + c) / s, (first + c) % s);
            let up = split::power_of_two(exponent);
            for k in 0..r {
                let part = |at: usize| (f64::from(planar[at]) * up) as f32;
                let value = C32::new(part(k * side + c), part((k + r) * side + c));
                y[q + s * (r * p + k)] = match p {
                    0 => value,
                    _ => value * twiddles[p * r + k],
                };
            }
        }
    }
}

/// The step's matrix times as many planar columns as a fragment is wide, all split: the
/// columns of `planar`, yet to be scaled.
fn multiply<F: Fragment>(step: &Step<F>, hi: &[F::Value], lo: &[F::Value], planar: &mut [f32]) {
    let side = F::SHAPE.n;
    let unit = 1.0 / (1u32 << F::Value::DIGITS) as f32;
    let mut product = [0f32; 16 * 16];
    let operands: [(F::B, F::B); 8] = std::array::from_fn(|t| {
        let at = t.min(step.tiles - 1) * side * side;
        (F::load_b(&hi[at..], side), F::load_b(&lo[at..], side))
    });
    for row in 0..step.tiles {
        let mut main = [0f32; 16 * 16];
        let mut cross = F::zero();
        for (t, (hi, lo)) in operands[..step.tiles].iter().enumerate() {
            let a = &step.hi[row * step.tiles + t];
            let mut c = F::zero();
            F::multiply_add(a, hi, &mut c);
            F::store(&c, &mut product, side);
            for (main, x) in main.iter_mut().zip(&product) {
                *main += x;
            }
            F::multiply_add(a, lo, &mut cross);
            if let Some(low) = step.lo.get(row * step.tiles + t) {
                F::multiply_add(low, hi, &mut cross);
            }
        }
        F::store(&cross, &mut product, side);
        for (at, (main, x)) in main.iter().zip(&product).enumerate().take(side * side) {
            planar[row * side * side + at] = main + x * unit;
        }
    }
}

/// Split vectors of `radix` complex points times the DFT matrix: what `Backend::product` is.
pub fn product(
    radix: usize,
    inverse: bool,
    [hi, lo]: [&[f16]; 2],
    exponents: &[i32],
    values: &mut [f32],
) {
    const SIDE: usize = 16;
    let exact = radix::find(radix).is_some_and(|row| row.exact);
    let step = Step::<Fragment16<f16>>::new(radix, exact, true, inverse);
    let columns = exponents
        .chunks(SIDE)
        .zip(values.chunks_mut(2 * radix * SIDE));
    for (group, (exponents, values)) in columns.enumerate() {
        let first = group * SIDE * 2 * radix;
        let mut planar = [0f32; 32 * SIDE];
        let mut parts = [[f16::ZERO; 32 * SIDE]; 2];
        for (part, from) in parts.iter_mut().zip([hi, lo]) {
            for (at, &x) in from[first..first + values.len()].iter().enumerate() {
                let (column, point) = (at / (2 * radix), at % (2 * radix));
                part[(point / 2 + point % 2 * radix) * SIDE + column] = x;
            }
        }
        multiply(&step, &parts[0], &parts[1], &mut planar);
        for (at, x) in values.iter_mut().enumerate() {
            let (column, point) = (at / (2 * radix), at % (2 * radix));
            let sum = planar[(point / 2 + point % 2 * radix) * SIDE + column];
            *x = split::scale(sum, exponents[column]);
        }
    }
}

/// Real parts in rows 0..r, imaginary parts in rows r..2r.
fn load_columns(
    planar: &mut [f32],
    x: &[C32],
    first: usize,
    width: usize,
    r: usize,
    side: usize,
    columns: usize,
) {
    for j in 0..r {
        let row = &x[first + j * columns..][..width];
        for (c, x) in row.iter().enumerate() {
            planar[j * side + c] = x.re;
            planar[(j + r) * side + c] = x.im;
        }
    }
}

impl<V: HalfValue> Lines<f32> for MatrixLines<V> {
    fn length(&self) -> usize {
        self.length
    }

    fn scratch(&self) -> usize {
        self.length
    }

    fn process(&self, lines: &mut [C32], scratch: &mut [C32]) {
        for line in lines.chunks_exact_mut(self.length) {
            self.line(line, scratch);
        }
    }
}

/// Bluestein's algorithm on the matrix engine, for lengths that the radix table does not
/// make: X[k] = c[k]·Σ (x[n]·c[n])·conj c[k−n] with the chirp c[n] = exp(∓πi·n²/N), a cyclic
/// convolution of `padded` points.
pub struct MatrixBluestein<V: HalfValue> {
    chirp: Vec<C32>,
    /// The spectrum of conj c, divided by the padded length.
    spectrum: Vec<C32>,
    forward: MatrixLines<V>,
    inverse: MatrixLines<V>,
}

impl<V: HalfValue> MatrixBluestein<V> {
    /// Lines of `length` points through convolutions of `padded = radices.product()`.
    pub fn new(length: usize, radices: &[usize], inverse: bool, split_matrix: bool) -> Self {
        let forward = MatrixLines::new(radices, false, split_matrix);
        MatrixBluestein {
            chirp: (0..length).map(|n| chirp(n, length, inverse)).collect(),
            spectrum: spectrum(length, forward.length, inverse),
            inverse: MatrixLines::new(radices, true, split_matrix),
            forward,
        }
    }
}

impl<V: HalfValue> Lines<f32> for MatrixBluestein<V> {
    fn length(&self) -> usize {
        self.chirp.len()
    }

    fn scratch(&self) -> usize {
        2 * self.spectrum.len()
    }

    fn process(&self, lines: &mut [C32], scratch: &mut [C32]) {
        let (work, other) = scratch.split_at_mut(self.spectrum.len());
        for line in lines.chunks_exact_mut(self.chirp.len()) {
            // Magnitudes near 1 inside, so that no sum leaves FP32's range.
            let exponent = split::exponent(bytemuck::cast_slice(line));
            let scale = |x: C32, e: i32| C32::new(split::scale(x.re, e), split::scale(x.im, e));
            work.fill(C32::default());
            for ((w, x), c) in work.iter_mut().zip(line.iter()).zip(&self.chirp) {
                *w = scale(*x, -exponent) * c;
            }
            self.forward.line(work, other);
            for (w, s) in work.iter_mut().zip(&self.spectrum) {
                *w *= s;
            }
            self.inverse.line(work, other);
            for ((x, w), c) in line.iter_mut().zip(work.iter()).zip(&self.chirp) {
                *x = scale(w * c, exponent);
            }
        }
    }
}
