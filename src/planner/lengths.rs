//! How a line that no tile holds factors, and how long its convolution is where it has no factors.

use super::fits::Fits;
use mmafft_backend_traits::{largest_prime_factor, radix, Engine};

impl Fits<'_> {
    /// The fewest factors of `n` that are lines of at most `limit` points, as equal as
    /// possible, in ascending order. `None` where there are no such factors.
    pub fn factors(&self, n: usize, limit: usize) -> Option<Vec<usize>> {
        self.factors_of(n, limit, 1)
    }

    /// As few, all of them even; `None` where even ones are more.
    pub fn even_factors(&self, n: usize, limit: usize) -> Option<Vec<usize>> {
        let count = self.factors(n, limit)?.len();
        let even = self.factors_of(n, limit, 2);
        even.filter(|factors| factors.len() == count)
    }

    fn factors_of(&self, n: usize, limit: usize, multiple: usize) -> Option<Vec<usize>> {
        // Where all prime factors (or radices) fit, the search below finds something soon;
        // where one does not fit alone, it does not in company either.
        let possible = match self.asked {
            Some(radices) => radix::factor(n, radices)
                .is_some_and(|factors| factors.iter().all(|&radix| radix <= limit)),
            None => self.line(largest_prime_factor(n), limit),
        };
        if !possible {
            return None;
        }
        let mut lines = divisors(n, limit);
        lines.retain(|&d| d > 1 && d.is_multiple_of(multiple) && self.line(d, limit));
        lines.sort_unstable();
        let most = *lines.last()?;
        (2..=n.ilog2()).find_map(|count| search(n, count, most, &lines))
    }

    /// One factor fewer where the last, whose lines are contiguous, may be four times `limit`: for
    /// products, whose scattered lines are so much shorter that it spares a pass. Longer ones cost more
    /// than that pass: on an H200 2^22 points took twice the time a point with a last factor of 8192
    /// that 2^23 take in three passes.
    pub fn with_longer_last(&self, factors: Vec<usize>, limit: usize) -> Vec<usize> {
        if self.engine == Engine::Simt || factors.len() < 3 {
            return factors;
        }
        let n = factors.iter().product();
        let longest = self.longest_line().min(limit.saturating_mul(4));
        let mut lines = divisors(n, longest);
        lines.retain(|&last| last > limit && self.line(last, longest));
        lines.sort_unstable();
        let fewer = lines.into_iter().find_map(|last| {
            let mut others = match self.line(n / last, limit) {
                true => vec![n / last],
                false => self.factors(n / last, limit)?,
            };
            others.push(last);
            (others.len() < factors.len()).then_some(others)
        });
        fewer.unwrap_or(factors)
    }

    /// Two factors so that a tile of the first ones has rows of 128 bytes, where the others, whose
    /// loads are contiguous, may be longer instead.
    pub fn with_whole_rows(&self, factors: Vec<usize>, limit: usize) -> Vec<usize> {
        let [mut first, mut last] = factors[..] else {
            return factors;
        };
        let rows = self.tile_capacity() / (128 / (2 * self.scalar.bytes())).max(1);
        while first > rows && first.is_multiple_of(2) && self.line(2 * last, limit) {
            first /= 2;
            last *= 2;
        }
        vec![first, last]
    }

    /// The length of the shortest cyclic convolution that computes a DFT of `length` points: a power of two; or 9/8,
    /// 5/4 or 3/2 of one by a device's butterflies.
    pub fn padded(&self, length: usize) -> usize {
        let least = 2 * length - 1;
        let power = least.next_power_of_two();
        let butterflies = self.engine == Engine::Simt && self.by_kernels();
        let shorter = [9, 10, 12].map(|n| power / 16 * n);
        let made = |m: &usize| *m >= least && radix::factor(*m, self.radices()).is_some();
        let shortest = shorter.into_iter().find(made);
        shortest.filter(|_| butterflies).unwrap_or(power)
    }

    /// The factors of such a convolution over passes, which move so much less (4099, 65537 points: 0.61 of the
    /// bytes of a power of two); of a power of two where these are fewer.
    pub fn convolution(&self, length: usize) -> Option<Vec<usize>> {
        let power = (2 * length - 1).next_power_of_two();
        let powers = self.powers_of_two(power.ilog2())?;
        let padded = self.padded(length);
        let factors = (padded < power).then(|| self.factors(padded, self.longest_scattered()));
        let few = |f: &Vec<usize>| f.len() <= powers.len();
        Some(factors.flatten().filter(few).unwrap_or(powers))
    }

    /// 2^`bits` as factors, as few as possible: the last a contiguous line, the others
    /// scattered ones. `None` where the engine has no such lines.
    pub fn powers_of_two(&self, bits: u32) -> Option<Vec<usize>> {
        let line = self.longest_line().ilog2();
        let scattered = self.longest_scattered().ilog2();
        let others = bits.saturating_sub(line).div_ceil(scattered).max(1);
        let equal = bits.div_ceil(others + 1);
        let last = equal.max(bits.saturating_sub(scattered * others));
        let mut left = bits - last;
        let mut factors = Vec::new();
        for rest in (1..=others).rev() {
            let share = left / rest;
            factors.push(1 << share);
            left -= share;
        }
        factors.push(1 << last);
        let fit = |&d: &usize| d > 1 && self.line(d, self.longest_line());
        factors.iter().all(fit).then_some(factors)
    }
}

/// `count` of the ascending `lines` whose product is `n`, none above `most`, the largest
/// as small as possible; in ascending order.
fn search(n: usize, count: u32, most: usize, lines: &[usize]) -> Option<Vec<usize>> {
    if count == 1 {
        return (n <= most && lines.binary_search(&n).is_ok()).then(|| vec![n]);
    }
    let enough = |d: usize| d.checked_pow(count).is_none_or(|power| power >= n);
    let largest = lines.iter().copied().filter(|&d| d <= most && enough(d));
    largest.filter(|d| n.is_multiple_of(*d)).find_map(|d| {
        let mut factors = search(n / d, count - 1, d, lines)?;
        factors.push(d);
        Some(factors)
    })
}

/// The divisors of `n` that are at most `limit`.
fn divisors(n: usize, limit: usize) -> Vec<usize> {
    let mut all = vec![1usize];
    let (mut rest, mut p) = (n, 2usize);
    while rest > 1 {
        if p * p > rest {
            p = rest;
        }
        let before = all.len();
        let mut power = 1usize;
        while rest.is_multiple_of(p) {
            rest /= p;
            power *= p;
            for i in 0..before {
                all.extend(all[i].checked_mul(power).filter(|&d| d <= limit));
            }
        }
        p += 1;
    }
    all
}
