//! What a tile of the device holds of a line.

use super::problem::Problem;
use super::stage::Stage;
use mmafft_backend_traits::{
    largest_prime_factor, radix, radix::RADICES, real::Middle, Engine, Error, Kind, Limits, Result,
    ScalarType,
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

/// Bytes of a run ([`Runs`]) of scratch between two passes of a device. A tile of as many neighbouring columns is stored
/// in one piece, and so many are in what most tiles of rows load of it. On an H100 passes over columns, made by hand
/// without their twiddles, took of the time they had before: 0.89 (`f32` 4096), 0.96 (`f64` 4096, `f32` 8192),
/// 0.94 (`f64` 8192); with runs of twice as many bytes up to 1.5 % less for 8192, and 7 % more for `f32` 4096, of which a tile is
/// half a run wide.
const RUN_BYTES: usize = 64;

/// The largest radix of a device's butterflies that is chosen without being asked for: a thread
/// holds as many values.
pub const LARGEST_RADIX: usize = 16;

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
    /// Whether all that a cluster holds and no block does is spread over one, in place of what has a rule.
    pub clusters: bool,
    /// The factors into which long lines are to be split, in place of those that were measured.
    pub parts: Option<&'a [usize]>,
    /// The name of the way that is taken wherever it makes something.
    pub way: Option<&'a str>,
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
                    let kernels = limits.target.line_library().is_none();
                    let more = radix::DENSE.iter().chain(radix::JOINED);
                    let table = RADICES.iter().map(|row| row.radix);
                    table.chain(more.copied().filter(|_| kernels)).collect()
                }
                Engine::Simt => limits.butterflies.to_vec(),
            },
            asked: problem.request.radices.as_deref(),
            clusters: false,
            parts: None,
            way: None,
        }
    }

    /// Checks that the engine has every radix that the user asked for.
    pub fn check_asked(&self, problem: &Problem) -> Result<()> {
        let asked = self.asked.unwrap_or_default();
        let Some(radix) = asked.iter().find(|r| !self.table.contains(r)) else {
            return Ok(());
        };
        let last = problem.axes_to_transform().last();
        Err(Error::Radices {
            radices: asked.to_vec(),
            length: last.map_or(1, |dim| problem.dims[dim].length),
            reason: format!(
                "{} has no {} of {radix} points, expected some of {:?}",
                self.limits.backend,
                match self.engine {
                    Engine::Matrix => "product",
                    Engine::Simt => "butterfly",
                },
                self.table
            ),
        })
    }

    /// The radices that a line may be made of.
    pub fn radices(&self) -> &[usize] {
        self.asked.unwrap_or(&self.table)
    }

    /// Points of a run ([`Runs`]) of scratch, on devices.
    pub fn run(&self) -> Option<usize> {
        self.by_kernels()
            .then_some(RUN_BYTES / (2 * self.scalar.bytes()))
    }

    /// Whether kernels transform tiles, in on-chip memory, and not a library where they lie.
    pub fn by_kernels(&self) -> bool {
        self.limits.target.line_library().is_none()
    }

    /// The library that takes contiguous lines of any length, where it may.
    pub fn library(&self) -> Option<&'static str> {
        let free = self.engine == Engine::Simt && self.asked.is_none();
        self.limits.target.line_library().filter(|_| free)
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
        match self.by_kernels() {
            false => longest,
            true => longest.min(self.tile_capacity()),
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
            Engine::Matrix if large && self.by_kernels() => {
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
        let free = self.asked.is_none() && self.by_kernels();
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
            && self.by_kernels()
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
            && self.by_kernels()
            && self.asked.is_none()
            && core <= self.limits.line_points
            && self.stage_points(stage).filter(held).is_some()
            && self.tile_points(core).is_some_and(made)
    }

    /// Threads of the largest block.
    pub fn most_threads(&self) -> usize {
        ALONE_THREADS * 4 / self.scalar.compute_bytes()
    }

    /// The fewest radices of such a line whose threads have registers for their columns.
    pub fn radices_alone(&self, length: usize) -> Option<Vec<usize>> {
        let threads = self.most_threads();
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
}

#[cfg(test)]
#[path = "fits_tests.rs"]
mod tests;
#[cfg(test)]
pub use tests::{invented, invented_device};
