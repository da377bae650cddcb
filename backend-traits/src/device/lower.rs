//! A pass, lowered: from the words of [`crate::pass`] to the numbers that the kernel is
//! compiled for, the tables it looks up, and the shape of its launch.
//!
//! [`numbers`] has the numbers; here the tables and the fragments of DFT matrices are made of them.

use super::check;
use super::config::*;
use super::matrices;
use super::numbers::{numbers, Cells, Numbers};
use super::program::Program;
use super::work::{self, Work};
use crate::error::Result;
use crate::geometry::Geometry;
use crate::pass::Pass;
use crate::side::Slot;

/// A pass ready to be compiled and launched.
#[derive(Debug, Clone)]
pub struct Lowered {
    /// What is compiled.
    pub program: Program,
    /// Tables of complex numbers.
    pub tables: Vec<u8>,
    /// Fragments of DFT matrices.
    pub matrices: Vec<u8>,
    /// Lines of the whole pass; of those in mirrored pairs, pairs.
    pub lines: u64,
    /// Those of a tile.
    pub tile_lines: u64,
    /// Tiles of the whole pass.
    pub tiles: u64,
    /// Blocks of the launch.
    pub blocks: u64,
    /// Where lines come from: the memory and scalars before the first.
    pub load: (Slot, usize),
    /// Where they go.
    pub store: (Slot, usize),
    /// Scalars of scratch before the first edge point.
    pub edges: Option<usize>,
    /// The factor of every stored value.
    pub scale: f64,
    /// Bytes of a scalar.
    pub scalar_bytes: usize,
    /// What a tile asks of the device beside memory.
    pub work: Work,
    /// Bytes at whose multiples the loaded memory must begin, and the stored.
    pub alignments: [usize; 2],
    /// The same where points move by narrower accesses: whole elements.
    pub element: usize,
}

impl Lowered {
    /// Bytes at whose multiples all memory must begin.
    pub fn alignment(&self) -> usize {
        self.alignments[0].max(self.alignments[1])
    }
}

/// Lowers a pass for a device of this shape.
pub fn lower(pass: &Pass, geometry: &Geometry) -> Result<Lowered> {
    check::steps(pass)?;
    let numbers = numbers(pass, geometry, Cells::Apart)?;
    let Numbers {
        outline, config, ..
    } = &numbers;
    let pass = &outline.pass;
    Ok(Lowered {
        program: Program {
            entry: match outline.blocks() {
                1 => "mmafft_pass",
                _ => "mmafft_cluster",
            },
            config: config.words(),
            then: Vec::new(),
            keeps: false,
            threads: config.head.threads as usize,
            shared_bytes: numbers.shared_bytes,
        },
        tables: outline.tables.bytes(),
        matrices: fragments(&config.steps, pass, geometry),
        lines: outline.lines,
        tile_lines: outline.tile_lines as u64,
        tiles: numbers.tiles,
        blocks: numbers.blocks,
        load: (pass.load.slot, pass.load.offset),
        store: (pass.store.slot, pass.store.offset),
        edges: pass.load.edges.map(|e| e.offset),
        scale: pass.math.scale,
        scalar_bytes: pass.math.storage.bytes(),
        work: work::of(config, geometry, pass.math.operand),
        alignments: numbers.alignments,
        element: numbers.element,
    })
}

/// The fragments of the matrices by which steps multiply, one after another.
fn fragments(steps: &[StepWords], pass: &Pass, geometry: &Geometry) -> Vec<u8> {
    let multiplied = steps.iter().filter(|step| step.parts > 0);
    let of = |step: &StepWords| {
        let (radix, inverse) = (step.radix as usize, step.inverse != 0);
        let parts = step.parts as usize;
        matrices::fragments(radix, inverse, geometry.vendor, pass.math.operand, parts)
    };
    multiplied.flat_map(of).collect()
}
