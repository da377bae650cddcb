//! Device memory and a stream of another library, on an NVIDIA device: nothing is copied.
//!
//! `cargo run --release --features cuda --example foreign_memory`

use mmafft::backend_traits::device::Driver;
use mmafft::cuda::CudaDriver;
use mmafft::{Complex, Error, Planner, Request, Shape, Slot};

pub fn main() -> mmafft::Result<()> {
    let planner = match Planner::cuda(0) {
        Err(error @ Error::NoDevice { .. }) => {
            println!("{error}");
            return Ok(());
        }
        planner => planner?,
    };
    let fft = planner.build(&Request::forward(Shape::d1(4096)).batch(8))?;

    // In the place of the other library: an address and a `CUstream`, as numbers.
    let ones = vec![Complex::new(1.0f32, 0.0); 8 * 4096];
    let bytes: &[u8] = bytemuck::cast_slice(&ones);
    let theirs = CudaDriver::open(0)?;
    let mut memory = theirs.allocate(bytes.len())?;
    theirs.write(&mut memory, 0, bytes)?;
    let their_stream = theirs.stream()?;

    // SAFETY: the memory and the stream outlive everything that is launched below.
    let (mut data, stream) = unsafe {
        let data = fft.buffer_from_raw(Slot::Output, memory.pointer(), bytes.len())?;
        (data, planner.stream_from_raw(their_stream.handle())?)
    };
    fft.run_in_place_on(&stream, &mut data)?;
    // What else its owner puts into the stream runs after the transform.
    stream.synchronize()?;

    let mut spectrum = ones;
    theirs.read(&memory, 0, bytemuck::cast_slice_mut(&mut spectrum))?;
    println!("the sum of 4096 ones is {}", spectrum[0].re);
    assert_eq!(spectrum[0].re, 4096.0);
    Ok(())
}
