//! cuFFT's functions. The file is long for the list of them.
//!
//! SAFETY of all functions: cuFFT's documentation says what callers promise, and each passes that on.
#![allow(clippy::too_many_arguments, clippy::missing_safety_doc)]

use crate::plan::{self, Arrays, Plan, What};
use crate::real;
use crate::status::{call, Result, Status};
use std::ffi::{c_int, c_longlong, c_void, CStr};

extern "C" {
    /// The version of cuFFT whose place is taken: the Makefile says, as the name of the library does.
    static mmafft_cufft_version: c_int;
}

fn version() -> c_int {
    // SAFETY: the object beside this one defines it.
    unsafe { mmafft_cufft_version }
}

/// Writes a result.
///
/// # Safety
/// `place` is null or an address to write.
unsafe fn write<T>(place: *mut T, value: T) -> Result<()> {
    if place.is_null() {
        return Err(Status::InvalidValue);
    }
    // SAFETY: by this function's contract.
    unsafe { place.write(value) };
    Ok(())
}

/// A list of the caller's, widened.
///
/// # Safety
/// `first` is null or of `count` elements.
unsafe fn list<T: Copy + Into<i64>>(count: c_int, first: *const T) -> Result<Vec<i64>> {
    if !(1..=3).contains(&count) || first.is_null() {
        return Err(Status::InvalidValue);
    }
    // SAFETY: by this function's contract.
    let all = unsafe { std::slice::from_raw_parts(first, count as usize) };
    Ok(all.iter().map(|&n| n.into()).collect())
}

/// The arrays of the calls for many.
///
/// # Safety
/// As for [`list`].
unsafe fn many<T: Copy + Into<i64>>(
    rank: c_int,
    n: *const T,
    (inembed, istride, idist): (*const T, T, T),
    (onembed, ostride, odist): (*const T, T, T),
    batch: T,
) -> Result<Arrays> {
    // SAFETY: by this function's contract.
    unsafe {
        let embedded = match inembed.is_null() || onembed.is_null() {
            true => None,
            false => Some([
                (list(rank, inembed)?, istride.into(), idist.into()),
                (list(rank, onembed)?, ostride.into(), odist.into()),
            ]),
        };
        Ok(Arrays {
            n: list(rank, n)?,
            embedded,
            batch: batch.into(),
        })
    }
}

/// Forwards a call of a plan that NVIDIA's library has: what that returns, and nothing of other plans.
///
/// # Safety
/// The name is of a function of a plan and at most five numbers or addresses.
unsafe fn forwarded(name: &CStr, plan: c_int, arguments: [usize; 5]) -> Option<c_int> {
    let theirs = plan::theirs(plan)?;
    let [a, b, c, d, e] = arguments;
    // SAFETY: by this function's contract.
    Some(unsafe { real::call(name, [real::number(theirs), a, b, c, d, e]) })
}

/// Makes a plan of a handle, by NVIDIA's library where that has it, or has what this one has not.
///
/// # Safety
/// `work_size` is null or an address to write.
unsafe fn make(
    plan: c_int,
    work_size: *mut usize,
    asked: impl FnOnce() -> Result<(What, Arrays)>,
    by_theirs: impl FnOnce(c_int, *mut usize) -> c_int,
) -> c_int {
    call(|| {
        if let Some(theirs) = plan::theirs(plan) {
            return Status::of_theirs(by_theirs(theirs, work_size));
        }
        let (what, arrays) = asked()?;
        match plan::with(plan, |plan| plan.make(what, arrays)) {
            Err(Status::NotSupported) if real::is_there() => {
                Status::of_theirs(by_theirs(plan::give_away(plan)?, work_size))
            }
            // SAFETY: by this function's contract.
            made => unsafe { write(work_size, made?) },
        }
    })
}

/// Makes a plan with a handle of its own.
///
/// # Safety
/// `place` is null or an address to write.
unsafe fn make_new(
    place: *mut c_int,
    asked: impl FnOnce() -> Result<(What, Arrays)>,
    by_theirs: impl FnOnce(c_int, *mut usize) -> c_int,
) -> c_int {
    call(|| {
        if place.is_null() {
            return Err(Status::InvalidValue);
        }
        let handle = plan::create()?;
        let mut work_size = 0;
        // SAFETY: the size has a place.
        match unsafe { make(handle, &mut work_size, asked, by_theirs) } {
            // SAFETY: by this function's contract.
            0 => unsafe { write(place, handle) },
            status => {
                plan::destroy(handle)?;
                Err(Status::Theirs(status))
            }
        }
    })
}

