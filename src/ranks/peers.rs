//! Ranks of one process on several devices: memory that all of these reach, and moments in what they do.

use super::communicator::{Communicator, OnDevice, Shared, Wanted, Window};
use crate::any::AnyBackend;
#[cfg(any(feature = "cuda", feature = "hip"))]
use mmafft_backend_traits::device::Driver as _;
use mmafft_backend_traits::{Error, Result};
#[cfg(any(feature = "cuda", feature = "hip"))]
use mmafft_driver::{DeviceDriver, Event, Interface, PeerMemory};
use std::time::{Duration, Instant};

/// The memory that a backend reaches, in words; none where nobody else's addresses mean anything to it.
pub fn memory_of(backend: &AnyBackend) -> String {
    match backend {
        AnyBackend::Cpu(_) => "host".into(),
        #[cfg(feature = "emulate")]
        AnyBackend::Emulated(emulated) => format!("emulated {}", emulated.driver().ordinal()),
        #[cfg(feature = "cuda")]
        AnyBackend::Cuda(cuda) => format!("cuda {}", cuda.driver().identity()),
        #[cfg(feature = "hip")]
        AnyBackend::Hip(hip) => format!("hip {}", hip.driver().identity()),
        #[allow(unreachable_patterns, reason = "what is not built")]
        _ => String::new(),
    }
}

/// The drivers of backends that are all of one kind; none where one is of another.
#[cfg(any(feature = "cuda", feature = "hip", feature = "emulate"))]
macro_rules! drivers {
    ($backends:expr, $variant:ident) => {
        $backends
            .iter()
            .map(|backend| match backend {
                AnyBackend::$variant(backend) => Some(backend.driver()),
                _ => None,
            })
            .collect::<Option<Vec<_>>>()
    };
}

/// Memory over the devices of all ranks, each of which has what it loads; why not, where there is no such memory.
///
/// # Errors
/// `OutOfMemory`, `Device`.
pub fn window(backends: &[AnyBackend], wanted: &Wanted<'_>) -> Result<Shared> {
    #[cfg(feature = "emulate")]
    if let Some(devices) = drivers!(backends, Emulated) {
        use mmafft_emulated::EmulatedDriver;
        let memory = EmulatedDriver::over_devices(&devices, wanted.bytes, wanted.homes);
        return shared(memory.map(|memory| {
            let address = memory.address();
            // SAFETY: the memory is the window's, and all ranks' devices reach it.
            unsafe { Window::new(address, wanted.bytes, std::sync::Arc::new(memory)) }
        }));
    }
    #[cfg(feature = "cuda")]
    if let Some(devices) = drivers!(backends, Cuda) {
        return over(&devices, wanted);
    }
    #[cfg(feature = "hip")]
    if let Some(devices) = drivers!(backends, Hip) {
        return over(&devices, wanted);
    }
    let _ = (backends, wanted);
    shared(Err(Error::Unsupported {
        what: "memory of all ranks' devices".into(),
        backend: "mmafft".into(),
        instead: "exchange messages".into(),
    }))
}

#[cfg(any(feature = "cuda", feature = "hip"))]
fn over<I: Interface>(devices: &[&DeviceDriver<I>], wanted: &Wanted<'_>) -> Result<Shared> {
    let devices: Vec<DeviceDriver<I>> = devices.iter().map(|&device| device.clone()).collect();
    let memory = PeerMemory::allocate(&devices, wanted.bytes, wanted.homes);
    shared(memory.map(|memory| {
        let address = memory.pointer();
        // SAFETY: the memory is the window's, and all ranks' devices reach it.
        unsafe { Window::new(address, wanted.bytes, std::sync::Arc::new(memory)) }
    }))
}

/// A window whose parts lie behind each other; of what cannot be, why not.
fn shared(window: Result<Window>) -> Result<Shared> {
    match window {
        Ok(window) => Ok(Shared::Window(window.in_parts())),
        Err(Error::Unsupported { what, .. }) => Ok(Shared::Apart(format!("there is no {what}"))),
        Err(error) => Err(error),
    }
}

/// A moment in what a rank's backend does.
#[derive(Debug)]
pub enum Mark {
    #[cfg(feature = "cuda")]
    Cuda(Event<mmafft_kernels_cuda::Cuda>),
    #[cfg(feature = "hip")]
    Hip(Event<mmafft_kernels_hip::Hip>),
}

impl Mark {
    /// The moment when what the backend has enqueued is done; `None` of a backend that has no such moments.
    pub fn of(backend: &AnyBackend) -> Result<Option<Mark>> {
        match backend {
            #[cfg(feature = "cuda")]
            AnyBackend::Cuda(cuda) => record(cuda.driver()).map(|event| Some(Mark::Cuda(event))),
            #[cfg(feature = "hip")]
            AnyBackend::Hip(hip) => record(hip.driver()).map(|event| Some(Mark::Hip(event))),
            _ => Ok(None),
        }
    }

    /// What the backend enqueues from now on comes after this moment.
    pub fn follow(&self, backend: &AnyBackend) -> Result<()> {
        match (self, backend) {
            #[cfg(feature = "cuda")]
            (Mark::Cuda(event), AnyBackend::Cuda(cuda)) => {
                cuda.driver().default_stream().follow(event)
            }
            #[cfg(feature = "hip")]
            (Mark::Hip(event), AnyBackend::Hip(hip)) => hip.driver().default_stream().follow(event),
            // All ranks have backends of one kind.
            #[allow(unreachable_patterns, reason = "where there is one kind of devices")]
            _ => Ok(()),
        }
    }
}

#[cfg(any(feature = "cuda", feature = "hip"))]
fn record<I: Interface>(driver: &DeviceDriver<I>) -> Result<Event<I>> {
    let event = driver.event()?;
    event.record(driver.default_stream())?;
    Ok(event)
}

/// Waits until what the backend has enqueued is done, as long as others are waited for: it may come after what another
/// rank's device does.
///
/// # Errors
/// `Lost` when the time is over; what fails on the device, or in what joins ranks.
pub fn settle(
    backend: &AnyBackend,
    communicator: &dyn Communicator,
    patience: Duration,
) -> Result<()> {
    let is_done = || match backend {
        #[cfg(feature = "cuda")]
        AnyBackend::Cuda(cuda) => cuda.driver().default_stream().is_done(),
        #[cfg(feature = "hip")]
        AnyBackend::Hip(hip) => hip.driver().default_stream().is_done(),
        // What is done when its call returns.
        _ => Ok::<_, Error>(true),
    };
    let since = Instant::now();
    while !is_done()? {
        communicator.on_device().map_or(Ok(()), OnDevice::check)?;
        let waited = since.elapsed();
        if waited >= patience {
            communicator.give_up(waited);
            return Err(Error::Lost { rank: None, waited });
        }
        match waited < Duration::from_millis(50) {
            true => std::thread::yield_now(),
            false => std::thread::sleep(Duration::from_micros(50)),
        }
    }
    Ok(())
}

/// Calls another library while the backend's device is the thread's own.
///
/// # Errors
/// `Device` with the driver's words.
#[cfg(all(feature = "mpi", unix))]
pub fn within(backend: &AnyBackend, calls: &mut dyn FnMut()) -> Result<()> {
    match backend {
        #[cfg(feature = "cuda")]
        AnyBackend::Cuda(cuda) => cuda.driver().within(calls),
        #[cfg(feature = "hip")]
        AnyBackend::Hip(hip) => hip.driver().within(calls),
        _ => {
            calls();
            Ok(())
        }
    }
}
