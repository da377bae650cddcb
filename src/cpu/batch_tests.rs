use super::super::line_price::radices;
use super::super::shared_vectors::SharedVectors;
use super::*;
use crate::transform::Planner;
use mmafft_backend_traits::{Kind, Layout, Request, Shape};

/// Lines of so many points in every way that has several at once.
fn ways<T: Real + Storage<Compute = T>>(
    points: usize,
    inverse: bool,
    middle: Middle,
) -> Vec<Box<dyn Lines<T>>> {
    let radices = radices(points).expect("it has some");
    let batch: Box<dyn Lines<T>> = Box::new(Batch::new(&radices, inverse));
    let shared = [2, 4].into_iter().filter_map(|lines| {
        let lines = SharedVectors::new(lines, points, inverse, middle)?;
        Some(Box::new(lines) as Box<_>)
    });
    [batch].into_iter().chain(shared).collect()
}

/// A line by itself has the bits that it has in a whole vector of lines.
fn alone_as_in_a_batch<T: Real + Storage<Compute = T>>(inverse: bool) {
    let (mut tried, mut pairs, mut fours) = (0, 0, 0);
    let lengths = (33..1100).filter_map(|n| radices(n).map(|_| n));
    let all = lengths.flat_map(|n| ways::<T>(n, inverse, Middle::Plain));
    for batch in all {
        let points = batch.length();
        let zero = Complex::new(T::zero(), T::zero());
        let mut scratch = vec![zero; batch.scratch()];
        let number = |i: usize| T::rounded((i * 7919 % 1013) as f64 / 1013.0 - 0.5);
        let points_of = |i: usize| Complex::new(number(i), number(3 * i + 1));
        let mut lines: Vec<_> = (0..batch.together() * points).map(points_of).collect();
        let mut alone = lines[..points].to_vec();
        batch.process(&mut lines, &mut scratch);
        batch.process(&mut alone, &mut scratch);
        assert!(alone == lines[..points], "{points} points");
        // One line fewer than twice as many, so that each number of lines is left: each as by itself.
        let count = 2 * batch.together() - 1;
        let mut some: Vec<_> = (0..count * points).map(points_of).collect();
        let singly = some.clone();
        batch.process(&mut some, &mut scratch);
        for (all, alone) in some.chunks_exact(points).zip(singly.chunks_exact(points)) {
            let mut alone = alone.to_vec();
            batch.process(&mut alone, &mut scratch);
            assert!(alone == all, "{points} points, of {count} lines");
        }
        tried += 1;
        pairs += usize::from(batch.together() == 2);
        fours += usize::from(batch.together() == 4);
    }
    assert!(tried > 300);
    // Vectors of four lanes and more have them.
    let lanes = T::vector_bytes() / size_of::<T>();
    assert!(pairs > 50 || lanes < 4, "{pairs} ways by pairs");
    assert!(fours > 100 || lanes < 16, "{fours} ways by four lines");
}

/// Whether all bits are the same, of what is no number too.
fn same<T: Real>(a: &[Complex<T>], b: &[Complex<T>]) -> bool {
    bytemuck::cast_slice::<_, u8>(a) == bytemuck::cast_slice::<_, u8>(b)
}

/// Half spectra and reals of a line by itself are those of a whole vector of lines, and right.
fn reals_alone_as_in_a_batch<T: Real + Storage<Compute = T> + Into<f64>>(bound: f64) {
    let mut tried = 0;
    let lengths = (33..1100).filter(|&n| radices(n).is_some());
    let all = lengths.flat_map(|n| {
        let forward = ways::<T>(n, false, Middle::Split).into_iter();
        forward.zip(ways::<T>(n, true, Middle::Merge))
    });
    for (forward, back) in all {
        let points = forward.length();
        let half = HalfSpectrum::new(2 * points);
        let number = |i: usize| T::rounded((i * 7919 % 1013) as f64 / 1013.0 - 0.5);
        let zero = Complex::new(T::zero(), T::zero());
        let mut scratch = vec![
            zero;
            forward
                .real_scratch(forward.together())
                .max(back.real_scratch(forward.together()))
        ];
        let count = forward.together();
        let reals: Vec<_> = (0..count * points)
            .map(|i| Complex::new(number(2 * i), number(2 * i + 1)))
            .collect();
        let mut run =
            |batch: &dyn Lines<T>, middle, from: &[Complex<T>], apart: [usize; 2], lines| {
                let mut to = vec![zero; lines * apart[1]];
                let ends = [
                    (from.as_ptr().cast_mut(), apart[0]),
                    (to.as_mut_ptr(), apart[1]),
                ];
                let ends = ends.map(|(first, apart)| LinesAt { first, apart });
                let factor = T::rounded(0.7);
                // SAFETY: these lines are in the vectors, and the first is only read.
                unsafe { batch.run_real(&half, middle, ends, lines, factor, &mut scratch) };
                to
            };
        let strides = [points, points + 1];
        let spectra = run(&*forward, Middle::Split, &reals, strides, count);
        for lines in 1..=count.min(8) {
            let some = run(&*forward, Middle::Split, &reals, strides, lines);
            let all = &spectra[..some.len()];
            assert!(same(&some, all), "{points} points, {lines} lines");
        }
        let strides = [points + 1, points];
        let again = run(&*back, Middle::Merge, &spectra, strides, count);
        for lines in 1..=count.min(8) {
            let some = run(&*back, Middle::Merge, &spectra, strides, lines);
            let all = &again[..some.len()];
            assert!(same(&some, all), "{points} points, {lines} lines");
        }
        // Zeros have signs.
        for value in [T::one(), T::zero()] {
            let line = vec![Complex::new(value, value); count * (points + 1)];
            for (batch, middle, apart) in [
                (&*forward, Middle::Split, [points, points + 1]),
                (&*back, Middle::Merge, [points + 1, points]),
            ] {
                let all = run(batch, middle, &line, apart, count);
                let alone = run(batch, middle, &line, apart, 1);
                assert!(same(&alone, &all[..apart[1]]), "{points} points, {value:?}");
            }
        }
        let factor = T::rounded(1.0 / (0.98 * points as f64));
        for (x, y) in reals.iter().zip(&again) {
            let error: f64 = (*x - *y * factor).norm_sqr().into();
            assert!(error < bound * bound, "{points} points: {error}");
        }
        // A constant has its sum in the first point.
        let ones = vec![Complex::new(T::one(), T::one()); count * points];
        let spectra = run(&*forward, Middle::Split, &ones, [points, points + 1], count);
        for (i, x) in spectra.iter().enumerate() {
            let sum = if i % (points + 1) == 0 {
                1.4 * points as f64
            } else {
                0.0
            };
            let error: f64 = (*x - Complex::from(T::rounded(sum))).norm_sqr().into();
            let error = error.sqrt();
            assert!(
                error < 4.0 * bound * points as f64,
                "{points} points: {error}"
            );
        }
        tried += 1;
    }
    assert!(tried > 300);
}