/// Makes a plan without gaps by a function of NVIDIA's library with these arguments before the place for the size.
fn by_theirs<const N: usize>(
    name: &'static CStr,
    numbers: [c_int; N],
) -> impl FnOnce(c_int, *mut usize) -> c_int {
    move |theirs, work_size| {
        let mut all = [0; 6];
        all[0] = real::number(theirs);
        for (place, number) in all[1..].iter_mut().zip(numbers) {
            *place = real::number(number);
        }
        all[N + 1] = work_size.expose_provenance();
        // SAFETY: the module's head says.
        unsafe { real::call(name, all) }
    }
}

/// Says how large the work area of such a plan is.
///
/// # Safety
/// `work_size` is null or an address to write.
unsafe fn size(work_size: *mut usize, asked: impl FnOnce() -> Result<(What, Arrays)>) -> c_int {
    call(|| {
        let (what, arrays) = asked()?;
        // SAFETY: by this function's contract.
        unsafe { write(work_size, plan::estimate(what, &arrays)?) }
    })
}

fn dense(n: &[c_int], kind: c_int, batch: c_int) -> Result<(What, Arrays)> {
    Ok((What::of_type(kind)?, Arrays::dense(n, batch)))
}

#[no_mangle]
pub unsafe extern "C" fn cufftCreate(handle: *mut c_int) -> c_int {
    call(|| match handle.is_null() {
        true => Err(Status::InvalidValue),
        // SAFETY: the module's head says.
        false => unsafe { write(handle, plan::create()?) },
    })
}

#[no_mangle]
pub extern "C" fn cufftDestroy(plan: c_int) -> c_int {
    call(|| plan::destroy(plan))
}

#[no_mangle]
pub extern "C" fn cufftSetStream(plan: c_int, stream: *mut c_void) -> c_int {
    let stream = stream.expose_provenance() as u64;
    // SAFETY: the module's head says.
    let theirs = unsafe { forwarded(c"cufftSetStream", plan, [stream as usize, 0, 0, 0, 0]) };
    theirs.unwrap_or_else(|| call(|| plan::with(plan, |plan| plan.set_stream(stream))))
}

#[no_mangle]
pub extern "C" fn cufftSetWorkArea(plan: c_int, area: *mut c_void) -> c_int {
    let area = area.expose_provenance() as u64;
    // SAFETY: the module's head says.
    let theirs = unsafe { forwarded(c"cufftSetWorkArea", plan, [area as usize, 0, 0, 0, 0]) };
    theirs.unwrap_or_else(|| call(|| plan::with(plan, |plan| plan.set_work_area(area))))
}

/// A run takes the work area where there is one, and memory of the library's where there is none.
#[no_mangle]
pub extern "C" fn cufftSetAutoAllocation(plan: c_int, allocates: c_int) -> c_int {
    let arguments = [real::number(allocates), 0, 0, 0, 0];
    // SAFETY: the module's head says.
    let theirs = unsafe { forwarded(c"cufftSetAutoAllocation", plan, arguments) };
    theirs.unwrap_or_else(|| call(|| plan::with(plan, |plan| plan.set_allocates(allocates))))
}

#[no_mangle]
pub extern "C" fn cufftXtSetWorkAreaPolicy(plan: c_int, policy: c_int, _size: *mut usize) -> c_int {
    call(|| match (0..=2).contains(&policy) {
        true => plan::with(plan, |_| Ok(())),
        false => Err(Status::InvalidValue),
    })
}

#[no_mangle]
pub unsafe extern "C" fn cufftGetVersion(place: *mut c_int) -> c_int {
    // SAFETY: the module's head says.
    call(|| unsafe { write(place, version()) })
}

#[no_mangle]
pub unsafe extern "C" fn cufftGetProperty(property: c_int, value: *mut c_int) -> c_int {
    let part = match property {
        0 => version() / 1000,
        1 => version() / 100 % 10,
        2 => version() % 100,
        _ => return Status::InvalidType.number(),
    };
    // SAFETY: the module's head says.
    call(|| unsafe { write(value, part) })
}

#[no_mangle]
pub extern "C" fn cufftSetPlanPropertyInt64(
    plan: c_int,
    property: c_int,
    value: c_longlong,
) -> c_int {
    call(|| plan::with(plan, |plan| plan.set_property(property, Some(value))))
}

