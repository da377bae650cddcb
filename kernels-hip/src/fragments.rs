//! Which matrix products a device's matrix cores offer.

use mmafft_backend_traits::{FragmentShape, Operand};

/// What there is to know of an architecture beside what a device says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Architecture {
    /// As compilers name it.
    pub name: &'static str,
    /// The first HIP whose hipRTC compiles for it.
    pub since: (u32, u32),
    /// 32-bit registers of a compute unit that ordinary instructions reach. CDNA 1 has as
    /// many again for accumulators alone.
    pub registers: usize,
}

/// The architectures that kernels are compiled for.
pub(crate) const ARCHITECTURES: &[Architecture] = &[
    architecture("gfx908", (5, 0), 1 << 16),
    architecture("gfx90a", (5, 0), 1 << 17),
    architecture("gfx942", (6, 0), 1 << 17),
];

const fn architecture(name: &'static str, since: (u32, u32), registers: usize) -> Architecture {
    Architecture {
        name,
        since,
        registers,
    }
}

/// An architecture without its features: `gfx942` of `gfx942:sramecc+:xnack-`.
pub(crate) fn target(architecture: &str) -> &str {
    architecture.split(':').next().unwrap_or_default()
}

/// A product, and the architectures that have it.
type Row = (&'static [&'static str], FragmentShape);

/// CDNA 1 (MI100), CDNA 2 (MI200 series) and CDNA 3 (MI300 series).
const CDNA: &[&str] = &["gfx908", "gfx90a", "gfx942"];
const CDNA1: &[&str] = &["gfx908"];
const CDNA2_ON: &[&str] = &["gfx90a", "gfx942"];

/// The MFMA products of AMD's instruction set reference guides for CDNA 1 ("MI100"), CDNA
/// 2 ("MI200") and CDNA 3 ("MI300"), chapter "Matrix Math Instructions". 16-bit
/// products accumulate in FP32. A 4×4 product comes as 16 blocks in one instruction, each
/// held by 4 lanes. The preferred of an operand come last.
const PRODUCTS: &[Row] = &[
    // v_mfma_f32_4x4x4f16; in CDNA 3's names v_mfma_f32_4x4x4_16b_f16.
    row(CDNA, [4, 4, 4], 4, Operand::Half),
    // v_mfma_f32_16x16x16f16; v_mfma_f32_16x16x16_f16.
    row(CDNA, [16, 16, 16], 64, Operand::Half),
    // v_mfma_f32_4x4x2bf16, and v_mfma_f32_16x16x8bf16: CDNA 2 runs them at half the speed
    // of those below, CDNA 3 has dropped them.
    row(CDNA1, [4, 4, 2], 4, Operand::Bf16),
    row(CDNA1, [16, 16, 8], 64, Operand::Bf16),
    // v_mfma_f32_4x4x4bf16_1k; v_mfma_f32_4x4x4_16b_bf16.
    row(CDNA2_ON, [4, 4, 4], 4, Operand::Bf16),
    // v_mfma_f32_16x16x16bf16_1k; v_mfma_f32_16x16x16_bf16.
    row(CDNA2_ON, [16, 16, 16], 64, Operand::Bf16),
    // v_mfma_f32_4x4x1f32; v_mfma_f32_4x4x1_16b_f32.
    row(CDNA, [4, 4, 1], 4, Operand::F32),
    // v_mfma_f32_16x16x4f32; v_mfma_f32_16x16x4_f32.
    row(CDNA, [16, 16, 4], 64, Operand::F32),
    // v_mfma_f64_16x16x4f64; v_mfma_f64_16x16x4_f64.
    row(CDNA2_ON, [16, 16, 4], 64, Operand::F64),
];

const fn row(on: &'static [&'static str], mnk: [usize; 3], lanes: usize, operand: Operand) -> Row {
    let [m, n, k] = mnk;
    let shape = FragmentShape {
        m,
        n,
        k,
        lanes,
        operand,
    };
    (on, shape)
}

/// The matrix products of an architecture (`gfx942`, or with features as
/// `gfx942:sramecc+:xnack-`); none for one that is unknown or has no MFMA.
pub fn fragments(architecture: &str) -> Vec<FragmentShape> {
    let target = target(architecture);
    let offered = PRODUCTS.iter().filter(|(on, _)| on.contains(&target));
    offered.map(|&(_, shape)| shape).collect()
}

#[cfg(test)]
#[path = "fragments_tests.rs"]
mod tests;
