//! The default backend: butterflies across lines and columns, RustFFT's lines, rayon's threads, and
//! the matrix engine's model.
//!
//! A pass runs in one of three ways (`stage::Path`): contiguous lines where they lie;
//! a vector of neighbouring columns straight from memory to memory; everything else
//! (real lines, strides, conversions, zero ranges, matrix products) through a tile of a few
//! lines in the cache. No way copies or transposes a whole array. Lines that an option makes
//! it split, as devices must, go through `parts`.
//!
//! The file is long because the backend, its options and its limits are what others see of this folder.

/// A job of this name, of either scalar, in whatever vectors the processor has.
macro_rules! with_simd {
    ($job:ident -> $output:ty) => {
        with_simd!($job<f32> -> $output);
        with_simd!($job<f64> -> $output);
    };
    ($job:ident<$t:ty> -> $output:ty) => {
        impl pulp::WithSimd for $job<'_, $t> {
            type Output = $output;
            #[inline(always)]
            fn with_simd<S: pulp::Simd>(self, simd: S) -> $output {
                $crate::cpu::stack::align();
                self.run(simd)
            }
        }
    };
}

mod batch;
mod bluestein;
mod buffer;
mod butterflies;
mod check;
mod chirp;
mod columns;
mod convolved;
mod cyclic;
mod digits;
mod exchange;
mod execute;
mod factors;
mod four_step;
mod half_lanes;
mod half_spectrum;
mod lanes;
mod line_price;
mod lines;
mod matrix;
mod memory;
mod odd_reals;
mod parts;
mod prepare;
mod primes;
mod rader;
mod real_columns;
mod real_lines;
mod real_side;
mod roots;
mod scalar;
mod scaling;
mod shared_vectors;
mod shared_vectors_job;
mod stack;
mod stage;
pub(crate) mod target;
mod threads;
mod tile;
mod tile_job;
mod turn;

pub use buffer::CpuBuffer;
use execute::{Bytes, PreparedPlan};
use half::{bf16, f16};
use lanes::LaneScalar;
use mmafft_backend_traits::{
    fragment::{Fragment, Fragment16, Fragment4},
    largest_prime_factor, radix, split, Backend, Bindings, Buffer as _, Direction, Error, Limits,
    Plan, Prepared, Result, ScalarType, Slot, Workspace, PRECISIONS,
};
use std::sync::Arc;
use target::CpuTarget;
pub use threads::{with_jobs_by, JobLoop};

/// Bytes that a tile of several axes may take: a core's share of the caches that are
/// faster than memory (docs/lab/2026-11-28-cpu.md).
const TILE_BYTES: usize = 1 << 20;

/// The most workers, each of which has memory of its own.
const MOST_WORKERS: usize = 1024;

/// Settings of the CPU backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuOptions {
    /// Threads to use, of the rayon pool in which a transform runs (outside of any: the global one): 1 to 1024. Default:
    /// all of them. Where the system gives none, the calling thread works alone.
    pub threads: usize,
    /// The longest line of one pass. Default: any. Lower, lines are split four-step, as on
    /// a device.
    pub line_points: usize,
}

impl Default for CpuOptions {
    fn default() -> Self {
        CpuOptions {
            threads: threads::count(),
            line_points: usize::MAX,
        }
    }
}

/// The CPU. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CpuBackend {
    limits: Arc<Limits>,
}

impl Default for CpuBackend {
    fn default() -> Self {
        CpuBackend::new(CpuOptions::default())
    }
}

impl CpuBackend {
    /// The CPU with these settings.
    pub fn new(options: CpuOptions) -> Self {
        let vector_bytes = f32::vector_bytes();
        let workers = options.threads.clamp(1, MOST_WORKERS);
        CpuBackend {
            limits: Arc::new(Limits {
                backend: "cpu",
                device: format!("{workers} threads, {}-bit vectors", 8 * vector_bytes),
                architecture: String::new(),
                workers,
                vector_bytes,
                tile_bytes: TILE_BYTES,
                line_points: options.line_points.max(2),
                cluster_blocks: 0,
                target: &CpuTarget,
                butterflies: butterflies::BUTTERFLIES,
                fragments: vec![
                    Fragment4::<f16>::SHAPE,
                    Fragment16::<f16>::SHAPE,
                    Fragment4::<bf16>::SHAPE,
                    Fragment16::<bf16>::SHAPE,
                ],
                precisions: PRECISIONS.iter().map(|row| row.precision).collect(),
                geometry: None,
            }),
        }
    }

    /// Runs on memory of the host, without copies. `input` is `None` in place.
    pub fn run_on_host(
        &self,
        prepared: &CpuPrepared,
        input: Option<&[u8]>,
        output: &mut [u8],
        scratch: &mut [u8],
    ) -> Result<()> {
        prepared.run(Bytes {
            input: input.map(Into::into),
            output: output.into(),
            scratch,
        })
    }
}

