//! Whether RustFFT's lines of `f64` keep the bound, which depends on the length.
//!
//! RustFFT rounds a root's angle before it takes the cosine. In angles near a whole turn that is several times the last
//! digit, and how the errors of its steps' roots add up depends on how 2π over each step's length is rounded. A tone of
//! the frequency −1 meets those roots all at once, so that its transform tells (docs/lab/2026-11-29-cpu.md).

use super::roots::Roots;
use mmafft_backend_traits::{Kind, Precision};
use num_complex::Complex;
use rustfft::FftPlanner;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Lines of up to so many points are not tried: of all such lengths no data of the sweep was found beyond the bound.
const SHORT: usize = 2048;

/// The longest line that is tried.
const LONGEST: usize = 1 << 22;

/// The part of the bound that the tone may take, as other data may fare somewhat worse.
const PART: f64 = 0.8;

/// Points of memory that a trial takes for each point of the line.
const ROOM: usize = 5;

/// Whether RustFFT's line of so many points of `f64` is within the bound; longer ones than are tried count as if not. It is
/// tried once in a process, when the first such line is planned, and RustFFT of another processor may answer otherwise.
pub fn kept_by_library(points: usize) -> bool {
    static KNOWN: Mutex<BTreeMap<usize, bool>> = Mutex::new(BTreeMap::new());
    // Angles of a power of two are as exact as π is.
    if points <= SHORT || points.is_power_of_two() {
        return true;
    }
    if points > LONGEST {
        return false;
    }
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&kept) = known().get(&points) {
        return kept;
    }
    // RustFFT ends the process where there is no memory for its roots; preparing the line says so.
    let mut room: Vec<Complex<f64>> = Vec::new();
    if room.try_reserve_exact(ROOM * points).is_err() {
        return true;
    }
    drop(room);
    let bound = Precision::F64.error_bound(Kind::C2C, &[points], false);
    let kept = error_of_a_tone(points) <= PART * bound;
    known().insert(points, kept);
    kept
}

/// The relative error of RustFFT's transform of a tone of the frequency −1.
fn error_of_a_tone(points: usize) -> f64 {
    let roots = Roots::new(points);
    let mut line: Vec<Complex<f64>> = (0..points).map(|k| roots.get(k)).collect();
    let fft = FftPlanner::new().plan_fft_forward(points);
    fft.process(&mut line);
    line[points - 1] -= points as f64;
    line.iter().map(Complex::norm_sqr).sum::<f64>().sqrt() / points as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths that were found to miss the bound, and others that do not.
    #[test]
    fn tones_tell() {
        assert!(kept_by_library(1000) && kept_by_library(1 << 40) && !kept_by_library(3 << 40));
        // Elsewhere RustFFT takes other steps.
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx") && is_x86_feature_detected!("fma") {
            for points in [19_683, 98_415, 30_000, 12_288] {
                assert!(!kept_by_library(points), "{points}");
            }
            for points in [3125, 5000, 10_000, 15_625] {
                assert!(kept_by_library(points), "{points}");
            }
        }
    }
}
