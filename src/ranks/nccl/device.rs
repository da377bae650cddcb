//! What NCCL needs of a rank's device: streams, and memory for the bytes that ranks agree on.

use crate::any::AnyBackend;
use mmafft_backend_traits::{Error, Result};

/// A rank's device.
pub trait Device: Send + Sync {
    /// A stream for what ranks agree on, beside the work.
    fn talk(&self) -> u64;

    /// Calls NCCL while the device is the thread's own.
    ///
    /// # Errors
    /// `Device` with the driver's words.
    fn within(&self, calls: &mut dyn FnMut()) -> Result<()>;

    /// Puts bytes where they are sent from, and makes room for as many of every rank: both addresses.
    ///
    /// # Errors
    /// `OutOfMemory`, `Device`.
    fn put(&mut self, bytes: &[u8], ranks: usize) -> Result<[u64; 2]>;

    /// Whether what was enqueued to talk is done.
    ///
    /// # Errors
    /// What failed on the device.
    fn has_talked(&self) -> Result<bool>;

    /// What came.
    ///
    /// # Errors
    /// `Device`.
    fn get(&self, bytes: &mut [u8]) -> Result<()>;
}

/// The device of a backend.
///
/// # Errors
/// `Unsupported` of the CPU.
pub fn of(backend: &AnyBackend) -> Result<Box<dyn Device>> {
    match backend {
        #[cfg(feature = "cuda")]
        AnyBackend::Cuda(cuda) => real::device(cuda.driver()),
        #[cfg(feature = "hip")]
        AnyBackend::Hip(hip) => real::device(hip.driver()),
        #[cfg(feature = "emulate")]
        AnyBackend::Emulated(_) => Ok(Box::new(emulated::Emulated {
            memory: [Vec::new(), Vec::new()],
        })),
        _ => Err(Error::Unsupported {
            what: "NCCL between ranks on the CPU".into(),
            backend: "cpu".into(),
            instead: "join them by threads or MPI".into(),
        }),
    }
}

/// The stream that a backend's work is on; 0 where there is none.
pub fn work_of(backend: &AnyBackend) -> u64 {
    #[cfg(any(feature = "cuda", feature = "hip"))]
    use mmafft_backend_traits::device::Driver as _;
    match backend {
        #[cfg(feature = "cuda")]
        AnyBackend::Cuda(cuda) => cuda.driver().default_stream().handle(),
        #[cfg(feature = "hip")]
        AnyBackend::Hip(hip) => hip.driver().default_stream().handle(),
        _ => 0,
    }
}

#[cfg(any(feature = "cuda", feature = "hip"))]
mod real {
    use super::Device;
    use mmafft_backend_traits::device::Driver as _;
    use mmafft_backend_traits::Result;
    use mmafft_driver::{DeviceDriver, Interface, Memory, Stream};

    struct Real<I: Interface> {
        // Before the driver, as all else.
        memory: [Memory<I>; 2],
        talk: Stream<I>,
        driver: DeviceDriver<I>,
    }

    pub fn device<I: Interface>(driver: &DeviceDriver<I>) -> Result<Box<dyn Device>> {
        Ok(Box::new(Real {
            memory: [driver.allocate(0)?, driver.allocate(0)?],
            talk: driver.stream_apart()?,
            driver: driver.clone(),
        }))
    }

    impl<I: Interface> Device for Real<I> {
        fn talk(&self) -> u64 {
            self.talk.handle()
        }

        fn within(&self, calls: &mut dyn FnMut()) -> Result<()> {
            self.driver.within(calls)
        }

        fn put(&mut self, bytes: &[u8], ranks: usize) -> Result<[u64; 2]> {
            if self.memory[0].bytes() < bytes.len() {
                let [own, all] = [bytes.len(), bytes.len() * ranks];
                self.memory = [self.driver.allocate(own)?, self.driver.allocate(all)?];
            }
            self.driver
                .write_by(&self.talk, &mut self.memory[0], bytes)?;
            Ok([0, 1].map(|i: usize| self.memory[i].pointer()))
        }

        fn has_talked(&self) -> Result<bool> {
            self.talk.is_done()
        }

        fn get(&self, bytes: &mut [u8]) -> Result<()> {
            self.driver.read_by(&self.talk, &self.memory[1], bytes)
        }
    }
}

#[cfg(feature = "emulate")]
mod emulated {
    use super::Device;
    use mmafft_backend_traits::Result;

    /// An emulated device, whose memory is the host's, and whose work is done when its call returns.
    pub struct Emulated {
        pub memory: [Vec<u8>; 2],
    }

    impl Device for Emulated {
        fn talk(&self) -> u64 {
            0
        }

        fn within(&self, calls: &mut dyn FnMut()) -> Result<()> {
            calls();
            Ok(())
        }

        fn put(&mut self, bytes: &[u8], ranks: usize) -> Result<[u64; 2]> {
            self.memory = [bytes.to_vec(), vec![0; bytes.len() * ranks]];
            Ok([0, 1].map(|i: usize| self.memory[i].as_mut_ptr() as usize as u64))
        }

        fn has_talked(&self) -> Result<bool> {
            Ok(true)
        }

        fn get(&self, bytes: &mut [u8]) -> Result<()> {
            bytes.copy_from_slice(&self.memory[1][..bytes.len()]);
            Ok(())
        }
    }
}
