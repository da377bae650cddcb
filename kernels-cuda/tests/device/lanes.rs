//! The matrix products of `device/instructions.hpp` on the device itself: each lane table
//! against the vendor's document, written down apart from the kernels. `super` says whose.

use super::driver::{launch, unit};
use super::{device, fragments, Device, LANES, PREFIX, PRIMITIVES, PROBES};
use mmafft_backend_traits::device::Driver;
use mmafft_backend_traits::Operand;
use tables::{amd, nvidia, Element, Instruction, Table};

// Those that the emulation is tested with.
#[path = "../../../backend-traits/emulated/tests/tables/mod.rs"]
mod tables;

/// A product, one a block. Of each lane 16 words are read, the accumulator, A from word 8
/// and B from word 12; its D is written.
const PROBE: &str = r#"
using namespace mmafft;
__device__ double f64_at(const u32 *p) { return *reinterpret_cast<const double *>(p); }
#define PROBE(name, Sum, N, ...)                                                     \
  MMAFFT_KERNEL void test_##name(Arguments arguments) {                              \
    u64 lane = u64(block_index()) * WAVE + thread_index();                           \
    const u32 *from = static_cast<const u32 *>(arguments.load) + 16 * lane;          \
    const Sum *c = reinterpret_cast<const Sum *>(from);                              \
    const u32 *a = from + 8, *b = from + 12;                                         \
    Sum d[N];                                                                        \
    for (int i = 0; i < N; i++) d[i] = c[i];                                         \
    name(d, __VA_ARGS__);                                                            \
    for (int i = 0; i < N; i++) static_cast<Sum *>(arguments.store)[N * lane + i] = d[i]; \
  }
"#;

/// The kernels of all products.
pub fn probes() -> String {
    format!("{PROBE}{PROBES}")
}

/// The vendor's products.
fn products() -> Vec<Instruction> {
    let all = nvidia().into_iter().chain(amd());
    all.filter(|what| what.lanes == LANES).collect()
}

/// Bytes of a lane before the product.
const READ: usize = 64;
/// Bytes before A and B of a lane.
const A: usize = 32;
const B: usize = 48;

/// A (m×k), B (k×n) and the accumulator (m×n), row by row.
type Matrices = [Vec<f32>; 3];

impl Element {
    fn bytes(self) -> usize {
        match self {
            Element::F16 | Element::Bf16 => 2,
            Element::F32 => 4,
            Element::F64 => 8,
        }
    }

    /// A whole number of at most 8 bits.
    fn encode(self, value: f32) -> Vec<u8> {
        let bits = value.to_bits();
        match self {
            Element::F16 if value == 0.0 => vec![0; 2],
            Element::F16 => {
                let exponent = (bits >> 23 & 0xff) + 15 - 127;
                let half = (bits >> 16 & 0x8000) | exponent << 10 | (bits >> 13 & 0x3ff);
                (half as u16).to_le_bytes().to_vec()
            }
            Element::Bf16 => bits.to_le_bytes()[2..].to_vec(),
            Element::F32 => bits.to_le_bytes().to_vec(),
            Element::F64 => f64::from(value).to_le_bytes().to_vec(),
        }
    }

    fn decode(self, bytes: &[u8]) -> f64 {
        match self {
            Element::F32 => f64::from(f32::from_le_bytes(bytes[..4].try_into().unwrap())),
            _ => f64::from_le_bytes(bytes[..8].try_into().unwrap()),
        }
    }
}

/// D of each block, row by row, by way of the tables.
fn multiply(driver: &Device, what: &Instruction, blocks: &[Matrices]) -> Vec<Vec<f64>> {
    let threads = what.lanes;
    let written = what.d.places.len() / threads * what.sum.bytes();
    let mut bytes = vec![0; READ * threads * blocks.len()];
    for ([a, b, c], lanes) in blocks.iter().zip(bytes.chunks_mut(READ * threads)) {
        let mut put = |table: &Table, values: &[f32], element: Element, at: usize| {
            for (&(slot, lane), &value) in table.places.iter().zip(values) {
                let code = element.encode(value);
                let from = READ * lane + at + slot * code.len();
                lanes[from..from + code.len()].copy_from_slice(&code);
            }
        };
        put(&what.a, a, what.operand, A);
        put(&what.b, b, what.operand, B);
        put(&what.d, c, what.sum, 0);
    }
    let mut load = driver.allocate(bytes.len()).unwrap();
    driver.write(&mut load, 0, &bytes).unwrap();
    let mut out = vec![0xff; written * threads * blocks.len()];
    let mut store = driver.allocate(out.len()).unwrap();
    driver.write(&mut store, 0, &out).unwrap();
    let kernel = driver
        .kernel_from_source(&unit(&probes()), what.entry, threads, 0)
        .unwrap();
    let mut products = launch(&load, &store, 1.0);
    products.blocks = blocks.len() as u64;
    driver
        .launch(driver.default_stream(), &kernel, &products)
        .unwrap();
    driver.read(&store, 0, &mut out).unwrap();
    let get = |lanes: &[u8]| {
        let places = what.d.places.iter();
        places
            .map(|&(slot, lane)| {
                let from = written * lane + slot * what.sum.bytes();
                what.sum.decode(&lanes[from..])
            })
            .collect()
    };
    out.chunks(written * threads).map(get).collect()
}

