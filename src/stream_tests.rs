use crate::{AnyBackend, Complex, Kind, Planner, Precision, Request, Shape, Slot};
use mmafft_backend_traits::Buffer as _;

/// The backends that are on every machine.
fn planners() -> Vec<Planner> {
    let names = ["cpu", "emulated-nvidia", "emulated-amd"];
    let built = names.iter().map(|name| AnyBackend::from_name(name));
    built.filter_map(Result::ok).map(Planner::on).collect()
}

fn numbers(count: usize, seed: usize) -> Vec<f32> {
    let number = |i: usize| ((i * 2_654_435_761 + seed) % 1000) as f32 / 500.0 - 1.0;
    (0..count).map(number).collect()
}

fn address<T>(data: &[T]) -> u64 {
    data.as_ptr() as usize as u64
}

#[test]
fn one_transform_runs_on_several_streams_at_once() {
    for planner in planners() {
        // Two passes with scratch between them.
        let request = Request::forward(Shape::d2(96, 80)).batch(2);
        let fft = planner.build(&request).unwrap();
        let work = |seed: usize| {
            let stream = planner.stream().unwrap();
            let data = numbers(2 * fft.input_len(), seed);
            let data: &[Complex<f32>] = bytemuck::cast_slice(&data);
            let input = fft.upload(data).unwrap();
            let mut output = fft.allocate_output().unwrap();
            let mut expected = vec![Complex::default(); data.len()];
            fft.process(data, &mut expected).unwrap();
            for _ in 0..3 {
                fft.run_on(&stream, &input, &mut output).unwrap();
            }
            stream.synchronize().unwrap();
            assert_eq!(fft.download::<Complex<f32>>(&output).unwrap(), expected);
            let mut both = fft.upload(data).unwrap();
            fft.run_in_place_on(&stream, &mut both).unwrap();
            stream.synchronize().unwrap();
            assert_eq!(fft.download::<Complex<f32>>(&both).unwrap(), expected);
        };
        std::thread::scope(|scope| {
            for seed in 0..3 {
                scope.spawn(move || work(seed));
            }
        });
    }
}

#[test]
fn memory_of_others_is_used_where_it_is() {
    for planner in planners() {
        for n in [12, 100, 4096] {
            let fft = planner.build(&Request::r2c(Shape::d1(n)).batch(3)).unwrap();
            let data = numbers(fft.input_len(), n);
            let mut spectrum = vec![Complex::<f32>::default(); fft.output_len()];
            let mut expected = spectrum.clone();
            fft.process(&data, &mut expected).unwrap();
            let bytes = [size_of_val(&data[..]), size_of_val(&spectrum[..])];
            // SAFETY: both outlive the run, and only it uses them.
            let (input, mut output) = unsafe {
                (
                    fft.buffer_from_raw(Slot::Input, address(&data), bytes[0])
                        .unwrap(),
                    fft.buffer_from_raw(Slot::Output, spectrum.as_mut_ptr() as u64, bytes[1])
                        .unwrap(),
                )
            };
            assert_eq!((input.len(), output.len()), (data.len(), spectrum.len()));
            fft.run(&input, &mut output).unwrap();
            assert_eq!(spectrum, expected);
            assert_eq!(fft.download::<Complex<f32>>(&output).unwrap(), expected);
        }
    }
}

/// No run reads behind the last element that is not known to be zero, which is where memory ends.
#[test]
fn padding_needs_no_memory() {
    for planner in planners() {
        for (n, there) in [
            (16, 5),
            (64, 33),
            (100, 7),
            (1000, 999),
            (4096, 1001),
            (17, 3),
        ] {
            for kind in [Kind::C2C, Kind::R2C, Kind::C2R, Kind::Dct2, Kind::Dst3] {
                for precision in [Precision::F32, Precision::F64] {
                    let kept = there.min(kind.lengths(n)[0] - 1);
                    let request = Request::of_kind(kind, Shape::d1(n)).batch(2);
                    let request = request.precision(precision).nonzero_input(0, 0..kept);
                    let fft = planner.build(&request).unwrap();
                    check_padded(&fft, precision.row().storage.bytes());
                }
            }
        }
    }
}

