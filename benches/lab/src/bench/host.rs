//! RustFFT and FFTW, on the host's memory.

use super::peer::Peer;
use mmafft::lab::rustfft_lines::RustfftReal;
use mmafft::{Complex, Direction, Error, Kind, Result, ScalarType};
use mmafft_cli::bench::host::{HostPeer, Library};
use mmafft_cli::bench::lab::Work;
use mmafft_cli::bench::measure::without;
use rustfft::FftDirection;

/// The library of a peer that runs on the host, beside so many threads of ours.
///
/// # Errors
/// `NoDevice` without the library; `Unsupported` for a peer of one thread beside several of ours.
pub fn library(peer: &Peer, threads: usize) -> Result<Library> {
    match peer.name {
        "fftw" => Ok(Library {
            name: fftw_version()?,
            plan: fftw,
        }),
        _ if threads > 1 => Err(without(
            "rustfft",
            &format!("running on {threads} threads"),
            "use --threads 1, for both to have as many",
        )),
        _ => Ok(Library {
            name: format!("rustfft-{}", locked_version("rustfft")),
            plan: rustfft,
        }),
    }
}

/// The version of a crate that this program was built with.
fn locked_version(package: &str) -> &'static str {
    let lock = include_str!("../../../../Cargo.lock");
    let entry = format!("name = \"{package}\"\nversion = \"");
    let version = lock
        .split(&entry)
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    version.unwrap_or_default()
}

fn rustfft(work: &Work, _: usize) -> Result<HostPeer> {
    match work.scalar {
        ScalarType::F32 => rustfft_of::<f32>(work),
        ScalarType::F64 => rustfft_of::<f64>(work),
        _ => Err(without("rustfft", "16 bits", "use f32 or f64")),
    }
}

/// Lines by RustFFT, which has complex ones alone.
fn rustfft_of<T: RustfftReal>(work: &Work) -> Result<HostPeer>
where
    Complex<T>: bytemuck::Pod,
{
    let (Kind::C2C, &[length]) = (work.kind, work.shape.dims()) else {
        let what = format!("{} of {}", work.kind.row().name, work.shape);
        return Err(without("rustfft", &what, "use --peer fftw"));
    };
    let direction = match work.direction {
        Direction::Forward => FftDirection::Forward,
        Direction::Inverse => FftDirection::Inverse,
    };
    let plan = T::plan(length, direction);
    let most = plan
        .get_inplace_scratch_len()
        .max(plan.get_immutable_scratch_len());
    let mut scratch = vec![Complex::new(T::zero(), T::zero()); most];
    Ok(Box::new(move |input, output| {
        let input: &mut [Complex<T>] = bytemuck::cast_slice_mut(input);
        match output {
            None => plan.process_with_scratch(input, &mut scratch),
            Some(output) => plan.process_immutable_with_scratch(
                input,
                bytemuck::cast_slice_mut(output),
                &mut scratch,
            ),
        }
    }))
}

fn fftw_version() -> Result<String> {
    use crate::peers::fftw::Fftw;
    Fftw::<f64>::open().map_err(no_fftw)?;
    let version = Fftw::<f32>::open().map_err(no_fftw)?.version();
    Ok(version.split("-sse").next().unwrap_or(version).into())
}

fn fftw(work: &Work, threads: usize) -> Result<HostPeer> {
    match work.scalar {
        ScalarType::F32 => fftw_of::<f32>(work, threads),
        ScalarType::F64 => fftw_of::<f64>(work, threads),
        _ => Err(without("fftw", "16 bits", "use f32 or f64")),
    }
}

fn no_fftw(reason: String) -> Error {
    Error::NoDevice {
        backend: "fftw",
        reason,
        remedy: "install FFTW 3 (Debian: libfftw3-double3 and libfftw3-single3)".into(),
    }
}

/// A plan made with FFTW_MEASURE.
fn fftw_of<T>(work: &Work, threads: usize) -> Result<HostPeer>
where
    T: crate::peers::fftw::Real + bytemuck::Pod,
    Complex<T>: bytemuck::Pod,
{
    use crate::peers::fftw::{Dims, Direction as Sign, Fftw, Options, R2rKind};
    let fftw = Fftw::<T>::open().map_err(no_fftw)?;
    let dims = Dims::new(work.shape.dims()).howmany(work.batch);
    let options = Options {
        threads,
        in_place: work.in_place,
        ..Options::default()
    };
    let no_plan = |reason: String| without("fftw", &reason, "leave the case out");
    macro_rules! run {
        ($plan:expr) => {{
            let plan = $plan.map_err(no_plan)?;
            Ok(Box::new(
                move |input: &mut [u8], output: Option<&mut [u8]>| {
                    let input = bytemuck::cast_slice_mut(input);
                    match output {
                        None => plan.execute_in_place(bytemuck::cast_slice_mut(input)),
                        Some(output) => {
                            plan.execute(input, bytemuck::cast_slice_mut(output));
                        }
                    }
                },
            ))
        }};
    }
    match work.kind {
        Kind::R2C => run!(fftw.plan_many_dft_r2c(&dims, &options)),
        Kind::C2R => run!(fftw.plan_many_dft_c2r(&dims, &options)),
        kind if kind.is_real_to_real() => {
            let kinds: Vec<R2rKind> = R2rKind::of(kind).into_iter().collect();
            let kinds = kinds.repeat(work.shape.rank());
            run!(fftw.plan_many_r2r(&dims, &kinds, &options))
        }
        _ => {
            let sign = match work.direction {
                Direction::Forward => Sign::Forward,
                Direction::Inverse => Sign::Backward,
            };
            run!(fftw.plan_many_dft(&dims, sign, &options))
        }
    }
}
