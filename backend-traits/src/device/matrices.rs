//! DFT matrices cut into fragments, in the order in which lanes load them.
//!
//! A matrix step multiplies rows of `rank` complex points, (re, im) after each other, by a
//! real matrix of 2·rank rows and columns: the DFT matrix, the rest zero. A row has points of one
//! column, as zeros would not keep columns apart whose values are not finite; but those of two
//! points, which need no product, share a row. `fragments.hpp` of each vendor says which element a lane holds; here is the inverse:
//! for every word of a lane, the elements that it holds. The file is long because the maps of all
//! fragments, of both vendors and every type, stand beside the one loop that reads them.

use crate::geometry::Vendor;
use crate::precision::Operand;
use crate::radix;
use crate::reference::root;
use half::{bf16, f16};

/// How a radix fills a fragment's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fill {
    /// Points of a row.
    pub rank: usize,
    /// Columns that share a row, where it is not multiplied.
    pub copies: usize,
}

/// Whether the DFT of this radix is a product: of two points it is their sum and difference.
pub fn multiplied(radix: usize) -> bool {
    radix != 2
}

/// The rows that `radix` fills: at least the vendor's shortest, at most 16 points. AMD's 4×4
/// products of FP64 take as long as the 16×16 ones that they would stand for.
pub fn fill(radix: usize, vendor: Vendor, operand: Operand) -> Fill {
    let shortest = match (vendor, operand) {
        (Vendor::Nvidia, _) => 4,
        (Vendor::Amd, Operand::F64) => 8,
        (Vendor::Amd, _) => 2,
    };
    let points = radix.next_power_of_two();
    let rank = points.max(shortest);
    Fill {
        rank,
        copies: if multiplied(radix) { 1 } else { rank / points },
    }
}

/// Whether rows of this rank are multiplied by AMD's 4×4 products, sixteen at a time: each lane
/// holds a whole column.
pub fn small(rank: usize, vendor: Vendor) -> bool {
    vendor == Vendor::Amd && rank <= 4
}

/// How a wave holds DFT columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wave {
    /// Columns that it multiplies at a time, rows shared by copies not counted.
    pub columns: usize,
    /// How many of them a lane holds,
    pub rows: usize,
    /// and how many points of each.
    pub values: usize,
}

/// How a wave holds columns of a rank.
pub fn wave(rank: usize, vendor: Vendor, operand: Operand) -> Wave {
    let (columns, rows) = match (vendor, operand) {
        (Vendor::Nvidia, Operand::F64) => (8, 1),
        (Vendor::Nvidia, _) => (16, 2),
        (Vendor::Amd, _) if small(rank, vendor) => (64, 1),
        (Vendor::Amd, _) => (16, 1),
    };
    let values = match small(rank, vendor) {
        true => rank,
        false => rank / 4,
    };
    Wave {
        columns,
        rows,
        values,
    }
}

/// Into how many 16-bit parts the DFT matrix of a radix is split: one where 16 bits hold it,
/// two else; three for odd radices of FP16, whose short transforms have so few roundings
/// that the truncated sums of two would be seen.
pub fn parts(radix: usize, operand: Operand, split_matrix: bool) -> usize {
    let exact = radix::find(radix).is_some_and(|row| row.exact);
    match operand {
        Operand::Half | Operand::Bf16 => 1,
        _ if exact || !split_matrix => 1,
        Operand::SplitHalf if !radix.is_multiple_of(2) => 3,
        _ => 2,
    }
}

/// How the lanes of a wave hold the points of a column (`fragment_point`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lanes {
    /// Points of a column that are not padding.
    pub radix: usize,
    /// Lanes of a column,
    pub lanes: usize,
    /// and how many points each of them has.
    pub values: usize,
    vendor: Vendor,
    rank: usize,
}

impl Lanes {
    /// Those of the columns of this radix.
    pub fn new(radix: usize, vendor: Vendor, operand: Operand) -> Self {
        let fill = fill(radix, vendor, operand);
        let values = wave(fill.rank, vendor, operand).values;
        Lanes {
            radix,
            lanes: fill.rank / fill.copies / values,
            values,
            vendor,
            rank: fill.rank,
        }
    }

    /// Point j of the t-th lane of a column.
    pub fn point(&self, t: usize, j: usize) -> usize {
        point(self.rank, self.vendor, t, j)
    }
}