#[no_mangle]
pub unsafe extern "C" fn cufftGetPlanPropertyInt64(
    plan: c_int,
    property: c_int,
    value: *mut c_longlong,
) -> c_int {
    // SAFETY: the module's head says.
    call(|| unsafe { write(value, plan::with(plan, |plan| plan.property(property))?) })
}

#[no_mangle]
pub extern "C" fn cufftResetPlanProperty(plan: c_int, property: c_int) -> c_int {
    call(|| plan::with(plan, |plan| plan.set_property(property, None)))
}

// Plans.

#[no_mangle]
pub unsafe extern "C" fn cufftPlan1d(
    plan: *mut c_int,
    nx: c_int,
    kind: c_int,
    batch: c_int,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe {
        make_new(
            plan,
            || dense(&[nx], kind, batch),
            by_theirs(c"cufftMakePlan1d", [nx, kind, batch]),
        )
    }
}

#[no_mangle]
pub unsafe extern "C" fn cufftPlan2d(plan: *mut c_int, nx: c_int, ny: c_int, kind: c_int) -> c_int {
    // SAFETY: the module's head says.
    unsafe {
        make_new(
            plan,
            || dense(&[nx, ny], kind, 1),
            by_theirs(c"cufftMakePlan2d", [nx, ny, kind]),
        )
    }
}

#[no_mangle]
pub unsafe extern "C" fn cufftPlan3d(
    plan: *mut c_int,
    nx: c_int,
    ny: c_int,
    nz: c_int,
    kind: c_int,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe {
        make_new(
            plan,
            || dense(&[nx, ny, nz], kind, 1),
            by_theirs(c"cufftMakePlan3d", [nx, ny, nz, kind]),
        )
    }
}

#[no_mangle]
pub unsafe extern "C" fn cufftMakePlan1d(
    plan: c_int,
    nx: c_int,
    kind: c_int,
    batch: c_int,
    work_size: *mut usize,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe {
        let theirs = by_theirs(c"cufftMakePlan1d", [nx, kind, batch]);
        make(plan, work_size, || dense(&[nx], kind, batch), theirs)
    }
}

#[no_mangle]
pub unsafe extern "C" fn cufftMakePlan2d(
    plan: c_int,
    nx: c_int,
    ny: c_int,
    kind: c_int,
    work_size: *mut usize,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe {
        let theirs = by_theirs(c"cufftMakePlan2d", [nx, ny, kind]);
        make(plan, work_size, || dense(&[nx, ny], kind, 1), theirs)
    }
}

#[no_mangle]
pub unsafe extern "C" fn cufftMakePlan3d(
    plan: c_int,
    nx: c_int,
    ny: c_int,
    nz: c_int,
    kind: c_int,
    work_size: *mut usize,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe {
        let theirs = by_theirs(c"cufftMakePlan3d", [nx, ny, nz, kind]);
        make(plan, work_size, || dense(&[nx, ny, nz], kind, 1), theirs)
    }
}

/// The functions for many arrays: a plan with a handle of its own, one of a handle, and a size; with the function of
/// NVIDIA's library that makes such a plan.
macro_rules! for_many {
    ($($name:ident($($first:ident: $type:ty)?; $number:ty; $($work:ident)?) $by:ident $theirs:literal;)*) => {
        $(
            #[no_mangle]
            pub unsafe extern "C" fn $name(
                $($first: $type,)?
                rank: c_int,
                n: *const $number,
                inembed: *const $number,
                istride: $number,
                idist: $number,
                onembed: *const $number,
                ostride: $number,
                odist: $number,
                kind: c_int,
                batch: $number,
                $($work: *mut usize,)?
            ) -> c_int {
                type Make = unsafe extern "C" fn(
                    c_int, c_int, *const $number, *const $number, $number, $number,
                    *const $number, $number, $number, c_int, $number, *mut usize,
                ) -> c_int;
                // SAFETY: the module's head says.
                unsafe {
                    let asked = || {
                        let (from, to) = ((inembed, istride, idist), (onembed, ostride, odist));
                        Ok((What::of_type(kind)?, many(rank, n, from, to, batch)?))
                    };
                    let theirs = |theirs: c_int, work_size: *mut usize| {
                        let Some(found) = real::function($theirs) else {
                            return Status::NotSupported.number();
                        };
                        let make = std::mem::transmute::<*mut c_void, Make>(found);
                        make(
                            theirs, rank, n, inembed, istride, idist, onembed, ostride, odist, kind,
                            batch, work_size,
                        )
                    };
                    for_many!(@ $by $($first)? $($work)?; asked; theirs)
                }
            }
        )*
    };
    (@ make_new $plan:ident; $asked:ident; $theirs:ident) => { make_new($plan, $asked, $theirs) };
    (@ make $plan:ident $work:ident; $asked:ident; $theirs:ident) => {
        make($plan, $work, $asked, $theirs)
    };
    (@ size_of_plan $plan:ident $work:ident; $asked:ident; $theirs:ident) => {{
        let _ = ($plan, $theirs);
        size($work, $asked)
    }};
    (@ size $work:ident; $asked:ident; $theirs:ident) => {{
        let _ = $theirs;
        size($work, $asked)
    }};
}

