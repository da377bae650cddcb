//! RustFFT and FFTW, on the host's memory.

use super::peer::Peer;
use crate::peers::fftw::{Fftw, FftwPlan, Rigor};
use crate::peers::Transform;
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
    Fftw::open(ScalarType::F64).map_err(no_fftw)?;
    let version = Fftw::open(ScalarType::F32).map_err(no_fftw)?.version();
    Ok(version.split("-sse").next().unwrap_or(version).into())
}

fn no_fftw(reason: String) -> Error {
    Error::NoDevice {
        backend: "fftw",
        reason,
        remedy: "install FFTW 3 (Debian: libfftw3-double3 and libfftw3-single3)".into(),
    }
}

/// A plan made with FFTW_MEASURE.
fn fftw(work: &Work, threads: usize) -> Result<HostPeer> {
    if !matches!(work.scalar, ScalarType::F32 | ScalarType::F64) {
        return Err(without("fftw", "16 bits", "use f32 or f64"));
    }
    let mut transform = Transform::new(work.kind, work.scalar, work.shape.dims()).batch(work.batch);
    transform.in_place = work.in_place;
    let plan = FftwPlan::new(&transform, work.direction, Rigor::Measure, threads);
    let plan = plan.map_err(|reason| without("fftw", &reason, "leave the case out"))?;
    Ok(Box::new(move |input, output| plan.execute(input, output)))
}
