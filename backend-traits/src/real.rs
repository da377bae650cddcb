//! The real family's load and store ops: how the reals of a line become the points of a
//! complex one, and how these become reals again.
//!
//! ```text
//! point p of the line = weight(p) · (± x[i] ± i·x[j])      load:  [`RealSide::reals`] says i, j
//! merge, DFT, split                                        as [`Reduction::middle`] says
//! ± y[i] ± i·y[j]     = weight(p) · point p of the result   store: the same
//! ```
//! A row of [`crate::KINDS`] is two of these sides and what lies between them, so that a pass
//! of any backend needs two functions and no kind of its own. Sources: the packing of pairs,
//! the even-odd order of type II and III (Makhoul, 1980), the two twiddles of type IV, and the
//! permutation of its odd lengths (Chan and Ho, 1990). Type I extends its line: the halving
//! that is usual for it loses digits as √N.

use crate::kind::{Direction, Domain, Kind};
use crate::side::End;
pub use crate::weights::Weights;

/// Which real of a line is number q once the line is put in this order; N reals. Numbered as in `device/config.hpp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Real q.
    Natural,
    /// The even ones ascending, then the odd ones descending.
    EvenOdd,
    /// Continued evenly about its last real: q, then 2(N−1) − q.
    Even,
    /// Continued oddly about the zeros before it and behind it: q − 1, then −(2N + 1 − q).
    Odd,
    /// Real q − 1.
    Behind,
    /// Of an odd N: the index a = 2i+1 whose image among ±a, ±(a + 4N) is N² + 8q mod 8N.
    Residues,
    /// The same of q/8 modulo N.
    ResiduesOverEight,
}

/// Which two reals of the ordered line make a point, the second its imaginary part. Numbered as in `device/config.hpp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// The side's points are complex in memory.
    None,
    /// 2p and 2p + 1.
    Pairs,
    /// p and none.
    Alone,
    /// p and N − p, the half-complex format; none beside 0 and N/2, and none behind N/2.
    Halves,
    /// The same, with points behind N/2 that mirror those before it: N − p and −p.
    Mirrored,
    /// p and N − p, behind N/2 too; none beside 0 and N/2.
    Around,
    /// 2p and N − 1 − 2p.
    Ends,
}

/// What points are multiplied by between the reals and the DFT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// 1.
    One,
    /// i.
    Imaginary,
    /// 1 + i: real and imaginary part become their difference and their sum.
    Hartley,
    /// 2·exp(−πi·p/2N); √2 at p = N/2, whose point is real.
    Second,
    /// exp(πi·p/2N); √2 at p = N/2.
    Third,
    /// exp(−πi·(8p + 1)/8N).
    Fourth,
    /// 2·exp(−πi·(8p + 1)/8N).
    TwiceFourth,
    /// 2·exp(−πi·N/4).
    Residue,
}

/// One side of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RealSide {
    /// The order of the line.
    pub order: Order,
    /// Which of its reals meet in a point.
    pub pairing: Pairing,
    /// What the point is multiplied by.
    pub weight: Weight,
    /// Whether the pair is the conjugate of the point.
    pub conjugate: bool,
    /// Whether the line is reversed: real i is i of N − 1 − i.
    pub reversed: bool,
    /// Whether every other real changes its sign, beginning with the second.
    pub alternating: bool,
    /// Whether the first and the last real are scaled by √2 on their way in, by √½ on their
    /// way out, in an orthogonal transform.
    pub edges: [bool; 2],
}

/// What lies between the pairs of a half-length DFT and the half spectrum of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Middle {
    /// Nothing: points go straight into the DFT, and out of it.
    Plain,
    /// The half spectrum that is loaded becomes the spectrum of pairs.
    Merge,
    /// The spectrum of pairs becomes the half spectrum that is stored.
    Split,
}

/// The length of the complex DFT at a kind's core, for N reals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoreLength {
    /// N/2, of even N only.
    Half,
    /// N.
    Full,
    /// N − 1.
    Less,
    /// N + 1.
    More,
    /// 2(N − 1).
    TwiceLess,
    /// 2(N + 1).
    TwiceMore,
}

