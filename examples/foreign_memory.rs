//! Device memory and a stream of another library, on an NVIDIA device: nothing is copied.
//!
//! `cargo run --release --features cuda --example foreign_memory`

use mmafft::backend_traits::device::{DeviceBuffer, Driver};
use mmafft::backend_traits::{Bindings, Prepared};
use mmafft::cuda::{CudaDriver, CudaMemory, CudaStream};
use mmafft::{Backend, Complex, CudaBackend, Error, Request, Shape};

pub fn main() -> mmafft::Result<()> {
    let driver = match CudaDriver::open(0) {
        Err(error @ Error::NoDevice { .. }) => {
            println!("{error}");
            return Ok(());
        }
        driver => driver?,
    };
    let backend = CudaBackend::new(driver);
    let plan = mmafft::plan(
        &Request::forward(Shape::d1(4096)).batch(8),
        backend.limits(),
    )?;
    let prepared = backend.prepare(&plan)?;

    // In the place of the other library: an address and a `CUstream`, as numbers.
    let ones = vec![Complex::new(1.0f32, 0.0); 8 * 4096];
    let bytes: &[u8] = bytemuck::cast_slice(&ones);
    let mut theirs = backend.allocate(bytes.len())?;
    backend.write(&mut theirs, 0, bytes)?;
    let their_stream = backend.driver().stream()?;
    let address = backend.driver().address(theirs.memory());

    // SAFETY: the memory and the stream outlive everything that is launched below.
    let (memory, stream) = unsafe {
        let memory = CudaMemory::from_raw(address, bytes.len());
        let stream = CudaStream::from_raw(backend.driver(), their_stream.handle());
        (memory, stream)
    };
    let mut data = DeviceBuffer::new(memory, bytes.len());
    let mut scratch = backend.allocate(prepared.scratch_bytes())?;
    let bindings = Bindings {
        input: None,
        output: &mut data,
        scratch: &mut scratch,
    };
    backend.launch_on(&stream, &prepared, bindings)?;
    // What else its owner puts into the stream runs after the transform.
    stream.synchronize()?;

    let mut spectrum = ones;
    backend.read(&theirs, 0, bytemuck::cast_slice_mut(&mut spectrum))?;
    println!("the sum of 4096 ones is {}", spectrum[0].re);
    assert_eq!(spectrum[0].re, 4096.0);
    Ok(())
}
