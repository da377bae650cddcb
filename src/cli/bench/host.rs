//! The CPU and the emulated devices: everything enqueued is done when the call returns.

use super::lab::{Lab, Work};
use super::measure::without;
use super::peer::Peer;
use mmafft::backend_traits::{Bindings, Buffer as _};
use mmafft::rustfft_lines::RustfftReal;
use mmafft::{
    AnyBackend, AnyBuffer, AnyPrepared, Backend, Complex, Direction, Error, Kind, Result,
    ScalarType,
};
use rustfft::FftDirection;
use std::convert::Infallible;
use std::time::Instant;

/// Bytes of one timing: some ten microseconds of a copy.
const LEAST_BYTES: usize = 1 << 20;

/// The host.
pub struct HostLab {
    backend: AnyBackend,
    library: Option<&'static Peer>,
    peer: String,
}

/// A peer's plan: runs from the first bytes to the second, or in the first.
pub type HostPeer = Box<dyn FnMut(&mut [u8], Option<&mut [u8]>)>;

impl HostLab {
    /// The host with a peer.
    ///
    /// # Errors
    /// `NoDevice` without the peer's library; `Unsupported` for a peer of one thread beside
    /// several of ours.
    pub fn new(backend: AnyBackend, library: Option<&'static Peer>) -> Result<HostLab> {
        let threads = backend.limits().workers;
        let peer = match library.map(|peer| peer.name) {
            None => String::new(),
            Some("rustfft") if threads > 1 => {
                return Err(without(
                    "rustfft",
                    &format!("running on {threads} threads"),
                    "use --threads 1, for both to have as many",
                ));
            }
            Some("rustfft") => format!("rustfft-{}", locked_version("rustfft")),
            Some("fftw") => fftw_version()?,
            Some(other) => {
                let backend = backend.limits().backend;
                let what = format!("--peer {other}");
                return Err(without(backend, &what, "leave the peer out"));
            }
        };
        Ok(HostLab {
            backend,
            library,
            peer,
        })
    }
}

/// The version of a crate that this program was built with.
fn locked_version(package: &str) -> &'static str {
    let lock = include_str!("../../../Cargo.lock");
    let entry = format!("name = \"{package}\"\nversion = \"");
    let version = lock
        .split(&entry)
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    version.unwrap_or_default()
}

impl Lab for HostLab {
    type Backend = AnyBackend;
    type Stream = ();
    type Mark = Instant;
    type Graph = Infallible;
    type Peer = HostPeer;

    fn backend(&self) -> &AnyBackend {
        &self.backend
    }

    fn driver(&self) -> String {
        String::new()
    }

    fn peer(&self) -> &str {
        &self.peer
    }

    fn copies_are_a_ruler(&self) -> bool {
        matches!(self.backend, AnyBackend::Cpu(_))
    }

    fn least_bytes(&self) -> usize {
        // The emulated devices are slow enough.
        if self.copies_are_a_ruler() {
            LEAST_BYTES
        } else {
            1
        }
    }

    fn stream(&self) -> &() {
        &()
    }

    fn mark(&self) -> Result<Instant> {
        Ok(Instant::now())
    }

    fn seconds(&self, from: &Instant, to: &Instant) -> Result<f64> {
        Ok(to.duration_since(*from).as_secs_f64())
    }

    fn copy(&self, _: &(), from: &AnyBuffer, to: &mut AnyBuffer, bytes: usize) -> Result<()> {
        match (from, to) {
            (AnyBuffer::Cpu(from), AnyBuffer::Cpu(to)) => {
                to.as_bytes_mut()[..bytes].copy_from_slice(&from.as_bytes()[..bytes]);
                Ok(())
            }
            (from, to) => {
                let mut host = vec![0; bytes.min(from.bytes())];
                self.backend.read(from, 0, &mut host)?;
                self.backend.write(to, 0, &host)
            }
        }
    }

    fn launch(
        &self,
        _: &(),
        prepared: &AnyPrepared,
        bindings: Bindings<'_, AnyBuffer>,
    ) -> Result<()> {
        self.backend.launch(prepared, bindings)?;
        self.backend.synchronize()
    }

    fn plan_peer(&self, work: &Work) -> Result<HostPeer> {
        match (self.library.map(|peer| peer.name), work.scalar) {
            (Some("rustfft"), ScalarType::F32) => rustfft::<f32>(work),
            (Some("rustfft"), ScalarType::F64) => rustfft::<f64>(work),
            (Some("rustfft"), _) => Err(without("rustfft", "16 bits", "use f32 or f64")),
            _ => fftw(work, self.backend.limits().workers),
        }
    }

    fn launch_peer(
        &self,
        _: &(),
        peer: &mut HostPeer,
        input: &mut AnyBuffer,
        output: Option<&mut AnyBuffer>,
    ) -> Result<()> {
        let foreign = || without(&self.peer, "memory that is not the host's", "use the cpu");
        let AnyBuffer::Cpu(input) = input else {
            return Err(foreign());
        };
        let output = match output {
            None => None,
            Some(AnyBuffer::Cpu(output)) => Some(output.as_bytes_mut()),
            Some(_) => return Err(foreign()),
        };
        peer(input.as_bytes_mut(), output);
        Ok(())
    }

    fn record(&self, _: &mut dyn FnMut(&()) -> Result<()>) -> Result<Infallible> {
        Err(without(
            self.backend.limits().backend,
            "a graph of launches",
            "use another class",
        ))
    }

    fn replay(&self, graph: &Infallible) -> Result<()> {
        match *graph {}
    }
}

/// Lines by RustFFT, which has complex ones alone.
fn rustfft<T: RustfftReal>(work: &Work) -> Result<HostPeer>
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

cfg_if::cfg_if! {
    if #[cfg(feature = "peers")] {
        fn fftw_version() -> Result<String> {
            use mmafft::peers::fftw::Fftw;
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
            T: mmafft::peers::fftw::Real + bytemuck::Pod,
            Complex<T>: bytemuck::Pod,
        {
            use mmafft::peers::fftw::{Dims, Direction as Sign, Fftw, Options, R2rKind};
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
                    Ok(Box::new(move |input: &mut [u8], output: Option<&mut [u8]>| {
                        let input = bytemuck::cast_slice_mut(input);
                        match output {
                            None => plan.execute_in_place(bytemuck::cast_slice_mut(input)),
                            Some(output) => {
                                plan.execute(input, bytemuck::cast_slice_mut(output));
                            }
                        }
                    }))
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
    } else {
        fn fftw_version() -> Result<String> {
            Err(not_built())
        }

        fn fftw(_: &Work, _: usize) -> Result<HostPeer> {
            Err(not_built())
        }

        fn not_built() -> Error {
            Error::NotBuilt {
                backend: "fftw",
                feature: "peers",
            }
        }
    }
}
