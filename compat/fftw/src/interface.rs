//! FFTW's functions under a precision's names. The file is long for the list of them.

/// The functions of one precision: a module's name, its real type, its precision and the prefix of the names.
macro_rules! interface {
    ($module:ident, $real:ty, $precision:ident, $prefix:literal) => {
        #[doc = concat!("FFTW's functions with the prefix `", $prefix, "`.")]
        // SAFETY of all blocks: FFTW's documentation says what callers promise, and each function passes that on.
        #[allow(clippy::too_many_arguments, clippy::missing_safety_doc, missing_docs)]
        pub mod $module {
            use crate::ask::{list, Iodim, Iodim64, Many, What};
            use crate::library::{call, Library, ParallelLoop};
            use crate::memory;
            use libc::FILE;
            use mmafft_guru::Side;
            use std::ffi::{c_char, c_int, c_uint, c_void};

            pub type Plan = *mut c_void;
            type R = *mut $real;

            pub static LIBRARY: Library = Library::new(mmafft::Precision::$precision);

            const VERSION: &str = concat!("fftw-3.3.10-mmafft-", env!("CARGO_PKG_VERSION"), "\0");

            const fn version() -> [u8; VERSION.len()] {
                let mut bytes = [0; VERSION.len()];
                bytes.copy_from_slice(VERSION.as_bytes());
                bytes
            }

            #[export_name = concat!($prefix, "version")]
            pub static VERSION_TEXT: [u8; VERSION.len()] = version();
            #[export_name = concat!($prefix, "cc")]
            pub static COMPILER_TEXT: [u8; 6] = *b"rustc\0";
            #[export_name = concat!($prefix, "codelet_optim")]
            pub static OPTIONS_TEXT: [u8; 1] = *b"\0";

            fn sides<I, O>(input: *mut I, output: *mut O) -> [Side; 2] {
                [Side::of(input), Side::of(output)]
            }

            // Complex to complex.

            #[export_name = concat!($prefix, "plan_many_dft")]
            pub unsafe extern "C" fn plan_many_dft(
                rank: c_int,
                n: *const c_int,
                howmany: c_int,
                input: R,
                inembed: *const c_int,
                istride: c_int,
                idist: c_int,
                output: R,
                onembed: *const c_int,
                ostride: c_int,
                odist: c_int,
                sign: c_int,
                flags: c_uint,
            ) -> Plan {
                let many = unsafe {
                    Many::new(
                        rank,
                        n,
                        howmany,
                        [inembed, onembed],
                        [istride, ostride],
                        [idist, odist],
                    )
                };
                LIBRARY.many(Some(What::complex(sign)), many, sides(input, output), flags)
            }

            #[export_name = concat!($prefix, "plan_dft")]
            pub unsafe extern "C" fn plan_dft(
                rank: c_int,
                n: *const c_int,
                input: R,
                output: R,
                sign: c_int,
                flags: c_uint,
            ) -> Plan {
                let one = unsafe { list(rank, n) }.map(Many::one);
                LIBRARY.many(Some(What::complex(sign)), one, sides(input, output), flags)
            }

            #[export_name = concat!($prefix, "plan_dft_1d")]
            pub unsafe extern "C" fn plan_dft_1d(
                n: c_int,
                input: R,
                output: R,
                sign: c_int,
                flags: c_uint,
            ) -> Plan {
                unsafe { plan_dft(1, [n].as_ptr(), input, output, sign, flags) }
            }

            #[export_name = concat!($prefix, "plan_dft_2d")]
            pub unsafe extern "C" fn plan_dft_2d(
                n0: c_int,
                n1: c_int,
                input: R,
                output: R,
                sign: c_int,
                flags: c_uint,
            ) -> Plan {
                unsafe { plan_dft(2, [n0, n1].as_ptr(), input, output, sign, flags) }
            }

            #[export_name = concat!($prefix, "plan_dft_3d")]
            pub unsafe extern "C" fn plan_dft_3d(
                n0: c_int,
                n1: c_int,
                n2: c_int,
                input: R,
                output: R,
                sign: c_int,
                flags: c_uint,
            ) -> Plan {
                unsafe { plan_dft(3, [n0, n1, n2].as_ptr(), input, output, sign, flags) }
            }

            #[export_name = concat!($prefix, "plan_guru_dft")]
            pub unsafe extern "C" fn plan_guru_dft(
                rank: c_int,
                dims: *const Iodim,
                howmany_rank: c_int,
                howmany_dims: *const Iodim,
                input: R,
                output: R,
                sign: c_int,
                flags: c_uint,
            ) -> Plan {
                let (dims, loops) = ((rank, dims), (howmany_rank, howmany_dims));
                let what = Some(What::complex(sign));
                unsafe { guru(what, dims, loops, sides(input, output), false, flags) }
            }

            #[export_name = concat!($prefix, "plan_guru64_dft")]
            pub unsafe extern "C" fn plan_guru64_dft(
                rank: c_int,
                dims: *const Iodim64,
                howmany_rank: c_int,
                howmany_dims: *const Iodim64,
                input: R,
                output: R,
                sign: c_int,
                flags: c_uint,
            ) -> Plan {
                let (dims, loops) = ((rank, dims), (howmany_rank, howmany_dims));
                let what = Some(What::complex(sign));
                unsafe { guru(what, dims, loops, sides(input, output), false, flags) }
            }

            #[export_name = concat!($prefix, "plan_guru_split_dft")]
            pub unsafe extern "C" fn plan_guru_split_dft(
                rank: c_int,
                dims: *const Iodim,
                howmany_rank: c_int,
                howmany_dims: *const Iodim,
                ri: R,
                ii: R,
                ro: R,
                io: R,
                flags: c_uint,
            ) -> Plan {
                let (dims, loops) = ((rank, dims), (howmany_rank, howmany_dims));
                let sides = [Side::split(ri, ii), Side::split(ro, io)];
                unsafe { guru(Some(What::complex(-1)), dims, loops, sides, true, flags) }
            }

            #[export_name = concat!($prefix, "plan_guru64_split_dft")]
            pub unsafe extern "C" fn plan_guru64_split_dft(
                rank: c_int,
                dims: *const Iodim64,
                howmany_rank: c_int,
                howmany_dims: *const Iodim64,
                ri: R,
                ii: R,
                ro: R,
                io: R,
                flags: c_uint,
            ) -> Plan {
                let (dims, loops) = ((rank, dims), (howmany_rank, howmany_dims));
                let sides = [Side::split(ri, ii), Side::split(ro, io)];
                unsafe { guru(Some(What::complex(-1)), dims, loops, sides, true, flags) }
            }

            // Real to complex.

            #[export_name = concat!($prefix, "plan_many_dft_r2c")]
            pub unsafe extern "C" fn plan_many_dft_r2c(
                rank: c_int,
                n: *const c_int,
                howmany: c_int,
                input: R,
                inembed: *const c_int,
                istride: c_int,
                idist: c_int,
                output: R,
                onembed: *const c_int,
                ostride: c_int,
                odist: c_int,
                flags: c_uint,
            ) -> Plan {
                let many = unsafe {
                    Many::new(
                        rank,
                        n,
                        howmany,
                        [inembed, onembed],
                        [istride, ostride],
                        [idist, odist],
                    )
                };
                LIBRARY.many(Some(What::RealToHalf), many, sides(input, output), flags)
            }

            #[export_name = concat!($prefix, "plan_dft_r2c")]
            pub unsafe extern "C" fn plan_dft_r2c(
                rank: c_int,
                n: *const c_int,
                input: R,
                output: R,
                flags: c_uint,
            ) -> Plan {
                let one = unsafe { list(rank, n) }.map(Many::one);
                LIBRARY.many(Some(What::RealToHalf), one, sides(input, output), flags)
            }

            #[export_name = concat!($prefix, "plan_dft_r2c_1d")]
            pub unsafe extern "C" fn plan_dft_r2c_1d(
                n: c_int,
                input: R,
                output: R,
                flags: c_uint,
            ) -> Plan {
                unsafe { plan_dft_r2c(1, [n].as_ptr(), input, output, flags) }
            }

            #[export_name = concat!($prefix, "plan_dft_r2c_2d")]
            pub unsafe extern "C" fn plan_dft_r2c_2d(
                n0: c_int,
                n1: c_int,
                input: R,
                output: R,
                flags: c_uint,
            ) -> Plan {
                unsafe { plan_dft_r2c(2, [n0, n1].as_ptr(), input, output, flags) }
            }

            #[export_name = concat!($prefix, "plan_dft_r2c_3d")]
            pub unsafe extern "C" fn plan_dft_r2c_3d(
                n0: c_int,
                n1: c_int,
                n2: c_int,
                input: R,
                output: R,
                flags: c_uint,
            ) -> Plan {
                unsafe { plan_dft_r2c(3, [n0, n1, n2].as_ptr(), input, output, flags) }
            }

            #[export_name = concat!($prefix, "plan_guru_dft_r2c")]
            pub unsafe extern "C" fn plan_guru_dft_r2c(
                rank: c_int,
                dims: *const Iodim,
                howmany_rank: c_int,
                howmany_dims: *const Iodim,
                input: R,
                output: R,
                flags: c_uint,
            ) -> Plan {
                let (dims, loops) = ((rank, dims), (howmany_rank, howmany_dims));
                let what = Some(What::RealToHalf);
                unsafe { guru(what, dims, loops, sides(input, output), false, flags) }
            }

            #[export_name = concat!($prefix, "plan_guru64_dft_r2c")]
            pub unsafe extern "C" fn plan_guru64_dft_r2c(
                rank: c_int,
                dims: *const Iodim64,
                howmany_rank: c_int,
                howmany_dims: *const Iodim64,
                input: R,
                output: R,
                flags: c_uint,
            ) -> Plan {
                let (dims, loops) = ((rank, dims), (howmany_rank, howmany_dims));
                let what = Some(What::RealToHalf);
                unsafe { guru(what, dims, loops, sides(input, output), false, flags) }
            }

            #[export_name = concat!($prefix, "plan_guru_split_dft_r2c")]
            pub unsafe extern "C" fn plan_guru_split_dft_r2c(
                rank: c_int,
                dims: *const Iodim,
                howmany_rank: c_int,
                howmany_dims: *const Iodim,
                input: R,
                ro: R,
                io: R,
                flags: c_uint,
            ) -> Plan {
                let (dims, loops) = ((rank, dims), (howmany_rank, howmany_dims));
                let sides = [Side::of(input), Side::split(ro, io)];
                unsafe { guru(Some(What::RealToHalf), dims, loops, sides, true, flags) }
            }

            #[export_name = concat!($prefix, "plan_guru64_split_dft_r2c")]
            pub unsafe extern "C" fn plan_guru64_split_dft_r2c(
                rank: c_int,
                dims: *const Iodim64,
                howmany_rank: c_int,
                howmany_dims: *const Iodim64,
                input: R,
                ro: R,
                io: R,
                flags: c_uint,
            ) -> Plan {
                let (dims, loops) = ((rank, dims), (howmany_rank, howmany_dims));
                let sides = [Side::of(input), Side::split(ro, io)];
                unsafe { guru(Some(What::RealToHalf), dims, loops, sides, true, flags) }
            }

            // Complex to real.

            #[export_name = concat!($prefix, "plan_many_dft_c2r")]
            pub unsafe extern "C" fn plan_many_dft_c2r(
                rank: c_int,
                n: *const c_int,
                howmany: c_int,
                input: R,
                inembed: *const c_int,
                istride: c_int,
                idist: c_int,
                output: R,
                onembed: *const c_int,
                ostride: c_int,
                odist: c_int,
                flags: c_uint,
            ) -> Plan {
                let many = unsafe {
                    Many::new(
                        rank,
                        n,
                        howmany,
                        [inembed, onembed],
                        [istride, ostride],
                        [idist, odist],
                    )
                };
                LIBRARY.many(Some(What::HalfToReal), many, sides(input, output), flags)
            }

            #[export_name = concat!($prefix, "plan_dft_c2r")]
            pub unsafe extern "C" fn plan_dft_c2r(
                rank: c_int,
                n: *const c_int,
                input: R,
                output: R,
                flags: c_uint,
            ) -> Plan {
                let one = unsafe { list(rank, n) }.map(Many::one);
                LIBRARY.many(Some(What::HalfToReal), one, sides(input, output), flags)
            }

            #[export_name = concat!($prefix, "plan_dft_c2r_1d")]
            pub unsafe extern "C" fn plan_dft_c2r_1d(
                n: c_int,
                input: R,
                output: R,
                flags: c_uint,
            ) -> Plan {
                unsafe { plan_dft_c2r(1, [n].as_ptr(), input, output, flags) }
            }

            #[export_name = concat!($prefix, "plan_dft_c2r_2d")]
            pub unsafe extern "C" fn plan_dft_c2r_2d(
                n0: c_int,
                n1: c_int,
                input: R,
                output: R,
                flags: c_uint,
            ) -> Plan {
                unsafe { plan_dft_c2r(2, [n0, n1].as_ptr(), input, output, flags) }
            }

            #[export_name = concat!($prefix, "plan_dft_c2r_3d")]
            pub unsafe extern "C" fn plan_dft_c2r_3d(
                n0: c_int,
                n1: c_int,
                n2: c_int,
                input: R,
                output: R,
                flags: c_uint,
            ) -> Plan {
                unsafe { plan_dft_c2r(3, [n0, n1, n2].as_ptr(), input, output, flags) }
            }

            #[export_name = concat!($prefix, "plan_guru_dft_c2r")]
            pub unsafe extern "C" fn plan_guru_dft_c2r(
                rank: c_int,
                dims: *const Iodim,
                howmany_rank: c_int,
                howmany_dims: *const Iodim,
                input: R,
                output: R,
                flags: c_uint,
            ) -> Plan {
                let (dims, loops) = ((rank, dims), (howmany_rank, howmany_dims));
                let what = Some(What::HalfToReal);
                unsafe { guru(what, dims, loops, sides(input, output), false, flags) }
            }

            #[export_name = concat!($prefix, "plan_guru64_dft_c2r")]
            pub unsafe extern "C" fn plan_guru64_dft_c2r(
                rank: c_int,
                dims: *const Iodim64,
                howmany_rank: c_int,
                howmany_dims: *const Iodim64,
                input: R,
                output: R,
                flags: c_uint,
            ) -> Plan {
                let (dims, loops) = ((rank, dims), (howmany_rank, howmany_dims));
                let what = Some(What::HalfToReal);
                unsafe { guru(what, dims, loops, sides(input, output), false, flags) }
            }

            #[export_name = concat!($prefix, "plan_guru_split_dft_c2r")]
            pub unsafe extern "C" fn plan_guru_split_dft_c2r(
                rank: c_int,
                dims: *const Iodim,
                howmany_rank: c_int,
                howmany_dims: *const Iodim,
                ri: R,
                ii: R,
                output: R,
                flags: c_uint,
            ) -> Plan {
                let (dims, loops) = ((rank, dims), (howmany_rank, howmany_dims));
                let sides = [Side::split(ri, ii), Side::of(output)];
                unsafe { guru(Some(What::HalfToReal), dims, loops, sides, true, flags) }
            }

            #[export_name = concat!($prefix, "plan_guru64_split_dft_c2r")]
            pub unsafe extern "C" fn plan_guru64_split_dft_c2r(
                rank: c_int,
                dims: *const Iodim64,
                howmany_rank: c_int,
                howmany_dims: *const Iodim64,
                ri: R,
                ii: R,
                output: R,
                flags: c_uint,
            ) -> Plan {
                let (dims, loops) = ((rank, dims), (howmany_rank, howmany_dims));
                let sides = [Side::split(ri, ii), Side::of(output)];
                unsafe { guru(Some(What::HalfToReal), dims, loops, sides, true, flags) }
            }

            // Reals to reals.

            #[export_name = concat!($prefix, "plan_many_r2r")]
            pub unsafe extern "C" fn plan_many_r2r(
                rank: c_int,
                n: *const c_int,
                howmany: c_int,
                input: R,
                inembed: *const c_int,
                istride: c_int,
                idist: c_int,
                output: R,
                onembed: *const c_int,
                ostride: c_int,
                odist: c_int,
                kind: *const c_int,
                flags: c_uint,
            ) -> Plan {
                let many = unsafe {
                    Many::new(
                        rank,
                        n,
                        howmany,
                        [inembed, onembed],
                        [istride, ostride],
                        [idist, odist],
                    )
                };
                let what = unsafe { list(rank, kind) }.and_then(What::reals);
                LIBRARY.many(what, many, sides(input, output), flags)
            }

            #[export_name = concat!($prefix, "plan_r2r")]
            pub unsafe extern "C" fn plan_r2r(
                rank: c_int,
                n: *const c_int,
                input: R,
                output: R,
                kind: *const c_int,
                flags: c_uint,
            ) -> Plan {
                let one = unsafe { list(rank, n) }.map(Many::one);
                let what = unsafe { list(rank, kind) }.and_then(What::reals);
                LIBRARY.many(what, one, sides(input, output), flags)
            }

            #[export_name = concat!($prefix, "plan_r2r_1d")]
            pub unsafe extern "C" fn plan_r2r_1d(
                n: c_int,
                input: R,
                output: R,
                kind: c_int,
                flags: c_uint,
            ) -> Plan {
                unsafe { plan_r2r(1, [n].as_ptr(), input, output, [kind].as_ptr(), flags) }
            }

            #[export_name = concat!($prefix, "plan_r2r_2d")]
            pub unsafe extern "C" fn plan_r2r_2d(
                n0: c_int,
                n1: c_int,
                input: R,
                output: R,
                kind0: c_int,
                kind1: c_int,
                flags: c_uint,
            ) -> Plan {
                let (n, kinds) = ([n0, n1], [kind0, kind1]);
                unsafe { plan_r2r(2, n.as_ptr(), input, output, kinds.as_ptr(), flags) }
            }

            #[export_name = concat!($prefix, "plan_r2r_3d")]
            pub unsafe extern "C" fn plan_r2r_3d(
                n0: c_int,
                n1: c_int,
                n2: c_int,
                input: R,
                output: R,
                kind0: c_int,
                kind1: c_int,
                kind2: c_int,
                flags: c_uint,
            ) -> Plan {
                let (n, kinds) = ([n0, n1, n2], [kind0, kind1, kind2]);
                unsafe { plan_r2r(3, n.as_ptr(), input, output, kinds.as_ptr(), flags) }
            }

            #[export_name = concat!($prefix, "plan_guru_r2r")]
            pub unsafe extern "C" fn plan_guru_r2r(
                rank: c_int,
                dims: *const Iodim,
                howmany_rank: c_int,
                howmany_dims: *const Iodim,
                input: R,
                output: R,
                kind: *const c_int,
                flags: c_uint,
            ) -> Plan {
                let (dims, loops) = ((rank, dims), (howmany_rank, howmany_dims));
                let what = unsafe { list(rank, kind) }.and_then(What::reals);
                unsafe { guru(what, dims, loops, sides(input, output), false, flags) }
            }

            #[export_name = concat!($prefix, "plan_guru64_r2r")]
            pub unsafe extern "C" fn plan_guru64_r2r(
                rank: c_int,
                dims: *const Iodim64,
                howmany_rank: c_int,
                howmany_dims: *const Iodim64,
                input: R,
                output: R,
                kind: *const c_int,
                flags: c_uint,
            ) -> Plan {
                let (dims, loops) = ((rank, dims), (howmany_rank, howmany_dims));
                let what = unsafe { list(rank, kind) }.and_then(What::reals);
                unsafe { guru(what, dims, loops, sides(input, output), false, flags) }
            }

            unsafe fn guru<D: Copy + Into<Iodim64>>(
                what: Option<What>,
                dims: (c_int, *const D),
                loops: (c_int, *const D),
                sides: [Side; 2],
                split: bool,
                flags: c_uint,
            ) -> Plan {
                let problem = what
                    .and_then(|what| unsafe { what.guru(LIBRARY.precision, dims, loops, split) });
                LIBRARY.plan(problem, sides, flags)
            }

            // Runs.

            #[export_name = concat!($prefix, "execute")]
            pub unsafe extern "C" fn execute(plan: Plan) {
                unsafe { LIBRARY.execute(plan, None) }
            }

            #[export_name = concat!($prefix, "execute_dft")]
            pub unsafe extern "C" fn execute_dft(plan: Plan, input: R, output: R) {
                unsafe { LIBRARY.execute(plan, Some(sides(input, output))) }
            }

            #[export_name = concat!($prefix, "execute_dft_r2c")]
            pub unsafe extern "C" fn execute_dft_r2c(plan: Plan, input: R, output: R) {
                unsafe { LIBRARY.execute(plan, Some(sides(input, output))) }
            }

            #[export_name = concat!($prefix, "execute_dft_c2r")]
            pub unsafe extern "C" fn execute_dft_c2r(plan: Plan, input: R, output: R) {
                unsafe { LIBRARY.execute(plan, Some(sides(input, output))) }
            }

            #[export_name = concat!($prefix, "execute_r2r")]
            pub unsafe extern "C" fn execute_r2r(plan: Plan, input: R, output: R) {
                unsafe { LIBRARY.execute(plan, Some(sides(input, output))) }
            }

            #[export_name = concat!($prefix, "execute_split_dft")]
            pub unsafe extern "C" fn execute_split_dft(plan: Plan, ri: R, ii: R, ro: R, io: R) {
                let sides = [Side::split(ri, ii), Side::split(ro, io)];
                unsafe { LIBRARY.execute(plan, Some(sides)) }
            }

            #[export_name = concat!($prefix, "execute_split_dft_r2c")]
            pub unsafe extern "C" fn execute_split_dft_r2c(plan: Plan, input: R, ro: R, io: R) {
                let sides = [Side::of(input), Side::split(ro, io)];
                unsafe { LIBRARY.execute(plan, Some(sides)) }
            }

            #[export_name = concat!($prefix, "execute_split_dft_c2r")]
            pub unsafe extern "C" fn execute_split_dft_c2r(plan: Plan, ri: R, ii: R, output: R) {
                let sides = [Side::split(ri, ii), Side::of(output)];
                unsafe { LIBRARY.execute(plan, Some(sides)) }
            }

            // Plans.

            #[export_name = concat!($prefix, "destroy_plan")]
            pub extern "C" fn destroy_plan(plan: Plan) {
                LIBRARY.destroy(plan);
            }

            #[export_name = concat!($prefix, "copy_plan")]
            pub extern "C" fn copy_plan(plan: Plan) -> Plan {
                LIBRARY.copy(plan)
            }

            #[export_name = concat!($prefix, "cleanup")]
            pub extern "C" fn cleanup() {
                LIBRARY.clean_up();
            }

            #[export_name = concat!($prefix, "set_timelimit")]
            pub extern "C" fn set_timelimit(seconds: f64) {
                LIBRARY.set_time_limit(seconds);
            }

            #[export_name = concat!($prefix, "cost")]
            pub extern "C" fn cost(plan: Plan) -> f64 {
                call(0.0, || {
                    LIBRARY.find(plan).map_or(0.0, |plan| plan.bytes_moved())
                })
            }

            #[export_name = concat!($prefix, "estimate_cost")]
            pub extern "C" fn estimate_cost(plan: Plan) -> f64 {
                cost(plan)
            }

            #[export_name = concat!($prefix, "flops")]
            pub unsafe extern "C" fn flops(
                plan: Plan,
                add: *mut f64,
                mul: *mut f64,
                fma: *mut f64,
            ) {
                let of = || LIBRARY.find(plan).map_or([0.0; 2], |plan| plan.flops());
                let [adds, muls] = call([0.0; 2], of);
                for (place, count) in [(add, adds), (mul, muls), (fma, 0.0)] {
                    if !place.is_null() {
                        unsafe { place.write(count) };
                    }
                }
            }

            fn explain(plan: Plan) -> String {
                let of = || LIBRARY.find(plan).map(|plan| plan.explain());
                call(None, of).unwrap_or_default()
            }

            #[export_name = concat!($prefix, "sprint_plan")]
            pub extern "C" fn sprint_plan(plan: Plan) -> *mut c_char {
                memory::text(&explain(plan))
            }

            #[export_name = concat!($prefix, "fprint_plan")]
            pub unsafe extern "C" fn fprint_plan(plan: Plan, file: *mut FILE) {
                unsafe { memory::print(&explain(plan), file) }
            }

            #[export_name = concat!($prefix, "print_plan")]
            pub extern "C" fn print_plan(plan: Plan) {
                memory::print_out(&explain(plan));
            }

            // Threads.

            #[export_name = concat!($prefix, "init_threads")]
            pub extern "C" fn init_threads() -> c_int {
                1
            }

            #[export_name = concat!($prefix, "plan_with_nthreads")]
            pub extern "C" fn plan_with_nthreads(threads: c_int) {
                LIBRARY.set_threads(threads);
            }

            #[export_name = concat!($prefix, "planner_nthreads")]
            pub extern "C" fn planner_nthreads() -> c_int {
                LIBRARY.threads()
            }

            #[export_name = concat!($prefix, "cleanup_threads")]
            pub extern "C" fn cleanup_threads() {
                LIBRARY.clean_up();
            }

            #[export_name = concat!($prefix, "threads_set_callback")]
            pub unsafe extern "C" fn threads_set_callback(
                parallel: Option<ParallelLoop>,
                data: *mut c_void,
            ) {
                LIBRARY.set_loop(parallel, data);
            }

            /// The planner is safe without it.
            #[export_name = concat!($prefix, "make_planner_thread_safe")]
            pub extern "C" fn make_planner_thread_safe() {}

            // Wisdom.

            #[export_name = concat!($prefix, "forget_wisdom")]
            pub extern "C" fn forget_wisdom() {
                LIBRARY.forget();
            }

            #[export_name = concat!($prefix, "export_wisdom")]
            pub unsafe extern "C" fn export_wisdom(
                write: Option<unsafe extern "C" fn(c_char, *mut c_void)>,
                data: *mut c_void,
            ) {
                let text = call(String::new(), || LIBRARY.export());
                if let Some(write) = write {
                    text.bytes()
                        .for_each(|byte| unsafe { write(byte as c_char, data) });
                }
            }

            #[export_name = concat!($prefix, "export_wisdom_to_file")]
            pub unsafe extern "C" fn export_wisdom_to_file(file: *mut FILE) {
                let text = call(String::new(), || LIBRARY.export());
                unsafe { memory::print(&text, file) }
            }

            #[export_name = concat!($prefix, "export_wisdom_to_string")]
            pub extern "C" fn export_wisdom_to_string() -> *mut c_char {
                memory::text(&call(String::new(), || LIBRARY.export()))
            }

            #[export_name = concat!($prefix, "export_wisdom_to_filename")]
            pub unsafe extern "C" fn export_wisdom_to_filename(name: *const c_char) -> c_int {
                unsafe { LIBRARY.export_named(name) }
            }

            #[export_name = concat!($prefix, "import_wisdom")]
            pub unsafe extern "C" fn import_wisdom(
                read: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
                data: *mut c_void,
            ) -> c_int {
                match read {
                    Some(read) => LIBRARY.import(|| u8::try_from(unsafe { read(data) }).ok()),
                    None => 0,
                }
            }

            #[export_name = concat!($prefix, "import_wisdom_from_file")]
            pub unsafe extern "C" fn import_wisdom_from_file(file: *mut FILE) -> c_int {
                unsafe { LIBRARY.import_file(file) }
            }

            #[export_name = concat!($prefix, "import_wisdom_from_string")]
            pub unsafe extern "C" fn import_wisdom_from_string(text: *const c_char) -> c_int {
                unsafe { LIBRARY.import_text(text) }
            }

            #[export_name = concat!($prefix, "import_wisdom_from_filename")]
            pub unsafe extern "C" fn import_wisdom_from_filename(name: *const c_char) -> c_int {
                unsafe { LIBRARY.import_named(name) }
            }

            #[export_name = concat!($prefix, "import_system_wisdom")]
            pub extern "C" fn import_system_wisdom() -> c_int {
                LIBRARY.import_of_system()
            }

            // Memory.

            #[export_name = concat!($prefix, "malloc")]
            pub extern "C" fn malloc(bytes: usize) -> *mut c_void {
                memory::allocate(bytes)
            }

            #[export_name = concat!($prefix, "alloc_real")]
            pub extern "C" fn alloc_real(count: usize) -> R {
                memory::allocate_many(count, size_of::<$real>()).cast()
            }

            #[export_name = concat!($prefix, "alloc_complex")]
            pub extern "C" fn alloc_complex(count: usize) -> R {
                memory::allocate_many(count, 2 * size_of::<$real>()).cast()
            }

            #[export_name = concat!($prefix, "free")]
            pub unsafe extern "C" fn free(memory: *mut c_void) {
                unsafe { libc::free(memory) }
            }

            #[export_name = concat!($prefix, "alignment_of")]
            pub extern "C" fn alignment_of(address: R) -> c_int {
                (address.addr() % memory::COUNTED) as c_int
            }
        }
    };
}