/// Whether there is memory for the tables and the work of the longest line: what makes them ends the process
/// where there is none.
fn has_room(plan: &Plan) -> Result<()> {
    // RustFFT has roots of about each point and as much again on the way. For each of a large prime it has a chirp, and
    // of a convolution of up to 8/3 as many points the spectrum, its roots, and what the spectrum is made in.
    const POINTS: usize = 4;
    const CONVOLVED: usize = 9;
    let lines = plan.passes.iter().flat_map(|pass| &pass.axes);
    let longest = lines.map(|axis| axis.core_length()).max().unwrap_or(0);
    let point = 2 * plan.request.precision.row().storage.bytes().max(4);
    let room_for = |points: usize| {
        let bytes = points.saturating_mul(point);
        let mut room: Vec<u8> = Vec::new();
        room.try_reserve_exact(bytes)
            .map_err(|_| Error::OutOfMemory {
                backend: "cpu".into(),
                what: format!("the tables of lines of {longest} points"),
                bytes,
            })
    };
    let points = longest.saturating_mul(POINTS);
    // The primes of what no memory holds would take long to find.
    room_for(points)?;
    room_for(points.saturating_add(CONVOLVED * largest_prime_factor(longest.max(1))))
}

/// A plan ready to run on the CPU.
pub struct CpuPrepared {
    plan: ByStorage,
    not_in_place: Option<String>,
}

enum ByStorage {
    F64(PreparedPlan<f64>),
    F32(PreparedPlan<f32>),
    F16(PreparedPlan<f16>),
    Bf16(PreparedPlan<bf16>),
}

impl CpuPrepared {
    fn run(&self, bytes: Bytes<'_>) -> Result<()> {
        if let (None, Some(reason)) = (bytes.input, &self.not_in_place) {
            return Err(Error::NotInPlace {
                reason: reason.clone(),
            });
        }
        match &self.plan {
            ByStorage::F64(plan) => plan.run(bytes),
            ByStorage::F32(plan) => plan.run(bytes),
            ByStorage::F16(plan) => plan.run(bytes),
            ByStorage::Bf16(plan) => plan.run(bytes),
        }
    }
}

impl Prepared for CpuPrepared {
    fn scratch_bytes(&self) -> usize {
        match &self.plan {
            ByStorage::F64(plan) => plan.scratch_bytes(),
            ByStorage::F32(plan) => plan.scratch_bytes(),
            ByStorage::F16(plan) => plan.scratch_bytes(),
            ByStorage::Bf16(plan) => plan.scratch_bytes(),
        }
    }

    fn workspace(&self) -> Option<Workspace> {
        Some(match &self.plan {
            ByStorage::F64(plan) => plan.workspace(),
            ByStorage::F32(plan) => plan.workspace(),
            ByStorage::F16(plan) => plan.workspace(),
            ByStorage::Bf16(plan) => plan.workspace(),
        })
    }
}

impl Backend for CpuBackend {
    type Buffer = CpuBuffer;
    type Prepared = CpuPrepared;

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn allocate(&self, bytes: usize) -> Result<CpuBuffer> {
        CpuBuffer::new(bytes)
    }

    fn write(&self, buffer: &mut CpuBuffer, offset: usize, bytes: &[u8]) -> Result<()> {
        let range = inside(Slot::Output, offset, bytes.len(), buffer.bytes())?;
        buffer.as_bytes_mut()[range].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&self, buffer: &CpuBuffer, offset: usize, bytes: &mut [u8]) -> Result<()> {
        let range = inside(Slot::Input, offset, bytes.len(), buffer.bytes())?;
        bytes.copy_from_slice(&buffer.as_bytes()[range]);
        Ok(())
    }

    fn prepare(&self, plan: &Plan) -> Result<CpuPrepared> {
        plan.made_for(self.limits.backend)?;
        has_room(plan)?;
        let workers = self.limits.workers;
        let storage = plan.request.precision.row().storage;
        Ok(CpuPrepared {
            plan: match storage {
                ScalarType::F64 => ByStorage::F64(PreparedPlan::new(plan, workers)?),
                ScalarType::F32 => ByStorage::F32(PreparedPlan::new(plan, workers)?),
                ScalarType::F16 => ByStorage::F16(PreparedPlan::new(plan, workers)?),
                ScalarType::Bf16 => ByStorage::Bf16(PreparedPlan::new(plan, workers)?),
            },
            not_in_place: plan.not_in_place.clone(),
        })
    }

