//! Plans and their runs.

use crate::planner::{find as planner_of, mmafft_planner};
use crate::request::{mmafft_request, problem};
use crate::status::{call, invalid, mmafft_status, Result};
use crate::text::{give, write};
use mmafft_guru::{Handles, Runs, Side};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// A transform that is ready to run. Any number of threads may run one at once.
pub struct mmafft_plan {
    _handle: [u8; 0],
}

static PLANS: Handles<Runs> = Handles::new();

pub(crate) fn find(plan: *const mmafft_plan) -> Result<Arc<Runs>> {
    let found = PLANS.get(plan.cast::<c_void>());
    found.ok_or_else(|| invalid("no plan has this handle"))
}

/// Plans a request. It needs no data, and writes none.
///
/// # Safety
/// `request` is null or one that mmafft_request_init() began, and its lists have as many elements
/// as it says; `plan` is null or an address to write.
#[no_mangle]
pub unsafe extern "C" fn mmafft_plan_create(
    planner: *const mmafft_planner,
    request: *const mmafft_request,
    plan: *mut *mut mmafft_plan,
) -> mmafft_status {
    call(|| {
        let cache = planner_of(planner)?;
        // SAFETY: by this function's contract.
        let (problem, in_place) = unsafe { problem(request)? };
        let handle = PLANS.insert(Runs::new(&problem, in_place, &cache)?);
        // SAFETY: by this function's contract.
        let written = unsafe { write(plan, handle.cast(), "the place for the plan") };
        if written.is_err() {
            PLANS.remove(handle);
        }
        written
    })
}

/// Destroys a plan; a run of it in another thread goes on. Null, or one that was destroyed, is
/// nothing.
#[no_mangle]
pub extern "C" fn mmafft_plan_destroy(plan: *mut mmafft_plan) {
    call(|| {
        PLANS.remove(plan.cast());
        Ok(())
    });
}

/// Which passes over memory a plan has, its scratch and the bound of its error, as text to be
/// freed by mmafft_text_free().
///
/// # Safety
/// `text` is null or an address to write.
#[no_mangle]
pub unsafe extern "C" fn mmafft_plan_explain(
    plan: *const mmafft_plan,
    text: *mut *mut c_char,
) -> mmafft_status {
    call(|| {
        let words = find(plan)?.explain();
        // SAFETY: by this function's contract.
        unsafe { give(&words, text) }
    })
}

/// The bytes of scratch that a run needs, should the caller want to lend them.
///
/// # Safety
/// `bytes` is null or an address to write.
#[no_mangle]
pub unsafe extern "C" fn mmafft_plan_scratch_bytes(
    plan: *const mmafft_plan,
    bytes: *mut usize,
) -> mmafft_status {
    call(|| {
        let scratch = find(plan)?.scratch_bytes();
        // SAFETY: by this function's contract.
        unsafe { write(bytes, scratch, "the place for the bytes") }
    })
}

/// The bound of a plan's relative L2 error; 0 where it has no arrays.
///
/// # Safety
/// `bound` is null or an address to write.
#[no_mangle]
pub unsafe extern "C" fn mmafft_plan_error_bound(
    plan: *const mmafft_plan,
    bound: *mut f64,
) -> mmafft_status {
    call(|| {
        let runs = find(plan)?;
        let own = runs.transform().map_or(0.0, |fft| fft.plan().error_bound);
        // SAFETY: by this function's contract.
        unsafe { write(bound, own, "the place for the bound") }
    })
}

/// Transforms memory of the host; on a device, by copies there and back. The input is only read,
/// unless the plan is in place: then both addresses are the same.
///
/// # Safety
/// Both sides are memory of all elements that the plan's dimensions reach.
#[no_mangle]
pub unsafe extern "C" fn mmafft_execute(
    plan: *const mmafft_plan,
    input: *const c_void,
    output: *mut c_void,
) -> mmafft_status {
    // SAFETY: by this function's contract.
    call(|| unsafe { run(plan, Side::of(input), Side::of(output), None) })
}

/// The same in scratch that the caller lends, of mmafft_plan_scratch_bytes() or more; a device has
/// no use for it and takes its own.
///
/// # Safety
/// As for mmafft_execute(), and scratch is null or of so many bytes.
#[no_mangle]
pub unsafe extern "C" fn mmafft_execute_with_scratch(
    plan: *const mmafft_plan,
    input: *const c_void,
    output: *mut c_void,
    scratch: *mut c_void,
    bytes: usize,
) -> mmafft_status {
    call(|| {
        let lent = match (bytes, scratch.is_null()) {
            (0, _) => &mut [][..],
            (_, true) => return Err(invalid("the scratch is null")),
            // SAFETY: by this function's contract.
            _ => unsafe { std::slice::from_raw_parts_mut(scratch.cast::<u8>(), bytes) },
        };
        // SAFETY: by this function's contract.
        unsafe { run(plan, Side::of(input), Side::of(output), Some(lent)) }
    })
}

/// Transforms memory whose real and imaginary parts are apart on one side or both, as the request
/// said. A side that is not split has its address as that of the real parts, and null beside it.
///
/// # Safety
/// All are memory of all elements that the plan's dimensions reach.
#[no_mangle]
pub unsafe extern "C" fn mmafft_execute_split(
    plan: *const mmafft_plan,
    input_real: *const c_void,
    input_imaginary: *const c_void,
    output_real: *mut c_void,
    output_imaginary: *mut c_void,
) -> mmafft_status {
    call(|| {
        let input = Side::split(input_real, input_imaginary);
        let output = Side::split(output_real, output_imaginary);
        // SAFETY: by this function's contract.
        unsafe { run(plan, input, output, None) }
    })
}

/// # Safety
/// As for [`mmafft_execute`].
unsafe fn run(
    plan: *const mmafft_plan,
    input: Side,
    output: Side,
    scratch: Option<&mut [u8]>,
) -> Result<()> {
    let runs = find(plan)?;
    placed(&runs, input.real, output.real)?;
    // SAFETY: by this function's contract.
    Ok(unsafe { runs.run(input, output, scratch) }?)
}

/// Refuses two addresses for a plan that is in place, and one for a plan that is not.
pub(crate) fn placed<T>(runs: &Runs, input: *const T, output: *const T) -> Result<()> {
    let apart = input != output;
    if runs.in_place() == apart && runs.count() > 0 {
        return Err(invalid(match apart {
            true => "the plan is in place: expected one address for input and output",
            false => "the plan is not in place: expected two addresses",
        }));
    }
    Ok(())
}
