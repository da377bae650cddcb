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
mod tests {
    use super::*;
    use crate::planner::fits::invented_device;
    use mmafft_backend_traits::{FragmentShape, Request, Shape};

    #[test]
    fn products_are_of_powers_of_two() {
        let half = FragmentShape {
            m: 16,
            n: 16,
            k: 16,
            lanes: 32,
            operand: Operand::Half,
        };
        let with = |fragments: Vec<FragmentShape>| Limits {
            fragments,
            precisions: vec![Precision::SplitF16],
            ..invented_device("new")
        };
        let of = |request: Request, limits: &Limits| {
            let request = request.precision(Precision::SplitF16);
            let problem = Problem::new(&request, limits).expect("a problem");
            engine(&problem, limits)
        };
        let (some, none) = (with(vec![half]), with(Vec::new()));
        let line = |n| Request::forward(Shape::d1(n));
        for request in [
            line(4096),
            Request::r2c(Shape::d1(4096)),
            Request::forward(Shape::d3(16, 1, 64)),
            Request::forward(Shape::d2(100, 64)).axes(&[1]),
            line(1000).radices(&[10]),
            line(1000).split_matrix(false),
            line(1000).engine(Engine::Matrix),
        ] {
            assert_eq!(of(request, &some), Ok(Engine::Matrix));
        }
        for request in [
            line(1000),
            line(4096).engine(Engine::Simt),
            Request::r2c(Shape::d1(96)),
            Request::forward(Shape::d2(100, 64)),
        ] {
            assert_eq!(of(request, &some), Ok(Engine::Simt));
        }
        assert_eq!(of(line(4096), &none), Ok(Engine::Simt));
        assert!(of(line(4096).engine(Engine::Matrix), &none).is_err());
    }
}
