//! Streams of devices, and runs in them.

use crate::plan::{find as plan_of, mmafft_plan, placed};
use crate::planner::{find as planner_of, mmafft_planner};
use crate::status::{call, invalid, mmafft_status, Result};
use crate::text::write;
use mmafft::{Request, Shape, Slot, Stream};
use mmafft_guru::Handles;
use std::ffi::c_void;
use std::sync::Arc;

/// An order of work on a device, with the scratch of what runs in it.
pub struct mmafft_stream {
    _handle: [u8; 0],
}

static STREAMS: Handles<Stream> = Handles::new();

fn find(stream: *const mmafft_stream) -> Result<Arc<Stream>> {
    let found = STREAMS.get(stream.cast::<c_void>());
    found.ok_or_else(|| invalid("no stream has this handle"))
}

/// # Safety
/// `place` is null or an address to write.
unsafe fn keep(stream: Stream, place: *mut *mut mmafft_stream) -> Result<()> {
    let handle = STREAMS.insert(stream);
    // SAFETY: by this function's contract.
    let written = unsafe { write(place, handle.cast(), "the place for the stream") };
    if written.is_err() {
        STREAMS.remove(handle);
    }
    written
}

/// A new stream of the planner's device. On the CPU a run is done when its call returns.
///
/// # Safety
/// `stream` is null or an address to write.
#[no_mangle]
pub unsafe extern "C" fn mmafft_stream_create(
    planner: *const mmafft_planner,
    stream: *mut *mut mmafft_stream,
) -> mmafft_status {
    call(|| {
        let new = planner_of(planner)?.planner().stream()?;
        // SAFETY: by this function's contract.
        unsafe { keep(new, stream) }
    })
}

/// A stream of another library, which keeps owning it: a cudaStream_t, CUstream or hipStream_t, null
/// being the null stream. With scratch that is not null, runs use that, one at a time, where they
/// need no more than so many bytes of it.
///
/// # Safety
/// The handle is a stream of the planner's device, in its primary context, and lives as long as the
/// new one; scratch is memory of the device. `stream` is null or an address to write.
#[no_mangle]
pub unsafe extern "C" fn mmafft_stream_of(
    planner: *const mmafft_planner,
    handle: *mut c_void,
    scratch: *mut c_void,
    bytes: usize,
    stream: *mut *mut mmafft_stream,
) -> mmafft_status {
    call(|| {
        let cache = planner_of(planner)?;
        // SAFETY: by this function's contract.
        let mut new = unsafe { cache.planner().stream_from_raw(handle.addr() as u64)? };
        if !scratch.is_null() {
            // Any transform of the device tells whose memory it is.
            let point = cache.get(&Request::forward(Shape::d1(1)))?;
            let address = scratch.expose_provenance() as u64;
            // SAFETY: by this function's contract.
            new = new.lend(unsafe { point.buffer_from_raw(Slot::Scratch, address, bytes)? });
        }
        // SAFETY: by this function's contract.
        unsafe { keep(new, stream) }
    })
}

/// Waits for what was run on a stream.
#[no_mangle]
pub extern "C" fn mmafft_stream_synchronize(stream: *const mmafft_stream) -> mmafft_status {
    call(|| Ok(find(stream)?.synchronize()?))
}

/// Destroys a stream, but not one of another library behind it, once what runs in it is done. Null,
/// or one that was destroyed, is nothing.
#[no_mangle]
pub extern "C" fn mmafft_stream_destroy(stream: *mut mmafft_stream) {
    call(|| {
        STREAMS.remove(stream.cast());
        Ok(())
    });
}

/// Transforms memory of the planner's device, and returns when the work is in the stream. What needs
/// copies, as mmafft_plan_explain() says, is MMAFFT_UNSUPPORTED.
///
/// # Safety
/// Both sides are memory of the device, of all elements that the plan's dimensions reach, until the
/// work is done.
#[no_mangle]
pub unsafe extern "C" fn mmafft_execute_on(
    plan: *const mmafft_plan,
    stream: *const mmafft_stream,
    input: *const c_void,
    output: *mut c_void,
) -> mmafft_status {
    call(|| {
        let (runs, stream) = (plan_of(plan)?, find(stream)?);
        placed(&runs, input, output)?;
        let [input, output] = [input, output].map(|side| side.expose_provenance() as u64);
        // SAFETY: by this function's contract.
        Ok(unsafe { runs.run_on(&stream, input, output) }?)
    })
}