#[test]
fn reals_alone_have_the_bits_of_a_batch() {
    reals_alone_as_in_a_batch::<f32>(2e-6);
    reals_alone_as_in_a_batch::<f64>(4e-15);
}

#[test]
fn lines_alone_have_the_bits_of_a_batch() {
    for inverse in [false, true] {
        alone_as_in_a_batch::<f32>(inverse);
        alone_as_in_a_batch::<f64>(inverse);
    }
}

/// Frames of a signal that begin anywhere, half spectra with gaps, and a line by itself have the same bits.
#[test]
fn frames_have_the_bits_of_a_line() {
    let planner = Planner::cpu().expect("the CPU");
    for (points, apart) in [(1024, 441), (1000, 333), (96, 37), (210, 105)] {
        let half = points / 2 + 1;
        let number = |i: usize| (i * 7919 % 1013) as f32 / 1013.0 - 0.5;
        let signal: Vec<f32> = (0..7 * apart + points).map(number).collect();
        let frames = Request::r2c(Shape::d1(points)).batch(8);
        let frames = frames.input_layout(Layout::contiguous().distance(apart));
        let mut all = vec![Complex::new(0f32, 0.0); 8 * half];
        let fft = planner.build(&frames).expect("a plan");
        fft.process(&signal, &mut all).expect("a run");
        let line = planner.build(&Request::r2c(Shape::d1(points)));
        let line = line.expect("a plan");
        for (frame, spectrum) in all.chunks_exact(half).enumerate() {
            let mut alone = vec![Complex::new(0f32, 0.0); half];
            let own = &signal[frame * apart..][..points];
            line.process(own, &mut alone).expect("a run");
            assert!(same(spectrum, &alone), "{points} points, frame {frame}");
        }
        let back = Request::c2r(Shape::d1(points)).batch(8);
        let reals = Layout::contiguous().distance(points + 1);
        let back = planner.build(&back.output_layout(reals)).expect("a plan");
        let mut gaps = vec![0f32; 8 * (points + 1)];
        back.process(&all, &mut gaps).expect("a run");
        let line = planner.build(&Request::c2r(Shape::d1(points)));
        let line = line.expect("a plan");
        for (spectrum, reals) in all.chunks_exact(half).zip(gaps.chunks_exact(points + 1)) {
            let mut alone = vec![0f32; points];
            line.process(spectrum, &mut alone).expect("a run");
            assert!(alone == reals[..points], "{points} points");
        }
    }
}

/// Lines of one butterfly have none to take those that fill no vector.
#[test]
fn reals_of_one_radix() {
    for (radix, kind) in (2..=32).flat_map(|n| [(n, Kind::R2C), (n, Kind::C2R)]) {
        for lines in [1, 5, 40] {
            let request = Request::of_kind(kind, Shape::d1(2 * radix));
            let planner = Planner::cpu().expect("the CPU");
            let Ok(fft) = planner.build(&request.radices(&[radix]).batch(lines)) else {
                continue;
            };
            let mut half = vec![Complex::new(1f32, 0.0); lines * (radix + 1)];
            let mut reals = vec![1f32; lines * 2 * radix];
            match kind {
                Kind::R2C => fft.process(&reals, &mut half),
                _ => fft.process(&half, &mut reals),
            }
            .expect("a run");
            let first = if kind == Kind::R2C {
                half[0].re
            } else {
                reals[0]
            };
            assert!(
                (first - 2.0 * radix as f32).abs() < 1e-4,
                "{radix}: {first}"
            );
        }
    }
}
