//! How long a plan would take on a device that is not here: from the bytes that its passes
//! move, the cycles of its matrix products and other arithmetic, and those of shared memory.
//! Predicted, never measured. The ruler is a copy: 1 is a transform as fast as copying its
//! input to its output.
//!
//! A compute unit that holds several blocks of a pass does all of this at once, and the
//! longest decides; one that holds a single block does one after another. Nothing is known
//! here of latencies, bank conflicts, launches, and caches: so these are upper limits.

use mmafft::backend_traits::device::{lower, Geometry};
use mmafft::backend_traits::Operand;
use mmafft::{Engine, Error, Limits, Plan, Result};
use std::sync::LazyLock;

/// A device by its data sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sheet {
    /// The architecture, as on the command line.
    pub architecture: &'static str,
    /// What else it is called on the command line.
    pub short: &'static str,
    /// The device that the numbers are of.
    pub name: &'static str,
    /// Compute units.
    pub units: usize,
    /// Bytes of shared memory that a block may have.
    pub shared_bytes: usize,
    /// Bytes of memory.
    pub memory_bytes: usize,
    /// Bytes of level-2 cache.
    pub l2_bytes: usize,
    /// How fast it is, where that is known.
    pub speed: Option<Speed>,
}

/// A device's peak rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    /// Cycles a second of its highest clock.
    pub hertz: f64,
    /// Bytes a second of memory, read or written.
    pub memory: f64,
    /// Operations a cycle and compute unit of matrix products, for FP16, BF16, FP32 and FP64.
    pub matrix: [f64; 4],
    /// The same of 4×4 products, which take 8 cycles of a SIMD unit each; FP64 has none of use.
    pub small: [f64; 4],
    /// The same of ordinary arithmetic, for FP32 and FP64, of fused multiply-adds.
    pub vector: [f64; 2],
}

/// The table of devices.
const CARDS: &str = include_str!("cards.csv");

/// Every device that there are plans for without having it, AMD's first.
pub fn sheets() -> impl Iterator<Item = &'static Sheet> {
    static SHEETS: LazyLock<Vec<Sheet>> = LazyLock::new(|| {
        let rows = CARDS.lines().filter(|line| !line.starts_with('#'));
        rows.skip(1).map(Sheet::of_row).collect()
    });
    SHEETS.iter()
}

/// Bytes a cycle of a compute unit's shared memory.
const SHARED: f64 = 128.0;

/// Of ordinary arithmetic, the share that multiplies and adds at once: butterflies mostly add.
const FUSED: f64 = 0.5;

/// Seconds of a pass, each by what takes them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PassTime {
    /// Memory, at the speed of a copy.
    pub memory: f64,
    /// Matrix products.
    pub matrix: f64,
    /// Other arithmetic.
    pub vector: f64,
    /// Shared memory, without conflicts.
    pub shared: f64,
    /// Blocks of the pass that a compute unit holds.
    pub resident: usize,
}

impl PassTime {
    /// All of it.
    pub fn seconds(&self) -> f64 {
        let parts = [self.memory, self.matrix, self.vector, self.shared];
        match self.resident {
            0 | 1 => parts.iter().sum(),
            _ => parts.into_iter().fold(0.0, f64::max),
        }
    }
}

/// What is expected of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Its passes.
    pub passes: Vec<PassTime>,
    /// Seconds of a copy of input to output.
    pub copy: f64,
}

impl Prediction {
    /// Seconds of all passes.
    pub fn seconds(&self) -> f64 {
        self.passes.iter().map(PassTime::seconds).sum()
    }

    /// The speed as a fraction of a copy's.
    pub fn fraction(&self) -> f64 {
        self.copy / self.seconds()
    }
}

impl Sheet {
    /// The device of a row of the table.
    fn of_row(row: &'static str) -> Sheet {
        let [architecture, short, name, numbers @ ..] = &row.split(',').collect::<Vec<_>>()[..]
        else {
            panic!("{row} is no row");
        };
        let numbers: Vec<f64> = numbers.iter().map_while(|n| n.parse().ok()).collect();
        let (bytes, speed) = numbers.split_at(4);
        let [units, shared, memory, l2] = [0, 1, 2, 3].map(|i| bytes[i] as usize);
        let speed = <[f64; 11]>::try_from(speed).ok();
        Sheet {
            architecture,
            short,
            name,
            units,
            shared_bytes: shared << 10,
            memory_bytes: memory << 30,
            l2_bytes: l2 << 10,
            speed: speed.map(|[clock, rate, f16, bf16, f32, f64, rest @ ..]| Speed {
                hertz: 1e9 * clock,
                memory: 1e9 * rate,
                matrix: [f16, bf16, f32, f64],
                small: [rest[0], rest[1], rest[2], 0.0],
                vector: [rest[3], rest[4]],
            }),
        }
    }

