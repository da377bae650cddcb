//! Results, compared with the definitions in FFTW's manual.

use super::*;

pub fn complex_transforms_match_the_definition<T: Number>(fftw: &Fftw<T>) {
    for (shape, rank) in [
        ([1, 1, 1], 1),
        ([1, 1, 60], 1),
        ([1, 5, 7], 2),
        ([3, 4, 5], 3),
    ] {
        let n = shape.iter().product();
        let dims = Dims::new(&shape[3 - rank..]);
        for direction in [Direction::Forward, Direction::Backward] {
            let signal = complex_signal::<T>(n);
            let expected = naive(shape, direction as i32 as f64, &signal);

            let plan = fftw
                .plan_many_dft(&dims, direction, &Options::default())
                .unwrap();
            let mut input = fftw.alloc(n);
            let mut output = fftw.alloc(n);
            input.copy_from_slice(&signal);
            plan.execute(&mut input, &mut output);
            assert_close(&output, &expected);
            assert_eq!(&input[..], &signal, "the input is kept");

            let plan = fftw.plan_many_dft(&dims, direction, &IN_PLACE).unwrap();
            plan.execute_in_place(&mut input);
            assert_close(&input, &expected);
        }
    }
}

pub fn batches_may_interleave<T: Number>(fftw: &Fftw<T>) {
    let (n, howmany) = (12, 3);
    let dims = Dims::new(&[n]).howmany(howmany).input(howmany, 1);
    let plan = fftw
        .plan_many_dft(&dims, Direction::Forward, &ESTIMATE)
        .unwrap();
    let mut input = fftw.alloc(plan.input_len());
    let mut output = fftw.alloc(plan.output_len());
    assert_eq!((input.len(), output.len()), (36, 36));
    input.copy_from_slice(&complex_signal::<T>(36));
    plan.execute(&mut input, &mut output);
    for (first, output) in output.chunks_exact(n).enumerate() {
        let column: Vec<_> = input[first..].iter().step_by(howmany).copied().collect();
        assert_close(output, &naive([1, 1, n], -1.0, &column));
    }
}

pub fn real_transforms_match_the_definition<T: Number>(fftw: &Fftw<T>) {
    for (shape, rank) in [([1, 1, 9], 1), ([1, 4, 6], 2), ([2, 3, 5], 3)] {
        let n: usize = shape.iter().product();
        let dims = Dims::new(&shape[3 - rank..]).howmany(2);
        let forward = fftw.plan_many_dft_r2c(&dims, &ESTIMATE).unwrap();
        let backward = fftw.plan_many_dft_c2r(&dims, &ESTIMATE).unwrap();
        let mut input = fftw.alloc(forward.input_len());
        let mut spectrum = fftw.alloc(forward.output_len());
        let mut output = fftw.alloc(backward.output_len());
        input.copy_from_slice(&signal::<T>(2 * n));
        forward.execute(&mut input, &mut spectrum);

        let zero = T::default();
        let complex: Vec<_> = input.iter().map(|&x| Complex::new(x, zero)).collect();
        let half = shape[2] / 2 + 1;
        let full: Vec<_> = complex
            .chunks(n)
            .flat_map(|x| naive(shape, -1.0, x))
            .collect();
        let rows = full.chunks(shape[2]);
        let expected: Vec<_> = rows.flat_map(|row| row[..half].to_vec()).collect();
        assert_close(&spectrum, &expected);

        backward.execute(&mut spectrum, &mut output);
        assert_real_close(&output, input.iter().map(|&x| x.into() * n as f64));
    }
}

pub fn real_transforms_work_in_place<T: Number>(fftw: &Fftw<T>) {
    let (rows, columns, half) = (4, 5, 3);
    let dims = Dims::new(&[rows, columns]);
    let forward = fftw.plan_many_dft_r2c(&dims, &IN_PLACE).unwrap();
    let backward = fftw.plan_many_dft_c2r(&dims, &IN_PLACE).unwrap();
    assert_eq!(forward.in_place_len(), rows * half);
    assert_eq!(backward.in_place_len(), rows * half);
    // Rows of five real numbers and one unused.
    let mut original = complex_signal::<T>(rows * half);
    original
        .chunks_mut(half)
        .for_each(|row| row[2].im = T::default());
    let mut data = fftw.alloc(rows * half);
    data.copy_from_slice(&original);
    forward.execute_in_place(&mut data);
    backward.execute_in_place(&mut data);
    data.chunks_mut(half)
        .for_each(|row| row[2].im = T::default());
    let scale = (rows * columns) as f64;
    let expected: Vec<_> = original.iter().map(|&x| wide(x) * scale).collect();
    assert_close(&data, &expected);
}

