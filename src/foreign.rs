//! Zeros, streams, and memory and streams of other libraries: what of a device's own calls the façade passes on.

use mmafft_backend_traits::{Backend, Bindings, Result};

/// A backend that takes other libraries' memory and streams.
pub trait Foreign: Backend {
    /// An order of work.
    type Stream: Send + Sync;

    /// A new stream.
    fn stream(&self) -> Result<Self::Stream>;

    /// A stream of another library, which keeps owning it.
    ///
    /// # Safety
    /// As [`crate::Planner::stream_from_raw`] says.
    unsafe fn stream_from_raw(&self, handle: u64) -> Result<Self::Stream>;

    /// Memory of so many bytes, all zero.
    fn zeros(&self, bytes: usize) -> Result<Self::Buffer>;

    /// Memory of another library, which keeps owning it.
    ///
    /// # Safety
    /// As [`crate::Transform::buffer_from_raw`] says.
    unsafe fn buffer_from_raw(&self, pointer: u64, bytes: usize) -> Self::Buffer;

    /// Where memory begins, as [`Foreign::buffer_from_raw`] takes it.
    fn address(&self, buffer: &mut Self::Buffer) -> u64;

    /// Runs a prepared plan on this stream, or on the backend's own. Where a run is done when its call returns, all streams are
    /// one.
    fn launch_by(
        &self,
        _: Option<&Self::Stream>,
        prepared: &Self::Prepared,
        bindings: Bindings<'_, Self::Buffer>,
    ) -> Result<()> {
        self.launch(prepared, bindings)
    }

    /// Waits for what was launched on a stream.
    fn wait(&self, _: &Self::Stream) -> Result<()> {
        Ok(())
    }
}

/// The order of work of what is done when its call returns.
#[cfg(any(feature = "cpu", feature = "emulate"))]
#[derive(Debug, Clone, Copy)]
pub struct AtOnce;

#[cfg(feature = "cpu")]
impl Foreign for crate::cpu::CpuBackend {
    type Stream = AtOnce;

    fn stream(&self) -> Result<AtOnce> {
        Ok(AtOnce)
    }

    unsafe fn stream_from_raw(&self, handle: u64) -> Result<AtOnce> {
        Err(mmafft_backend_traits::Error::Unsupported {
            what: format!("the stream {handle:#x} of another library"),
            backend: "cpu".into(),
            instead: "leave it out: a run is done when its call returns".into(),
        })
    }

    fn zeros(&self, bytes: usize) -> Result<Self::Buffer> {
        self.allocate(bytes)
    }

    unsafe fn buffer_from_raw(&self, pointer: u64, bytes: usize) -> Self::Buffer {
        // SAFETY: the caller's.
        unsafe { crate::cpu::CpuBuffer::from_raw(pointer as usize as *mut u8, bytes) }
    }

    fn address(&self, buffer: &mut Self::Buffer) -> u64 {
        buffer.as_bytes_mut().as_mut_ptr() as usize as u64
    }
}

#[cfg(any(feature = "cuda", feature = "hip"))]
mod devices {
    use super::*;
    use mmafft_backend_traits::device::{DeviceBackend, DeviceBuffer};
    use mmafft_driver::{DeviceDriver, Interface, Memory, Stream};

    impl<I: Interface> Foreign for DeviceBackend<DeviceDriver<I>> {
        type Stream = Stream<I>;

        fn stream(&self) -> Result<Stream<I>> {
            self.driver().stream()
        }

        unsafe fn stream_from_raw(&self, handle: u64) -> Result<Stream<I>> {
            // SAFETY: the caller's.
            Ok(unsafe { Stream::from_raw(self.driver(), handle) })
        }

        fn zeros(&self, bytes: usize) -> Result<Self::Buffer> {
            Ok(DeviceBuffer::new(self.driver().zeros(bytes)?, bytes))
        }

        unsafe fn buffer_from_raw(&self, pointer: u64, bytes: usize) -> Self::Buffer {
            // SAFETY: the caller's.
            DeviceBuffer::new(unsafe { Memory::from_raw(pointer, bytes) }, bytes)
        }

        fn address(&self, buffer: &mut Self::Buffer) -> u64 {
            buffer.memory().pointer()
        }

        fn launch_by(
            &self,
            stream: Option<&Stream<I>>,
            prepared: &Self::Prepared,
            bindings: Bindings<'_, Self::Buffer>,
        ) -> Result<()> {
            match stream {
                Some(stream) => self.launch_on(stream, prepared, bindings),
                None => Backend::launch(self, prepared, bindings),
            }
        }

        fn wait(&self, stream: &Stream<I>) -> Result<()> {
            stream.synchronize()
        }
    }
}

#[cfg(feature = "emulate")]
mod emulated {
    use super::*;
    use mmafft_backend_traits::device::{DeviceBackend, DeviceBuffer};
    use mmafft_emulated::{EmulatedDriver, Memory};

    impl Foreign for DeviceBackend<EmulatedDriver> {
        type Stream = AtOnce;

        fn stream(&self) -> Result<AtOnce> {
            Ok(AtOnce)
        }

        unsafe fn stream_from_raw(&self, _: u64) -> Result<AtOnce> {
            Ok(AtOnce)
        }

        fn zeros(&self, bytes: usize) -> Result<Self::Buffer> {
            let mut buffer = self.allocate(bytes)?;
            self.write(&mut buffer, 0, &vec![0; bytes])?;
            Ok(buffer)
        }

        unsafe fn buffer_from_raw(&self, pointer: u64, bytes: usize) -> Self::Buffer {
            // SAFETY: the caller's.
            DeviceBuffer::new(unsafe { Memory::from_raw(pointer, bytes) }, bytes)
        }

        fn address(&self, buffer: &mut Self::Buffer) -> u64 {
            buffer.memory().address()
        }
    }
}
