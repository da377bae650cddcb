//! The function that XLA calls: a transform of XLA's buffers, on the CPU and on CUDA.
//!
//! XLA's interface for foreign functions is in C (`xla/ffi/api/c_api.h`, versions 0.3 and 0.4): structures that begin with
//! their size, to which later versions append. What a handler reads is declared here, field for field.

use crate::arrays::{Side, Sides};
use crate::call::{Call, Memory, Options};
use crate::devices;
use crate::state::state;
use crate::{exception, normalization};
use mmafft::{Domain, Precision, Transform};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::Arc;

/// The minor version that handlers are registered with: that of the installed JAX.
static MINOR: AtomicI32 = AtomicI32::new(3);

const METADATA: c_int = 1;
const EXECUTE: c_int = 3;
const INVALID_ARGUMENT: c_int = 3;
const S64: c_int = 5;
const ARRAY: c_int = 1;

/// What begins each structure.
#[repr(C)]
struct Head {
    size: usize,
    extension: *mut Extension,
}

#[repr(C)]
struct Extension {
    size: usize,
    kind: c_int,
    next: *mut Extension,
    metadata: *mut Metadata,
}

#[repr(C)]
struct Version {
    head: Head,
    major: c_int,
    minor: c_int,
}

#[repr(C)]
struct Metadata {
    size: usize,
    version: Version,
    traits: u32,
}

/// Arguments, results or attributes: an attribute list has names between types and values.
#[repr(C)]
struct List {
    head: Head,
    count: i64,
    kinds: *const c_int,
    values: *const *const c_void,
}

#[repr(C)]
struct Attributes {
    head: Head,
    count: i64,
    kinds: *const c_int,
    names: *const *const c_void,
    values: *const *const c_void,
}

#[repr(C)]
pub struct Frame {
    head: Head,
    api: *const Api,
    context: *mut c_void,
    stage: c_int,
    arguments: List,
    results: List,
    attributes: Attributes,
}

#[repr(C)]
struct Buffer {
    head: Head,
    kind: c_int,
    data: *mut c_void,
    rank: i64,
    dims: *const i64,
}

#[repr(C)]
struct Array {
    kind: c_int,
    count: usize,
    data: *const i64,
}

/// A function of XLA's, of one structure.
type Function<T> = Option<unsafe extern "C" fn(*mut T) -> *mut c_void>;

#[repr(C)]
struct Api {
    head: Head,
    version: Version,
    internal: *const c_void,
    error: Function<NewError>,
    message: Option<unsafe extern "C" fn(*mut Message)>,
    before_stream: [*const c_void; 2],
    stream: Function<Get<*mut c_void>>,
    before_allocate: [*const c_void; 4],
    allocate: Function<Allocation>,
    free: Function<Release>,
    before_ordinal: [*const c_void; 6],
    ordinal: Function<Get<i32>>,
}

#[repr(C)]
struct NewError {
    head: Head,
    message: *const c_char,
    code: c_int,
}

#[repr(C)]
struct Message {
    head: Head,
    error: *mut c_void,
    message: *const c_char,
}

#[repr(C)]
struct Get<T> {
    head: Head,
    context: *mut c_void,
    value: T,
}

#[repr(C)]
struct Allocation {
    head: Head,
    context: *mut c_void,
    bytes: usize,
    alignment: usize,
    address: *mut c_void,
}

#[repr(C)]
struct Release {
    head: Head,
    context: *mut c_void,
    bytes: usize,
    address: *mut c_void,
}

// As the header has them, of a machine with 64 bits.
#[cfg(target_pointer_width = "64")]
const _: () = {
    use std::mem::offset_of;
    let api = [
        (offset_of!(Api, error), 48),
        (offset_of!(Api, message), 56),
        (offset_of!(Api, stream), 80),
        (offset_of!(Api, allocate), 120),
        (offset_of!(Api, free), 128),
        (offset_of!(Api, ordinal), 184),
        (offset_of!(Frame, stage), 32),
        (offset_of!(Frame, arguments), 40),
        (offset_of!(Frame, results), 80),
        (offset_of!(Frame, attributes), 120),
        (offset_of!(Get<i32>, value), 24),
        (offset_of!(Allocation, address), 40),
        (offset_of!(Release, address), 32),
    ];
    let mut i = 0;
    while i < api.len() {
        assert!(api[i].0 == api[i].1);
        i += 1;
    }
};

