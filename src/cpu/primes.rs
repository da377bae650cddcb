//! Lines whose primes RustFFT would transform by convolutions.
//!
//! RustFFT takes such lines by Rader's and Bluestein's algorithms, which lose digits there of f64 data with a mean and
//! of chirps. Here a line of f64 is split into its primes, and these go by butterflies or by convolutions of our own;
//! so do long primes of f32, which RustFFT plans for many times as long as a run takes.

use super::bluestein::Bluestein;
use super::convolved::Convolved;
use super::four_step::FourStep;
use super::line_price::{way, way_inside, Workload, FOUR_STEP};
use super::rader::Rader;
use super::scalar::{Real, Storage};
use mmafft_backend_traits::largest_prime_factor;
use rustfft::algorithm::MixedRadix;
use rustfft::{Fft, FftDirection, FftPlanner};
use std::any::TypeId;
use std::sync::Arc;

/// Primes of which RustFFT takes any power without a convolution.
const RADICES: [usize; 5] = [2, 3, 5, 7, 11];
/// The largest prime that RustFFT has butterflies for.
const BUTTERFLY: usize = 31;
/// The least prime of `f32` whose convolution is ours; shorter ones are faster in RustFFT.
const LONG: usize = 2048;
/// The largest prime factor of p − 1 for which Rader's convolution is faster than Bluestein's.
const SMOOTH: usize = 31;

/// The transform of single lines: our own where it is cheaper, else RustFFT's, but without its convolutions in f64, and of
/// long primes.
pub fn plan<T>(length: usize, direction: FftDirection) -> Arc<dyn Fft<T>>
where
    T: Real + Storage<Compute = T>,
{
    let bytes = size_of::<T>();
    let way = way(length, Workload::Single, T::vector_bytes() / bytes, bytes);
    plan_by(way, length, direction)
}

/// The same of a line within a convolution.
pub fn plan_inside<T>(length: usize, direction: FftDirection) -> Arc<dyn Fft<T>>
where
    T: Real + Storage<Compute = T>,
{
    let bytes = size_of::<T>();
    let way = way_inside(length, T::vector_bytes() / bytes, bytes);
    plan_by(way, length, direction)
}

fn plan_by<T>(way: &str, length: usize, direction: FftDirection) -> Arc<dyn Fft<T>>
where
    T: Real + Storage<Compute = T>,
{
    if way == FOUR_STEP {
        if let Some(line) = FourStep::new(length, direction) {
            return Arc::new(Convolved::new(line));
        }
    }
    let in_f64 = TypeId::of::<T>() == TypeId::of::<f64>();
    let long_prime = || length >= LONG && largest_prime_factor(length) == length;
    match in_f64 || long_prime() {
        true => plan_exact(length, direction),
        false => FftPlanner::new().plan_fft(length, direction),
    }
}

fn plan_exact<T: Real + Storage<Compute = T>>(
    length: usize,
    direction: FftDirection,
) -> Arc<dyn Fft<T>> {
    let rest = without_radices(length);
    let prime = largest_prime_factor(rest);
    if rest == 1 || (rest == prime && prime <= BUTTERFLY) {
        return FftPlanner::new().plan_fft(length, direction);
    }
    if rest == prime && rest == length {
        let rader = largest_prime_factor(prime - 1) <= SMOOTH && u32::try_from(prime).is_ok();
        return match rader {
            true => Arc::new(Convolved::new(Rader::new(prime, direction))),
            false => Arc::new(Convolved::new(Bluestein::new(prime, direction))),
        };
    }
    let first = match length == rest {
        true => nearest_to_root(rest),
        false => length / rest,
    };
    let second = plan_exact(length / first, direction);
    Arc::new(MixedRadix::new(plan_exact(first, direction), second))
}

/// What is left of a length without the [`RADICES`].
fn without_radices(mut length: usize) -> usize {
    for radix in RADICES {
        while length.is_multiple_of(radix) {
            length /= radix;
        }
    }
    length
}

/// A product of some of a number's primes, taken from the largest down until its square reaches the number.
fn nearest_to_root(number: usize) -> usize {
    let (mut product, mut rest) = (1, number);
    while product * product < number && product * largest_prime_factor(rest) < number {
        let prime = largest_prime_factor(rest);
        product *= prime;
        rest /= prime;
    }
    product
}

#[cfg(test)]
#[path = "primes_tests.rs"]
mod tests;
