//! Runs with the wrong buffers: the output keeps every bit.

use crate::check_words;
use half::f16;
use mmafft::{
    Complex, Element, Error, Kind, Layout, Normalization, Planner, Precision, Request, Shape, Slot,
    Transform, KINDS,
};

type C32 = Complex<f32>;

fn build(request: Request) -> Transform {
    let planner = Planner::cpu().expect("the CPU is built");
    planner.build(&request).expect("it can be built")
}

/// Complex numbers whose bits no transform of zeros gives.
fn poison(count: usize) -> Vec<C32> {
    let nan = f32::from_bits(0x7fc1_2345);
    vec![Complex::new(nan, -nan); count]
}

fn bits(data: &[C32]) -> Vec<[u32; 2]> {
    data.iter()
        .map(|x| [x.re.to_bits(), x.im.to_bits()])
        .collect()
}

/// Checks the error, and that the output is as [`poison`] made it.
#[track_caller]
fn untouched(result: mmafft::Result<()>, output: &[C32], expected: Error) {
    let error = result.expect_err("the buffers are wrong");
    check_words(&error);
    assert_eq!(error, expected);
    assert_eq!(bits(output), bits(&poison(output.len())), "{error}");
}

fn too_short(side: Slot, expected: usize, got: usize, unit: &'static str) -> Error {
    Error::BufferTooShort {
        side,
        expected,
        got,
        unit,
    }
}

#[test]
fn short_buffers() {
    let gap = Layout::strided(&[3]).distance(61).offset(2);
    for (request, input, output) in [
        (Request::forward(Shape::d1(16)), 16, 16),
        (Request::forward(Shape::d2(4, 6)).batch(3), 72, 72),
        // 2 + 61 + 15·3 + 1.
        (
            Request::forward(Shape::d1(16)).batch(2).input_layout(gap),
            109,
            32,
        ),
    ] {
        let fft = build(request);
        assert_eq!((fft.input_len(), fft.output_len()), (input, output));
        for got in [0, 1, input - 1] {
            let mut out = poison(output);
            let result = fft.process(&vec![C32::default(); got], &mut out);
            untouched(result, &out, too_short(Slot::Input, input, got, "elements"));
        }
        for got in [0, 1, output - 1] {
            let mut out = poison(got);
            let result = fft.process(&vec![C32::default(); input], &mut out);
            untouched(
                result,
                &out,
                too_short(Slot::Output, output, got, "elements"),
            );
        }
        let mut out = poison(output);
        fft.process(&vec![C32::default(); input], &mut out)
            .expect("the next run is not disturbed");
    }
}

/// Kinds from reals to reals, alone and one for each axis, in place and not.
#[test]
fn short_buffers_of_reals() {
    let kinds = KINDS.iter().map(|row| row.kind);
    let kinds: Vec<Kind> = kinds.filter(|kind| kind.is_real_to_real()).collect();
    for (i, &kind) in kinds.iter().enumerate() {
        let beside = kinds[(i + 3) % kinds.len()];
        let request = Request::of_kind(kind, Shape::d2(4, 6)).batch(2);
        for request in [request.clone(), request.kinds(&[beside, kind])] {
            let fft = build(request);
            assert_eq!((fft.input_len(), fft.output_len()), (48, 48));
            for got in [0, 1, 47] {
                let mut out = poison(24);
                let reals: &mut [f32] = bytemuck::cast_slice_mut(&mut out);
                let result = fft.process(&vec![0.0f32; got], reals);
                untouched(result, &out, too_short(Slot::Input, 48, got, "elements"));
                let mut out = poison(24);
                let reals: &mut [f32] = bytemuck::cast_slice_mut(&mut out);
                let result = fft.process(&[0.0f32; 48], &mut reals[..got]);
                untouched(result, &out, too_short(Slot::Output, 48, got, "elements"));
                let reals: &mut [f32] = bytemuck::cast_slice_mut(&mut out);
                let result = fft.process_in_place(&mut reals[..got]);
                untouched(result, &out, too_short(Slot::Input, 48, got, "elements"));
            }
            let mut out = poison(24);
            let expected = Error::ElementType {
                side: Slot::Input,
                expected: "f32",
                got: "f64",
                instead: "set the request\'s .precision(…) to f64 for these",
            };
            let reals: &mut [f32] = bytemuck::cast_slice_mut(&mut out);
            let result = fft.process(&[0.0f64; 48], reals);
            untouched(result, &out, expected);
        }
    }
}

