//! Where the elements of a transform lie.

use std::ffi::c_longlong;

use mmafft::{Domain, Result, ScalarType};

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
    /// Of a transform.
    ///
    /// The lengths of both arrays are spelled out also where cuFFT has a default, which for real rows depends on
    /// whether it sees one array or two.
    pub fn new(transform: &Transform) -> Result<Self> {
        transform.check()?;
        let row = transform.kind.row();
        let [input, output] = [row.input, row.output].map(|domain| Side::new(transform, domain));
        Ok(Self {
            n: long(&transform.shape).ok_or_else(|| transform.overflow())?,
            batch: transform
                .batch
                .try_into()
                .map_err(|_| transform.overflow())?,
            input: input?,
            output: output?,
            execution: data_type(Domain::Complex, transform.scalar),
        })
    }
}

impl Side {
    fn new(transform: &Transform, domain: Domain) -> Result<Self> {
        let (distance, bytes) = transform.distance_and_bytes(domain)?;
        Ok(Self {
            data_type: data_type(domain, transform.scalar),
            embed: long(&transform.embed(domain)?).ok_or_else(|| transform.overflow())?,
            distance: distance.try_into().map_err(|_| transform.overflow())?,
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
