//! FFTW 3, opened at run time, to compare with in the same process.
//!
//! Nothing is linked: [`Fftw::open`] looks for `libfftw3f.so.3` (`f32`) or `libfftw3.so.3` (`f64`)
//! and, for plans with several threads, for the library with the suffix `_threads`, else `_omp`.
//! The interface is safe: plans are made under one lock, and every execution checks the lengths
//! and the alignment of its arrays. Names and meaning follow the manual of FFTW 3.3,
//! <https://www.fftw.org/fftw3_doc/>.

mod api;
mod buffer;
mod dims;
mod plan;
#[cfg(test)]
mod tests;

use std::ffi::{c_int, c_uint};
use std::ptr::{null, NonNull};

pub use buffer::AlignedVec;
pub use dims::Dims;
pub use plan::{ComplexToReal, Dft, Kind, Plan, RealToComplex, RealToReal};

use api::{lock_planner, Api, Precision, RawPlan};
use dims::{Geometry, Rows};

/// The element type of a transform: `f32` or `f64`.
pub trait Real: Precision + Copy + Default + Send + Sync {}

impl Real for f32 {}
impl Real for f64 {}

/// The sign of the exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `exp(-2 pi i j k / n)`.
    Forward = -1,
    /// `exp(+2 pi i j k / n)`, not divided by `n`.
    Backward = 1,
}

/// How much time the planner spends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rigor {
    /// No measurement.
    Estimate = 1 << 6,
    /// Measures a few algorithms.
    Measure = 0,
    /// Measures many algorithms.
    Patient = 1 << 5,
}

/// The kind of a real transform along one dimension. The number in the name of a cosine or sine
/// transform is the common one: `Dct2` is FFTW's `REDFT10`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum R2rKind {
    /// Real to half-complex (`R2HC`).
    RealToHalfcomplex = 0,
    /// Half-complex to real (`HC2R`).
    HalfcomplexToReal = 1,
    /// Discrete Hartley transform.
    Dht = 2,
    /// `REDFT00`, of at least two elements.
    Dct1 = 3,
    /// `REDFT10`.
    Dct2 = 5,
    /// `REDFT01`, the inverse of [`Self::Dct2`].
    Dct3 = 4,
    /// `REDFT11`.
    Dct4 = 6,
    /// `RODFT00`.
    Dst1 = 7,
    /// `RODFT10`.
    Dst2 = 9,
    /// `RODFT01`, the inverse of [`Self::Dst2`].
    Dst3 = 8,
    /// `RODFT11`.
    Dst4 = 10,
}

impl R2rKind {
    /// FFTW's name of a kind from reals to reals; `None` for other kinds.
    pub fn of(kind: mmafft::Kind) -> Option<Self> {
        use mmafft::Kind;
        Some(match kind {
            Kind::R2HC => R2rKind::RealToHalfcomplex,
            Kind::HC2R => R2rKind::HalfcomplexToReal,
            Kind::Dht => R2rKind::Dht,
            Kind::Dct1 => R2rKind::Dct1,
            Kind::Dct2 => R2rKind::Dct2,
            Kind::Dct3 => R2rKind::Dct3,
            Kind::Dct4 => R2rKind::Dct4,
            Kind::Dst1 => R2rKind::Dst1,
            Kind::Dst2 => R2rKind::Dst2,
            Kind::Dst3 => R2rKind::Dst3,
            Kind::Dst4 => R2rKind::Dst4,
            _ => return None,
        })
    }
}

/// How a plan is made.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The effort of the planner.
    pub rigor: Rigor,
    /// The number of threads that execute the plan.
    pub threads: usize,
    /// Whether one array is both input and output.
    pub in_place: bool,
    /// Whether arrays may have any alignment (`FFTW_UNALIGNED`), which costs speed.
    pub unaligned: bool,
}

impl Default for Options {
    /// Measured, for one thread, two arrays and aligned data.
    fn default() -> Self {
        Self {
            rigor: Rigor::Measure,
            threads: 1,
            in_place: false,
            unaligned: false,
        }
    }
}

/// Calls one of the planners: the arguments up to the output are the same for all of them.
macro_rules! call_planner {
    ($function:expr, $geometry:expr, $input:expr, $output:expr $(, $rest:expr)*) => {
        $function(
            $geometry.n.len() as c_int,
            $geometry.n.as_ptr(),
            $geometry.howmany,
            $input,
            null(),
            $geometry.input.stride,
            $geometry.input.distance,
            $output,
            null(),
            $geometry.output.stride,
            $geometry.output.distance,
            $($rest),*
        )
    };
}

/// FFTW in one precision.
#[derive(Clone, Copy)]
pub struct Fftw<T: Real> {
    api: &'static Api<T>,
}

impl<T: Real> Fftw<T> {
    /// Opens the library; later calls return what the first one found.
    ///
    /// # Errors
    ///
    /// If the library or a function in it is missing. Missing threads are not an error here, but
    /// when a plan asks for them.
    pub fn open() -> Result<Self, String> {
        Ok(Self { api: Api::get()? })
    }

