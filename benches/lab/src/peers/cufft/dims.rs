//! Where the elements of a transform lie.

use std::ffi::c_longlong;

use mmafft::{Domain, Error, Kind, Result, ScalarType};

use super::api::DataType;
use crate::peers::Transform;

/// Checked arguments of `cufftXtMakePlanMany`.
#[derive(Debug)]
pub struct Geometry {
    pub n: Vec<c_longlong>,
    pub batch: c_longlong,
    pub input: Side,
    pub output: Side,
    /// cuFFT computes with complex numbers, whatever goes in or comes out.
    pub execution: DataType,
}

/// One of the two arrays.
#[derive(Debug)]
pub struct Side {
    pub data_type: DataType,
    /// The lengths of the array that the elements are a part of.
    pub embed: Vec<c_longlong>,
    /// The elements from one transform to the next.
    pub distance: c_longlong,
    /// The bytes of the whole batch.
    pub bytes: usize,
}

impl Geometry {
    pub fn new(transform: &Transform) -> Result<Self> {
        const MAX_RANK: usize = 3;
        let rank = transform.shape.len();
        if !(1..=MAX_RANK).contains(&rank) {
            return Err(Error::Rank {
                got: rank,
                max: MAX_RANK,
            });
        }
        let empty = |what: String| Error::Empty { what };
        if let Some(dimension) = transform.shape.iter().position(|&n| n == 0) {
            return Err(empty(format!("dimension {dimension}")));
        }
        if transform.batch == 0 {
            return Err(empty("the batch".into()));
        }
        let row = transform.kind.row();
        let fit = || {
            Some(Self {
                n: long(&transform.shape)?,
                batch: transform.batch.try_into().ok()?,
                input: Side::new(transform, row.input)?,
                output: Side::new(transform, row.output)?,
                execution: data_type(Domain::Complex, transform.scalar),
            })
        };
        fit().ok_or_else(|| Error::Overflow {
            what: transform.to_string(),
        })
    }
}

impl Side {
    /// `None` if a number does not fit.
    ///
    /// The lengths are spelled out also where cuFFT has a default, which for real rows depends on
    /// whether it sees one array or two.
    fn new(transform: &Transform, domain: Domain) -> Option<Self> {
        let mut embed = transform.shape.clone();
        let last = embed.last_mut()?;
        let half = *last / 2 + 1;
        match (transform.kind, domain) {
            (Kind::C2C, _) => {}
            (_, Domain::Complex) => *last = half,
            (_, Domain::Real) if transform.in_place => *last = half.checked_mul(2)?,
            (_, Domain::Real) => {}
        }
        let elements = embed
            .iter()
            .try_fold(1_usize, |size, &n| size.checked_mul(n))?;
        let bytes = elements
            .checked_mul(transform.batch)?
            .checked_mul(domain.scalars() * transform.scalar.bytes())?;
        Some(Self {
            data_type: data_type(domain, transform.scalar),
            embed: long(&embed)?,
            distance: elements.try_into().ok()?,
            bytes,
        })
    }
}

fn long(lengths: &[usize]) -> Option<Vec<c_longlong>> {
    lengths.iter().map(|&n| n.try_into().ok()).collect()
}

/// The values of `cudaDataType` in library_types.h.
pub fn data_type(domain: Domain, scalar: ScalarType) -> DataType {
    match (domain, scalar) {
        (Domain::Real, ScalarType::F32) => 0,
        (Domain::Real, ScalarType::F64) => 1,
        (Domain::Real, ScalarType::F16) => 2,
        (Domain::Real, ScalarType::Bf16) => 14,
        (Domain::Complex, ScalarType::F32) => 4,
        (Domain::Complex, ScalarType::F64) => 5,
        (Domain::Complex, ScalarType::F16) => 6,
        (Domain::Complex, ScalarType::Bf16) => 15,
    }
}
