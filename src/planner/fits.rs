//! What a tile of the device holds of a line, and how a longer one factors.

use super::cluster::Clusters;
use super::problem::Problem;
use super::stage::Stage;
use super::steps::LARGEST_RADIX;
use mmafft_backend_traits::{
    largest_prime_factor, radix, radix::RADICES, real::Middle, Engine, Kind, Limits, ScalarType,
};

/// Bytes of points that a tile for the matrix engine holds at most: 16 values in each of 512
/// threads, which beside them hold their halves, the products and the matrix.
const MATRIX_BYTES: usize = 64 << 10;

/// The same of a complex line of joined products in FP32, with 32 values: splits and orders of reals beside them
/// spill, and so does what loads 16 bits.
const JOINED_BYTES: usize = 128 << 10;

/// Threads of the largest block, in FP32; in FP64 as many have too few registers for half of them.
const ALONE_THREADS: usize = 1024;
/// Values that such threads have registers for, and those of which they spill a few: of 32, as 24576 points by
/// 16·16·16·6 have, two passes were faster. Radices are no larger than the first, and than others' in FP64: 9000 points
/// by 10·10·10·9 ran at 0.65 of a copy and by 25·24·15 at 0.50.
const ALONE_VALUES: [usize; 2] = [25, 30];

/// The same of a tile that need not be filled.
const LARGE_BYTES: usize = 32 << 10;

/// The device's limits as the lines of one request meet them.
pub struct Fits<'a> {
    /// The limits.
    pub limits: &'a Limits,
    /// What a scalar is in memory.
    pub scalar: ScalarType,
    /// How small DFTs are computed.
    pub engine: Engine,
    /// The radices that the engine has.
    pub table: Vec<usize>,
    /// Those that the user asked for.
    pub asked: Option<&'a [usize]>,
    /// Which tiles are spread over clusters.
    pub clusters: Clusters,
    /// The factors into which long lines are to be split, in place of those that were measured.
    pub parts: Option<&'a [usize]>,
}

impl<'a> Fits<'a> {
    /// For `problem` on a device with these limits.
    pub fn new(problem: &'a Problem, limits: &'a Limits, engine: Engine) -> Self {
        Fits {
            limits,
            scalar: problem.storage(),
            engine,
            table: match engine {
                // Primes beyond the fragments' rows are summed in FP32 within a matrix pass:
                // a convolution of products would cost more, and most of the digits.
                Engine::Matrix => {
                    let [dense, joined] = match limits.line_library {
                        Some(_) => [&[][..]; 2],
                        None => [radix::DENSE, radix::JOINED],
                    };
                    let table = RADICES.iter().map(|row| row.radix);
                    table.chain(dense.iter().chain(joined).copied()).collect()
                }
                Engine::Simt => limits.butterflies.to_vec(),
            },
            asked: problem.request.radices.as_deref(),
            clusters: Clusters::default(),
            parts: None,
        }
    }

    /// The radices that a line may be made of.
    pub fn radices(&self) -> &[usize] {
        self.asked.unwrap_or(&self.table)
    }