    /// FFTW's description of itself, such as `fftw-3.3.10-sse2-avx`.
    pub fn version(&self) -> &'static str {
        &self.api.version
    }

    /// The library that runs plans with several threads, if there is one.
    pub fn threads_library(&self) -> Option<&'static str> {
        self.api.threads.as_ref().map(|threads| threads.library)
    }

    /// An aligned array of `len` elements, real or complex, all zero.
    pub fn alloc<E: Copy + Default>(&self, len: usize) -> AlignedVec<E> {
        AlignedVec::new(self.api, len)
    }

    /// A complex transform.
    ///
    /// # Errors
    ///
    /// If the geometry is empty or too large, threads are asked for and missing, or FFTW makes no
    /// plan. The same holds for the other three planners.
    pub fn plan_many_dft(
        &self,
        dims: &Dims,
        direction: Direction,
        options: &Options,
    ) -> Result<Plan<T, Dft>, String> {
        let geometry = Geometry::new(dims, Rows::Full, Rows::Full)?;
        let sign = direction as c_int;
        let planner = self.api.plan_many_dft;
        self.plan(&geometry, options, |input, output, flags| {
            // SAFETY: `plan` passes arrays of that geometry.
            unsafe { call_planner!(planner, geometry, input, output, sign, flags) }
        })
    }

    /// A transform of real data into half of the (Hermitian) spectrum.
    ///
    /// # Errors
    ///
    /// As [`Fftw::plan_many_dft`].
    pub fn plan_many_dft_r2c(
        &self,
        dims: &Dims,
        options: &Options,
    ) -> Result<Plan<T, RealToComplex>, String> {
        let geometry = Geometry::new(dims, real_rows(options), Rows::Half)?;
        let planner = self.api.plan_many_dft_r2c;
        self.plan(&geometry, options, |input, output, flags| {
            // SAFETY: `plan` passes arrays of that geometry.
            unsafe { call_planner!(planner, geometry, input, output, flags) }
        })
    }

    /// A transform of half of a Hermitian spectrum into real data, with positive sign.
    ///
    /// # Errors
    ///
    /// As [`Fftw::plan_many_dft`].
    pub fn plan_many_dft_c2r(
        &self,
        dims: &Dims,
        options: &Options,
    ) -> Result<Plan<T, ComplexToReal>, String> {
        let geometry = Geometry::new(dims, Rows::Half, real_rows(options))?;
        let planner = self.api.plan_many_dft_c2r;
        self.plan(&geometry, options, |input, output, flags| {
            // SAFETY: `plan` passes arrays of that geometry.
            unsafe { call_planner!(planner, geometry, input, output, flags) }
        })
    }

    /// A real transform, with one kind for each dimension.
    ///
    /// # Errors
    ///
    /// As [`Fftw::plan_many_dft`], and if the number of kinds is not that of the dimensions.
    pub fn plan_many_r2r(
        &self,
        dims: &Dims,
        kinds: &[R2rKind],
        options: &Options,
    ) -> Result<Plan<T, RealToReal>, String> {
        let geometry = Geometry::new(dims, Rows::Full, Rows::Full)?;
        if kinds.len() != geometry.n.len() {
            return Err(format!("{} kinds for {dims:?}", kinds.len()));
        }
        let kinds: Vec<c_int> = kinds.iter().map(|&kind| kind as c_int).collect();
        let planner = self.api.plan_many_r2r;
        self.plan(&geometry, options, |input, output, flags| {
            // SAFETY: `plan` passes arrays of that geometry; one kind for each dimension.
            unsafe { call_planner!(planner, geometry, input, output, kinds.as_ptr(), flags) }
        })
    }

    /// Calls `create` with an input, an output and the flags, under the planner's lock and with the
    /// number of threads set.
    ///
    /// The arrays hold what `geometry` describes; for a plan in place they are one. They live for
    /// the call only, so that measuring never overwrites data of the caller.
    fn plan<K: Kind<T>>(
        &self,
        geometry: &Geometry,
        options: &Options,
        create: impl FnOnce(*mut K::Input, *mut K::Output, c_uint) -> RawPlan,
    ) -> Result<Plan<T, K>, String> {
        let threads = c_int::try_from(options.threads).unwrap_or(0);
        if threads < 1 {
            return Err(format!("{} threads", options.threads));
        }
        if threads > 1 && self.api.threads.is_none() {
            return Err(format!("none of {:?} is usable", T::THREADS));
        }
        let (input_len, output_len) = (geometry.input.len, geometry.output.len);
        let mut flags = options.rigor as c_uint;
        if options.unaligned {
            flags |= FFTW_UNALIGNED;
        }

        let create = |input, output| {
            let _planner = lock_planner();
            if let Some(library) = &self.api.threads {
                // SAFETY: called under the lock, with a positive number.
                unsafe { (library.plan_with_nthreads)(threads) };
            }
            create(input, output, flags)
        };
        let raw = if options.in_place {
            let len = plan::in_place_len::<T, K>(input_len, output_len);
            let mut data = self.alloc::<K::InPlace>(len);
            create(data.as_mut_ptr().cast(), data.as_mut_ptr().cast())
        } else {
            let mut input = self.alloc::<K::Input>(input_len);
            let mut output = self.alloc::<K::Output>(output_len);
            create(input.as_mut_ptr(), output.as_mut_ptr())
        };
        Ok(Plan {
            api: self.api,
            raw: NonNull::new(raw).ok_or("FFTW makes no plan for this transform")?,
            execute: K::execute(self.api),
            input_len,
            output_len,
            in_place: options.in_place,
            unaligned: options.unaligned,
        })
    }
}

const FFTW_UNALIGNED: c_uint = 1 << 1;

/// The rows of the real array of a transform between real and complex data.
fn real_rows(options: &Options) -> Rows {
    if options.in_place {
        Rows::Padded
    } else {
        Rows::Full
    }
}
