//! FP16 and BF16 of the emulation against the crate `half`.

mod common;
use common::*;
use half::{bf16, f16};
use mmafft_emulated::EmulatedDriver;

/// Every 16-bit pattern, widened by this kernel.
fn widened(entry: &'static str) -> Vec<f32> {
    let driver = EmulatedDriver::nvidia();
    let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    let kernel = kernel(&driver, entry, 256);
    f32_values(&run(&driver, &kernel, &all, 4 << 16, 1 << 16, 8).unwrap())
}

/// `values`, rounded by this kernel.
fn rounded(entry: &'static str, values: &[f32]) -> Vec<u16> {
    let driver = EmulatedDriver::amd();
    let (count, bytes) = (values.len(), f32_bytes(values));
    let kernel = kernel(&driver, entry, 256);
    let out = run(&driver, &kernel, &bytes, 2 * count, count as u64, 8).unwrap();
    let pairs = out.chunks_exact(2);
    pairs.map(|p| u16::from_le_bytes([p[0], p[1]])).collect()
}

fn assert_widens(entry: &'static str, widen: impl Fn(u16) -> f32) {
    for (pattern, got) in (0..=u16::MAX).zip(widened(entry)) {
        let expected = widen(pattern);
        let same = got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
        assert!(same, "{pattern:#06x}: {got} instead of {expected}");
    }
}

fn assert_rounds(entry: &'static str, round: impl Fn(f32) -> u16, is_nan: impl Fn(u16) -> bool) {
    let values = floats();
    for (&value, got) in values.iter().zip(rounded(entry, &values)) {
        let expected = round(value);
        let same = got == expected || (is_nan(got) && is_nan(expected));
        assert!(same, "{value:e}: {got:#06x} instead of {expected:#06x}");
    }
}

/// All upper halves with lower halves at and around ties, and what an odd stride meets: some
/// three million patterns.
fn floats() -> Vec<f32> {
    let lower = [
        0, 1, 0x7fff, 0x8000, 0x8001, 0xffff, 0x0fff, 0x1000, 0x1001, 0x2fff, 0x3000,
    ];
    let near = (0..=u32::from(u16::MAX)).flat_map(|h| lower.map(|l| h << 16 | l));
    let strided = (0..=u32::MAX).step_by(1733);
    near.chain(strided).map(f32::from_bits).collect()
}

#[test]
fn half() {
    assert_widens("test_widen_half", |x| f16::from_bits(x).to_f32());
    assert_rounds(
        "test_round_half",
        |x| f16::from_f32(x).to_bits(),
        |x| f16::from_bits(x).is_nan(),
    );
}

#[test]
fn bf16_too() {
    assert_widens("test_widen_bf16", |x| bf16::from_bits(x).to_f32());
    assert_rounds(
        "test_round_bf16",
        |x| bf16::from_f32(x).to_bits(),
        |x| bf16::from_bits(x).is_nan(),
    );
}