    /// The library that takes contiguous lines of any length, where it may.
    pub fn library(&self) -> Option<&'static str> {
        let free = self.engine == Engine::Simt && self.asked.is_none();
        self.limits.line_library.filter(|_| free)
    }

    /// The points of a tile of a device.
    pub fn tile_capacity(&self) -> usize {
        let points = self.limits.tile_points(self.scalar);
        match self.engine {
            Engine::Matrix => points.min(MATRIX_BYTES / (2 * self.scalar.compute_bytes())),
            Engine::Simt => points,
        }
    }

    /// The longest line of a tile.
    pub fn longest_line(&self) -> usize {
        let longest = self.limits.longest_line(self.scalar);
        match self.limits.line_library {
            Some(_) => longest,
            None => longest.min(self.tile_capacity()),
        }
    }

    /// The longest line of a tile of lines that are scattered in memory, where that is measured.
    pub fn longest_scattered_measured(&self) -> usize {
        let longest = self.limits.longest_scattered(self.scalar);
        longest.min(self.longest_line())
    }

    /// The longest that is taken unmeasured.
    pub fn longest_scattered(&self) -> usize {
        let large = self.tile_capacity() >= LARGE_BYTES / (2 * self.scalar.compute_bytes());
        match self.engine {
            // Fragments of padded radices take up to twice the points, and rows of half a cache
            // line keep the tile's memory whole: a third pass costs less, but where tiles are so
            // small that there would be more.
            Engine::Matrix if large && self.limits.line_library.is_none() => {
                let rows = (64 / (2 * self.scalar.bytes())).max(1);
                let longest = self.limits.longest_scattered(self.scalar);
                longest.min((self.tile_capacity() / 2 / rows).max(2))
            }
            _ => self.longest_scattered_measured(),
        }
    }

    /// The points that a line of a complex DFT takes on chip: more than its own where it
    /// becomes a convolution. `None` where the radices asked for do not make it.
    pub fn tile_points(&self, length: usize) -> Option<usize> {
        if self.library().is_some() || radix::factor(length, self.radices()).is_some() {
            return Some(length);
        }
        match self.rader(length) {
            Some(_) => Some(length),
            None => self.asked.is_none().then(|| self.padded(length)),
        }
    }

    /// The radices of Rader's convolution, where `length` is a prime that has one of smooth
    /// length.
    pub fn rader(&self, length: usize) -> Option<Vec<usize>> {
        let free = self.asked.is_none() && self.limits.line_library.is_none();
        let fits = length > 2 && length <= self.longest_line();
        if !free || !fits || largest_prime_factor(length) != length {
            return None;
        }
        radix::factor(length - 1, self.radices())
    }

    /// Whether one pass transforms lines of a complex DFT, with at most `limit` points of
    /// each on chip.
    pub fn line(&self, length: usize, limit: usize) -> bool {
        self.tile_points(length)
            .is_some_and(|points| points <= limit)
    }

    /// Whether one pass transforms a stage's lines of neighbouring points by joined products although they are longer
    /// than other lines of a tile: complex powers of two, one to a block. Not of several axes, where columns are scaled
    /// in place of lines: that was never measured.
    pub fn joined_alone(&self, stage: &Stage, axes: usize) -> bool {
        let core = stage.kind.core_length(stage.length);
        let points = JOINED_BYTES / (2 * self.scalar.compute_bytes());
        self.engine == Engine::Matrix
            && self.limits.line_library.is_none()
            && self.asked.is_none()
            && self.scalar == ScalarType::F32
            && (stage.kind, axes) == (Kind::C2C, 1)
            && core.is_power_of_two()
            && core <= points.min(self.limits.longest_line(self.scalar))
    }

    /// Whether one pass of butterflies transforms a stage's lines of neighbouring points, one to a block, although
    /// they are longer than the largest power of two that a tile holds: what is not one takes the rest of the memory.
    pub fn alone(&self, stage: &Stage) -> bool {
        let core = stage.kind.core_length(stage.length);
        let bytes = |points| Limits::on_chip_bytes(points, self.scalar);
        let held = |points: &usize| bytes(*points) <= self.limits.tile_bytes;
        let made = |points| self.radices_alone(points).is_some();
        self.engine == Engine::Simt
            && self.limits.line_library.is_none()
            && self.asked.is_none()
            && core <= self.limits.line_points
            && self.stage_points(stage).filter(held).is_some()
            && self.tile_points(core).is_some_and(made)
    }

    /// The fewest radices of such a line whose threads have registers for their columns.
    pub fn radices_alone(&self, length: usize) -> Option<Vec<usize>> {
        let threads = ALONE_THREADS * 4 / self.scalar.compute_bytes();
        let values = |r: usize| (length / r).div_ceil(threads) * r;
        ALONE_VALUES.into_iter().find_map(|most| {
            let mut radices = self.limits.butterflies.to_vec();
            radices.retain(|&r| !radix::summed(r, false) && values(r) <= most);
            let few = length.div_ceil(threads) <= LARGEST_RADIX;
            let largest = match few || self.scalar == ScalarType::F64 {
                true => LARGEST_RADIX,
                false => ALONE_VALUES[0],
            };
            radix::fewest(length, &radices, largest)
        })
    }

    /// Points of a stage's line on chip, the half spectrum of a real one included.
    pub fn stage_points(&self, stage: &Stage) -> Option<usize> {
        let core = stage.kind.core_length(stage.length);
        let points = self.tile_points(core)?;
        let reduction = stage.kind.reduction(stage.length, false);
        Some(match (reduction.middle, stage.kind) {
            (Middle::Plain, Kind::C2C) => points,
            (Middle::Plain, _) => points.max(stage.length / 2 + 1),
            _ => points.max(core + 1),
        })
    }

    /// The fewest factors of `n` that are lines of at most `limit` points, as equal as
    /// possible, in ascending order. `None` where there are no such factors.
    pub fn factors(&self, n: usize, limit: usize) -> Option<Vec<usize>> {
        self.factors_of(n, limit, 1)
    }

    /// The same, all of them even.
    pub fn even_factors(&self, n: usize, limit: usize) -> Option<Vec<usize>> {
        self.factors_of(n, limit, 2)
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
        let butterflies = self.engine == Engine::Simt && self.limits.line_library.is_none();
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

/// The limits of a device that there is not.
#[cfg(test)]
pub fn invented(tile_bytes: usize) -> Limits {
    Limits {
        backend: "invented",
        device: String::new(),
        architecture: String::new(),
        workers: 1,
        vector_bytes: 32,
        tile_bytes,
        line_points: usize::MAX,
        cluster_blocks: 0,
        line_library: None,
        butterflies: &[8, 4, 2, 3, 5, 7, 11, 13],
        fragments: Vec::new(),
        precisions: vec![mmafft_backend_traits::Precision::F32],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mmafft_backend_traits::{Request, Shape};

    fn with(tile_bytes: usize, radices: Option<&[usize]>, test: impl Fn(&Fits)) {
        let limits = invented(tile_bytes);
        let mut request = Request::forward(Shape::d1(2));
        request.radices = radices.map(<[usize]>::to_vec);
        let problem = Problem::new(&request, &limits).expect("a problem");
        test(&Fits::new(&problem, &limits, Engine::Simt));
    }

    #[test]
    fn factors_are_few_and_equal() {
        // 16384 points in a tile, 4096 of a scattered line.
        with(227 << 10, None, |fits| {
            let longest = (fits.longest_line(), fits.longest_scattered());
            assert_eq!(longest, (16384, 4096));
            let factors = |n| fits.factors(n, 4096);
            assert_eq!(factors(1 << 24), Some(vec![4096; 2]));
            assert_eq!(factors(1 << 27), Some(vec![512; 3]));
            assert_eq!(factors(1 << 15), Some(vec![128, 256]));
            assert_eq!(factors(1009 * 1013), Some(vec![1009, 1013]));
            assert_eq!(factors(4099 * 4), None);
            assert_eq!(fits.powers_of_two(15), Some(vec![128, 256]));
            assert_eq!(fits.powers_of_two(26), Some(vec![4096, 16384]));
            assert_eq!(fits.powers_of_two(27), Some(vec![512; 3]));
        });
    }

    #[test]
    fn asked_radices_make_the_factors() {
        with(227 << 10, Some(&[8]), |fits| {
            assert_eq!(fits.factors(1 << 15, 4096), Some(vec![64, 512]));
            assert_eq!(fits.factors(1 << 16, 4096), None);
        });
    }

    #[test]
    fn every_factorisation_multiplies_and_fits() {
        for tile_bytes in [36, 300, 4096] {
            with(tile_bytes, None, |fits| {
                for n in 2..3000 {
                    for limit in [fits.longest_line(), fits.longest_scattered()] {
                        let Some(factors) = fits.factors(n, limit) else {
                            continue;
                        };
                        assert_eq!(factors.iter().product::<usize>(), n);
                        assert!(factors.iter().all(|&d| fits.line(d, limit)));
                    }
                }
                for bits in fits.longest_line().ilog2() + 1..50 {
                    let factors = fits.powers_of_two(bits).expect("powers of two fit");
                    assert_eq!(factors.iter().product::<usize>(), 1 << bits);
                    let (last, others) = factors.split_last().expect("some");
                    assert!(*last <= fits.longest_line());
                    assert!(others.iter().all(|d| *d <= fits.longest_scattered()));
                }
            });
        }
    }
}
