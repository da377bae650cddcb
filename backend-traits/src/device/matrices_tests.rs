use super::*;
use crate::radix::RADICES;

#[test]
fn parts_make_the_element() {
    let value = |bits: u16| f16::from_bits(bits).to_f64();
    for vendor in [Vendor::Nvidia, Vendor::Amd] {
        let (matrix, apart) = magnified(vendor, false);
        let unit = f64::powi(2.0, -apart);
        for k in 0..1000 {
            let x = (f64::from(k) * 0.37).cos();
            // Of numbers that may be subnormal the last part ends at 2^-25, times 2^-4.
            let last = if apart == 0 { 29 } else { 31 };
            for (parts, digits) in [(1, 11), (2, 23), (3, last)] {
                let p = split(x, false, parts, vendor);
                let terms = [value(p[0]), value(p[1]) * unit, value(p[2]) * unit * unit];
                let sum = terms[..parts].iter().sum::<f64>() * f64::powi(2.0, -matrix);
                assert!((sum - x).abs() <= f64::powi(2.0, -digits), "{x}: {sum}");
            }
            let first = value(split(x, false, 3, vendor)[0]);
            assert_eq!(first, bf16::from_f64(first).to_f64());
        }
    }
}

fn kinds() -> impl Iterator<Item = (Vendor, Operand)> {
    let operands = [Operand::Half, Operand::F32, Operand::F64];
    let vendors = [Vendor::Nvidia, Vendor::Amd];
    vendors
        .into_iter()
        .flat_map(move |v| operands.map(|o| (v, o)))
}

#[test]
fn every_radix_fills_a_row() {
    for (vendor, operand) in kinds() {
        for row in RADICES {
            let fill = fill(row.radix, vendor, operand);
            assert!(
                fill.rank / fill.copies >= row.radix && fill.rank <= 16,
                "{row:?}"
            );
        }
    }
    let on = |radix| fill(radix, Vendor::Nvidia, Operand::F64);
    assert_eq!(on(2), Fill { rank: 4, copies: 2 });
    assert_eq!(
        on(13),
        Fill {
            rank: 16,
            copies: 1
        }
    );
    let amd = |radix, operand| fill(radix, Vendor::Amd, operand);
    assert_eq!(amd(2, Operand::F64), Fill { rank: 8, copies: 4 });
    assert_eq!(amd(2, Operand::F32), Fill { rank: 2, copies: 1 });
    assert_eq!(amd(3, Operand::Half), Fill { rank: 4, copies: 1 });
}

/// However it is cut, a matrix keeps its elements: their squares sum to those of a DFT matrix of
/// 2r·2r reals.
#[test]
fn cutting_loses_nothing() {
    for (vendor, operand) in kinds() {
        for row in RADICES.iter().filter(|row| multiplied(row.radix)) {
            let fill = fill(row.radix, vendor, operand);
            let dft = Dft {
                radix: row.radix,
                fill,
                inverse: false,
            };
            let double = operand == Operand::F64;
            for elements in [packed(&dft, vendor), native(&dft, vendor, double)] {
                assert_eq!(elements.len(), 4 * fill.rank * fill.rank);
                let sum: f64 = elements.iter().map(|x| x * x).sum();
                let expected = (2 * row.radix * row.radix) as f64;
                assert!((sum - expected).abs() < 1e-9, "{row:?}");
            }
        }
    }
}
