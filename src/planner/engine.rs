//! Which engine computes small DFTs, and what it multiplies.

use super::problem::Problem;
use mmafft_backend_traits::{Engine, Error, Limits, Operand, Precision, Result};

/// The engine: the user's choice, else matrix products for the precision that is named after them, where they
/// are as fast as butterflies, and butterflies in all others.
pub fn engine(problem: &Problem, limits: &Limits) -> Result<Engine> {
    let precision = problem.request.precision;
    let engine = match problem.request.engine {
        Some(engine) => engine,
        None if precision == Precision::SplitF16 && products_pay(problem, limits) => Engine::Matrix,
        None => Engine::Simt,
    };
    if engine == Engine::Matrix && !has_products(precision, limits) {
        return Err(Error::Unsupported {
            what: format!("the matrix engine for {}", precision.row().name),
            backend: limits.backend.into(),
            instead: match precision {
                Precision::SplitF16 => "it has no 16-bit products; use the simt engine",
                _ => "it has no such product; use the simt engine, or split-f16",
            }
            .into(),
        });
    }
    Ok(engine)
}

/// Whether products are as fast as butterflies: of powers of two, whose matrices fill their fragments. A request that
/// names radices, or leaves the matrix unsplit, is about products and has them at every length.
fn products_pay(problem: &Problem, limits: &Limits) -> bool {
    let mut axes = problem.axes_to_transform().map(|i| &problem.dims[i]);
    let request = &problem.request;
    let asked = request.radices.is_some() || !request.split_matrix;
    let full = axes.all(|dim| {
        let length = dim.kind.map_or(1, |kind| kind.core_length(dim.length));
        length.is_power_of_two()
    });
    (full || asked) && has_products(request.precision, limits)
}

/// Whether the device multiplies what values of this precision become.
fn has_products(precision: Precision, limits: &Limits) -> bool {
    let product = match precision.row().operand {
        Operand::SplitHalf => Operand::Half,
        Operand::SplitBf16 => Operand::Bf16,
        operand => operand,
    };
    limits.fragments.iter().any(|f| f.operand == product)
}

/// What a pass multiplies: the precision's operand on the matrix engine, the arithmetic's
/// own type in butterflies.
pub fn operand(engine: Engine, precision: Precision) -> Operand {
    match (engine, precision) {
        (Engine::Matrix, precision) => precision.row().operand,
        (Engine::Simt, Precision::F64) => Operand::F64,
        (Engine::Simt, _) => Operand::F32,
    }
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
