//! Limits made by hand, so that plans are the same on every machine.

use half::{bf16, f16};
use mmafft::backend_traits::fragment::{Fragment, Fragment16, Fragment4};
use mmafft::{Limits, PRECISIONS};

/// The CPU backend's limits with one worker and vectors of 512 bits.
pub fn cpu_limits() -> Limits {
    Limits {
        backend: "cpu",
        device: "1 thread, 512-bit vectors".into(),
        architecture: String::new(),
        workers: 1,
        vector_bytes: 64,
        tile_bytes: 1 << 20,
        line_points: usize::MAX,
        cluster_blocks: 0,
        target: mmafft::lab::CPU,
        butterflies: &[8, 9, 4, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31],
        fragments: vec![
            Fragment4::<f16>::SHAPE,
            Fragment16::<f16>::SHAPE,
            Fragment4::<bf16>::SHAPE,
            Fragment16::<bf16>::SHAPE,
        ],
        precisions: PRECISIONS.iter().map(|row| row.precision).collect(),
        geometry: None,
    }
}

/// A device that there is not: tiles so small that lines of more than `line_points` are
/// split, no library, several workers.
pub fn device_limits(line_points: usize) -> Limits {
    Limits {
        backend: "invented",
        device: "tiny".into(),
        architecture: String::new(),
        workers: 4,
        vector_bytes: 32,
        tile_bytes: 4 << 10,
        line_points,
        target: &mmafft::backend_traits::device::Lowering,
        ..cpu_limits()
    }
}
