//! FFTW's names for Fortran 77: every argument is an address, and lengths come fastest first, but in the guru interface.
//! The file is long for the list of them.

use crate::ask::{list, Iodim};
use std::ffi::c_int;

/// A list the other way round; none where there is none.
///
/// # Safety
/// The list is null or has as many elements.
pub unsafe fn reversed(count: c_int, first: *const c_int) -> Option<Vec<c_int>> {
    if first.is_null() {
        return None;
    }
    // SAFETY: by this function's contract.
    let mut all = unsafe { list(count, first) }?.to_vec();
    all.reverse();
    Some(all)
}

/// The address of a list that may be none.
pub fn address(list: &Option<Vec<c_int>>) -> *const c_int {
    list.as_ref().map_or(std::ptr::null(), |list| list.as_ptr())
}

/// Dimensions of three lists.
///
/// # Safety
/// Each is null or has as many elements.
pub unsafe fn dims(
    count: c_int,
    n: *const c_int,
    is: *const c_int,
    os: *const c_int,
) -> Vec<Iodim> {
    // SAFETY: by this function's contract.
    let lists = unsafe { (list(count, n), list(count, is), list(count, os)) };
    let (Some(n), Some(is), Some(os)) = lists else {
        return Vec::new();
    };
    let strides = is.iter().zip(os);
    let dim = |(&n, (&is, &os)): (&c_int, (&c_int, &c_int))| Iodim { n, is, os };
    n.iter().zip(strides).map(dim).collect()
}