pub fn cosine_and_sine_transforms_match_the_definition<T: Number>(fftw: &Fftw<T>) {
    use R2rKind::*;
    let n = 10;
    // The definitions of the manual, as the coefficient of input j in output k.
    type Coefficient = fn(f64, f64, f64) -> f64;
    let kinds: [(R2rKind, Coefficient); 11] = [
        (RealToHalfcomplex, |j, k, n| {
            let angle = 2.0 * PI * j * k / n;
            if k <= n / 2.0 {
                angle.cos()
            } else {
                angle.sin()
            }
        }),
        (HalfcomplexToReal, |j, k, n| {
            let angle = 2.0 * PI * j * k / n;
            let weight = if j == 0.0 || j == n / 2.0 { 1.0 } else { 2.0 };
            weight
                * if j <= n / 2.0 {
                    angle.cos()
                } else {
                    angle.sin()
                }
        }),
        (Dht, |j, k, n| {
            let angle = 2.0 * PI * j * k / n;
            angle.cos() + angle.sin()
        }),
        (Dct1, |j, k, n| {
            let weight = if j == 0.0 || j == n - 1.0 { 1.0 } else { 2.0 };
            weight * (PI * j * k / (n - 1.0)).cos()
        }),
        (Dct2, |j, k, n| 2.0 * (PI * (j + 0.5) * k / n).cos()),
        (Dct3, |j, k, n| {
            let weight = if j == 0.0 { 1.0 } else { 2.0 };
            weight * (PI * j * (k + 0.5) / n).cos()
        }),
        (Dct4, |j, k, n| 2.0 * (PI * (j + 0.5) * (k + 0.5) / n).cos()),
        (Dst1, |j, k, n| {
            2.0 * (PI * (j + 1.0) * (k + 1.0) / (n + 1.0)).sin()
        }),
        (Dst2, |j, k, n| 2.0 * (PI * (j + 0.5) * (k + 1.0) / n).sin()),
        (Dst3, |j, k, n| {
            let weight = if j == n - 1.0 { 1.0 } else { 2.0 };
            weight * (PI * (j + 1.0) * (k + 0.5) / n).sin()
        }),
        (Dst4, |j, k, n| 2.0 * (PI * (j + 0.5) * (k + 0.5) / n).sin()),
    ];
    for (kind, coefficient) in kinds {
        let plan = fftw
            .plan_many_r2r(&Dims::new(&[n]), &[kind], &ESTIMATE)
            .unwrap();
        let mut input = fftw.alloc(n);
        let mut output = fftw.alloc(n);
        input.copy_from_slice(&signal::<T>(n));
        plan.execute(&mut input, &mut output);
        let terms = |k: usize| {
            let terms = input.iter().enumerate();
            terms.map(move |(j, &x)| x.into() * coefficient(j as f64, k as f64, n as f64))
        };
        let expected: Vec<f64> = (0..n).map(|k| terms(k).sum()).collect();
        assert_real_close(&output, expected);
    }
    // One kind for each dimension, in place and back.
    let dims = Dims::new(&[3, 4, 5]);
    let forward = fftw
        .plan_many_r2r(&dims, &[Dct2, Dst2, Dht], &IN_PLACE)
        .unwrap();
    let backward = fftw
        .plan_many_r2r(&dims, &[Dct3, Dst3, Dht], &IN_PLACE)
        .unwrap();
    let mut data = fftw.alloc(60);
    data.copy_from_slice(&signal::<T>(60));
    forward.execute_in_place(&mut data);
    backward.execute_in_place(&mut data);
    let scale = (6 * 8 * 5) as f64;
    assert_real_close(&data, signal::<T>(60).iter().map(|&x| x.into() * scale));
}

pub fn threads_give_the_same_result<T: Number>(fftw: &Fftw<T>) {
    let options = Options {
        threads: 2,
        ..ESTIMATE
    };
    let dims = Dims::new(&[64, 64]);
    let plan = fftw.plan_many_dft(&dims, Direction::Forward, &options);
    if fftw.threads_library().is_none() {
        assert!(plan.is_err());
        return;
    }
    let plan = plan.unwrap();
    let single = fftw
        .plan_many_dft(&dims, Direction::Forward, &ESTIMATE)
        .unwrap();
    let mut input = fftw.alloc(4096);
    input.copy_from_slice(&complex_signal::<T>(4096));
    let (mut output, mut expected) = (fftw.alloc(4096), fftw.alloc(4096));
    single.execute(&mut input, &mut expected);
    plan.execute(&mut input, &mut output);
    let expected: Vec<_> = expected.iter().map(|&value| wide(value)).collect();
    assert_close(&output, &expected);
}