    fn launch(&self, prepared: &CpuPrepared, bindings: Bindings<'_, CpuBuffer>) -> Result<()> {
        prepared.run(Bytes {
            input: bindings.input.map(CpuBuffer::view),
            output: bindings.output.view_mut(),
            scratch: bindings.scratch.as_bytes_mut(),
        })
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn split(
        &self,
        values: &CpuBuffer,
        vector: usize,
        hi: &mut CpuBuffer,
        lo: &mut CpuBuffer,
        exponents: &mut CpuBuffer,
    ) -> Result<()> {
        let values: &[f32] = typed(values.as_bytes(), Slot::Input)?;
        let vectors = whole_vectors(values.len(), vector)?;
        let hi = typed_mut::<f16>(hi.as_bytes_mut(), values.len())?;
        let lo = typed_mut::<f16>(lo.as_bytes_mut(), values.len())?;
        let exponents = typed_mut::<i32>(exponents.as_bytes_mut(), vectors)?;
        let parts = hi.chunks_exact_mut(vector).zip(lo.chunks_exact_mut(vector));
        for ((values, (hi, lo)), e) in values.chunks_exact(vector).zip(parts).zip(exponents) {
            *e = split::split(values, hi, lo);
        }
        Ok(())
    }

    fn combine(
        &self,
        hi: &CpuBuffer,
        lo: &CpuBuffer,
        exponents: &CpuBuffer,
        vector: usize,
        values: &mut CpuBuffer,
    ) -> Result<()> {
        let hi: &[f16] = typed(hi.as_bytes(), Slot::Input)?;
        let lo: &[f16] = typed(lo.as_bytes(), Slot::Input)?;
        let exponents: &[i32] = typed(exponents.as_bytes(), Slot::Input)?;
        let vectors = whole_vectors(hi.len(), vector)?;
        if lo.len() < hi.len() || exponents.len() < vectors {
            return Err(short(hi.len().max(vectors), lo.len().min(exponents.len())));
        }
        let values = typed_mut::<f32>(values.as_bytes_mut(), hi.len())?;
        let parts = hi.chunks_exact(vector).zip(lo.chunks_exact(vector));
        for ((values, (hi, lo)), &e) in values.chunks_exact_mut(vector).zip(parts).zip(exponents) {
            split::combine(hi, lo, e, values);
        }
        Ok(())
    }

    fn product(
        &self,
        radix: usize,
        direction: Direction,
        hi: &CpuBuffer,
        lo: &CpuBuffer,
        exponents: &CpuBuffer,
        values: &mut CpuBuffer,
    ) -> Result<()> {
        radix::check_product(radix)?;
        let hi: &[f16] = typed(hi.as_bytes(), Slot::Input)?;
        let lo: &[f16] = typed(lo.as_bytes(), Slot::Input)?;
        let exponents: &[i32] = typed(exponents.as_bytes(), Slot::Input)?;
        let vectors = whole_vectors(hi.len(), 2 * radix)?;
        if lo.len() < hi.len() || exponents.len() < vectors {
            return Err(short(hi.len().max(vectors), lo.len().min(exponents.len())));
        }
        let values = typed_mut::<f32>(values.as_bytes_mut(), hi.len())?;
        let inverse = direction == Direction::Inverse;
        matrix::product(radix, inverse, [hi, lo], &exponents[..vectors], values);
        Ok(())
    }
}

fn inside(side: Slot, offset: usize, len: usize, bytes: usize) -> Result<std::ops::Range<usize>> {
    match offset.checked_add(len) {
        Some(end) if end <= bytes => Ok(offset..end),
        _ => Err(Error::BufferTooShort {
            side,
            expected: offset.saturating_add(len),
            got: bytes,
            unit: "bytes",
        }),
    }
}

fn short(expected: usize, got: usize) -> Error {
    Error::BufferTooShort {
        side: Slot::Input,
        expected,
        got,
        unit: "elements",
    }
}

fn whole_vectors(values: usize, vector: usize) -> Result<usize> {
    if vector == 0 || !values.is_multiple_of(vector) {
        return Err(Error::Unsupported {
            what: format!("{values} values in vectors of {vector}"),
            backend: "cpu".into(),
            instead: "give whole vectors of at least one value".into(),
        });
    }
    Ok(values / vector)
}

fn typed<T: bytemuck::Pod>(bytes: &[u8], side: Slot) -> Result<&[T]> {
    bytemuck::try_cast_slice(bytes).map_err(|_| Error::BufferTooShort {
        side,
        expected: bytes.len().next_multiple_of(size_of::<T>()),
        got: bytes.len(),
        unit: "bytes",
    })
}

fn typed_mut<T: bytemuck::Pod>(bytes: &mut [u8], count: usize) -> Result<&mut [T]> {
    let (needed, got) = (count * size_of::<T>(), bytes.len());
    if got < needed {
        return Err(Error::BufferTooShort {
            side: Slot::Output,
            expected: needed,
            got,
            unit: "bytes",
        });
    }
    Ok(bytemuck::cast_slice_mut(&mut bytes[..needed]))
}
