//! Golden vectors of the matrix instructions: each lane table against the vendor's document,
//! written down apart from the emulation.

mod common;
mod tables;
use common::*;
use half::{bf16, f16};
use mmafft_emulated::{EmulatedDriver, Kernel};
use tables::{amd, nvidia, Element, Instruction, Table};

/// The instruction's kernel, and one wave to launch it with.
struct Probe<'a> {
    driver: EmulatedDriver,
    kernel: Kernel,
    what: &'a Instruction,
}

impl<'a> Probe<'a> {
    fn new(what: &'a Instruction) -> Self {
        let driver = match what.lanes {
            32 => EmulatedDriver::nvidia(),
            _ => EmulatedDriver::amd(),
        };
        let kernel = kernel(&driver, what.entry, what.lanes);
        Probe {
            driver,
            kernel,
            what,
        }
    }

    /// D = A·B + D of whole matrices, row by row, by way of the tables.
    fn multiply(&self, a: &[f64], b: &[f64], d: &[f64]) -> Vec<f64> {
        let what = self.what;
        // Of each lane 16 words: the accumulator, A from word 8 and B from word 12.
        let mut lanes = vec![0u8; 64 * what.lanes];
        let mut put = |table: &Table, values: &[f64], element: Element, at: usize| {
            for (&(slot, lane), &value) in table.places.iter().zip(values) {
                let from = 64 * lane + at + slot * element.bytes();
                let bytes = element.encode(value);
                lanes[from..from + bytes.len()].copy_from_slice(&bytes);
            }
        };
        put(&what.d, d, what.sum, 0);
        put(&what.a, a, what.operand, 32);
        put(&what.b, b, what.operand, 48);
        let out = run(&self.driver, &self.kernel, &lanes, 32 * what.lanes, 0, 1).unwrap();
        let get = |&(slot, lane): &(usize, usize)| {
            what.sum.decode(&out[32 * lane + slot * what.sum.bytes()..])
        };
        what.d.places.iter().map(get).collect()
    }
}

impl Element {
    fn bytes(self) -> usize {
        match self {
            Element::F16 | Element::Bf16 => 2,
            Element::F32 => 4,
            Element::F64 => 8,
        }
    }

    fn encode(self, value: f64) -> Vec<u8> {
        match self {
            Element::F16 => f16::from_f64(value).to_le_bytes().to_vec(),
            Element::Bf16 => bf16::from_f64(value).to_le_bytes().to_vec(),
            Element::F32 => (value as f32).to_le_bytes().to_vec(),
            Element::F64 => value.to_le_bytes().to_vec(),
        }
    }

    fn decode(self, bytes: &[u8]) -> f64 {
        match self {
            Element::F32 => f64::from(f32::from_le_bytes(bytes[..4].try_into().unwrap())),
            _ => f64::from_le_bytes(bytes[..8].try_into().unwrap()),
        }
    }
}

fn instructions() -> Vec<Instruction> {
    nvidia().into_iter().chain(amd()).collect()
}

#[test]
fn tables_give_every_element_a_place_of_its_own() {
    for what in instructions() {
        for table in [&what.a, &what.b, &what.d] {
            let mut places = table.places.clone();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), table.rows * table.columns, "{}", what.entry);
            assert_eq!(places.len() % what.lanes, 0);
            assert!(places.iter().all(|&(_, lane)| lane < what.lanes));
        }
        assert_eq!((what.a.rows, what.b.columns), (what.d.rows, what.d.columns));
        assert_eq!(what.a.columns, what.b.rows / what.blocks);
    }
}

/// A single 1 in A and a single 1 in B: where they meet, and only there, is a 1 in D.
#[test]
fn a_one_lands_where_the_document_says() {
    for what in instructions() {
        let probe = Probe::new(&what);
        let ([m, n, k], blocks) = (what.size(), what.blocks);
        for at in 0..blocks * m * n * k {
            let (block, i, j, l) = (at / (m * n * k), at / (n * k) % m, at / k % n, at % k);
            let mut a = vec![0.0; blocks * m * k];
            let mut b = vec![0.0; blocks * k * n];
            let mut expected = vec![0.0; blocks * m * n];
            let [in_a, in_b, in_d] = what.term(block, i, j, l);
            (a[in_a], b[in_b], expected[in_d]) = (1.0, 1.0, 1.0);
            assert_eq!(
                probe.multiply(&a, &b, &vec![0.0; blocks * m * n]),
                expected,
                "{}, block {block}: A({i}, {l}) B({l}, {j})",
                what.entry
            );
        }
    }
}

/// Small whole numbers, all different where that is exact: a full product and accumulator.
#[test]
fn whole_matrices() {
    for what in instructions() {
        let probe = Probe::new(&what);
        let ([m, n, k], blocks) = (what.size(), what.blocks);
        let a = (0..blocks * m * k).map(|i| (i * 7 % 31) as f64 - 15.0);
        let b = (0..blocks * k * n).map(|i| (i * 5 % 29) as f64 - 14.0);
        let (a, b): (Vec<f64>, Vec<f64>) = (a.collect(), b.collect());
        let d: Vec<f64> = (0..blocks * m * n).map(|i| i as f64).collect();
        let expected = |at: usize| {
            let (block, i, j) = (at / (m * n), at / n % m, at % n);
            let terms = (0..k).map(|l| what.term(block, i, j, l));
            terms.map(|[x, y, _]| a[x] * b[y]).sum::<f64>() + d[at]
        };
        let expected: Vec<f64> = (0..blocks * m * n).map(expected).collect();
        assert_eq!(probe.multiply(&a, &b, &d), expected, "{}", what.entry);
    }
}

/// 1 + 3·2^-25 lies between 1 and 1 + 2^-23, nearer to the second.
#[test]
fn sums_are_rounded_as_the_vendor_does() {
    for what in instructions() {
        let probe = Probe::new(&what);
        let ([m, n, k], blocks) = (what.size(), what.blocks);
        let mut a = vec![0.0; blocks * m * k];
        let mut b = vec![0.0; blocks * k * n];
        (a[0], b[0]) = (3.0 * 2f64.powi(-12), 2f64.powi(-13));
        for sign in [1.0, -1.0] {
            let mut d = vec![0.0; blocks * m * n];
            d[0] = sign;
            a[0] = sign * a[0].abs();
            let expected = match (what.sum, what.lanes) {
                (Element::F64, _) => 1.0 + 3.0 * 2f64.powi(-25),
                (_, 32) => 1.0,
                _ => 1.0 + 2f64.powi(-23),
            };
            assert_eq!(
                probe.multiply(&a, &b, &d)[0],
                sign * expected,
                "{}",
                what.entry
            );
        }
    }
}
