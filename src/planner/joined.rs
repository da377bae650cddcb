//! Which powers of two become joined products: see [`radix::JOINED`].

use super::fits::Fits;
use mmafft_backend_traits::radix;

/// The powers of two among the factors by fewer radices of joined products, where those of one product are three or
/// more: each is an exchange less. Of FP64 a thread's registers do not hold them beside products.
pub fn joined(mut factors: Vec<usize>, fits: &Fits) -> Vec<usize> {
    let twos = |f: &usize| f.is_power_of_two();
    let product: usize = factors.iter().filter(|f| twos(f)).product();
    let count = factors.iter().filter(|f| twos(f)).count();
    let bits = product.trailing_zeros() as usize;
    let most = radix::JOINED.iter().max().map_or(1, |r| r.ilog2() as usize);
    let fewer = bits.div_ceil(most);
    if count < 3 || fewer >= count || fits.scalar.compute_bytes() > 4 {
        return factors;
    }
    factors.retain(|f| !twos(f));
    let mut left = bits;
    // The largest first, all of them as equal as they can be.
    let twos = (1..=fewer).rev().map(|parts| {
        let share = left.div_ceil(parts);
        left -= share;
        1 << share
    });
    let mut all: Vec<usize> = twos.collect();
    all.extend(factors);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::fits::invented;
    use crate::planner::plan;
    use mmafft_backend_traits::{
        Engine, FragmentShape, Limits, Operand, Precision, Request, Shape, Step,
    };

    /// The radices of one line on a device that multiplies 16-bit fragments.
    fn of(n: usize, precision: Precision) -> Vec<usize> {
        let product = |operand| FragmentShape {
            m: 16,
            n: 8,
            k: 16,
            lanes: 32,
            operand,
        };
        let limits = Limits {
            butterflies: radix::BUTTERFLIES,
            fragments: [Operand::Half, Operand::F64].map(product).into(),
            precisions: vec![precision],
            ..invented(227 << 10)
        };
        let request = Request::forward(Shape::d1(n)).precision(precision);
        let plan = plan(&request.engine(Engine::Matrix), &limits).expect("a plan");
        let steps = plan.passes.iter().flat_map(|pass| &pass.steps);
        steps.filter_map(Step::radix).collect()
    }

    #[test]
    fn long_lines_join_products() {
        for (n, radices) in [
            (256, &[16, 16][..]),
            (512, &[32, 16]),
            (1024, &[32, 32]),
            (2048, &[64, 32]),
            (4096, &[64, 64]),
            (8192, &[128, 64]),
            (3072, &[32, 32, 3]),
        ] {
            assert_eq!(of(n, Precision::SplitF16), radices, "{n}");
            assert!(of(n, Precision::F64).iter().all(|&r| r <= 16), "{n}");
        }
    }
}
