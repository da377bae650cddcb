//! Powers of two that keep the values of 16-bit products in range: each product's own, or one for all
//! products of a line. See `device/matrix.hpp`.

use super::config::*;
use super::matrices;
use crate::geometry::Vendor;
use crate::kind::Kind;
use crate::pass::Pass;
use crate::precision::Operand;
use crate::radix;
use crate::step::{Engine, Step};

/// Binary digits by which each product makes a line larger beside its DFT's growth, where the lines of a
/// tile are scaled once: of 16-bit products, two or more, with nothing between them but other products'
/// twiddles. Butterflies make a line larger and not smaller again, convolutions add what was not scaled, or
/// multiply by a spectrum of any size, and splits and merges between axes grow.
pub fn digits(pass: &Pass, vendor: Vendor) -> Option<i32> {
    let wide = match pass.math.operand {
        Operand::Half | Operand::SplitHalf => false,
        Operand::Bf16 | Operand::SplitBf16 => true,
        Operand::F32 | Operand::F64 => return None,
    };
    let radices = pass.steps.iter().filter_map(Step::radix);
    let plain = pass.steps.iter().all(|step| {
        matches!(
            step,
            Step::Dft {
                engine: Engine::Matrix,
                ..
            } | Step::Twiddle { .. }
                | Step::Exchange
        )
    });
    let sums = radices.clone().any(|r| radix::summed(r, true));
    let complex = pass.axes.len() == 1 || pass.axes.iter().all(|a| a.kind == Kind::C2C);
    let one = pass.tile.residency.blocks() == 1;
    let worth = pass.math.scale_lines && one && plain && !sums && complex && radices.count() > 1;
    worth.then(|| matrices::magnified(vendor, wide).0)
}

/// Says in the steps of such a pass where its lines are scaled, and where they are made smaller again by
/// what a DFT makes them larger; by how much in all, but for the products' own digits.
pub fn steps(steps: &mut [StepWords], digits: i32) -> i64 {
    let mut products: Vec<&mut StepWords> = steps
        .iter_mut()
        .filter(|s| s.engine == ENGINE_MATRIX)
        .collect();
    let Some((_, before)) = products.split_last_mut() else {
        return 0;
    };
    let mut grown = 0;
    for step in before {
        let whole = step.radix * step.joined.max(1);
        let made = growth(whole as usize);
        // At an axis' end there are no twiddles, or those between joined products, which are as the last ones'.
        if step.twiddle < 0 || step.done * whole == step.points {
            step.down = made + i64::from(digits);
        }
        grown += made;
    }
    for (i, step) in products.iter_mut().enumerate() {
        step.scaling = if i == 0 { SCALING_LINE } else { SCALING_DONE };
    }
    grown
}

/// Binary digits by which a DFT makes its largest value larger at most.
pub fn growth(radix: usize) -> i64 {
    i64::from(radix.next_power_of_two().trailing_zeros())
}