    /// The device of an architecture, or of its own name, in letters of any case.
    ///
    /// # Errors
    /// `Unsupported`, with those that there are.
    pub fn of(name: &str) -> Result<&'static Sheet> {
        let is = |sheet: &&Sheet| {
            name.eq_ignore_ascii_case(sheet.architecture) || name.eq_ignore_ascii_case(sheet.short)
        };
        sheets().find(is).ok_or_else(|| {
            let names: Vec<&str> = sheets().flat_map(|s| [s.architecture, s.short]).collect();
            Error::Unsupported {
                what: format!("predicting for {name}"),
                backend: "mmafft".into(),
                instead: format!("use {}", names.join(", ")),
            }
        })
    }

    /// What the planner and lowering would know of it.
    ///
    /// # Errors
    /// `NotBuilt` without the feature of its backend, `hip` or `cuda`.
    pub fn limits(&self) -> Result<(Limits, Geometry)> {
        match self.architecture.starts_with("gfx") {
            true => self.of_amd(),
            false => self.of_nvidia(),
        }
    }

    fn of_amd(&self) -> Result<(Limits, Geometry)> {
        cfg_if::cfg_if! {
            if #[cfg(feature = "hip")] {
                let device = mmafft::hip::Device {
                    ordinal: 0,
                    name: format!("{}, predicted", self.name),
                    architecture: self.architecture.into(),
                    multiprocessors: self.units,
                    shared_bytes_per_block: self.shared_bytes,
                    l2_bytes: self.l2_bytes,
                    memory_bytes: self.memory_bytes,
                    wave: 64,
                };
                Ok((device.limits(), device.geometry()))
            } else {
                Err(Error::NotBuilt { backend: "hip", feature: "hip" })
            }
        }
    }

    fn of_nvidia(&self) -> Result<(Limits, Geometry)> {
        cfg_if::cfg_if! {
            if #[cfg(feature = "cuda")] {
                // Its name is the driver's, so that the rules of this device are found.
                let device = mmafft::cuda::Device {
                    ordinal: 0,
                    name: self.name.into(),
                    architecture: self.architecture.into(),
                    multiprocessors: self.units,
                    shared_bytes_per_block: self.shared_bytes,
                    l2_bytes: self.l2_bytes,
                    memory_bytes: self.memory_bytes,
                    wave: 32,
                    clusters: has_clusters(self.architecture),
                };
                Ok((device.limits(), device.geometry()))
            } else {
                Err(Error::NotBuilt { backend: "cuda", feature: "cuda" })
            }
        }
    }

    /// What to expect of a plan that was made for these limits.
    ///
    /// # Errors
    /// `Unsupported` where a pass has no kernel, or the device's speed is not known.
    pub fn predict(&self, plan: &Plan, geometry: &Geometry) -> Result<Prediction> {
        let speed = self.speed.ok_or_else(|| Error::Unsupported {
            what: format!("predicting the speed of {}", self.name),
            backend: "mmafft".into(),
            instead: "take the plan alone: there are no rates of this device here".into(),
        })?;
        let cycles = self.units as f64 * speed.hertz;
        let time = |pass: &mmafft::Pass| {
            let lowered = lower(pass, geometry)?;
            let tiles = lowered.tiles as f64;
            let product = match pass.math.operand {
                Operand::Half | Operand::SplitHalf => 0,
                Operand::Bf16 | Operand::SplitBf16 => 1,
                Operand::F32 => 2,
                Operand::F64 => 3,
            };
            let matrix = match pass.math.engine {
                Engine::Simt => 0.0,
                Engine::Matrix => {
                    let cycles =
                        |flops: f64, rate: f64| if flops > 0.0 { flops / rate } else { 0.0 };
                    cycles(lowered.work.matrix_flops, speed.matrix[product])
                        + cycles(lowered.work.small_flops, speed.small[product])
                }
            };
            let double = usize::from(pass.math.storage.bytes() == 8);
            let vector = lowered.work.vector_flops / (FUSED * speed.vector[double]);
            let (read, written) = pass.bytes();
            let shared = lowered.program.shared_bytes.max(1);
            Ok(PassTime {
                memory: (read + written) as f64 / speed.memory,
                matrix: tiles * matrix / cycles,
                vector: tiles * vector / cycles,
                shared: tiles * lowered.work.shared_bytes / SHARED / cycles,
                resident: (geometry.shared_bytes / shared).min(2048 / lowered.program.threads),
            })
        };
        let passes: Result<Vec<PassTime>> = plan.passes.iter().map(time).collect();
        let scalar = plan.request.precision.row().storage.bytes();
        let bytes = (plan.input_scalars + plan.output_scalars) * scalar;
        Ok(Prediction {
            passes: passes?,
            copy: bytes as f64 / speed.memory,
        })
    }
}

/// Whether blocks of an architecture can run as a cluster.
#[cfg_attr(
    not(feature = "cuda"),
    allow(dead_code, reason = "for NVIDIA's limits")
)]
fn has_clusters(architecture: &str) -> bool {
    let capability = architecture.strip_prefix("sm_").unwrap_or_default();
    capability.parse().is_ok_and(|number: u32| number >= 90)
}
