//! What is asked for.

use crate::status::{call, invalid, mmafft_status, Result};
use mmafft::{Domain, Effort, Kind, Normalization, Precision, Request, Shape};
use mmafft_guru::{Dim, Problem};

/// What is transformed into what, by FFTW's definitions.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mmafft_kind {
    /// Complex to complex.
    MMAFFT_C2C = 0,
    /// Reals to the half of their spectrum along the last dimension.
    MMAFFT_R2C = 1,
    /// The half of a spectrum to reals.
    MMAFFT_C2R = 2,
    /// Reals to half-complex.
    MMAFFT_R2HC = 3,
    /// Half-complex to reals.
    MMAFFT_HC2R = 4,
    /// The discrete Hartley transform.
    MMAFFT_DHT = 5,
    /// DCT-I (REDFT00).
    MMAFFT_DCT1 = 6,
    /// DCT-II (REDFT10).
    MMAFFT_DCT2 = 7,
    /// DCT-III (REDFT01).
    MMAFFT_DCT3 = 8,
    /// DCT-IV (REDFT11).
    MMAFFT_DCT4 = 9,
    /// DST-I (RODFT00).
    MMAFFT_DST1 = 10,
    /// DST-II (RODFT10).
    MMAFFT_DST2 = 11,
    /// DST-III (RODFT01).
    MMAFFT_DST3 = 12,
    /// DST-IV (RODFT11).
    MMAFFT_DST4 = 13,
}

/// The kinds in the order of their numbers.
const KINDS: [Kind; 14] = [
    Kind::C2C,
    Kind::R2C,
    Kind::C2R,
    Kind::R2HC,
    Kind::HC2R,
    Kind::Dht,
    Kind::Dct1,
    Kind::Dct2,
    Kind::Dct3,
    Kind::Dct4,
    Kind::Dst1,
    Kind::Dst2,
    Kind::Dst3,
    Kind::Dst4,
];

/// The sign of the exponent of MMAFFT_C2C; of the other kinds nothing.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mmafft_direction {
    /// exp(-2 pi i jk/n).
    MMAFFT_FORWARD = -1,
    /// exp(+2 pi i jk/n).
    MMAFFT_BACKWARD = 1,
}

/// How points are stored and computed.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mmafft_precision {
    /// double.
    MMAFFT_F64 = 0,
    /// float.
    MMAFFT_F32 = 1,
    /// float, computed by products of 16-bit matrix units.
    MMAFFT_SPLIT_F16 = 2,
    /// 16 bits, IEEE.
    MMAFFT_F16 = 3,
    /// 16 bits, bfloat16.
    MMAFFT_BF16 = 4,
}

/// The precisions in the order of their numbers.
const PRECISIONS: [Precision; 5] = [
    Precision::F64,
    Precision::F32,
    Precision::SplitF16,
    Precision::F16,
    Precision::Bf16,
];

/// How the output is scaled.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mmafft_norm {
    /// Not at all.
    MMAFFT_NORM_NONE = 0,
    /// Either direction by 1/N.
    MMAFFT_NORM_FULL = 1,
    /// Inverse transforms by 1/N, as NumPy does.
    MMAFFT_NORM_BACKWARD = 2,
    /// Either direction by the root of 1/N.
    MMAFFT_NORM_ORTHO = 3,
    /// Forward transforms by 1/N.
    MMAFFT_NORM_FORWARD = 4,
}

/// How long a planner looks for the fastest plan.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mmafft_effort {
    /// It runs nothing.
    MMAFFT_ESTIMATE = 0,
    /// It times tiles of each pass, once for a device: seconds.
    MMAFFT_MEASURE = 1,
    /// It also times other passes and factors: minutes.
    MMAFFT_PATIENT = 2,
}

/// A dimension of both arrays.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct mmafft_dim {
    /// Its length; of a halved dimension that of the real side.
    pub n: usize,
    /// The input's stride, in elements: complex numbers where they are interleaved, else reals.
    pub input: isize,
    /// The output's.
    pub output: isize,
}

/// What is asked for: mmafft_request_init() first, then what differs from it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct mmafft_request {
    /// Bytes of this structure, by which later versions know this one.
    pub size: usize,
    /// An mmafft_kind.
    pub kind: i32,
    /// An mmafft_direction.
    pub direction: i32,
    /// An mmafft_precision; MMAFFT_F64 at first.
    pub precision: i32,
    /// An mmafft_norm; MMAFFT_NORM_NONE at first.
    pub norm: i32,
    /// An mmafft_effort; MMAFFT_ESTIMATE at first.
    pub effort: i32,
    /// Not zero: input and output are one memory.
    pub in_place: i32,
    /// Not zero: a complex input has real and imaginary parts at separate addresses.
    pub split_input: i32,
    /// Not zero: a complex output has.
    pub split_output: i32,
    /// How many dimensions are transformed, of any number; the last is the one that is halved.
    pub rank: usize,
    /// They.
    pub dims: *const mmafft_dim,
    /// How many dimensions count arrays, of any number.
    pub loop_count: usize,
    /// They.
    pub loops: *const mmafft_dim,
    /// An mmafft_kind for each dimension that is transformed, all from reals to reals; or null.
    pub kinds: *const i32,
    /// The most bytes of scratch that the plan may need; 0 is no limit.
    pub scratch_limit: usize,
}

