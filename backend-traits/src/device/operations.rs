//! The programs of splitting, products and combining as operations of their own.

use super::config::*;
use super::matrices;
use super::matrices::parts;
use super::program::Program;
use crate::geometry::Vendor;
use crate::precision::Operand;

/// The program of an operation on vectors of `points` numbers: `mmafft_split`,
/// `mmafft_combine`.
pub fn vector_program(entry: &'static str, points: usize) -> Program {
    let step = StepWords {
        points: points as i64,
        ..Default::default()
    };
    operation(entry, 256, step)
}

/// The program that multiplies vectors of `radix` complex points by the DFT matrix.
pub fn product_program(radix: usize, vendor: Vendor) -> Program {
    let fill = matrices::fill(radix, vendor, Operand::SplitHalf);
    let rows = matrices::wave(fill.rank, vendor, Operand::SplitHalf).rows;
    let step = StepWords {
        op: OP_DFT,
        engine: ENGINE_MATRIX,
        radix: radix as i64,
        points: radix as i64,
        done: 1,
        neighbours: 1,
        groups: rows as i64,
        rank: fill.rank as i64,
        copies: fill.copies as i64,
        parts: parts(radix, Operand::SplitHalf, true) as i64,
        ..Default::default()
    };
    operation("mmafft_product", 128, step)
}

fn operation(entry: &'static str, threads: usize, step: StepWords) -> Program {
    let config = Config {
        head: HeadWords {
            storage: 1,
            operand: operand_word(Operand::SplitHalf),
            threads: threads as i64,
            residents: 1,
            lines: 1,
            values: 1,
            steps: 1,
            ..Default::default()
        },
        steps: vec![step],
        ..Default::default()
    };
    Program {
        entry,
        then: Vec::new(),
        keeps: false,
        config: config.words(),
        threads,
        shared_bytes: 0,
    }
}