for_many! {
    cufftPlanMany(plan: *mut c_int; c_int; ) make_new c"cufftMakePlanMany";
    cufftMakePlanMany(plan: c_int; c_int; work_size) make c"cufftMakePlanMany";
    cufftMakePlanMany64(plan: c_int; c_longlong; work_size) make c"cufftMakePlanMany64";
    cufftGetSizeMany(plan: c_int; c_int; work_size) size_of_plan c"cufftMakePlanMany";
    cufftGetSizeMany64(plan: c_int; c_longlong; work_size) size_of_plan c"cufftMakePlanMany64";
    cufftEstimateMany(; c_int; work_size) size c"cufftMakePlanMany";
}

type XtMakePlanMany = unsafe extern "C" fn(
    c_int,
    c_int,
    *const c_longlong,
    *const c_longlong,
    c_longlong,
    c_longlong,
    c_int,
    *const c_longlong,
    c_longlong,
    c_longlong,
    c_int,
    c_longlong,
    *mut usize,
    c_int,
) -> c_int;

#[no_mangle]
pub unsafe extern "C" fn cufftXtMakePlanMany(
    plan: c_int,
    rank: c_int,
    n: *const c_longlong,
    inembed: *const c_longlong,
    istride: c_longlong,
    idist: c_longlong,
    input: c_int,
    onembed: *const c_longlong,
    ostride: c_longlong,
    odist: c_longlong,
    output: c_int,
    batch: c_longlong,
    work_size: *mut usize,
    execution: c_int,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe {
        let asked = || {
            let (from, to) = ((inembed, istride, idist), (onembed, ostride, odist));
            let what = What::of_data([input, output, execution])?;
            Ok((what, many(rank, n, from, to, batch)?))
        };
        make(plan, work_size, asked, |theirs, work_size| {
            let Some(found) = real::function(c"cufftXtMakePlanMany") else {
                return Status::NotSupported.number();
            };
            std::mem::transmute::<*mut c_void, XtMakePlanMany>(found)(
                theirs, rank, n, inembed, istride, idist, input, onembed, ostride, odist, output,
                batch, work_size, execution,
            )
        })
    }
}

#[no_mangle]
pub unsafe extern "C" fn cufftXtGetSizeMany(
    _plan: c_int,
    rank: c_int,
    n: *const c_longlong,
    inembed: *const c_longlong,
    istride: c_longlong,
    idist: c_longlong,
    input: c_int,
    onembed: *const c_longlong,
    ostride: c_longlong,
    odist: c_longlong,
    output: c_int,
    batch: c_longlong,
    work_size: *mut usize,
    execution: c_int,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe {
        size(work_size, || {
            let (from, to) = ((inembed, istride, idist), (onembed, ostride, odist));
            let what = What::of_data([input, output, execution])?;
            Ok((what, many(rank, n, from, to, batch)?))
        })
    }
}

#[no_mangle]
pub unsafe extern "C" fn cufftGetSize(plan: c_int, work_size: *mut usize) -> c_int {
    // SAFETY: the module's head says.
    let theirs = unsafe {
        let arguments = [work_size.expose_provenance(), 0, 0, 0, 0];
        forwarded(c"cufftGetSize", plan, arguments)
    };
    // SAFETY: the module's head says.
    let ours = || unsafe { write(work_size, plan::with(plan, |plan| plan.work_bytes())?) };
    theirs.unwrap_or_else(|| call(ours))
}