fn head<T>() -> Head {
    Head {
        size: size_of::<T>(),
        extension: std::ptr::null_mut(),
    }
}

/// What is called, on the CPU.
unsafe extern "C" fn on_cpu(frame: *mut Frame) -> *mut c_void {
    // SAFETY: XLA's word for the frame.
    unsafe { handle(frame, false) }
}

/// The same on CUDA.
unsafe extern "C" fn on_cuda(frame: *mut Frame) -> *mut c_void {
    // SAFETY: as above.
    unsafe { handle(frame, true) }
}

/// The address of the function for the CPU or for CUDA, of the minor version of XLA's interface that is installed.
#[pyfunction]
pub fn xla_handler(cuda: bool, minor: i32) -> usize {
    MINOR.store(minor, Ordering::Release);
    match cuda {
        true => on_cuda as *const () as usize,
        false => on_cpu as *const () as usize,
    }
}

unsafe fn handle(frame: *mut Frame, cuda: bool) -> *mut c_void {
    let null = std::ptr::null_mut();
    // SAFETY: XLA gives a frame, which has at least an extension where it asks what the function is.
    let frame = unsafe {
        let head = &*frame.cast::<Head>();
        if let Some(extension) = head.extension.as_ref() {
            if let (METADATA, Some(metadata)) = (extension.kind, extension.metadata.as_mut()) {
                metadata.version.major = 0;
                metadata.version.minor = MINOR.load(Ordering::Acquire);
                metadata.traits = 0;
                return null;
            }
        }
        &*frame
    };
    if frame.stage != EXECUTE {
        return null;
    }
    // SAFETY: as above. A panic may not go through XLA.
    let ran = std::panic::catch_unwind(|| unsafe { run(frame, cuda) });
    let message = match ran {
        Ok(Ok(())) => return null,
        Ok(Err(error)) => Python::attach(|py| error.value(py).to_string()),
        Err(_) => "mmafft failed: see the standard error".into(),
    };
    let message = CString::new(message).unwrap_or_default();
    let mut error = NewError {
        head: head::<NewError>(),
        message: message.as_ptr(),
        code: INVALID_ARGUMENT,
    };
    // SAFETY: the interface has the function, which copies the message.
    unsafe { (*frame.api).error.map_or(null, |new| new(&mut error)) }
}

fn refused(why: &str) -> PyErr {
    PyValueError::new_err(format!("XLA's call of mmafft: {why}"))
}

/// XLA's number of the type of a side's elements.
fn kind(domain: Domain, precision: Precision) -> c_int {
    match (domain, precision) {
        (Domain::Real, Precision::F32) => 11,
        (Domain::Real, _) => 12,
        (Domain::Complex, Precision::F32) => 15,
        (Domain::Complex, _) => 18,
    }
}

/// A buffer as one side of a call.
unsafe fn side(list: &List, domain: Domain, precision: Precision) -> PyResult<Side> {
    if list.count != 1 {
        return Err(refused("expected one argument and one result"));
    }
    // SAFETY: XLA's word: as many values as it counts, each a buffer with as many dimensions as its rank.
    let buffer = unsafe { &*(*list.values).cast::<Buffer>() };
    if buffer.kind != kind(domain, precision) {
        return Err(refused("a buffer is of another type"));
    }
    let dims = match buffer.rank {
        0 => &[],
        // SAFETY: as above.
        rank => unsafe { std::slice::from_raw_parts(buffer.dims, rank as usize) },
    };
    let shape: Vec<usize> = dims.iter().map(|&n| n as usize).collect();
    let item = domain.scalars() * precision.row().storage.bytes();
    let mut side = Side::contiguous(&shape, item);
    side.address = buffer.data as usize;
    Ok(side)
}

/// The numbers of a call: operation, scale, precision (0 single, 1 double), the axes, and as many lengths.
unsafe fn numbers(attributes: &Attributes) -> PyResult<&[i64]> {
    // SAFETY: XLA's word: as many values as it counts, each of its kind.
    unsafe {
        if attributes.count != 1 || *attributes.kinds != ARRAY {
            return Err(refused("expected one attribute, an array"));
        }
        let array = &*(*attributes.values).cast::<Array>();
        match array.kind == S64 && array.count >= 5 && array.count % 2 == 1 {
            true => Ok(std::slice::from_raw_parts(array.data, array.count)),
            false => Err(refused("expected an array of whole numbers")),
        }
    }
}