/// Point j of the t-th of the lanes that hold a row of this rank: `fragment_point`.
pub fn point(rank: usize, vendor: Vendor, t: usize, j: usize) -> usize {
    match vendor {
        Vendor::Nvidia if rank < 16 => t + 4 * j,
        Vendor::Amd if small(rank, vendor) => j,
        _ => 2 * t + j % 2 + j / 2 * 8,
    }
}

/// The matrix of one step: element (from, to) of real components.
struct Dft {
    radix: usize,
    fill: Fill,
    inverse: bool,
}

impl Dft {
    /// What component `from` of a row contributes to component `to`.
    fn element(&self, from: usize, to: usize) -> f64 {
        let ((j, part_in), (k, part_out)) = ((from / 2, from % 2), (to / 2, to % 2));
        if j >= self.radix || k >= self.radix {
            return 0.0;
        }
        let w = root(j * k % self.radix, self.radix).to_c64();
        let w = if self.inverse { w.conj() } else { w };
        match (part_in, part_out) {
            (0, 0) | (1, 1) => w.re,
            (0, _) => w.im,
            _ => -w.im,
        }
    }
}

/// The fragments of one step's matrix, as bytes: where 16-bit operands are split, its `parts`
/// one after the other.
pub fn fragments(
    radix: usize,
    inverse: bool,
    vendor: Vendor,
    operand: Operand,
    parts: usize,
) -> Vec<u8> {
    let fill = fill(radix, vendor, operand);
    let dft = Dft {
        radix,
        fill,
        inverse,
    };
    match operand {
        Operand::F64 => native(&dft, vendor, true)
            .into_iter()
            .flat_map(f64::to_ne_bytes)
            .collect(),
        Operand::F32 => native(&dft, vendor, false)
            .into_iter()
            .flat_map(|x| (x as f32).to_ne_bytes())
            .collect(),
        _ => {
            let elements = packed(&dft, vendor);
            let wide = matches!(operand, Operand::Bf16 | Operand::SplitBf16);
            let part = |i: usize| -> Vec<u8> {
                let bits = |&x: &f64| split(x, wide, parts, vendor)[i].to_ne_bytes();
                elements.iter().flat_map(bits).collect()
            };
            (0..parts).flat_map(part).collect()
        }
    }
}

/// Bytes of the fragments of a step's matrix of this rank, in so many parts.
pub fn fragment_bytes(rank: usize, operand: Operand, parts: usize) -> usize {
    let each = match operand {
        Operand::F64 => 8,
        Operand::F32 => 4,
        _ => 2 * parts,
    };
    4 * rank * rank * each
}

/// Binary digits by which products of 16 bits take the matrix greater than it is, and each part
/// greater than the one before (those of the format, or none): FRAGMENT_MATRIX and FRAGMENT_APART of
/// `fragments.hpp`.
pub fn magnified(vendor: Vendor, wide: bool) -> (i32, i32) {
    match vendor {
        Vendor::Nvidia => (4, 0),
        Vendor::Amd => (0, if wide { 8 } else { 11 }),
    }
}

/// An element as up to three 16-bit numbers: `x·2^m = p0 + p1·2^-d + p2·2^-2d`, m and d as the
/// vendor's products have them. With three parts the first has 8 digits only, so that its products
/// with FP16 (of 11) sum exactly in FP32: 8 + 11 and 5 for 32 of them make 24.
fn split(x: f64, wide: bool, parts: usize, vendor: Vendor) -> [u16; 3] {
    let (matrix, apart) = magnified(vendor, wide);
    let round = |x: f64| match wide {
        true => (bf16::from_f64(x).to_bits(), bf16::from_f64(x).to_f64()),
        false => (f16::from_f64(x).to_bits(), f16::from_f64(x).to_f64()),
    };
    let x = x * f64::powi(2.0, matrix);
    let first = match parts {
        // Entries are at most 1 (times 2^m): eight digits are multiples of 2^-8 or finer.
        3 => bf16::from_f64(x).to_f64(),
        _ => x,
    };
    let (p0, kept) = round(first);
    let unit = f64::powi(2.0, apart);
    let rest = (x - kept) * unit;
    let (p1, kept) = round(rest);
    let (p2, _) = round((rest - kept) * unit);
    [p0, p1, p2]
}

/// NVIDIA: which component of a row a product takes as its k-th, or makes as its n-th. Of every eight,
/// the lanes t = 0 to 3 have two each, those of one point.
fn component(k: usize, rank: usize) -> usize {
    2 * point(rank, Vendor::Nvidia, k % 8 / 2, k / 8) + k % 2
}