/// A request of this kind, forward, in double precision, unscaled, without dimensions yet.
///
/// # Safety
/// `request` is null or an address to write.
#[no_mangle]
pub unsafe extern "C" fn mmafft_request_init(
    request: *mut mmafft_request,
    kind: i32,
) -> mmafft_status {
    let new = mmafft_request {
        size: size_of::<mmafft_request>(),
        kind,
        direction: mmafft_direction::MMAFFT_FORWARD as i32,
        precision: mmafft_precision::MMAFFT_F64 as i32,
        norm: mmafft_norm::MMAFFT_NORM_NONE as i32,
        effort: mmafft_effort::MMAFFT_ESTIMATE as i32,
        in_place: 0,
        split_input: 0,
        split_output: 0,
        rank: 0,
        dims: std::ptr::null(),
        loop_count: 0,
        loops: std::ptr::null(),
        kinds: std::ptr::null(),
        scratch_limit: 0,
    };
    call(|| {
        kind_of(kind)?;
        // SAFETY: by this function's contract.
        unsafe { crate::text::write(request, new, "the request") }
    })
}

/// Fills in the strides of a request's kind and placement for row-major arrays, one after the
/// other: `rank` dimensions of the lengths `n`, and one loop of `batch` arrays.
///
/// # Safety
/// `request` is null or one that mmafft_request_init() began; `n` and `dims` have `rank` elements;
/// `loop` is null or an address to write, as may be where `batch` is 1.
#[no_mangle]
pub unsafe extern "C" fn mmafft_row_major(
    request: *const mmafft_request,
    rank: usize,
    n: *const usize,
    batch: usize,
    dims: *mut mmafft_dim,
    r#loop: *mut mmafft_dim,
) -> mmafft_status {
    call(|| {
        // SAFETY: by this function's contract.
        let (asked, n) = unsafe { (sized(request)?, list(rank, n, "the lengths")?) };
        if rank > 0 && dims.is_null() {
            return Err(invalid("the place for the dimensions is null"));
        }
        let kind = kind_of(asked.kind)?;
        let (all, distance) = row_major(kind, n, asked.in_place != 0)?;
        for (i, dim) in all.into_iter().enumerate() {
            // SAFETY: by this function's contract.
            unsafe { dims.add(i).write(dim) };
        }
        match r#loop.is_null() {
            true if batch == 1 => Ok(()),
            true => Err(invalid("the place for the loop is null")),
            false => {
                let counts = mmafft_dim {
                    n: batch,
                    input: distance[0],
                    output: distance[1],
                };
                // SAFETY: by this function's contract.
                unsafe { r#loop.write(counts) };
                Ok(())
            }
        }
    })
}

/// The dimensions of row-major arrays and the distances between these, in elements.
fn row_major(kind: Kind, n: &[usize], in_place: bool) -> Result<(Vec<mmafft_dim>, [isize; 2])> {
    let row = kind.row();
    let mut distance = [1isize; 2];
    let mut dims = Vec::new();
    for (i, &n) in n.iter().enumerate().rev() {
        dims.push(mmafft_dim {
            n,
            input: distance[0],
            output: distance[1],
        });
        let is_last = dims.len() == 1;
        let mut lengths = if is_last { kind.lengths(n) } else { [n, n] };
        // Rows of reals leave room for their half spectra.
        if is_last && in_place && row.input != row.output {
            let real = usize::from(row.output == Domain::Real);
            lengths[real] = (n / 2 + 1).saturating_mul(2);
        }
        for (distance, length) in distance.iter_mut().zip(lengths) {
            let length = isize::try_from(length).ok();
            *distance = length
                .and_then(|length| distance.checked_mul(length))
                .ok_or_else(|| invalid(format!("dimension {i} has more points than memory")))?;
        }
    }
    dims.reverse();
    Ok((dims, distance))
}

/// The request of whole arrays in rows by numbers: kind, direction, precision and norm.
pub(crate) fn whole_request(
    [kind, direction, precision, norm]: [i32; 4],
    lengths: &[usize],
    batch: usize,
) -> Result<Request> {
    let shape = Shape::new(lengths);
    let request = directed(kind_of(kind)?, direction, shape)?;
    let norms = Normalization::ALL.map(|(norm, _)| norm);
    Ok(request
        .batch(batch)
        .precision(one_of(&PRECISIONS, precision, "precision")?)
        .normalization(one_of(&norms, norm, "norm")?))
}