fn check_padded(fft: &crate::Transform, scalar: usize) {
    let row = fft.plan().request.kind.row();
    let whole = vec![0u8; fft.input_len() * row.input.scalars() * scalar];
    let mut output = vec![1u8; fft.output_len() * row.output.scalars() * scalar];
    let there = fft.plan().read_scalars() * scalar;
    assert!(there < whole.len());
    // SAFETY: both outlive the run, and only it uses them.
    let (input, mut spectrum) = unsafe {
        (
            fft.buffer_from_raw(Slot::Input, address(&whole), there)
                .unwrap(),
            fft.buffer_from_raw(Slot::Output, output.as_mut_ptr() as u64, output.len())
                .unwrap(),
        )
    };
    fft.run(&input, &mut spectrum).unwrap();
    assert!(output.iter().all(|&byte| byte == 0 || byte == 0x80));
    // SAFETY: as above.
    let short = unsafe { fft.buffer_from_raw(Slot::Input, address(&whole), there - scalar) };
    let error = fft.run(&short.unwrap(), &mut spectrum).unwrap_err();
    assert!(error.to_string().contains("too short") || error.to_string().contains("has"));
}

#[test]
fn scratch_that_is_lent_is_used() {
    for planner in planners() {
        let request = Request::forward(Shape::d2(96, 80)).scratch_limit(usize::MAX);
        let fft = planner.build(&request).unwrap();
        let data = vec![Complex::new(1.0f32, 0.0); fft.input_len()];
        let mut memory = vec![0u8; fft.scratch_bytes().max(1)];
        // SAFETY: it outlives the stream.
        let scratch = unsafe {
            let (address, bytes) = (memory.as_mut_ptr() as u64, memory.len());
            fft.buffer_from_raw(Slot::Scratch, address, bytes).unwrap()
        };
        let stream = planner.stream().unwrap().lend(scratch);
        let mut buffer = fft.upload(&data).unwrap();
        fft.run_in_place_on(&stream, &mut buffer).unwrap();
        assert!(stream.scratch.lock().unwrap().is_empty());
        // One that is too small is left alone.
        let larger = planner.build(&request.batch(8)).unwrap();
        let mut output = larger.allocate_output().unwrap();
        let input = larger.upload(&vec![Complex::<f32>::default(); larger.input_len()]);
        larger
            .run_on(&stream, &input.unwrap(), &mut output)
            .unwrap();
        assert!(stream.lent.lock().unwrap().is_some());
        // SAFETY: what runs is done when its call returns.
        let back = unsafe { stream.take_back() };
        assert_eq!(back.unwrap().memory.bytes(), memory.len());
        // The library's own outlives streams.
        let own = planner
            .allocate_scratch(fft.scratch_bytes().max(1))
            .unwrap();
        let stream = planner.stream().unwrap().lend(own);
        fft.run_in_place_on(&stream, &mut buffer).unwrap();
        assert!(stream.scratch.lock().unwrap().is_empty());
        // SAFETY: as above.
        let own = unsafe { [stream.take_back(), stream.take_back()] };
        assert!(own[0].is_some() && own[1].is_none());
    }
}

#[test]
fn what_is_not_there_is_an_error() {
    let fft = |planner: &Planner| planner.build(&Request::forward(Shape::d1(8))).unwrap();
    for planner in planners() {
        // SAFETY: no memory is used.
        let null = unsafe { fft(&planner).buffer_from_raw(Slot::Input, 0, 64) };
        assert!(null.unwrap_err().to_string().contains("0x0"));
        // SAFETY: nothing runs on it.
        let theirs = unsafe { planner.stream_from_raw(1) };
        assert_eq!(theirs.is_err(), planner.limits().backend == "cpu");
        for other in planners() {
            let stream = other.stream().unwrap();
            let mut data = fft(&planner).allocate_output().unwrap();
            let ran = fft(&planner).run_in_place_on(&stream, &mut data);
            let host = |p: &Planner| p.limits().backend == "cpu";
            assert_eq!(ran.is_ok(), host(&planner) == host(&other));
        }
    }
}
