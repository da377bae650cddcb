//! Radices: a line in a tile by butterflies or products, one radix after another (Cooley and Tukey, An algorithm for the
//! machine calculation of complex Fourier series, 1965).
//!
//! ```text
//! X[k1 + R·k2] = Σ_n2 exp(∓2πi·k1·n2/N)·(Σ_n1 x[n1·N/R + n2]·exp(∓2πi·n1·k1/R))·exp(∓2πi·n2·k2·R/N)
//! ```

use crate::planner::fits::{Fits, LARGEST_RADIX};
use crate::planner::joined::joined;
use crate::planner::stage::{is_contiguous, Stage};
use crate::planner::way::{Axis, Chosen, Method, Way};
use mmafft_backend_traits::mirrors::lines_face;
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{
    radix, End, Engine, Error, Images, Kind, Limits, Mirrored, Result, Step,
};

pub const WAY: Way = Way {
    name: "radices",
    method: Method::Axis { applies, steps },
};

/// The largest of complex contiguous lines, where it spares a step beyond three: 3000 points of FP32 by 20·15·10 ran at 0.98 of a copy
/// on an H100, by 10·10·6·5 at 0.97; 6144 points by 24·16·16 at 0.97, by 12·8·8·8 at 0.83. Radix 25 was no faster.
const LARGEST_SPARING: usize = 24;

fn applies(axis: &Axis) -> bool {
    axis.fits.asked.is_some() || axis.is_smooth()
}

fn steps(axis: &Axis) -> Result<Chosen> {
    let (fits, length) = (axis.fits, axis.length());
    if !axis.is_smooth() {
        return Err(Error::Radices {
            radices: fits.radices().to_vec(),
            length,
            reason: "they leave a factor over".into(),
        });
    }
    let reason = match fits.asked {
        Some(asked) => format!("radices {asked:?}, as asked for"),
        None if fits.engine == Engine::Simt && fits.by_kernels() => {
            "simt engine, the fewest radices".into()
        }
        None if fits.engine == Engine::Matrix && !fits.by_kernels() => {
            "matrix engine, here a slow reference of it: the simt engine and f32 are faster".into()
        }
        None => format!("{} engine, largest radices first", fits.engine.name()),
    };
    Ok((factored(axis, length), reason))
}

/// The steps of so many points: DFT, twiddle, exchange; DFT, twiddle, exchange; …
pub fn factored(axis: &Axis, length: usize) -> Vec<Step> {
    let (stage, fits) = (axis.stage, axis.fits);
    let radices = fits.radices();
    let free = fits.by_kernels() && fits.asked.is_none();
    let factors = match fits.engine {
        Engine::Simt if free && length > fits.longest_line() => fits.radices_alone(length),
        Engine::Simt if free => few_radices(stage, length, fits),
        Engine::Simt => radix::factor(length, radices).map(radix::balanced),
        Engine::Matrix if free => radix::factor(length, radices).map(|f| joined(f, fits)),
        Engine::Matrix => radix::factor(length, radices),
    };
    Step::sequence(axis.axis.axis, &factors.unwrap_or_default(), fits.engine)
}

/// The fewest radices of a line in a tile. Those of complex contiguous lines, each for itself, are larger where that spares
/// a step and a multiprocessor holds two of the tiles: alone on it, threads with as many values wait for memory. The first
/// is the one whose columns fill the threads, as idle lanes load nothing: 6400 points of FP32 by 416 threads ran at 0.64 of
/// a copy on an H100 by 20·20·16, where 320 load, at 0.83 by 16·20·20, where 400 do. Of several it is none of the larger
/// ones, behind which FP64 spilled (3000, 4000 points).
fn few_radices(stage: &Stage, length: usize, fits: &Fits) -> Option<Vec<usize>> {
    let mut few = radix::fewest(length, fits.radices(), LARGEST_RADIX)?;
    // What is loaded faces each other only by rules, see `rules::follow`.
    let stores = |(end, m): (End, Mirrored)| (end, m.images) == (End::Store, Images::Facing);
    if stage.mirrored.is_some_and(stores) {
        put_at_the_end(&mut few, Middle::Split, |&r| lines_face(r, fits.scalar));
    }
    if stage.kind != Kind::C2C || !is_contiguous(stage) || stage.mirrored.is_some() {
        return Some(few);
    }
    let held = 2 * Limits::on_chip_bytes(length, fits.scalar) <= fits.limits.tile_bytes;
    let larger = held.then(|| radix::fewest(length, fits.radices(), LARGEST_SPARING));
    let mut radices = match larger.flatten() {
        Some(larger) if (3..few.len()).contains(&larger.len()) => larger,
        _ => few,
    };
    let in_threads = radices.iter().filter(|r| !radix::summed(**r, false));
    let values = in_threads.clone().copied().fold(LARGEST_RADIX, usize::max);
    if let Some(&first) = in_threads.min_by_key(|&&r| (values / r * r, r > LARGEST_RADIX)) {
        radices.sort_by_key(|&r| r != first);
    }
    Some(radices)
}

/// The radices in the order in which one that `can` is where threads need it: the first to merge, the last to split.
pub fn put_at_the_end(radices: &mut [usize], middle: Middle, can: impl Fn(&usize) -> bool) {
    match middle {
        Middle::Merge => {
            if let Some(i) = radices.iter().position(can) {
                radices[..=i].rotate_right(1);
            }
        }
        Middle::Split => {
            if let Some(i) = radices.iter().rposition(can) {
                radices[i..].rotate_left(1);
            }
        }
        Middle::Plain => {}
    }
}