#[no_mangle]
pub unsafe extern "C" fn cufftGetSize1d(
    _plan: c_int,
    nx: c_int,
    kind: c_int,
    batch: c_int,
    work_size: *mut usize,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe { size(work_size, || dense(&[nx], kind, batch)) }
}

#[no_mangle]
pub unsafe extern "C" fn cufftGetSize2d(
    _plan: c_int,
    nx: c_int,
    ny: c_int,
    kind: c_int,
    work_size: *mut usize,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe { size(work_size, || dense(&[nx, ny], kind, 1)) }
}

#[no_mangle]
pub unsafe extern "C" fn cufftGetSize3d(
    _plan: c_int,
    nx: c_int,
    ny: c_int,
    nz: c_int,
    kind: c_int,
    work_size: *mut usize,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe { size(work_size, || dense(&[nx, ny, nz], kind, 1)) }
}

#[no_mangle]
pub unsafe extern "C" fn cufftEstimate1d(
    nx: c_int,
    kind: c_int,
    batch: c_int,
    work_size: *mut usize,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe { size(work_size, || dense(&[nx], kind, batch)) }
}

#[no_mangle]
pub unsafe extern "C" fn cufftEstimate2d(
    nx: c_int,
    ny: c_int,
    kind: c_int,
    work_size: *mut usize,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe { size(work_size, || dense(&[nx, ny], kind, 1)) }
}

#[no_mangle]
pub unsafe extern "C" fn cufftEstimate3d(
    nx: c_int,
    ny: c_int,
    nz: c_int,
    kind: c_int,
    work_size: *mut usize,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe { size(work_size, || dense(&[nx, ny, nz], kind, 1)) }
}

// Runs.

/// Runs a plan, of one type where a function has one.
///
/// # Safety
/// As for [`Plan::execute`].
unsafe fn execute(
    name: &CStr,
    plan: c_int,
    kind: Option<c_int>,
    input: *mut c_void,
    output: *mut c_void,
    direction: c_int,
) -> c_int {
    let [input, output] = [input, output].map(|side| side.expose_provenance() as u64);
    let arguments = [
        input as usize,
        output as usize,
        real::number(direction),
        0,
        0,
    ];
    // SAFETY: by this function's contract.
    if let Some(status) = unsafe { forwarded(name, plan, arguments) } {
        return status;
    }
    call(|| {
        let wanted = kind.map(What::of_type).transpose()?;
        // SAFETY: by this function's contract.
        let run = |plan: &mut Plan| unsafe { plan.execute(wanted, direction, input, output) };
        plan::with(plan, run)
    })
}

#[no_mangle]
pub unsafe extern "C" fn cufftXtExec(
    plan: c_int,
    input: *mut c_void,
    output: *mut c_void,
    direction: c_int,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe { execute(c"cufftXtExec", plan, None, input, output, direction) }
}

#[no_mangle]
pub unsafe extern "C" fn cufftExecC2C(
    plan: c_int,
    input: *mut c_void,
    output: *mut c_void,
    direction: c_int,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe { execute(c"cufftExecC2C", plan, Some(0x29), input, output, direction) }
}

#[no_mangle]
pub unsafe extern "C" fn cufftExecZ2Z(
    plan: c_int,
    input: *mut c_void,
    output: *mut c_void,
    direction: c_int,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe { execute(c"cufftExecZ2Z", plan, Some(0x69), input, output, direction) }
}

#[no_mangle]
pub unsafe extern "C" fn cufftExecR2C(
    plan: c_int,
    input: *mut c_void,
    output: *mut c_void,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe { execute(c"cufftExecR2C", plan, Some(0x2a), input, output, -1) }
}

#[no_mangle]
pub unsafe extern "C" fn cufftExecC2R(
    plan: c_int,
    input: *mut c_void,
    output: *mut c_void,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe { execute(c"cufftExecC2R", plan, Some(0x2c), input, output, 1) }
}

#[no_mangle]
pub unsafe extern "C" fn cufftExecD2Z(
    plan: c_int,
    input: *mut c_void,
    output: *mut c_void,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe { execute(c"cufftExecD2Z", plan, Some(0x6a), input, output, -1) }
}

#[no_mangle]
pub unsafe extern "C" fn cufftExecZ2D(
    plan: c_int,
    input: *mut c_void,
    output: *mut c_void,
) -> c_int {
    // SAFETY: the module's head says.
    unsafe { execute(c"cufftExecZ2D", plan, Some(0x6c), input, output, 1) }
}
