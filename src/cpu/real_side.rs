//! Between the reals of a contiguous line and the points of a complex one: the load and store
//! ops of the real family on the CPU.
//!
//! The usual sides have loops of their own, plain enough that the compiler makes vectors of
//! them for whatever processor `pulp` finds; the rest (odd lengths) goes by a table.
//! The file is long because each loop stands beside the one that undoes it.

use super::scalar::{Real, Storage};
use mmafft_backend_traits::real::{Order, Pairing, RealSide, Weight};
use num_complex::Complex;
use pulp::Simd;

/// What a side's loop looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    /// Pairs where they lie.
    Pairs,
    /// Pairs of the even reals and of the odd ones from behind; N is even.
    EvenOdd,
    /// Pairs of the line continued evenly, or oddly.
    Even,
    Odd,
    /// k and N − k, N even.
    Halves,
    /// The same, the sum and the difference of the parts.
    Hartley,
    /// 2p and N − 1 − 2p, N even.
    Ends,
    /// Real parts alone, or imaginary ones of the points behind the first.
    RealParts,
    ImaginaryParts,
    /// By the table.
    Table,
}

/// One side of a line of reals.
pub struct SideTable<T> {
    form: Form,
    length: usize,
    points: usize,
    reversed: bool,
    /// −1 where the second real of a pair, or every other real, changes its sign.
    sign: T,
    /// What points are multiplied by, if anything.
    weights: Vec<Complex<T>>,
    /// For [`Form::Table`]: real i as i + 1, negative with its sign; 0 for none.
    table: Vec<[isize; 2]>,
    /// Scalars of the points that are edges of an orthogonal transform, and their factor.
    edges: Vec<(usize, T)>,
}

impl<T: Real + Storage<Compute = T>> SideTable<T> {
    /// The side of a line of `length` reals that meets `points` points. Edges are scaled by
    /// `edge` where there is one.
    pub fn new(side: &RealSide, length: usize, points: usize, edge: Option<f64>) -> Self {
        let form = form(side, length);
        let weights = match form {
            Form::Hartley | Form::ImaginaryParts => None,
            _ => side.weights(length),
        };
        let rounded = |x: Complex<f64>| Complex::new(T::rounded(x.re), T::rounded(x.im));
        let weight = |p: usize| weights.as_ref().map(|w| rounded(w.of(p).to_c64()));
        let code = |real: Option<(usize, bool)>| match real {
            None => 0,
            Some((i, false)) => i as isize + 1,
            Some((i, true)) => -(i as isize) - 1,
        };
        let reals = |p: usize| side.reals(length, p);
        let scaled = |real: Option<(usize, bool)>| {
            let [first, last] = side.edges;
            real.is_some_and(|(i, _)| (first && i == 0) || (last && i + 1 == length))
        };
        let mut edges = Vec::new();
        if let Some(edge) = edge.filter(|_| side.edges != [false; 2]) {
            for p in 0..points {
                for (part, real) in reals(p).into_iter().enumerate() {
                    // The imaginary parts of these points are what is stored.
                    let part = part + usize::from(form == Form::ImaginaryParts);
                    if scaled(real) {
                        edges.push((2 * p + part, T::rounded(edge)));
                    }
                }
            }
        }
        SideTable {
            form,
            length,
            points,
            reversed: side.reversed,
            sign: match side.alternating ^ side.conjugate {
                true => -T::one(),
                false => T::one(),
            },
            weights: (0..points).filter_map(weight).collect(),
            table: match form {
                Form::Table => (0..points).map(|p| reals(p).map(code)).collect(),
                _ => Vec::new(),
            },
            edges,
        }
    }

    /// Whether points are the line's own memory, read as pairs.
    pub fn is_pairs(&self) -> bool {
        self.form == Form::Pairs
    }