/// AMD: which component of a row is made as row `d` of an m tile. Lanes q have rows 4q to 4q + 3: the
/// points 2q and 2q + 1 of short rows; of 16 points 2q and 2q + 8, or the ones after these.
fn made(m_tile: usize, d: usize, rank: usize) -> usize {
    let (q, which, part) = (d / 4, d % 4 / 2, d % 2);
    let point = match rank {
        16 => 2 * q + m_tile + 8 * which,
        _ => 2 * q + which,
    };
    2 * point + part
}

/// The elements of 16-bit fragments, two to a word.
fn packed(dft: &Dft, vendor: Vendor) -> Vec<f64> {
    let rank = dft.fill.rank;
    let mut out = Vec::with_capacity(4 * rank * rank);
    match vendor {
        // Operand B of m16n8k16 (k8 for the shortest rows): with g = lane / 4, t = lane % 4,
        // word w holds k = 8w + 2t and the next, n = g.
        Vendor::Nvidia => {
            let words = if rank == 4 { 1 } else { 2 };
            for k_tile in 0..2 * rank / (8 * words) {
                for n_tile in 0..2 * rank / 8 {
                    for lane in 0..32 {
                        for i in 0..2 * words {
                            let k = k_tile * 8 * words + i / 2 * 8 + lane % 4 * 2 + i % 2;
                            let n = n_tile * 8 + lane / 4;
                            out.push(dft.element(component(k, rank), component(n, rank)));
                        }
                    }
                }
            }
        }
        // Operand A of 4x4x4: row lane % 4, k = 0 to 3; the lanes of all blocks alike.
        Vendor::Amd if small(rank, vendor) => {
            for k_tile in 0..2 * rank / 4 {
                for m_tile in 0..2 * rank / 4 {
                    for row in 0..4 {
                        for i in 0..4 {
                            out.push(dft.element(4 * k_tile + i, 4 * m_tile + row));
                        }
                    }
                }
            }
        }
        // Operand A of 16x16x16: row lane % 16, k = 4·(lane / 16) and the next three.
        Vendor::Amd => {
            for k_tile in 0..2 * rank / 16 {
                for m_tile in 0..2 * rank / 16 {
                    for lane in 0..64 {
                        for i in 0..4 {
                            let k = k_tile * 16 + lane / 16 * 4 + i;
                            out.push(dft.element(k, made(m_tile, lane % 16, rank)));
                        }
                    }
                }
            }
        }
    }
    out
}

/// The elements of fragments of one number a lane. The products' k run over the lanes that
/// share a column, so that a k tile takes one component of each of their points.
fn native(dft: &Dft, vendor: Vendor, double: bool) -> Vec<f64> {
    let rank = dft.fill.rank;
    let mut out = Vec::with_capacity(4 * rank * rank);
    match vendor {
        // Operand B of m8n8k4: k = lane % 4, n = lane / 4.
        Vendor::Nvidia => {
            for k_tile in 0..rank / 4 {
                for part in 0..2 {
                    for n_tile in 0..2 * rank / 8 {
                        for lane in 0..32 {
                            let k = 2 * (k_tile * 4 + lane % 4) + part;
                            let n = n_tile * 8 + lane / 4;
                            out.push(dft.element(component(k, rank), component(n, rank)));
                        }
                    }
                }
            }
        }
        // Operand A of 4x4x1: row lane % 4; the lanes of all blocks alike.
        Vendor::Amd if small(rank, vendor) => {
            for k in 0..2 * rank {
                for to in 0..2 * rank {
                    out.push(dft.element(k, to));
                }
            }
        }
        // Operand A of 16x16x4: row lane % 16, k = lane / 16. D's row 4·q + i (FP64: 4·i + q)
        // is component i of the two points of lanes q.
        Vendor::Amd => {
            for k_tile in 0..2 * rank / 4 {
                for m_tile in 0..2 * rank / 16 {
                    for lane in 0..64 {
                        let (row, q) = (lane % 16, lane / 16);
                        let (owner, i) = match double {
                            true => (row % 4, row / 4),
                            false => (row / 4, row % 4),
                        };
                        let to = made(m_tile, owner * 4 + i, rank);
                        let from = k_tile / 4 * 16 + q * 4 + k_tile % 4;
                        out.push(dft.element(from, to));
                    }
                }
            }
        }
    }
    out
}

#[cfg(test)]
#[path = "matrices_tests.rs"]
mod tests;
