//! The request that a file and the arguments make together.

use super::Arguments;
use crate::npy::DType;
use crate::Failure;
use mmafft::{Domain, Error, Kind, Precision, Request, Shape};

/// The request that the arguments make of an array of this type and shape.
pub fn request(arguments: &Arguments, dtype: DType, shape: &[usize]) -> Result<Request, Failure> {
    let common = &arguments.common;
    let precision = arguments.precision.unwrap_or(match dtype.is_single() {
        true => Precision::F32,
        false => Precision::F64,
    });
    let kinds = common.kinds(&arguments.kind);
    check_domain(arguments, &kinds, dtype)?;
    let kind = kinds.last().copied().unwrap_or(Kind::C2C);
    let axes = common.axes(shape.len())?;
    let axes = axes.unwrap_or_else(|| (0..shape.len()).collect());
    let mut lengths = shape.to_vec();
    if let (Kind::C2R, Some(&halved)) = (kind, axes.last()) {
        match chosen(arguments) {
            true => {}
            false => lengths = Shape::from_half(shape, halved, None)?.dims().to_vec(),
        }
    }
    for (axis, length) in chosen_lengths(arguments, &axes)? {
        let rank = shape.len();
        let place = lengths.get_mut(axis);
        *place.ok_or(Error::AxisOutOfRange { axis, rank })? = length;
    }
    Ok(common.request(&arguments.kind, Shape::new(&lengths), precision)?)
}

/// Whether the arguments say how long the halved axis is.
fn chosen(arguments: &Arguments) -> bool {
    arguments.length.is_some() || arguments.lengths.is_some()
}

/// The lengths that the arguments choose, each with its axis.
fn chosen_lengths(arguments: &Arguments, axes: &[usize]) -> Result<Vec<(usize, usize)>, Failure> {
    if let Some(lengths) = &arguments.lengths {
        if lengths.len() != axes.len() {
            return Err(format!(
                "--lengths is one length for each axis: expected {}, got {}",
                axes.len(),
                lengths.len()
            )
            .into());
        }
        return Ok(axes.iter().copied().zip(lengths.iter().copied()).collect());
    }
    Ok(axes
        .last()
        .copied()
        .zip(arguments.length)
        .into_iter()
        .collect())
}

/// Refuses a kind that takes numbers of another domain than the file has; real numbers are complex ones for c2c alone.
fn check_domain(arguments: &Arguments, kinds: &[Kind], dtype: DType) -> Result<(), Failure> {
    let wrong = |kind: &&Kind| match kind.row().input {
        Domain::Real => dtype.is_complex(),
        Domain::Complex => **kind == Kind::C2R && !dtype.is_complex(),
    };
    let Some(kind) = kinds.iter().find(wrong) else {
        return Ok(());
    };
    let (takes, instead) = match kind.row().input {
        Domain::Real => ("real numbers", "use --kind c2c"),
        Domain::Complex => (
            "half of a complex spectrum",
            "use --kind r2c for the spectrum of real numbers, or write them as complex ones",
        ),
    };
    Err(format!(
        "{} takes {takes}, and {} holds {dtype}: {instead}",
        kind.row().name,
        arguments.input.display(),
    )
    .into())
}

/// One line where an array looks like an image whose colours are transformed as if they were a third dimension.
pub fn hint(arguments: &Arguments, dtype: DType, shape: &[usize]) -> Option<String> {
    let colours = match shape {
        [_, _, colours @ (3 | 4)] => colours,
        _ => return None,
    };
    (dtype.is_byte() && arguments.common.axes.is_none()).then(|| {
        format!(
            "the last axis, of {colours}, looks like the colours of an image, and is transformed too: --axes 0,1 \
             leaves it out"
        )
    })
}
