//! Transforms with results that are known, where there are cuFFT and a device.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use libloading::Library;
use mmafft::{Direction, Error, Kind, ScalarType};

use super::super::{Cufft, CufftPlan, Transform};

/// Just enough of the driver to have a context and memory in it.
struct Driver {
    library: Library,
}

impl Driver {
    /// With the first device's primary context, which is cuFFT's own choice too.
    fn open() -> Option<Self> {
        // SAFETY: the driver's library may be opened by anyone.
        let library = unsafe { Library::new("libcuda.so.1") }.ok()?;
        let driver = Self { library };
        let (mut device, mut context) = (0, null_mut::<c_void>());
        // SAFETY: the types are those of cuda.h.
        unsafe {
            let init: unsafe extern "C" fn(u32) -> c_int = driver.find("cuInit");
            let get: unsafe extern "C" fn(*mut c_int, c_int) -> c_int = driver.find("cuDeviceGet");
            let retain: unsafe extern "C" fn(*mut *mut c_void, c_int) -> c_int =
                driver.find("cuDevicePrimaryCtxRetain");
            let set: unsafe extern "C" fn(*mut c_void) -> c_int = driver.find("cuCtxSetCurrent");
            let ready = init(0) == 0
                && get(&mut device, 0) == 0
                && retain(&mut context, device) == 0
                && set(context) == 0;
            ready.then_some(driver)
        }
    }

    unsafe fn find<F: Copy>(&self, symbol: &str) -> F {
        // SAFETY: by the caller's promise that `F` is the function's type.
        *unsafe { self.library.get::<F>(symbol) }.unwrap()
    }

    /// `bytes` bytes that begin with `data`; the process' end frees them.
    fn upload<E>(&self, data: &[E], bytes: usize) -> u64 {
        assert!(size_of_val(data) <= bytes);
        let mut address = 0;
        // SAFETY: the types are those of cuda.h, and the data fit.
        unsafe {
            let alloc: unsafe extern "C" fn(*mut u64, usize) -> c_int = self.find("cuMemAlloc_v2");
            let copy: unsafe extern "C" fn(u64, *const c_void, usize) -> c_int =
                self.find("cuMemcpyHtoD_v2");
            assert_eq!(alloc(&mut address, bytes), 0);
            assert_eq!(copy(address, data.as_ptr().cast(), size_of_val(data)), 0);
        }
        address
    }

    /// The numbers at `address`, after everything in the default stream.
    fn download<E: Copy + Default>(&self, address: u64, len: usize) -> Vec<E> {
        let mut data = vec![E::default(); len];
        // SAFETY: the type is that of cuda.h, and the data fit.
        unsafe {
            let copy: unsafe extern "C" fn(*mut c_void, u64, usize) -> c_int =
                self.find("cuMemcpyDtoH_v2");
            let bytes = size_of_val(&data[..]);
            assert_eq!(copy(data.as_mut_ptr().cast(), address, bytes), 0);
        }
        data
    }
}

/// A device with cuFFT; tests/tools says where there is none.
fn open() -> Option<Driver> {
    Cufft::open().ok().and_then(|_| Driver::open())
}

/// Runs a transform out of place, or in place if it was planned for it.
fn run<I, O: Copy + Default>(
    driver: &Driver,
    transform: &Transform,
    direction: Direction,
    input: &[I],
    len: usize,
) -> Vec<O> {
    let plan = CufftPlan::new(transform).unwrap();
    let bytes = plan.input_bytes().max(plan.output_bytes());
    let source = driver.upload(input, bytes);
    let target = if transform.in_place {
        source
    } else {
        driver.upload::<u8>(&[], bytes)
    };
    // SAFETY: both are on the device, of the plan's sizes, and outlive the download, which waits.
    unsafe {
        plan.set_stream(0).unwrap();
        plan.execute(source, target, direction).unwrap();
    }
    driver.download(target, len)
}

fn close(got: f64, expected: f64) -> bool {
    // The numbers below are small integers; single precision is met with room to spare.
    (got - expected).abs() < 1e-5
}