unsafe fn run(frame: &Frame, cuda: bool) -> PyResult<()> {
    // SAFETY: by the caller's word.
    let numbers = unsafe { numbers(&frame.attributes)? };
    let call = Call::new(numbers[0] as u8).ok_or_else(|| refused("no such operation"))?;
    let options = Options {
        normalization: normalization(numbers[1] as u8),
        precision: [Precision::F32, Precision::F64][usize::from(numbers[2] != 0)],
        workers: if cuda { 1 } else { crate::state::processors() },
        ..Options::default()
    };
    // SAFETY: by the caller's word.
    let (input, output) = unsafe {
        (
            side(&frame.arguments, call.input(), options.precision)?,
            side(&frame.results, call.output(), options.precision)?,
        )
    };
    let (axes, lengths) = numbers[3..].split_at((numbers.len() - 3) / 2);
    let whole = |list: &[i64]| list.iter().map(|&n| n as usize).collect::<Vec<_>>();
    let (axes, lengths) = (whole(axes), whole(lengths));
    let sides = Sides {
        input,
        output,
        items: call.items(options.precision),
    };
    let asked = call.request(&sides, &axes, &lengths, &options)?;
    let memory = Memory::new(&sides, asked.bytes);
    if !cuda {
        let workers = asked.workers(options.workers);
        let fft = state().cache(workers).get(&asked.request);
        let run = |fft: Arc<Transform>| memory.run_by(workers, &fft);
        return fft.and_then(run).map_err(exception);
    }
    // SAFETY: by the caller's word.
    unsafe { enqueue(frame, &memory, &asked.request) }
}

unsafe fn enqueue(frame: &Frame, memory: &Memory, request: &mmafft::Request) -> PyResult<()> {
    // SAFETY: XLA's word for its functions, each of which fills what it is given.
    unsafe {
        let api = &*frame.api;
        let missing = || refused("this version has no streams, or no memory");
        if api.head.size < size_of::<Api>() {
            return Err(missing());
        }
        let stream = get(frame, api.stream, std::ptr::null_mut()).ok_or_else(missing)?;
        let ordinal = get(frame, api.ordinal, 0i32).ok_or_else(missing)?;
        let device = ("cuda".to_string(), ordinal as usize);
        // The interpreter is waited for once, when the device is opened.
        let cache = match state().device(&device.0, device.1) {
            Some(cache) => cache,
            None => Python::attach(|py| devices::plans(py, &device))?,
        };
        let fft = cache.get(request).map_err(exception)?;
        let bytes = fft.scratch_bytes();
        let mut block = Allocation {
            head: head::<Allocation>(),
            context: frame.context,
            bytes,
            // What XLA gives is aligned to more than it can be asked for.
            alignment: 1,
            address: std::ptr::null_mut(),
        };
        if bytes > 0 {
            let allocate = api.allocate.ok_or_else(missing)?;
            let error = allocate(&mut block);
            if !error.is_null() {
                let why = words(api, error);
                return Err(refused(&format!(
                    "there is no memory for its scratch: {why}"
                )));
            }
        }
        let scratch = (bytes > 0).then_some((block.address as u64, bytes));
        let stream = stream as usize as u64;
        let ran = memory.enqueue(&cache, &fft, stream, scratch);
        if let (Some(free), Some(_)) = (api.free, scratch) {
            // What was enqueued before is done before others have the block.
            free(&mut Release {
                head: head::<Release>(),
                context: frame.context,
                bytes,
                address: block.address,
            });
        }
        ran.map_err(exception)
    }
}

/// What XLA says of an error of its own.
unsafe fn words(api: &Api, error: *mut c_void) -> String {
    let mut arguments = Message {
        head: head::<Message>(),
        error,
        message: std::ptr::null(),
    };
    // SAFETY: by the caller's word; the text is the error's, which is not freed.
    unsafe {
        if let Some(message) = api.message {
            message(&mut arguments);
        }
        match arguments.message.is_null() {
            true => "XLA does not say why".into(),
            false => CStr::from_ptr(arguments.message).to_string_lossy().into(),
        }
    }
}

/// What one of XLA's functions says of the call.
unsafe fn get<T: Copy>(frame: &Frame, function: Function<Get<T>>, nothing: T) -> Option<T> {
    let mut arguments = Get {
        head: head::<Get<T>>(),
        context: frame.context,
        value: nothing,
    };
    // SAFETY: by the caller's word.
    let error = unsafe { function?(&mut arguments) };
    error.is_null().then_some(arguments.value)
}