    /// The points that a line of reals makes.
    pub fn gather(&self, reals: &[T], points: &mut [Complex<T>]) {
        T::gather(Gather {
            side: self,
            reals: &reals[..self.length],
            points: &mut points[..self.points],
        });
        for &(at, factor) in &self.edges {
            let scalars: &mut [T] = bytemuck::cast_slice_mut(points);
            scalars[at] = scalars[at] * factor;
        }
    }

    /// The reals that a line of points makes, times `scale`; points may be used up.
    pub fn scatter(&self, points: &mut [Complex<T>], reals: &mut [T], scale: T) {
        for &(at, factor) in &self.edges {
            let scalars: &mut [T] = bytemuck::cast_slice_mut(points);
            scalars[at] = scalars[at] * factor;
        }
        T::scatter(Scatter {
            side: self,
            points: &points[..self.points],
            reals: &mut reals[..self.length],
            scale,
        });
    }
}

fn form(side: &RealSide, n: usize) -> Form {
    let even = n.is_multiple_of(2);
    match (side.pairing, side.order, side.weight) {
        (Pairing::Pairs, Order::Natural, Weight::One) if !side.reversed && !side.alternating => {
            Form::Pairs
        }
        (Pairing::Pairs, Order::EvenOdd, Weight::One) if even => Form::EvenOdd,
        (Pairing::Pairs, Order::Even, Weight::One) => Form::Even,
        (Pairing::Pairs, Order::Odd, Weight::One) => Form::Odd,
        (Pairing::Halves, _, Weight::Hartley) if even && n > 0 => Form::Hartley,
        (Pairing::Halves, ..) if even => Form::Halves,
        (Pairing::Ends, ..) if even => Form::Ends,
        (Pairing::Alone, Order::Natural, Weight::One) if !side.reversed && !side.alternating => {
            Form::RealParts
        }
        (Pairing::Alone, Order::Behind, Weight::Imaginary) => Form::ImaginaryParts,
        _ => Form::Table,
    }
}

/// [`SideTable::gather`], for one instruction set.
pub struct Gather<'a, T> {
    side: &'a SideTable<T>,
    reals: &'a [T],
    points: &'a mut [Complex<T>],
}

impl<T: Real + Storage<Compute = T>> Gather<'_, T> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Gather {
            side,
            reals: x,
            points: z,
        } = self;
        let (n, sign, zero) = (side.length, side.sign, T::zero());
        let half = n / 2;
        match side.form {
            Form::Pairs => {
                let scalars: &mut [T] = bytemuck::cast_slice_mut(z);
                scalars.copy_from_slice(x);
            }
            Form::EvenOdd => {
                let scalars: &mut [T] = bytemuck::cast_slice_mut(z);
                let (even, odd) = scalars.split_at_mut(half);
                let both = even.iter_mut().zip(odd.iter_mut().rev());
                for (pair, (e, o)) in x.chunks_exact(2).zip(both) {
                    *e = pair[0];
                    *o = sign * pair[1];
                }
            }
            Form::Even => {
                let scalars: &mut [T] = bytemuck::cast_slice_mut(z);
                scalars[..n].copy_from_slice(x);
                for (s, &x) in scalars[n..].iter_mut().zip(x[1..].iter().rev().skip(1)) {
                    *s = x;
                }
            }
            Form::Odd => {
                let scalars: &mut [T] = bytemuck::cast_slice_mut(z);
                (scalars[0], scalars[n + 1]) = (zero, zero);
                scalars[1..=n].copy_from_slice(x);
                for (s, &x) in scalars[n + 2..].iter_mut().zip(x.iter().rev()) {
                    *s = -x;
                }
            }
            Form::Halves => {
                let (low, high) = halves(x, side.reversed);
                let (first, middle) = ends(x, side.reversed);
                z[0] = Complex::new(first, zero);
                let points = z[1..half].iter_mut();
                match side.weights.is_empty() {
                    true => {
                        for (z, k) in points.zip(0..) {
                            let (re, im) = pick(low, high, side.reversed, k);
                            *z = Complex::new(re, sign * im);
                        }
                        z[half] = Complex::new(middle, zero);
                    }
                    false => {
                        for ((z, w), k) in points.zip(&side.weights[1..half]).zip(0..) {
                            let (re, im) = pick(low, high, side.reversed, k);
                            *z = *w * Complex::new(re, sign * im);
                        }
                        z[half] = Complex::new(side.weights[half].re * middle, zero);
                    }
                }
            }
            Form::Ends => {
                let pairs = x.chunks_exact(2).zip(x.chunks_exact(2).rev());
                for ((z, w), (a, b)) in z.iter_mut().zip(&side.weights).zip(pairs) {
                    let (re, im) = match side.reversed {
                        false => (a[0], b[1]),
                        true => (b[1], a[0]),
                    };
                    *z = *w * Complex::new(re, im);
                }
            }
            Form::RealParts => {
                for (z, &x) in z.iter_mut().zip(x) {
                    *z = Complex::new(x, zero);
                }
            }
            _ => {
                let real = |code: isize| match code {
                    0 => zero,
                    i if i > 0 => x[i as usize - 1],
                    i => -x[(-i) as usize - 1],
                };
                for (z, &[re, im]) in z.iter_mut().zip(&side.table) {
                    *z = Complex::new(real(re), real(im));
                }
                for (z, w) in z.iter_mut().zip(&side.weights) {
                    *z = *z * *w;
                }
            }
        }
    }
}

