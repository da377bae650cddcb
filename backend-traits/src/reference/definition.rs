//! The real family by its definition.
//!
//! ```text
//! y[k] = Σ_j c[j]·x[j]·trig(2π·a[j]·b[k] / L)
//! ```
//! The sum is the real part (cosines) or minus the imaginary part (sines) of a DFT of L points,
//! most of them zero: it shares nothing with the reductions that passes use.

use super::{ComplexOf, Dd, Real, ReferenceFft, Roots};
use crate::Kind;

/// How an index becomes the number of a point among L.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    /// i
    At,
    /// i + 1
    Next,
    /// 2i + 1
    Odd,
}

impl Place {
    fn of(self, i: usize) -> usize {
        match self {
            Place::At => i,
            Place::Next => i + 1,
            Place::Odd => 2 * i + 1,
        }
    }
}

/// One kind and length.
pub struct Definition<T = Dd> {
    kind: Kind,
    length: usize,
    orthogonal: bool,
    fft: ReferenceFft<T>,
}

impl<T: Real> Definition<T> {
    /// Of `n` reals; `orthogonal` as SciPy's `ortho`, but for the scale of all outputs.
    pub fn new(kind: Kind, n: usize, orthogonal: bool) -> Self {
        Definition {
            kind,
            length: n,
            orthogonal,
            fft: ReferenceFft::new(points(kind, n)),
        }
    }

    /// The transform of a line; imaginary parts are ignored.
    pub fn apply(&self, line: &[ComplexOf<T>]) -> Vec<ComplexOf<T>> {
        use Kind::*;
        let n = self.length;
        let real = |x: T| ComplexOf::new(x, T::from(0.0));
        let zero = T::from(0.0);
        let mut e = vec![real(zero); points(self.kind, n)];
        match self.kind {
            R2HC | Dht => {
                let x: Vec<ComplexOf<T>> = line.iter().map(|x| real(x.re)).collect();
                let spectrum = self.fft.forward(&x);
                let part = |k: usize| match (self.kind, 2 * k > n) {
                    (Dht, _) => spectrum[k].re - spectrum[k].im,
                    (_, false) => spectrum[k].re,
                    (_, true) => spectrum[n - k].im,
                };
                return (0..n).map(|k| real(part(k))).collect();
            }
            HC2R => {
                for (k, slot) in e.iter_mut().enumerate() {
                    let edge = k == 0 || 2 * k == n;
                    *slot = match 2 * k > n {
                        _ if edge => real(line[k].re),
                        false => ComplexOf::new(line[k].re, line[n - k].re),
                        true => ComplexOf::new(line[n - k].re, -line[k].re),
                    };
                }
                return self.fft.inverse(&e).iter().map(|x| real(x.re)).collect();
            }
            _ => {}
        }
        let (from, to) = places(self.kind);
        for (j, x) in line.iter().enumerate() {
            let x = x.re * self.doubled(j) * self.edge(j, true);
            e[from.of(j)] = real(x);
        }
        let spectrum = self.fft.forward(&e);
        let sine = is_sine(self.kind);
        let point = |k: usize| {
            let x = spectrum[to.of(k) % spectrum.len()];
            let x = if sine { -x.im } else { x.re };
            real(x * self.edge(k, false))
        };
        (0..n).map(point).collect()
    }

    /// 2, or 1 at the ends that the definition does not double.
    fn doubled(&self, j: usize) -> T {
        let once = match self.kind {
            Kind::Dct1 => j == 0 || j + 1 == self.length,
            Kind::Dct3 => j == 0,
            Kind::Dst3 => j + 1 == self.length,
            _ => false,
        };
        T::from(if once { 1.0 } else { 2.0 })
    }

    /// What SciPy's `ortho` multiplies a point by, beside the scale of all.
    fn edge(&self, i: usize, input: bool) -> T {
        use Kind::*;
        let (first, last) = (i == 0, i + 1 == self.length);
        let scaled = match (self.kind, input) {
            (Dct1, _) => first || last,
            (Dct2, false) | (Dct3, true) => first,
            (Dst2, false) | (Dst3, true) => last,
            _ => false,
        };
        let root = T::nearest(Dd {
            hi: std::f64::consts::SQRT_2,
            lo: -9.667293313452913e-17,
        });
        match (scaled && self.orthogonal, input) {
            (false, _) => T::from(1.0),
            (true, true) => root,
            (true, false) => root * T::from(0.5),
        }
    }
}

/// The definition term by term: `y[k] = Σ_j x[j]·of(j, k)`.
pub struct Terms {
    definition: Definition,
    roots: Roots,
}

impl Terms {
    /// Of `n` reals, as [`Definition::new`].
    pub fn new(kind: Kind, n: usize, orthogonal: bool) -> Self {
        Terms {
            definition: Definition::new(kind, n, orthogonal),
            roots: Roots::new(points(kind, n)),
        }
    }

    /// What `x[j]` is multiplied by in `y[k]`.
    pub fn of(&self, j: usize, k: usize) -> Dd {
        use Kind::*;
        let Definition {
            kind, length: n, ..
        } = self.definition;
        let order = points(kind, n);
        let at = |a: usize, b: usize| {
            let e = (a as u128 * b as u128 % order as u128) as usize;
            let w = self.roots.get(e);
            // cosine and sine
            (w.re, -w.im)
        };
        match kind {
            R2HC | Dht => {
                let (cosine, sine) = at(j, k.min(n - k));
                match (kind, 2 * k > n) {
                    (R2HC, false) => cosine,
                    (R2HC, true) => -sine,
                    (_, false) => cosine + sine,
                    (_, true) => cosine - sine,
                }
            }
            HC2R => {
                let (cosine, sine) = at(j.min(n - j), k);
                let edge = j == 0 || 2 * j == n;
                match 2 * j > n {
                    _ if edge => cosine,
                    false => cosine * Dd::from(2.0),
                    true => sine * Dd::from(-2.0),
                }
            }
            _ => {
                let (from, to) = places(kind);
                let (cosine, sine) = at(from.of(j), to.of(k));
                let part = if is_sine(kind) { sine } else { cosine };
                let ends = self.definition.doubled(j);
                part * ends * self.definition.edge(j, true) * self.definition.edge(k, false)
            }
        }
    }
}

fn is_sine(kind: Kind) -> bool {
    matches!(kind, Kind::Dst1 | Kind::Dst2 | Kind::Dst3 | Kind::Dst4)
}

/// L, for `n` reals.
fn points(kind: Kind, n: usize) -> usize {
    use Kind::*;
    match kind {
        Dct1 => 2 * (n - 1),
        Dst1 => 2 * (n + 1),
        Dct2 | Dct3 | Dst2 | Dst3 => 4 * n,
        Dct4 | Dst4 => 8 * n,
        _ => n,
    }
}

/// a and b.
fn places(kind: Kind) -> (Place, Place) {
    use Kind::*;
    match kind {
        Dst1 => (Place::Next, Place::Next),
        Dct2 => (Place::Odd, Place::At),
        Dct3 => (Place::At, Place::Odd),
        Dst2 => (Place::Odd, Place::Next),
        Dst3 => (Place::Next, Place::Odd),
        Dct4 | Dst4 => (Place::Odd, Place::Odd),
        _ => (Place::At, Place::At),
    }
}