impl CoreLength {
    /// For `n` reals; `None` where that is no length.
    pub fn of(self, n: usize) -> Option<usize> {
        match self {
            CoreLength::Half => n.is_multiple_of(2).then_some(n / 2),
            CoreLength::Full => Some(n),
            CoreLength::Less => n.checked_sub(1),
            CoreLength::More => n.checked_add(1),
            CoreLength::TwiceLess => n.checked_sub(1)?.checked_mul(2),
            CoreLength::TwiceMore => n.checked_add(1)?.checked_mul(2),
        }
    }
}

/// How a line of a kind goes through a complex DFT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reduction {
    /// The length of the DFT.
    pub length: CoreLength,
    /// From memory to points.
    pub load: RealSide,
    /// Between points and the DFT.
    pub middle: Middle,
    /// From points to memory.
    pub store: RealSide,
}

impl Reduction {
    /// From memory to points, or back.
    pub fn side(&self, end: End) -> &RealSide {
        match end {
            End::Load => &self.load,
            End::Store => &self.store,
        }
    }
}

/// A real's index, and whether its sign changes.
pub type Real = (usize, bool);

/// N of the longest line of type I, continued to 2N reals, that a thread of a device has whole.
pub const LARGEST_TYPE_ONE: usize = 32;

impl RealSide {
    /// A side as plain as can be: pairs in natural order.
    pub const PAIRS: RealSide = RealSide {
        order: Order::Natural,
        pairing: Pairing::Pairs,
        weight: Weight::One,
        conjugate: false,
        reversed: false,
        alternating: false,
        edges: [false; 2],
    };

    /// The same with this pairing.
    pub const fn pairing(mut self, pairing: Pairing) -> Self {
        self.pairing = pairing;
        self
    }

    /// The same in this order.
    pub const fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// The same with this weight.
    pub const fn weight(mut self, weight: Weight) -> Self {
        self.weight = weight;
        self
    }

    /// The same with points conjugated.
    pub const fn conjugate(mut self) -> Self {
        self.conjugate = true;
        self
    }

    /// The same of the reversed line; its edges change places.
    pub const fn reversed(mut self) -> Self {
        self.reversed = true;
        self.edges = [self.edges[1], self.edges[0]];
        self
    }

    /// The same with alternating signs.
    pub const fn alternating(mut self) -> Self {
        self.alternating = true;
        self
    }

    /// The same with these edges.
    pub const fn edges(mut self, first: bool, last: bool) -> Self {
        self.edges = [first, last];
        self
    }

    /// Real number `q` of the ordered line of `n` reals; `None` where it is zero, or nowhere.
    pub fn real(&self, n: usize, q: usize) -> Option<Real> {
        let (index, negative) = match self.order {
            Order::Natural => (q, false),
            Order::EvenOdd if 2 * q < n => (2 * q, false),
            Order::EvenOdd => ((2 * n).checked_sub(2 * q + 1)?, false),
            Order::Even if q < n => (q, false),
            Order::Even => ((2 * n).checked_sub(q + 2)?, false),
            Order::Odd if q <= n => (q.checked_sub(1)?, false),
            Order::Odd if q == n + 1 => return None,
            Order::Odd => ((2 * n + 1).checked_sub(q)?, true),
            Order::Behind => (q.checked_sub(1)?, false),
            Order::Residues => residue(n, q),
            Order::ResiduesOverEight => residue(n, over_eight(n, q)),
        };
        if index >= n {
            return None;
        }
        let index = if self.reversed { n - 1 - index } else { index };
        Some((index, negative ^ (self.alternating && index % 2 == 1)))
    }

    /// The reals of point `p`, for a line of `n` reals: its real part and its imaginary part.
    pub fn reals(&self, n: usize, p: usize) -> [Option<Real>; 2] {
        let real = |q| self.real(n, q);
        let [first, second] = match self.pairing {
            Pairing::None => [None, None],
            Pairing::Pairs => [real(2 * p), real(2 * p + 1)],
            Pairing::Alone => [real(p), None],
            Pairing::Halves | Pairing::Mirrored | Pairing::Around if p == 0 || 2 * p == n => {
                [real(p), None]
            }
            Pairing::Halves if 2 * p > n => [None, None],
            Pairing::Mirrored if 2 * p > n => {
                let negative = real(p).map(|(i, sign)| (i, !sign));
                [n.checked_sub(p).and_then(real), negative]
            }
            Pairing::Halves | Pairing::Mirrored | Pairing::Around => {
                [real(p), n.checked_sub(p).and_then(real)]
            }
            Pairing::Ends => [real(2 * p), (n - 1).checked_sub(2 * p).and_then(real)],
        };
        let turn = |(i, sign)| (i, sign ^ self.conjugate);
        [first, second.map(turn)]
    }