#[test]
fn short_buffers_in_place() {
    let fft = build(Request::forward(Shape::d2(4, 6)).batch(3));
    for got in [0, 1, 71] {
        let mut data = poison(got);
        let result = fft.process_in_place(&mut data);
        untouched(result, &data, too_short(Slot::Input, 72, got, "elements"));
    }
    // Padded rows: 4 of 2·4 reals, in one number for both sides.
    let real = build(Request::r2c(Shape::d2(4, 6)).in_place());
    assert_eq!((real.input_len(), real.output_len()), (32, 16));
    for got in [0, 15] {
        let mut data = poison(got);
        let result = real.process_in_place(&mut data);
        untouched(result, &data, too_short(Slot::Output, 16, got, "elements"));
    }
    let mut data = vec![0.0f32; 31];
    let error = real.process_in_place(&mut data).expect_err("too short");
    assert_eq!(error, too_short(Slot::Input, 32, 31, "elements"));
    assert_eq!(
        build(Request::r2c(Shape::d2(4, 4)).in_place()).input_len(),
        24
    );
}

#[test]
fn short_scratch() {
    // Edge points of a half spectrum want scratch, and so does the CPU's own workspace.
    let fft = build(Request::c2r(Shape::d2(24, 40)));
    let needed = fft.scratch_bytes();
    assert!(needed > 0);
    let input = vec![C32::default(); fft.input_len()];
    for got in [0, 1, needed - 1] {
        let mut out = poison(fft.output_len() / 2);
        let reals: &mut [f32] = bytemuck::cast_slice_mut(&mut out);
        let result = fft.process_with_scratch(&input, reals, &mut vec![0; got]);
        untouched(result, &out, too_short(Slot::Scratch, needed, got, "bytes"));
    }
}

#[test]
fn wrong_elements() {
    fn on_input<T: Element>(fft: &Transform) {
        let mut out = poison(16);
        let result = fft.process(&[T::default(); 16], &mut out);
        let expected = Error::ElementType {
            side: Slot::Input,
            expected: "Complex<f32>",
            got: T::NAME,
            instead: match T::SCALAR {
                mmafft::ScalarType::F64 => "set the request\'s .precision(…) to f64 for these",
                mmafft::ScalarType::F16 => "set the request\'s .precision(…) to f16 for these",
                _ => "the request's kind says whether a side is real or complex",
            },
        };
        untouched(result, &out, expected.clone());
        // The same of a buffer on the device.
        let buffer = fft.upload(&[T::default(); 16]).expect("memory");
        let mut out = fft.upload(&poison(16)).expect("memory");
        let result = fft.run(&buffer, &mut out);
        let after: Vec<C32> = fft.download(&out).expect("the right type");
        untouched(result, &after, expected);
    }
    let fft = build(Request::forward(Shape::d1(16)));
    on_input::<f32>(&fft);
    on_input::<f64>(&fft);
    on_input::<Complex<f64>>(&fft);
    on_input::<Complex<f16>>(&fft);

    let mut data = vec![Complex::new(7.0f64, 7.0); 16];
    let error = fft.process_in_place(&mut data).expect_err("f64");
    let of = |side| Error::ElementType {
        side,
        expected: "Complex<f32>",
        got: "Complex<f64>",
        instead: "set the request\'s .precision(…) to f64 for these",
    };
    assert_eq!(error, of(Slot::Input));
    assert_eq!(data, vec![Complex::new(7.0, 7.0); 16]);
    let error = fft.process(&poison(16), &mut data).expect_err("f64");
    assert_eq!(error, of(Slot::Output));
    assert_eq!(data, vec![Complex::new(7.0, 7.0); 16]);
    let buffer = fft.upload(&poison(16)).expect("memory");
    let error = fft
        .download::<f16>(&buffer)
        .expect_err("it is Complex<f32>");
    check_words(&error);
    assert!(matches!(error, Error::ElementType { .. }), "{error:?}");
}

#[test]
fn in_place_where_it_cannot_be() {
    let transposed = Request::forward(Shape::d2(4, 8)).output_layout(Layout::strided(&[1, 4]));
    let real = Request::r2c(Shape::d1(8));
    let rows = Request::r2c(Shape::d2(4, 8));
    for (request, word) in [
        (transposed, "different layouts"),
        (real, "in_place()"),
        (rows, "in_place()"),
        (
            Request::c2r(Shape::d1(8)).precision(Precision::SplitF16),
            "in_place()",
        ),
    ] {
        let fft = build(request);
        let mut data = poison(64);
        let error = fft.process_in_place(&mut data).expect_err("not in place");
        let Error::NotInPlace { reason } = &error else {
            panic!("{error:?}")
        };
        assert!(reason.contains(word), "{reason}");
        untouched(Err(error.clone()), &data, error);
        let mut buffer = fft.upload(&poison(64)).expect("memory");
        let error = fft.run_in_place(&mut buffer).expect_err("not in place");
        let after: Vec<C32> = fft.download(&buffer).expect("the right type");
        untouched(Err(error.clone()), &after, error);
    }
}

