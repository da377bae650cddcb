//! The radix table, and the factorisation of a length by it.

use crate::error::{Error, Result};

/// One row of the radix table: a small DFT that a step can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RadixRow {
    /// The length of the small DFT.
    pub radix: usize,
    /// Whether every entry of its matrix is 0 or ±1, so that 16 bits hold it exactly.
    pub exact: bool,
    /// The side of the square fragment that the matrix engine computes it with: the
    /// complex DFT is a real product of 2·radix rows. Radix 2 fills a 4×4 with two F2 on
    /// the diagonal, one for the real and one for the imaginary parts (Kang & Glaeser).
    pub fragment: usize,
}

/// The radix table. Tests loop over it.
pub const RADICES: &[RadixRow] = &[
    row(16, false, 16),
    row(13, false, 16),
    row(11, false, 16),
    row(8, false, 16),
    row(7, false, 16),
    row(5, false, 4),
    row(4, true, 4),
    row(3, false, 4),
    row(2, true, 4),
    // Last: two steps of 3 waste less of a fragment than one of 9.
    row(9, false, 16),
];

/// Prime radices beyond the table, which devices compute by the definition: fewer operations (and a
/// smaller error) than a convolution.
pub const DENSE: &[usize] = &[17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61];

/// The largest of them whose points a thread's registers hold, and half of the results beside them.
pub const HELD: usize = 31;

/// Whether a thread sums a few outputs of a radix over shared memory, as its registers do not hold
/// all of its points: where they are `short`, beside products or the places of FP64 on several axes,
/// it never does.
pub fn summed(radix: usize, short: bool) -> bool {
    DENSE.contains(&radix) && (short || radix > HELD)
}

/// Radices that devices make of two butterflies in registers: fewer exchanges for lengths of
/// small factors. Matrix products gain nothing by them.
pub const COMPOSITE: &[usize] = &[6, 10, 12, 14, 15, 18, 20, 21, 24, 25, 27, 28, 30, 32];

/// Radices of matrix products that devices make of several products of [`JOINED_PRODUCT`] points and butterflies
/// between them, in registers: fewer exchanges for long lines.
pub const JOINED: &[usize] = &[32, 64, 128];

/// The points of each of these products.
pub const JOINED_PRODUCT: usize = 16;

/// How many products a radix joins, if it is one that does.
pub fn joined(radix: usize) -> Option<usize> {
    JOINED.contains(&radix).then_some(radix / JOINED_PRODUCT)
}

/// Whether a device's matrix engine has a radix by products of fragments.
pub fn multiplied(radix: usize) -> bool {
    find(radix).is_some() || joined(radix).is_some()
}

/// The radices of devices' butterflies; [`fewest`] chooses among them.
pub const BUTTERFLIES: &[usize] = &[
    16, 8, 4, 2, 9, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 6, 10, 12, 14,
    15, 18, 20, 21, 24, 25, 27, 28, 30, 32,
];

/// Writes `n` as a product of the fewest `radices` up to `most` (or dense primes); of those with
/// the smallest largest one, those with the smallest sum; in descending order. `None` where something is
/// left over.
pub fn fewest(n: usize, radices: &[usize], most: usize) -> Option<Vec<usize>> {
    let mut usable: Vec<usize> = radices.to_vec();
    usable.retain(|&r| r > 1 && (r <= most || DENSE.contains(&r)) && n.is_multiple_of(r));
    usable.sort_unstable_by(|a, b| b.cmp(a));
    factor(n, &usable)?;
    (0..=n.ilog2() as usize).find_map(|count| {
        // The smallest largest radix: smaller ones are dropped from the front until none is left.
        (0..usable.len().max(1))
            .rev()
            .find_map(|from| of_count(n, count, &usable[from..]))
    })
}

/// `count` of the descending `radices`, none before the one before it, whose product is `n`: those with the smallest
/// sum, as a step of radix 2 costs an exchange as one of 8 does (2000 points of FP32 by 10·10·10·2 ran at 0.63 of a copy
/// on an H100, by 10·8·5·5 at 0.98).
fn of_count(n: usize, count: usize, radices: &[usize]) -> Option<Vec<usize>> {
    if count == 0 {
        return (n == 1).then(Vec::new);
    }
    let first = *radices.first()?;
    if first.checked_pow(count as u32).is_some_and(|most| most < n) {
        return None;
    }
    let all = radices.iter().enumerate().filter_map(|(i, &radix)| {
        let rest = n
            .is_multiple_of(radix)
            .then(|| of_count(n / radix, count - 1, &radices[i..]))??;
        let mut all = vec![radix];
        all.extend(rest);
        Some(all)
    });
    all.min_by_key(|all| all.iter().sum::<usize>())
}

const fn row(radix: usize, exact: bool, fragment: usize) -> RadixRow {
    RadixRow {
        radix,
        exact,
        fragment,
    }
}

/// The table's row for `radix`, if there is one.
pub fn find(radix: usize) -> Option<&'static RadixRow> {
    RADICES.iter().find(|row| row.radix == radix)
}

/// Writes `n` as a product of `radices`, taking the first in the list as often as it
/// divides, then the next; `None` if something is left over.
pub fn factor(n: usize, radices: &[usize]) -> Option<Vec<usize>> {
    let mut rest = n;
    let mut factors = Vec::new();
    for &radix in radices.iter().filter(|&&r| r > 1) {
        while rest.is_multiple_of(radix) && rest > 0 {
            factors.push(radix);
            rest /= radix;
        }
    }
    (rest == 1).then_some(factors)
}

/// The powers of two among the factors, as equal as they can be: 8·8·4·4 costs as many steps
/// as 8·8·8·2, and a little less arithmetic.
pub fn balanced(mut factors: Vec<usize>) -> Vec<usize> {
    let twos = |f: &usize| f.is_power_of_two();
    let count = factors.iter().filter(|f| twos(f)).count();
    let product: usize = factors.iter().filter(|f| twos(f)).product();
    let mut bits = product.trailing_zeros() as usize;
    let mut left = count;
    for factor in factors.iter_mut().filter(|f| twos(f)) {
        let share = bits.div_ceil(left);
        *factor = 1 << share;
        bits -= share;
        left -= 1;
    }
    factors
}

/// Checks the radix that a user asks for a product of fragments.
pub fn check_product(radix: usize) -> Result<()> {
    match find(radix) {
        Some(_) => Ok(()),
        None => Err(Error::Radices {
            radices: vec![radix],
            length: radix,
            reason: format!(
                "there is no radix {radix}, expected some of {:?}",
                RADICES.iter().map(|row| row.radix).collect::<Vec<_>>()
            ),
        }),
    }
}

#[cfg(test)]
#[path = "radix_tests.rs"]
mod tests;
