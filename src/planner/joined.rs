//! Which powers of two become joined products: see [`radix::JOINED`].

use super::fits::Fits;
use mmafft_backend_traits::radix;

/// The powers of two among the factors by fewer radices of joined products, where those of one product are three or
/// more: each is an exchange less. Of FP64 a thread's registers do not hold them beside products.
pub fn joined(mut factors: Vec<usize>, fits: &Fits) -> Vec<usize> {
    let twos = |f: &usize| f.is_power_of_two();
    let product: usize = factors.iter().filter(|f| twos(f)).product();
    let count = factors.iter().filter(|f| twos(f)).count();
    let bits = product.trailing_zeros() as usize;
    let most = radix::JOINED.iter().max().map_or(1, |r| r.ilog2() as usize);
    let fewer = bits.div_ceil(most);
    if count < 3 || fewer >= count || fits.scalar.compute_bytes() > 4 {
        return factors;
    }
    factors.retain(|f| !twos(f));
    let mut left = bits;
    // The largest first, all of them as equal as they can be.
    let twos = (1..=fewer).rev().map(|parts| {
        let share = left.div_ceil(parts);
        left -= share;
        1 << share
    });
    let mut all: Vec<usize> = twos.collect();
    all.extend(factors);
    all
}

#[cfg(test)]
#[path = "joined_tests.rs"]
mod tests;