/// The second delta of a batch of two has a spectrum that tells directions and batches apart.
#[test]
fn spectra_of_deltas() {
    let Some(driver) = open() else { return };
    println!("{}", Cufft::open().unwrap().version());
    let mut input = [[0.0_f64; 2]; 8];
    input[0] = [3.0, 0.0];
    input[4 + 1] = [1.0, 0.0];
    for (direction, sign) in [(Direction::Forward, -1.0), (Direction::Inverse, 1.0)] {
        let mut expected = [[3.0, 0.0]; 8];
        expected[4..].copy_from_slice(&[[1.0, 0.0], [0.0, sign], [-1.0, 0.0], [0.0, -sign]]);
        let transform = Transform::new(Kind::C2C, ScalarType::F64, &[4]).batch(2);
        for transform in [transform.clone(), transform.in_place()] {
            let output: Vec<[f64; 2]> = run(&driver, &transform, direction, &input, 8);
            let mut pairs = output.as_flattened().iter().zip(expected.as_flattened());
            assert!(pairs.all(|(&x, &y)| close(x, y)), "{output:?}");
        }
    }
}

/// Rows of 4, in place rows of 6: ones in the second row of each, 9 in the padding.
#[test]
fn real_rows_are_padded_in_place() {
    let Some(driver) = open() else { return };
    let transform = Transform::new(Kind::R2C, ScalarType::F32, &[2, 4]).batch(2);
    let twice = |rows: [&[f32]; 2]| rows.concat().repeat(2);
    let plain = twice([&[0.0; 4], &[1.0; 4]]);
    let padded = twice([
        &[0.0, 0.0, 0.0, 0.0, 9.0, 9.0],
        &[1.0, 1.0, 1.0, 1.0, 9.0, 9.0],
    ]);
    let mut expected = [[0.0_f32; 2]; 12];
    for batch in [0, 6] {
        (expected[batch], expected[batch + 3]) = ([4.0, 0.0], [-4.0, 0.0]);
    }
    let both = [(transform.clone(), plain), (transform.in_place(), padded)];
    for (mut transform, input) in both {
        let close = |x: f32, y: f32| close(x.into(), y.into());
        let spectrum: Vec<[f32; 2]> = run(&driver, &transform, Direction::Forward, &input, 12);
        let mut pairs = spectrum.as_flattened().iter().zip(expected.as_flattened());
        assert!(pairs.all(|(&x, &y)| close(x, y)), "{spectrum:?}");

        transform.kind = Kind::C2R;
        let (len, row) = (input.len(), input.len() / 4);
        let back: Vec<f32> = run(&driver, &transform, Direction::Inverse, &expected, len);
        for (back, input) in back.chunks(row).zip(input.chunks(row)) {
            let mut pairs = back[..4].iter().zip(input);
            assert!(pairs.all(|(&x, &y)| close(x, 8.0 * y)), "{back:?}");
        }
    }
}

#[test]
fn real_transforms_in_one_array_must_be_planned_so() {
    if open().is_none() {
        return;
    }
    let plan = CufftPlan::new(&Transform::new(Kind::R2C, ScalarType::F32, &[8])).unwrap();
    // SAFETY: nothing is executed.
    let result = unsafe { plan.execute(256, 256, Direction::Forward) };
    assert!(
        matches!(result, Err(Error::NotInPlace { .. })),
        "{result:?}"
    );
}

/// In 16 bits a delta's spectrum is exact. What the device or cuFFT lacks is `Unsupported`.
#[test]
fn sixteen_bits() {
    let Some(driver) = open() else { return };
    for (scalar, one) in [(ScalarType::F16, 0x3c00_u16), (ScalarType::Bf16, 0x3f80)] {
        let transform = Transform::new(Kind::C2C, scalar, &[16]);
        match CufftPlan::new(&transform) {
            Err(Error::Unsupported { instead, .. }) if instead.contains("capability") => continue,
            plan => drop(plan.unwrap()),
        }
        let output: Vec<[u16; 2]> =
            run(&driver, &transform, Direction::Forward, &[[one, 0]; 1], 16);
        assert!(output.iter().all(|z| z[0] == one && z[1] & 0x7fff == 0));
        match CufftPlan::new(&Transform::new(Kind::C2C, scalar, &[12])) {
            Err(Error::Unsupported { instead, .. }) => assert!(instead.contains("powers of two")),
            Err(error) => panic!("{error}"),
            Ok(_) => println!("cufft has no limit to powers of two"),
        }
    }
}