/// The products that the device has; says which it has not.
fn offered(driver: &Device) -> Vec<Instruction> {
    let architecture = &driver.device().architecture;
    let shapes = fragments(architecture);
    let (offered, others): (Vec<_>, Vec<_>) = products().into_iter().partition(|what| {
        let operand = match what.operand {
            Element::F16 => Operand::Half,
            Element::Bf16 => Operand::Bf16,
            Element::F64 => Operand::F64,
            Element::F32 => Operand::F32,
        };
        let mut shapes = shapes.iter();
        let lanes = what.lanes / what.blocks;
        shapes.any(|s| ([s.m, s.n, s.k], s.operand, s.lanes) == (what.size(), operand, lanes))
    });
    for what in others {
        println!("left out: {architecture} has no {}", what.entry);
    }
    offered
}

/// A single 1 in A and a single 1 in B: where they meet, and only there, D has 1 more than
/// the accumulator, whose elements all differ.
pub fn a_one_lands_where_the_document_says() {
    let driver = device();
    for what in offered(driver) {
        let ([m, n, k], blocks) = (what.size(), what.blocks);
        let c: Vec<f32> = (0..blocks * m * n).map(|at| at as f32).collect();
        let one = |at: usize, count: usize| {
            let mut matrix = vec![0.0; count];
            matrix[at] = 1.0;
            matrix
        };
        let ones = |at: usize| {
            let (block, i, j, l) = (at / (m * n * k), at / (n * k) % m, at / k % n, at % k);
            what.term(block, i, j, l)
        };
        let product = |at| {
            let [a, b, _] = ones(at);
            [one(a, blocks * m * k), one(b, blocks * k * n), c.clone()]
        };
        let products: Vec<Matrices> = (0..blocks * m * n * k).map(product).collect();
        let all = multiply(driver, &what, &products);
        assert_eq!(all.len(), products.len());
        for (at, d) in all.into_iter().enumerate() {
            let [a, b, in_d] = ones(at);
            let mut expected: Vec<f64> = c.iter().map(|&c| f64::from(c)).collect();
            expected[in_d] += 1.0;
            assert_eq!(d, expected, "{}: elements {a} of A, {b} of B", what.entry);
        }
    }
}

/// Whole numbers everywhere: products that meet in one element are added up.
pub fn whole_matrices() {
    let driver = device();
    for what in offered(driver) {
        let ([m, n, k], blocks) = (what.size(), what.blocks);
        let a = (0..blocks * m * k).map(|at| (at * 7 % 31) as f32 - 15.0);
        let b = (0..blocks * k * n).map(|at| (at * 5 % 29) as f32 - 14.0);
        let (a, b): (Vec<f32>, Vec<f32>) = (a.collect(), b.collect());
        let c: Vec<f32> = (0..blocks * m * n).map(|at| at as f32).collect();
        let expected = |at: usize| {
            let (block, i, j) = (at / (m * n), at / n % m, at % n);
            let terms = (0..k).map(|l| what.term(block, i, j, l));
            f64::from(terms.map(|[x, y, _]| a[x] * b[y]).sum::<f32>() + c[at])
        };
        let expected: Vec<f64> = (0..blocks * m * n).map(expected).collect();
        let all = multiply(driver, &what, &[[a, b, c]]);
        assert_eq!(all, [expected], "{}", what.entry);
    }
}

pub fn every_product_has_a_table() {
    let (_, source) = PRIMITIVES
        .iter()
        .find(|(name, _)| *name == "instructions.hpp")
        .unwrap();
    let functions = source
        .matches(&format!("MMAFFT_DEVICE void {PREFIX}"))
        .count();
    assert_eq!(functions, products().len());
    for what in products() {
        let function = what.entry.strip_prefix("test_").unwrap();
        assert!(source.contains(&format!("void {function}(")), "{function}");
        assert!(
            PROBES.contains(&format!("PROBE({function}, ")),
            "{function}"
        );
    }
}
