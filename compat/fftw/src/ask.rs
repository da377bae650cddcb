//! From the arguments of FFTW's planning functions to a problem.

use mmafft::{Direction, Domain, Kind, Precision, Request, Shape};
use mmafft_guru::{Dim, Embedded, Problem};
use std::ffi::{c_int, c_uint};

pub const MEASURE_MORE: [c_uint; 2] = [1 << 3, 1 << 5];
pub const ESTIMATE: c_uint = 1 << 6;
pub const ESTIMATE_PATIENT: c_uint = 1 << 7;
pub const WISDOM_ONLY: c_uint = 1 << 21;

/// A dimension of the guru interface.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Iodim {
    pub n: c_int,
    pub is: c_int,
    pub os: c_int,
}

/// A dimension of the 64-bit guru interface.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Iodim64 {
    pub n: isize,
    pub is: isize,
    pub os: isize,
}

impl From<Iodim> for Iodim64 {
    fn from(dim: Iodim) -> Self {
        Iodim64 {
            n: dim.n as isize,
            is: dim.is as isize,
            os: dim.os as isize,
        }
    }
}

/// FFTW's kinds from reals to reals, in the order of their numbers.
const KINDS: [Kind; 11] = [
    Kind::R2HC,
    Kind::HC2R,
    Kind::Dht,
    Kind::Dct1,
    Kind::Dct3,
    Kind::Dct2,
    Kind::Dct4,
    Kind::Dst1,
    Kind::Dst3,
    Kind::Dst2,
    Kind::Dst4,
];

/// What is transformed into what.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    Complex(Direction),
    RealToHalf,
    HalfToReal,
    Reals(Vec<Kind>),
}

impl What {
    pub fn complex(sign: c_int) -> Self {
        What::Complex(match sign {
            -1 => Direction::Forward,
            _ => Direction::Inverse,
        })
    }

    /// By FFTW's numbers of kinds; `None` where one is none.
    pub fn reals(kinds: &[c_int]) -> Option<Self> {
        let kind = |&number: &c_int| KINDS.get(usize::try_from(number).ok()?).copied();
        kinds
            .iter()
            .map(kind)
            .collect::<Option<_>>()
            .map(What::Reals)
    }

    fn request(&self, precision: Precision) -> Request {
        let none = Shape::new(&[]);
        let request = match self {
            What::Complex(Direction::Forward) => Request::forward(none),
            What::Complex(Direction::Inverse) => Request::backward(none),
            What::RealToHalf => Request::r2c(none),
            What::HalfToReal => Request::c2r(none),
            What::Reals(kinds) => {
                let last = kinds.last().copied().unwrap_or(Kind::R2HC);
                let same = kinds.iter().all(|&kind| kind == last);
                let request = Request::of_kind(last, none);
                if same {
                    request
                } else {
                    request.kinds(kinds)
                }
            }
        };
        request.precision(precision)
    }

    fn domains(&self) -> [Domain; 2] {
        match self {
            What::Complex(_) => [Domain::Complex; 2],
            What::RealToHalf => [Domain::Real, Domain::Complex],
            What::HalfToReal => [Domain::Complex, Domain::Real],
            What::Reals(_) => [Domain::Real; 2],
        }
    }

    /// The problem of dimensions whose strides count elements, of separate parts reals; `None` of lengths that FFTW
    /// refuses.
    fn problem(
        &self,
        precision: Precision,
        dims: &[Iodim64],
        loops: &[Iodim64],
        split: bool,
    ) -> Option<Problem> {
        let domains = self.domains();
        let split = domains.map(|domain| split && domain == Domain::Complex);
        let unit = |side: usize| {
            if split[side] {
                1
            } else {
                domains[side].scalars() as isize
            }
        };
        let scalars = |dim: &Iodim64| {
            Some(Dim {
                n: usize::try_from(dim.n).ok()?,
                strides: [dim.is.checked_mul(unit(0))?, dim.os.checked_mul(unit(1))?],
            })
        };
        let all = |dims: &[Iodim64]| dims.iter().map(scalars).collect::<Option<Vec<_>>>();
        let problem = Problem {
            request: self.request(precision),
            dims: all(dims)?,
            loops: all(loops)?,
            split,
        };
        problem.dims.iter().all(|dim| dim.n > 0).then_some(problem)
    }

    /// That of the guru interfaces.
    ///
    /// # Safety
    /// Both lists are null or have as many elements.
    pub unsafe fn guru<D: Copy + Into<Iodim64>>(
        &self,
        precision: Precision,
        (rank, dims): (c_int, *const D),
        (loop_count, loops): (c_int, *const D),
        split: bool,
    ) -> Option<Problem> {
        // SAFETY: by this function's contract.
        let (dims, loops) = unsafe { (list(rank, dims)?, list(loop_count, loops)?) };
        let wide = |dims: &[D]| dims.iter().map(|&dim| dim.into()).collect::<Vec<Iodim64>>();
        self.problem(precision, &wide(dims), &wide(loops), split)
    }

    /// That of the many interface, whose arrays lie inside of larger ones.
    pub fn many(&self, precision: Precision, many: &Many, in_place: bool) -> Option<Problem> {
        let embedded = Embedded {
            n: &many.n,
            howmany: many.howmany.into(),
            embed: many.embed.each_ref().map(Option::as_deref),
            strides: many.strides.map(i64::from),
            distances: many.distances.map(i64::from),
        };
        embedded.problem(self.request(precision), in_place)
    }
}

/// The arguments of the many interface.
pub struct Many {
    n: Vec<i64>,
    howmany: c_int,
    /// The lengths of the arrays that these are parts of.
    embed: [Option<Vec<i64>>; 2],
    strides: [c_int; 2],
    distances: [c_int; 2],
}

impl Many {
    /// One array without gaps.
    pub fn one(n: &[c_int]) -> Self {
        Many {
            n: n.iter().map(|&n| n.into()).collect(),
            howmany: 1,
            embed: [None, None],
            strides: [1; 2],
            distances: [1; 2],
        }
    }

    /// Many arrays.
    ///
    /// # Safety
    /// All lists are null or of as many elements as there are dimensions.
    pub unsafe fn new(
        rank: c_int,
        n: *const c_int,
        howmany: c_int,
        embed: [*const c_int; 2],
        strides: [c_int; 2],
        distances: [c_int; 2],
    ) -> Option<Self> {
        // SAFETY: by this function's contract.
        let wide = |first: *const c_int| {
            unsafe { list(rank, first) }.map(|all| all.iter().map(|&n| n.into()).collect())
        };
        Some(Many {
            n: wide(n)?,
            howmany,
            embed: embed.map(|embed| if embed.is_null() { None } else { wide(embed) }),
            strides,
            distances,
        })
    }
}

/// A list of the caller's; `None` where its length is negative, or it is null though it should have elements.
///
/// # Safety
/// `first` is null or of `count` elements.
pub unsafe fn list<'a, T>(count: c_int, first: *const T) -> Option<&'a [T]> {
    let count = usize::try_from(count).ok()?;
    match (count, first.is_null()) {
        (0, _) => Some(&[]),
        (_, true) => None,
        // SAFETY: by this function's contract.
        _ => Some(unsafe { std::slice::from_raw_parts(first, count) }),
    }
}