/// The names of one precision, after one of two ways of compilers: the module of its functions, prefix and suffix.
macro_rules! fortran {
    ($module:ident, $of:ident, $real:ty, $prefix:literal, $suffix:literal) => {
        #[doc = concat!("Fortran's functions `", $prefix, "…", $suffix, "`.")]
        // SAFETY of all blocks: FFTW's documentation says what callers promise, and each function passes that on.
        #[allow(clippy::too_many_arguments, clippy::missing_safety_doc, missing_docs)]
        pub mod $module {
            use crate::fortran::{address, dims, reversed};
            use crate::$of::{self as c, Plan};
            use std::ffi::{c_char, c_int, c_uint, c_void};

            type R = *mut $real;
            type I = *const c_int;

            #[export_name = concat!($prefix, "execute", $suffix)]
            pub unsafe extern "C" fn execute(p: *const Plan) {
                unsafe { c::execute(*p) }
            }

            #[export_name = concat!($prefix, "destroy_plan", $suffix)]
            pub unsafe extern "C" fn destroy_plan(p: *const Plan) {
                c::destroy_plan(unsafe { *p });
            }

            #[export_name = concat!($prefix, "cleanup", $suffix)]
            pub extern "C" fn cleanup() {
                c::cleanup();
            }

            #[export_name = concat!($prefix, "forget_wisdom", $suffix)]
            pub extern "C" fn forget_wisdom() {
                c::forget_wisdom();
            }

            #[export_name = concat!($prefix, "export_wisdom", $suffix)]
            pub unsafe extern "C" fn export_wisdom(
                write: Option<unsafe extern "C" fn(*mut c_char, *mut c_void)>,
                data: *mut c_void,
            ) {
                let text = crate::library::call(String::new(), || c::LIBRARY.export());
                if let Some(write) = write {
                    text.bytes()
                        .for_each(|byte| unsafe { write(&mut (byte as c_char), data) });
                }
            }

            #[export_name = concat!($prefix, "import_wisdom", $suffix)]
            pub unsafe extern "C" fn import_wisdom(
                success: *mut c_int,
                read: Option<unsafe extern "C" fn(*mut c_int, *mut c_void)>,
                data: *mut c_void,
            ) {
                let next = || {
                    let mut byte: c_int = -1;
                    unsafe { read?(&mut byte, data) };
                    u8::try_from(byte).ok()
                };
                unsafe { *success = c::LIBRARY.import(next) };
            }

            #[export_name = concat!($prefix, "import_system_wisdom", $suffix)]
            pub unsafe extern "C" fn import_system_wisdom(success: *mut c_int) {
                unsafe { *success = c::import_system_wisdom() };
            }

            #[export_name = concat!($prefix, "print_plan", $suffix)]
            pub unsafe extern "C" fn print_plan(p: *const Plan) {
                c::print_plan(unsafe { *p });
            }

            #[export_name = concat!($prefix, "flops", $suffix)]
            pub unsafe extern "C" fn flops(
                p: *const Plan,
                add: *mut f64,
                mul: *mut f64,
                fma: *mut f64,
            ) {
                unsafe { c::flops(*p, add, mul, fma) }
            }

            #[export_name = concat!($prefix, "cost", $suffix)]
            pub unsafe extern "C" fn cost(cost: *mut f64, p: *const Plan) {
                unsafe { *cost = c::cost(*p) }
            }

            #[export_name = concat!($prefix, "estimate_cost", $suffix)]
            pub unsafe extern "C" fn estimate_cost(cost: *mut f64, p: *const Plan) {
                unsafe { *cost = c::estimate_cost(*p) }
            }

            #[export_name = concat!($prefix, "set_timelimit", $suffix)]
            pub unsafe extern "C" fn set_timelimit(seconds: *const f64) {
                c::set_timelimit(unsafe { *seconds });
            }

            #[export_name = concat!($prefix, "init_threads", $suffix)]
            pub unsafe extern "C" fn init_threads(okay: *mut c_int) {
                unsafe { *okay = c::init_threads() };
            }

            #[export_name = concat!($prefix, "plan_with_nthreads", $suffix)]
            pub unsafe extern "C" fn plan_with_nthreads(threads: I) {
                c::plan_with_nthreads(unsafe { *threads });
            }

            #[export_name = concat!($prefix, "planner_nthreads", $suffix)]
            pub unsafe extern "C" fn planner_nthreads(threads: *mut c_int) {
                unsafe { *threads = c::planner_nthreads() };
            }

            #[export_name = concat!($prefix, "cleanup_threads", $suffix)]
            pub extern "C" fn cleanup_threads() {
                c::cleanup_threads();
            }

            // Complex to complex.

            #[export_name = concat!($prefix, "plan_dft", $suffix)]
            pub unsafe extern "C" fn plan_dft(
                p: *mut Plan,
                rank: I,
                n: I,
                input: R,
                output: R,
                sign: I,
                flags: I,
            ) {
                unsafe {
                    let n = reversed(*rank, n);
                    *p = c::plan_dft(*rank, address(&n), input, output, *sign, *flags as c_uint);
                }
            }

            #[export_name = concat!($prefix, "plan_dft_1d", $suffix)]
            pub unsafe extern "C" fn plan_dft_1d(
                p: *mut Plan,
                n: I,
                input: R,
                output: R,
                sign: I,
                flags: I,
            ) {
                unsafe { *p = c::plan_dft_1d(*n, input, output, *sign, *flags as c_uint) }
            }

            #[export_name = concat!($prefix, "plan_dft_2d", $suffix)]
            pub unsafe extern "C" fn plan_dft_2d(
                p: *mut Plan,
                nx: I,
                ny: I,
                input: R,
                output: R,
                sign: I,
                flags: I,
            ) {
                unsafe { *p = c::plan_dft_2d(*ny, *nx, input, output, *sign, *flags as c_uint) }
            }

            #[export_name = concat!($prefix, "plan_dft_3d", $suffix)]
            pub unsafe extern "C" fn plan_dft_3d(
                p: *mut Plan,
                nx: I,
                ny: I,
                nz: I,
                input: R,
                output: R,
                sign: I,
                flags: I,
            ) {
                let flags = unsafe { *flags as c_uint };
                unsafe { *p = c::plan_dft_3d(*nz, *ny, *nx, input, output, *sign, flags) }
            }

            #[export_name = concat!($prefix, "plan_many_dft", $suffix)]
            pub unsafe extern "C" fn plan_many_dft(
                p: *mut Plan,
                rank: I,
                n: I,
                howmany: I,
                input: R,
                inembed: I,
                istride: I,
                idist: I,
                output: R,
                onembed: I,
                ostride: I,
                odist: I,
                sign: I,
                flags: I,
            ) {
                unsafe {
                    let [n, inembed, onembed] =
                        [n, inembed, onembed].map(|list| reversed(*rank, list));
                    *p = c::plan_many_dft(
                        *rank,
                        address(&n),
                        *howmany,
                        input,
                        address(&inembed),
                        *istride,
                        *idist,
                        output,
                        address(&onembed),
                        *ostride,
                        *odist,
                        *sign,
                        *flags as c_uint,
                    );
                }
            }

            #[export_name = concat!($prefix, "plan_guru_dft", $suffix)]
            pub unsafe extern "C" fn plan_guru_dft(
                p: *mut Plan,
                rank: I,
                n: I,
                is: I,
                os: I,
                loops: I,
                h_n: I,
                h_is: I,
                h_os: I,
                input: R,
                output: R,
                sign: I,
                flags: I,
            ) {
                unsafe {
                    let (own, counts) = (dims(*rank, n, is, os), dims(*loops, h_n, h_is, h_os));
                    *p = c::plan_guru_dft(
                        *rank,
                        own.as_ptr(),
                        *loops,
                        counts.as_ptr(),
                        input,
                        output,
                        *sign,
                        *flags as c_uint,
                    );
                }
            }

            #[export_name = concat!($prefix, "plan_guru_split_dft", $suffix)]
            pub unsafe extern "C" fn plan_guru_split_dft(
                p: *mut Plan,
                rank: I,
                n: I,
                is: I,
                os: I,
                loops: I,
                h_n: I,
                h_is: I,
                h_os: I,
                ri: R,
                ii: R,
                ro: R,
                io: R,
                flags: I,
            ) {
                unsafe {
                    let (own, counts) = (dims(*rank, n, is, os), dims(*loops, h_n, h_is, h_os));
                    *p = c::plan_guru_split_dft(
                        *rank,
                        own.as_ptr(),
                        *loops,
                        counts.as_ptr(),
                        ri,
                        ii,
                        ro,
                        io,
                        *flags as c_uint,
                    );
                }
            }

            #[export_name = concat!($prefix, "execute_dft", $suffix)]
            pub unsafe extern "C" fn execute_dft(p: *const Plan, input: R, output: R) {
                unsafe { c::execute_dft(*p, input, output) }
            }

            #[export_name = concat!($prefix, "execute_split_dft", $suffix)]
            pub unsafe extern "C" fn execute_split_dft(p: *const Plan, ri: R, ii: R, ro: R, io: R) {
                unsafe { c::execute_split_dft(*p, ri, ii, ro, io) }
            }

            // Real to complex.

            #[export_name = concat!($prefix, "plan_dft_r2c", $suffix)]
            pub unsafe extern "C" fn plan_dft_r2c(
                p: *mut Plan,
                rank: I,
                n: I,
                input: R,
                output: R,
                flags: I,
            ) {
                unsafe {
                    let n = reversed(*rank, n);
                    *p = c::plan_dft_r2c(*rank, address(&n), input, output, *flags as c_uint);
                }
            }

            #[export_name = concat!($prefix, "plan_dft_r2c_1d", $suffix)]
            pub unsafe extern "C" fn plan_dft_r2c_1d(
                p: *mut Plan,
                n: I,
                input: R,
                output: R,
                flags: I,
            ) {
                unsafe { *p = c::plan_dft_r2c_1d(*n, input, output, *flags as c_uint) }
            }

            #[export_name = concat!($prefix, "plan_dft_r2c_2d", $suffix)]
            pub unsafe extern "C" fn plan_dft_r2c_2d(
                p: *mut Plan,
                nx: I,
                ny: I,
                input: R,
                output: R,
                flags: I,
            ) {
                unsafe { *p = c::plan_dft_r2c_2d(*ny, *nx, input, output, *flags as c_uint) }
            }

            #[export_name = concat!($prefix, "plan_dft_r2c_3d", $suffix)]
            pub unsafe extern "C" fn plan_dft_r2c_3d(
                p: *mut Plan,
                nx: I,
                ny: I,
                nz: I,
                input: R,
                output: R,
                flags: I,
            ) {
                unsafe { *p = c::plan_dft_r2c_3d(*nz, *ny, *nx, input, output, *flags as c_uint) }
            }

            #[export_name = concat!($prefix, "plan_many_dft_r2c", $suffix)]
            pub unsafe extern "C" fn plan_many_dft_r2c(
                p: *mut Plan,
                rank: I,
                n: I,
                howmany: I,
                input: R,
                inembed: I,
                istride: I,
                idist: I,
                output: R,
                onembed: I,
                ostride: I,
                odist: I,
                flags: I,
            ) {
                unsafe {
                    let [n, inembed, onembed] =
                        [n, inembed, onembed].map(|list| reversed(*rank, list));
                    *p = c::plan_many_dft_r2c(
                        *rank,
                        address(&n),
                        *howmany,
                        input,
                        address(&inembed),
                        *istride,
                        *idist,
                        output,
                        address(&onembed),
                        *ostride,
                        *odist,
                        *flags as c_uint,
                    );
                }
            }

            #[export_name = concat!($prefix, "plan_guru_dft_r2c", $suffix)]
            pub unsafe extern "C" fn plan_guru_dft_r2c(
                p: *mut Plan,
                rank: I,
                n: I,
                is: I,
                os: I,
                loops: I,
                h_n: I,
                h_is: I,
                h_os: I,
                input: R,
                output: R,
                flags: I,
            ) {
                unsafe {
                    let (own, counts) = (dims(*rank, n, is, os), dims(*loops, h_n, h_is, h_os));
                    *p = c::plan_guru_dft_r2c(
                        *rank,
                        own.as_ptr(),
                        *loops,
                        counts.as_ptr(),
                        input,
                        output,
                        *flags as c_uint,
                    );
                }
            }

            #[export_name = concat!($prefix, "plan_guru_split_dft_r2c", $suffix)]
            pub unsafe extern "C" fn plan_guru_split_dft_r2c(
                p: *mut Plan,
                rank: I,
                n: I,
                is: I,
                os: I,
                loops: I,
                h_n: I,
                h_is: I,
                h_os: I,
                input: R,
                ro: R,
                io: R,
                flags: I,
            ) {
                unsafe {
                    let (own, counts) = (dims(*rank, n, is, os), dims(*loops, h_n, h_is, h_os));
                    *p = c::plan_guru_split_dft_r2c(
                        *rank,
                        own.as_ptr(),
                        *loops,
                        counts.as_ptr(),
                        input,
                        ro,
                        io,
                        *flags as c_uint,
                    );
                }
            }

            #[export_name = concat!($prefix, "execute_dft_r2c", $suffix)]
            pub unsafe extern "C" fn execute_dft_r2c(p: *const Plan, input: R, output: R) {
                unsafe { c::execute_dft_r2c(*p, input, output) }
            }

            #[export_name = concat!($prefix, "execute_split_dft_r2c", $suffix)]
            pub unsafe extern "C" fn execute_split_dft_r2c(p: *const Plan, input: R, ro: R, io: R) {
                unsafe { c::execute_split_dft_r2c(*p, input, ro, io) }
            }

            // Complex to real.

            #[export_name = concat!($prefix, "plan_dft_c2r", $suffix)]
            pub unsafe extern "C" fn plan_dft_c2r(
                p: *mut Plan,
                rank: I,
                n: I,
                input: R,
                output: R,
                flags: I,
            ) {
                unsafe {
                    let n = reversed(*rank, n);
                    *p = c::plan_dft_c2r(*rank, address(&n), input, output, *flags as c_uint);
                }
            }

            #[export_name = concat!($prefix, "plan_dft_c2r_1d", $suffix)]
            pub unsafe extern "C" fn plan_dft_c2r_1d(
                p: *mut Plan,
                n: I,
                input: R,
                output: R,
                flags: I,
            ) {
                unsafe { *p = c::plan_dft_c2r_1d(*n, input, output, *flags as c_uint) }
            }

            #[export_name = concat!($prefix, "plan_dft_c2r_2d", $suffix)]
            pub unsafe extern "C" fn plan_dft_c2r_2d(
                p: *mut Plan,
                nx: I,
                ny: I,
                input: R,
                output: R,
                flags: I,
            ) {
                unsafe { *p = c::plan_dft_c2r_2d(*ny, *nx, input, output, *flags as c_uint) }
            }

            #[export_name = concat!($prefix, "plan_dft_c2r_3d", $suffix)]
            pub unsafe extern "C" fn plan_dft_c2r_3d(
                p: *mut Plan,
                nx: I,
                ny: I,
                nz: I,
                input: R,
                output: R,
                flags: I,
            ) {
                unsafe { *p = c::plan_dft_c2r_3d(*nz, *ny, *nx, input, output, *flags as c_uint) }
            }

            #[export_name = concat!($prefix, "plan_many_dft_c2r", $suffix)]
            pub unsafe extern "C" fn plan_many_dft_c2r(
                p: *mut Plan,
                rank: I,
                n: I,
                howmany: I,
                input: R,
                inembed: I,
                istride: I,
                idist: I,
                output: R,
                onembed: I,
                ostride: I,
                odist: I,
                flags: I,
            ) {
                unsafe {
                    let [n, inembed, onembed] =
                        [n, inembed, onembed].map(|list| reversed(*rank, list));
                    *p = c::plan_many_dft_c2r(
                        *rank,
                        address(&n),
                        *howmany,
                        input,
                        address(&inembed),
                        *istride,
                        *idist,
                        output,
                        address(&onembed),
                        *ostride,
                        *odist,
                        *flags as c_uint,
                    );
                }
            }

            #[export_name = concat!($prefix, "plan_guru_dft_c2r", $suffix)]
            pub unsafe extern "C" fn plan_guru_dft_c2r(
                p: *mut Plan,
                rank: I,
                n: I,
                is: I,
                os: I,
                loops: I,
                h_n: I,
                h_is: I,
                h_os: I,
                input: R,
                output: R,
                flags: I,
            ) {
                unsafe {
                    let (own, counts) = (dims(*rank, n, is, os), dims(*loops, h_n, h_is, h_os));
                    *p = c::plan_guru_dft_c2r(
                        *rank,
                        own.as_ptr(),
                        *loops,
                        counts.as_ptr(),
                        input,
                        output,
                        *flags as c_uint,
                    );
                }
            }

            #[export_name = concat!($prefix, "plan_guru_split_dft_c2r", $suffix)]
            pub unsafe extern "C" fn plan_guru_split_dft_c2r(
                p: *mut Plan,
                rank: I,
                n: I,
                is: I,
                os: I,
                loops: I,
                h_n: I,
                h_is: I,
                h_os: I,
                ri: R,
                ii: R,
                output: R,
                flags: I,
            ) {
                unsafe {
                    let (own, counts) = (dims(*rank, n, is, os), dims(*loops, h_n, h_is, h_os));
                    *p = c::plan_guru_split_dft_c2r(
                        *rank,
                        own.as_ptr(),
                        *loops,
                        counts.as_ptr(),
                        ri,
                        ii,
                        output,
                        *flags as c_uint,
                    );
                }
            }

            #[export_name = concat!($prefix, "execute_dft_c2r", $suffix)]
            pub unsafe extern "C" fn execute_dft_c2r(p: *const Plan, input: R, output: R) {
                unsafe { c::execute_dft_c2r(*p, input, output) }
            }

            #[export_name = concat!($prefix, "execute_split_dft_c2r", $suffix)]
            pub unsafe extern "C" fn execute_split_dft_c2r(
                p: *const Plan,
                ri: R,
                ii: R,
                output: R,
            ) {
                unsafe { c::execute_split_dft_c2r(*p, ri, ii, output) }
            }

            // Reals to reals.

            #[export_name = concat!($prefix, "plan_r2r", $suffix)]
            pub unsafe extern "C" fn plan_r2r(
                p: *mut Plan,
                rank: I,
                n: I,
                input: R,
                output: R,
                kind: I,
                flags: I,
            ) {
                unsafe {
                    let [n, kinds] = [n, kind].map(|list| reversed(*rank, list));
                    let flags = *flags as c_uint;
                    *p = c::plan_r2r(*rank, address(&n), input, output, address(&kinds), flags);
                }
            }

            #[export_name = concat!($prefix, "plan_r2r_1d", $suffix)]
            pub unsafe extern "C" fn plan_r2r_1d(
                p: *mut Plan,
                n: I,
                input: R,
                output: R,
                kind: I,
                flags: I,
            ) {
                unsafe { *p = c::plan_r2r_1d(*n, input, output, *kind, *flags as c_uint) }
            }

            #[export_name = concat!($prefix, "plan_r2r_2d", $suffix)]
            pub unsafe extern "C" fn plan_r2r_2d(
                p: *mut Plan,
                nx: I,
                ny: I,
                input: R,
                output: R,
                kindx: I,
                kindy: I,
                flags: I,
            ) {
                let flags = unsafe { *flags as c_uint };
                unsafe { *p = c::plan_r2r_2d(*ny, *nx, input, output, *kindy, *kindx, flags) }
            }

            #[export_name = concat!($prefix, "plan_r2r_3d", $suffix)]
            pub unsafe extern "C" fn plan_r2r_3d(
                p: *mut Plan,
                nx: I,
                ny: I,
                nz: I,
                input: R,
                output: R,
                kindx: I,
                kindy: I,
                kindz: I,
                flags: I,
            ) {
                unsafe {
                    *p = c::plan_r2r_3d(
                        *nz,
                        *ny,
                        *nx,
                        input,
                        output,
                        *kindz,
                        *kindy,
                        *kindx,
                        *flags as c_uint,
                    );
                }
            }

            #[export_name = concat!($prefix, "plan_many_r2r", $suffix)]
            pub unsafe extern "C" fn plan_many_r2r(
                p: *mut Plan,
                rank: I,
                n: I,
                howmany: I,
                input: R,
                inembed: I,
                istride: I,
                idist: I,
                output: R,
                onembed: I,
                ostride: I,
                odist: I,
                kind: I,
                flags: I,
            ) {
                unsafe {
                    let lists = [n, inembed, onembed, kind].map(|list| reversed(*rank, list));
                    let [n, inembed, onembed, kinds] = lists.each_ref().map(address);
                    *p = c::plan_many_r2r(
                        *rank,
                        n,
                        *howmany,
                        input,
                        inembed,
                        *istride,
                        *idist,
                        output,
                        onembed,
                        *ostride,
                        *odist,
                        kinds,
                        *flags as c_uint,
                    );
                }
            }

            #[export_name = concat!($prefix, "plan_guru_r2r", $suffix)]
            pub unsafe extern "C" fn plan_guru_r2r(
                p: *mut Plan,
                rank: I,
                n: I,
                is: I,
                os: I,
                loops: I,
                h_n: I,
                h_is: I,
                h_os: I,
                input: R,
                output: R,
                kind: I,
                flags: I,
            ) {
                unsafe {
                    let (own, counts) = (dims(*rank, n, is, os), dims(*loops, h_n, h_is, h_os));
                    *p = c::plan_guru_r2r(
                        *rank,
                        own.as_ptr(),
                        *loops,
                        counts.as_ptr(),
                        input,
                        output,
                        kind,
                        *flags as c_uint,
                    );
                }
            }

            #[export_name = concat!($prefix, "execute_r2r", $suffix)]
            pub unsafe extern "C" fn execute_r2r(p: *const Plan, input: R, output: R) {
                unsafe { c::execute_r2r(*p, input, output) }
            }
        }
    };
}