    /// How many pairs of neighbouring reals lie in a row of those of two facing points k and n − 1 − k
    /// of a packed line: both (2), or one at each end (1); or of the reals k and n − 1 − k of one that is
    /// not (1). `None` where neighbours are not paired so.
    pub fn facing_pairs(&self) -> Option<usize> {
        match (self.order, self.pairing) {
            (Order::EvenOdd, Pairing::Pairs) if !self.reversed => Some(2),
            (Order::EvenOdd, Pairing::Alone) if !self.reversed => Some(1),
            (Order::Natural, Pairing::Ends) => Some(1),
            _ => None,
        }
    }

    /// The weights of points of a line of `n` reals; `None` where all are 1.
    pub fn weights(&self, n: usize) -> Option<Weights> {
        Weights::new(self.weight, n)
    }
}

/// The image of point q's a = 2i + 1 modulo 8N: `(i, sign)`. For the cosine of 2π·ab/8N, b odd,
/// −a is a, and a + 4N is −a.
fn residue(n: usize, q: usize) -> Real {
    let mut a = (n as u128 * n as u128 + 8 * q as u128) % (8 * n as u128);
    let whole = 4 * n as u128;
    if a > whole {
        a = 2 * whole - a;
    }
    let negative = 2 * a > whole;
    if negative {
        a = whole - a;
    }
    (((a - 1) / 2) as usize, negative)
}

/// q/8 modulo an odd n, whose square is 1 modulo 8: q and the multiple of n that make a multiple of 8.
fn over_eight(n: usize, q: usize) -> usize {
    let multiple = (8 - q % 8 * (n % 8) % 8) % 8;
    ((q as u128 + n as u128 * multiple as u128) / 8) as usize
}

impl Kind {
    /// How a line of `n` reals goes through a complex DFT: packed to half the length where
    /// that is possible, or, where passes share the line and none sees a point and its mirror
    /// image (`shared`), without a merge or a split.
    pub fn reduction(self, n: usize, shared: bool) -> &'static Reduction {
        let row = self.row();
        let possible = row.packed.length.of(n).is_some();
        let plain = row.packed.middle == Middle::Plain;
        match possible && (plain || !shared) {
            true => &row.packed,
            false => &row.whole,
        }
    }

    /// Whether a thread of a device has all of a line of `n` reals, by butterflies of these radices of its packed DFT: a type I by one.
    pub fn in_thread(self, n: usize, radices: &[usize]) -> bool {
        let core = self.core_length(n);
        self.row().in_thread.is_some() && radices == [core] && core <= LARGEST_TYPE_ONE
    }

    /// How a line of `n` reals goes through such butterflies: through none, where a thread has all of it.
    pub fn reduction_by(self, n: usize, radices: &[usize]) -> &'static Reduction {
        match &self.row().in_thread {
            Some(reduction) if self.in_thread(n, radices) => reduction,
            _ => self.reduction(n, false),
        }
    }

    /// Whether a line of `n` reals is packed, pairs of its reals being points.
    pub fn packed(self, n: usize) -> bool {
        self != Kind::C2C && std::ptr::eq(self.reduction(n, false), &self.row().packed)
    }

    /// The length of the complex DFT at its core, for a logical length of `n`: half of an
    /// even real length, as a rule.
    pub fn core_length(self, n: usize) -> usize {
        self.reduction(n, false).length.of(n).unwrap_or(n)
    }

    /// The same for a line that passes share.
    pub fn shared_core_length(self, n: usize) -> usize {
        self.reduction(n, true).length.of(n).unwrap_or(n)
    }

    /// Whether the line, continued, is its own mirror image or that one's negative (type I).
    pub fn is_symmetric(self) -> bool {
        let length = self.row().whole.length;
        matches!(length, CoreLength::TwiceLess | CoreLength::TwiceMore)
    }

    /// Whether reals become as many reals.
    pub fn is_real_to_real(self) -> bool {
        let row = self.row();
        (row.input, row.output) == (Domain::Real, Domain::Real)
    }

    /// The sign of the exponent at the core of a kind asked for in this `direction`.
    pub fn core_direction(self, direction: Direction) -> Direction {
        self.row().core.unwrap_or(direction)
    }
}