/// The reals 1..N/2 and those behind N/2 of a line that may be reversed.
#[inline(always)]
fn halves<T>(x: &[T], reversed: bool) -> (&[T], &[T]) {
    let half = x.len() / 2;
    match reversed {
        false => (&x[1..half.max(1)], &x[half + 1..]),
        // N − 1 − k and k − 1 for k from 1 on.
        true => (&x[..half.saturating_sub(1)], &x[half..x.len() - 1]),
    }
}

/// Reals 0 and N/2.
#[inline(always)]
fn ends<T: Copy>(x: &[T], reversed: bool) -> (T, T) {
    let n = x.len();
    match reversed {
        false => (x[0], x[n / 2]),
        true => (x[n - 1], x[n / 2 - 1]),
    }
}

/// Reals k + 1 and N − k − 1 of a line in two halves.
#[inline(always)]
fn pick<T: Copy>(low: &[T], high: &[T], reversed: bool, k: usize) -> (T, T) {
    let back = high[high.len() - 1 - k];
    match reversed {
        false => (low[k], back),
        true => (back, low[k]),
    }
}

/// [`SideTable::scatter`], for one instruction set.
pub struct Scatter<'a, T> {
    side: &'a SideTable<T>,
    points: &'a [Complex<T>],
    reals: &'a mut [T],
    scale: T,
}