/// A C2R of several axes that was planned in place overwrites its input.
#[test]
fn two_buffers_for_a_plan_in_place() {
    let fft = build(Request::c2r(Shape::d2(4, 6)).in_place());
    let mut out = poison(16);
    let reals: &mut [f32] = bytemuck::cast_slice_mut(&mut out);
    let error = fft
        .process(&[C32::default(); 16], reals)
        .expect_err("two buffers");
    assert!(matches!(error, Error::Unsupported { .. }), "{error:?}");
    untouched(Err(error.clone()), &out, error);
}

/// A buffer is used again, and is one of the output's elements after a run in place.
#[test]
fn buffers_are_refilled_and_change_their_type() {
    let planner = Planner::cpu().expect("the CPU is built");
    let request = Request::r2c(Shape::d1(6)).in_place();
    let fft = planner.build(&request).expect("a plan");
    let mut buffer = fft.upload(&[0.0f32; 8]).expect("memory");
    let line = [1.0f32, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0];
    fft.upload_into(&line, &mut buffer).expect("as many");
    let short = fft.upload_into(&line[..7], &mut buffer);
    let short = short.expect_err("one less");
    check_words(&short);
    let wanted = Error::BufferLength {
        side: Slot::Input,
        expected: 8,
        got: 7,
    };
    assert_eq!(short, wanted);
    fft.run_in_place(&mut buffer).expect("it runs");
    assert_eq!(buffer.len(), 4);
    let mut spectrum = [Complex::new(0.0f32, 0.0); 4];
    fft.download_into(&buffer, &mut spectrum).expect("complex");
    assert!((spectrum[0].re - 6.0).abs() < 1e-5 && spectrum[1].norm() < 1e-5);
    let reals = fft.download::<f32>(&buffer).expect_err("complex");
    assert!(matches!(reals, Error::ElementType { .. }), "{reals:?}");
}

/// Each axis is scaled by whether its own kind is forward or inverse, in whatever order they are listed.
#[test]
fn norms_of_several_kinds_are_those_of_their_axes() {
    let planner = Planner::cpu().expect("the CPU is built");
    let input: Vec<f64> = (0..24).map(|i| f64::from(i * i % 7)).collect();
    let run = |axes: &[usize], kinds: &[Kind], normalization| {
        let request = Request::of_kind(Kind::Dct2, Shape::d2(4, 6))
            .axes(axes)
            .kinds(kinds)
            .precision(Precision::F64)
            .normalization(normalization);
        let fft = planner.build(&request).expect("a plan");
        let mut output = vec![0.0f64; 24];
        fft.process(&input, &mut output).expect("it runs");
        output
    };
    let [dct2, hc2r] = [Kind::Dct2, Kind::HC2R];
    let plain = run(&[0, 1], &[dct2, hc2r], Normalization::None);
    for (normalization, divided) in [
        (Normalization::Backward, 6.0),
        (Normalization::Forward, 8.0),
        (Normalization::None, 1.0),
    ] {
        let one = run(&[0, 1], &[dct2, hc2r], normalization);
        let other = run(&[1, 0], &[hc2r, dct2], normalization);
        for ((x, y), plain) in one.iter().zip(&other).zip(&plain) {
            assert!((x - y).abs() < 1e-12 && (x * divided - plain).abs() < 1e-11);
        }
    }
}

/// More elements than the plan has is a mistake, unless a layout says where they lie.
#[test]
fn long_buffers() {
    let fft = build(Request::forward(Shape::d1(16)));
    let mut out = poison(17);
    let result = fft.process(&poison(16), &mut out);
    let too_long = |side, expected, got| Error::BufferTooLong {
        side,
        expected,
        got,
    };
    untouched(result, &out, too_long(Slot::Output, 16, 17));
    let mut out = poison(16);
    let result = fft.process(&poison(32), &mut out);
    untouched(result, &out, too_long(Slot::Input, 16, 32));
    let mut data = poison(20);
    let result = fft.process_in_place(&mut data);
    untouched(result, &data, too_long(Slot::Input, 16, 20));
    // Rows of a wider array: what lies behind the last one is the caller's.
    let rows = Layout::strided(&[8, 1]);
    let request = Request::forward(Shape::d2(4, 6)).input_layout(rows.clone());
    let fft = build(request.output_layout(rows));
    assert_eq!(fft.input_len(), 30);
    fft.process(&poison(32), &mut poison(32)).expect("it runs");
}
