//! What a lowered pass asks of a device beside memory, counted from its program: for
//! predictions of speed, not for running it.

use super::config::*;
use super::matrices;
use crate::geometry::Geometry;
use crate::precision::Operand;

/// Of one tile. Idle lanes count as if they worked.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// Operations of matrix products, two for each multiplication, padding included.
    pub matrix_flops: f64,
    /// The same of AMD's 4×4 products.
    pub small_flops: f64,
    /// Additions and multiplications outside of them: of butterflies, dense sums, and
    /// products with roots.
    pub vector_flops: f64,
    /// Bytes that shared memory is read and written.
    pub shared_bytes: f64,
}

/// A product of complex numbers.
const PRODUCT: f64 = 6.0;

/// The work of a tile.
pub fn of(config: &Config, geometry: &Geometry, operand: Operand) -> Work {
    let double = operand == Operand::F64;
    let pair = if double { 16.0 } else { 8.0 };
    let threads = (config.head.threads * config.head.blocks) as f64;
    // Two points of half spectra, split or merged: the root of parts of a line is a product itself.
    let head = &config.head;
    let parts = head.mirrored > 0 && head.mirrored_facing == 0 && head.mirrored_row == 0;
    let pair_flops = if parts { 4.0 } else { 3.0 } * PRODUCT;
    let mut work = Work::default();
    let mut in_registers = false;
    for step in &config.steps {
        let groups = threads * step.groups as f64;
        let radix = step.radix as f64;
        let matrix = step.engine == ENGINE_MATRIX;
        let held = matrices::wave(step.rank as usize, geometry.vendor, operand);
        let points = match step.op {
            _ if matrix => held.values as f64,
            OP_DFT if step.engine == ENGINE_DENSE => 2.0,
            OP_DFT => radix,
            OP_COPY => 1.0,
            _ => 2.0,
        };
        let values = groups * points;
        let there = std::mem::replace(&mut in_registers, step.target == PLACE_REGISTERS);
        if step.source == PLACE_SHARED && !there {
            // A dense sum reads all points of its DFT.
            let read = if step.engine == ENGINE_DENSE {
                groups * radix
            } else {
                values
            };
            work.shared_bytes += read * pair;
        }
        if step.target == PLACE_SHARED {
            work.shared_bytes += values * pair;
        }
        if step.target == PLACE_MEMORY && head.row_of_reals != 0 {
            work.shared_bytes += 2.0 * values * pair;
        }
        match step.op {
            _ if matrix && !matrices::multiplied(step.radix as usize) => {
                work.vector_flops += 2.0 * values;
            }
            _ if matrix => {
                let waves = threads / geometry.wave as f64;
                let products = waves * step.groups as f64 / held.rows as f64;
                let order = 2.0 * step.rank as f64;
                let one = 2.0 * held.columns as f64 * order * order;
                // Sums and differences of 16 points are half as long.
                let halves = step.radix == 16;
                if halves {
                    work.vector_flops += 2.0 * values;
                }
                let flops =
                    products * one * terms(operand, step.parts) * if halves { 0.5 } else { 1.0 };
                match matrices::small(step.rank as usize, geometry.vendor) {
                    true => work.small_flops += flops,
                    false => work.matrix_flops += flops,
                }
            }
            OP_DFT if step.engine == ENGINE_DENSE => work.vector_flops += groups * 6.0 * radix,
            OP_DFT => work.vector_flops += groups * 5.0 * radix * radix.log2(),
            OP_COPY => {}
            _ => work.vector_flops += groups * pair_flops,
        }
        if matches!(step.facing, FACING_MERGE | FACING_SPLIT) {
            let product = if step.images > 0 { PRODUCT } else { 0.0 };
            work.vector_flops += values / 2.0 * (pair_flops + product);
        }
        let factors = [
            step.op == OP_DFT && step.twiddle >= 0,
            step.before != 0,
            step.before_roots >= 0,
            step.after != 0,
            step.after_roots >= 0,
        ];
        let factors = factors.iter().filter(|&&there| there).count() as f64;
        work.vector_flops += values * factors * PRODUCT;
    }
    work
}

/// Products of parts that one product of values takes.
fn terms(operand: Operand, parts: i64) -> f64 {
    match (operand, parts) {
        (Operand::SplitHalf | Operand::SplitBf16, 1) => 2.0,
        (Operand::SplitHalf | Operand::SplitBf16, 2) => 3.0,
        (Operand::SplitHalf | Operand::SplitBf16, _) => 5.0,
        _ => 1.0,
    }
}
