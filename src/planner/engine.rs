//! Which engine computes small DFTs, and what it multiplies.

use super::problem::Problem;
use mmafft_backend_traits::{Engine, Error, Limits, Operand, Precision, Result};

/// The engine: the user's choice, else matrix products for the precision that is named after
/// them, and butterflies where those are as exact and no slower: in all others so far.
pub fn engine(problem: &Problem, limits: &Limits) -> Result<Engine> {
    let precision = problem.request.precision;
    let natural = match precision {
        Precision::SplitF16 => Engine::Matrix,
        _ => Engine::Simt,
    };
    let engine = problem.request.engine.unwrap_or(natural);
    let unsupported = |what: String, instead: &str| {
        Err(Error::Unsupported {
            what,
            backend: limits.backend.into(),
            instead: instead.into(),
        })
    };
    if engine == Engine::Simt && precision == Precision::SplitF16 {
        return unsupported(
            "split-f16 by butterflies".into(),
            "use precision f32, which is what butterflies on f32 data are",
        );
    }
    let product = match operand(engine, precision) {
        Operand::SplitHalf => Operand::Half,
        Operand::SplitBf16 => Operand::Bf16,
        operand => operand,
    };
    if engine == Engine::Matrix && !limits.fragments.iter().any(|f| f.operand == product) {
        return unsupported(
            format!("the matrix engine for {}", precision.row().name),
            match precision {
                Precision::SplitF16 => "it has no 16-bit products; use precision f32",
                _ => "it has no such product; use the simt engine, or split-f16",
            },
        );
    }
    Ok(engine)
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
