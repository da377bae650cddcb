//! Which matrix products a device's tensor cores offer.

use mmafft_backend_traits::{FragmentShape, Operand};
use std::ops::Range;

/// A product, and the compute capabilities (as `sm_` numbers) that have it.
type Row = (Range<u32>, FragmentShape);

/// No end: later devices keep the product.
const ON: u32 = u32::MAX;

/// The `mma.sync` products of NVIDIA's *PTX ISA*, section "Matrix multiply-accumulate
/// operation using mma instruction": its table of shapes, and the target notes of `mma`.
/// 16-bit products accumulate in FP32. The preferred of an operand come last.
const PRODUCTS: &[Row] = &[
    // Volta's m8n8k4 holds its operands in "quad pairs" of 8 threads, unlike all that came
    // after: no kernel of ours uses it.
    row(75, ON, [16, 8, 8], 32, Operand::Half),
    row(80, ON, [16, 8, 16], 32, Operand::Half),
    row(80, ON, [16, 8, 8], 32, Operand::Bf16),
    row(80, ON, [16, 8, 16], 32, Operand::Bf16),
    row(80, ON, [8, 8, 4], 32, Operand::F64),
    row(90, ON, [16, 8, 4], 32, Operand::F64),
    row(90, ON, [16, 8, 8], 32, Operand::F64),
    row(90, ON, [16, 8, 16], 32, Operand::F64),
];

const fn row(from: u32, before: u32, mnk: [usize; 3], lanes: usize, operand: Operand) -> Row {
    let [m, n, k] = mnk;
    let shape = FragmentShape {
        m,
        n,
        k,
        lanes,
        operand,
    };
    (from..before, shape)
}

/// The matrix products that kernels use on an architecture (`sm_90`, or `sm_90a`); none for
/// one that is unknown or older than Turing.
pub fn fragments(architecture: &str) -> Vec<FragmentShape> {
    let Some(capability) = capability(architecture) else {
        return Vec::new();
    };
    let offered = PRODUCTS.iter().filter(|(on, _)| on.contains(&capability));
    offered.map(|&(_, shape)| shape).collect()
}

/// 90 for `sm_90`. The suffix of `sm_90a` or `sm_100f` adds instructions and takes none.
pub(crate) fn capability(architecture: &str) -> Option<u32> {
    let number = architecture.strip_prefix("sm_")?;
    number.trim_end_matches(['a', 'f']).parse().ok()
}

#[cfg(test)]
#[path = "fragments_tests.rs"]
mod tests;