/// The request of a kind in a direction, which only C2C has.
fn directed(kind: Kind, direction: i32, shape: Shape) -> Result<Request> {
    match (kind, direction) {
        (Kind::C2C, -1) => Ok(Request::forward(shape)),
        (Kind::C2C, 1) => Ok(Request::backward(shape)),
        (Kind::C2C, other) => Err(invalid(format!("no direction has number {other}"))),
        (kind, _) => Ok(Request::of_kind(kind, shape)),
    }
}

fn kind_of(number: i32) -> Result<Kind> {
    let found = usize::try_from(number).ok().and_then(|i| KINDS.get(i));
    let found = found.copied();
    found.ok_or_else(|| invalid(format!("no kind has number {number}")))
}

fn one_of<T: Copy>(all: &[T], number: i32, what: &str) -> Result<T> {
    let found = usize::try_from(number).ok().and_then(|i| all.get(i));
    let found = found.copied();
    found.ok_or_else(|| invalid(format!("no {what} has number {number}")))
}

/// A list of the caller's.
///
/// # Safety
/// `first` is null or of `count` elements.
unsafe fn list<'a, T>(count: usize, first: *const T, what: &str) -> Result<&'a [T]> {
    match (count, first.is_null()) {
        (0, _) => Ok(&[]),
        (_, true) => Err(invalid(format!("{what} are null"))),
        // SAFETY: by this function's contract.
        _ => Ok(unsafe { std::slice::from_raw_parts(first, count) }),
    }
}

/// The caller's request, if it is of this version.
///
/// # Safety
/// `request` is null or one that `mmafft_request_init` began.
unsafe fn sized<'a>(request: *const mmafft_request) -> Result<&'a mmafft_request> {
    // SAFETY: by this function's contract.
    let request = unsafe { request.as_ref() };
    let request = request.ok_or_else(|| invalid("the request is null"))?;
    match request.size == size_of::<mmafft_request>() {
        true => Ok(request),
        false => Err(invalid(
            "the request was not begun by mmafft_request_init()",
        )),
    }
}

/// The problem of a request, and whether it is in place.
///
/// # Safety
/// `request` is null or one that `mmafft_request_init` began, and its lists have as many elements as it says.
pub(crate) unsafe fn problem(request: *const mmafft_request) -> Result<(Problem, bool)> {
    // SAFETY: by this function's contract.
    let (asked, dims, loops) = unsafe {
        let asked = sized(request)?;
        let dims = list(asked.rank, asked.dims, "the dimensions")?;
        (
            asked,
            dims,
            list(asked.loop_count, asked.loops, "the loops")?,
        )
    };
    let none = Shape::new(&[]);
    let kinds = match asked.kinds.is_null() {
        true => None,
        // SAFETY: by this function's contract.
        false => Some(unsafe { list(asked.rank, asked.kinds, "the kinds")? }),
    };
    let kind = kind_of(*kinds.and_then(|kinds| kinds.last()).unwrap_or(&asked.kind))?;
    let mut new = directed(kind, asked.direction, none)?;
    if let Some(kinds) = kinds {
        let kinds = kinds.iter().map(|&kind| kind_of(kind));
        new = new.kinds(&kinds.collect::<Result<Vec<Kind>>>()?);
    }
    let norms = Normalization::ALL.map(|(norm, _)| norm);
    let efforts = Effort::ALL.map(|(effort, _)| effort);
    new = new
        .precision(one_of(&PRECISIONS, asked.precision, "precision")?)
        .normalization(one_of(&norms, asked.norm, "norm")?)
        .effort(one_of(&efforts, asked.effort, "effort")?);
    if asked.scratch_limit > 0 {
        new = new.scratch_limit(asked.scratch_limit);
    }
    let row = kind.row();
    let split = [
        asked.split_input != 0 && row.input == Domain::Complex,
        asked.split_output != 0 && row.output == Domain::Complex,
    ];
    let unit = |side: usize| {
        let domain = [row.input, row.output][side];
        if split[side] {
            1
        } else {
            domain.scalars() as isize
        }
    };
    let in_scalars = |dim: &mmafft_dim| {
        let strides = [
            dim.input.checked_mul(unit(0)),
            dim.output.checked_mul(unit(1)),
        ];
        match strides {
            [Some(input), Some(output)] => Ok(Dim {
                n: dim.n,
                strides: [input, output],
            }),
            _ => Err(invalid("a stride reaches beyond all memory")),
        }
    };
    let problem = Problem {
        request: new,
        dims: dims.iter().map(in_scalars).collect::<Result<_>>()?,
        loops: loops.iter().map(in_scalars).collect::<Result<_>>()?,
        split,
    };
    Ok((problem, asked.in_place != 0))
}

const _: () = {
    assert!(KINDS.len() == mmafft_kind::MMAFFT_DST4 as usize + 1);
    assert!(PRECISIONS.len() == mmafft_precision::MMAFFT_BF16 as usize + 1);
    assert!(Normalization::ALL.len() == mmafft_norm::MMAFFT_NORM_FORWARD as usize + 1);
    assert!(Effort::ALL.len() == mmafft_effort::MMAFFT_PATIENT as usize + 1);
};
