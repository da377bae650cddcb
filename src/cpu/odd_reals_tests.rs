use super::*;
use rustfft::num_traits::ToPrimitive;

/// Half spectra beside complex transforms of the reals, and back to the reals times their number.
fn check<T: Real + Storage<Compute = T> + ToPrimitive>(length: usize, tolerance: f64) {
    let (there, back) = (
        OddReals::<T>::new(length, false),
        OddReals::<T>::new(length, true),
    );
    let zero = Complex::new(T::zero(), T::zero());
    let mut line = vec![zero; there.half()];
    let x = |i: usize| ((i * i * 7 + 3 * i) % 101) as f64 / 101.0 - 0.3;
    for (i, to) in bytemuck::cast_slice_mut::<_, T>(&mut line)[..length]
        .iter_mut()
        .enumerate()
    {
        *to = T::rounded(x(i));
    }
    let mut scratch = vec![zero; there.scratch().max(back.scratch())];
    let at = line.as_mut_ptr().cast::<T>();
    // SAFETY: the line is there.
    unsafe { there.process([at; 2], at, &mut scratch) };
    let energy = (0..length).map(|i| x(i) * x(i)).sum::<f64>() * length as f64;
    let whole = Library::<f64>::new(length, false);
    let mut expected: Vec<Complex<f64>> = (0..length).map(|i| x(i).into()).collect();
    whole.process(
        &mut expected,
        &mut vec![Complex::default(); whole.scratch()],
    );
    let mut wrong = 0.0;
    for (got, expected) in line.iter().zip(expected) {
        let got = Complex::new(
            got.re.to_f64().unwrap_or(f64::NAN),
            got.im.to_f64().unwrap_or(f64::NAN),
        );
        wrong += (got - expected).norm_sqr();
    }
    assert!(
        (wrong / energy).sqrt() < tolerance,
        "{length}: {}",
        (wrong / energy).sqrt()
    );
    let at = line.as_mut_ptr().cast::<T>();
    // SAFETY: as above.
    unsafe { back.process([at; 2], at, &mut scratch) };
    let mut wrong = 0.0;
    for (i, got) in bytemuck::cast_slice::<_, T>(&line)[..length]
        .iter()
        .enumerate()
    {
        let got = got.to_f64().unwrap_or(f64::NAN) / length as f64;
        wrong += (got - x(i)).powi(2);
    }
    let wrong = (wrong * length as f64 / energy).sqrt();
    assert!(wrong < 2.0 * tolerance, "{length} and back: {wrong}");
}

#[test]
fn halves_of_complex_spectra() {
    for length in [
        129,
        135,
        169,
        221,
        243,
        529,
        899,
        961,
        1155,
        2187,
        37 * 5,
        37 * 37 * 7,
    ] {
        assert!(halves(length), "{length}");
        check::<f64>(length, 1e-15);
        check::<f32>(length, 5e-7);
    }
}

#[test]
fn lengths_without_a_radix_stay_whole() {
    assert!([1, 2, 31, 127, 300, 131, 1009]
        .iter()
        .all(|&length| !halves(length)));
}