impl<T: Real + Storage<Compute = T>> Scatter<'_, T> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Scatter {
            side,
            points: z,
            scale,
            ..
        } = self;
        let half = side.length / 2;
        let negative = side.sign * scale;
        let y = &mut *self.reals;
        match side.form {
            Form::Pairs => {
                let scalars: &[T] = bytemuck::cast_slice(z);
                for (y, &s) in y.iter_mut().zip(scalars) {
                    *y = scale * s;
                }
            }
            Form::EvenOdd => {
                let scalars: &[T] = bytemuck::cast_slice(z);
                let (even, odd) = scalars.split_at(half);
                let both = even.iter().zip(odd.iter().rev());
                for (pair, (&e, &o)) in y.chunks_exact_mut(2).zip(both) {
                    pair[0] = scale * e;
                    pair[1] = negative * o;
                }
            }
            Form::Halves | Form::Hartley => self.halves(),
            Form::Ends => self.ends(),
            Form::RealParts => {
                for (y, z) in y.iter_mut().zip(z) {
                    *y = scale * z.re;
                }
            }
            Form::ImaginaryParts => {
                for (y, z) in y.iter_mut().zip(&z[1..]) {
                    *y = -scale * z.im;
                }
            }
            _ => {
                for (p, (&z, &[re, im])) in z.iter().zip(&side.table).enumerate() {
                    let z = side.weights.get(p).map_or(z, |&w| w * z);
                    for (x, code) in [(z.re, re), (z.im, im)] {
                        if code != 0 {
                            let x = if code < 0 { -x } else { x };
                            y[code.unsigned_abs() - 1] = scale * x;
                        }
                    }
                }
            }
        }
    }

    /// The two halves of a line from its points, or one and the other's mirror image.
    #[inline(always)]
    fn halves(self) {
        let Scatter {
            side,
            points: z,
            reals: y,
            scale,
        } = self;
        let half = side.length / 2;
        let negative = side.sign * scale;
        let reversed = side.reversed;
        let (first, middle) = match reversed {
            false => (0, half),
            true => (side.length - 1, half - 1),
        };
        let (low, high) = match reversed {
            false => {
                let (low, high) = y.split_at_mut(half + 1);
                (&mut low[1..half.max(1)], high)
            }
            true => {
                let (low, high) = y.split_at_mut(half);
                let last = high.len() - 1;
                (&mut low[..half - 1], &mut high[..last])
            }
        };
        // Of a reversed line the first real of a pair lies behind the second.
        let places = low.iter_mut().zip(high.iter_mut().rev());
        let points = z[1..half.max(1)].iter().zip(places);
        match (side.form, side.weights.is_empty()) {
            (Form::Hartley, _) => {
                for (z, (low, high)) in points {
                    *low = scale * (z.re - z.im);
                    *high = scale * (z.re + z.im);
                }
            }
            (_, true) => {
                for (z, (low, high)) in points {
                    *low = scale * z.re;
                    *high = negative * z.im;
                }
            }
            _ if reversed => {
                for ((z, (low, high)), w) in points.zip(&side.weights[1..]) {
                    *high = scale * (w.re * z.re - w.im * z.im);
                    *low = negative * (w.re * z.im + w.im * z.re);
                }
            }
            _ => {
                for ((z, (low, high)), w) in points.zip(&side.weights[1..]) {
                    *low = scale * (w.re * z.re - w.im * z.im);
                    *high = negative * (w.re * z.im + w.im * z.re);
                }
            }
        }
        // Points 0 and N/2 are real.
        let weight = |p: usize| side.weights.get(p).map_or(T::one(), |w| w.re);
        y[first] = scale * weight(0) * z[0].re;
        y[middle] = scale * weight(half) * z[half].re;
    }

    /// Reals from both ends of a line from each point.
    #[inline(always)]
    fn ends(self) {
        let Scatter {
            side,
            points: z,
            reals: y,
            scale,
        } = self;
        let half = side.length / 2;
        let negative = side.sign * scale;
        let pairs = half / 2;
        let product = |p: usize| side.weights[p] * z[p];
        // Reals 2p and N − 1 − 2p are the first of a pair and the second of its mirror
        // image: points p and N/2 − 1 − p fill two pairs.
        let (low, high) = y.split_at_mut(2 * pairs);
        let (middle, high) = high.split_at_mut(2 * (half % 2));
        let places = low.chunks_exact_mut(2).zip(high.chunks_exact_mut(2).rev());
        let points = z[..pairs].iter().zip(z[half - pairs..].iter().rev());
        let weights = side.weights[..pairs]
            .iter()
            .zip(side.weights[half - pairs..].iter().rev());
        for (((low, high), (z, other)), (w, v)) in places.zip(points).zip(weights) {
            low[0] = scale * (w.re * z.re - w.im * z.im);
            high[1] = negative * (w.re * z.im + w.im * z.re);
            high[0] = scale * (v.re * other.re - v.im * other.im);
            low[1] = negative * (v.re * other.im + v.im * other.re);
        }
        if let [a, b] = middle {
            let z = product(pairs);
            (*a, *b) = (scale * z.re, negative * z.im);
        }
    }
}

// The compiler makes vectors of these by itself.
with_simd!(Gather -> ());
with_simd!(Scatter -> ());
