//! What keeps the interface safe, and the errors.

use super::*;

pub fn version_names_fftw<T: Number>(fftw: &Fftw<T>) {
    assert!(fftw.version().starts_with("fftw-3"), "{}", fftw.version());
}

pub fn alignment_is_checked<T: Number>(fftw: &Fftw<T>) {
    let n = 16;
    let dims = Dims::new(&[n]);
    let unaligned = Options {
        unaligned: true,
        ..ESTIMATE
    };
    let mut input = fftw.alloc(n + 1);
    let mut output = fftw.alloc(n);
    input[1..].copy_from_slice(&signal::<T>(n));
    let plan = fftw
        .plan_many_r2r(&dims, &[R2rKind::Dht], &unaligned)
        .unwrap();
    plan.execute(&mut input[1..], &mut output);
    let plan = fftw
        .plan_many_r2r(&dims, &[R2rKind::Dht], &ESTIMATE)
        .unwrap();
    let mut expected = fftw.alloc(n);
    let mut aligned = fftw.alloc(n);
    aligned.copy_from_slice(&input[1..]);
    plan.execute(&mut aligned, &mut expected);
    assert_real_close(&output, expected.iter().map(|&x| x.into()));
    assert!(panics(|| plan.execute(&mut input[1..], &mut output)));
}

pub fn lengths_are_checked<T: Number>(fftw: &Fftw<T>) {
    let dims = Dims::new(&[8]);
    let plan = fftw.plan_many_dft_r2c(&dims, &ESTIMATE).unwrap();
    let (mut real, mut spectrum) = (fftw.alloc(8), fftw.alloc(5));
    plan.execute(&mut real, &mut spectrum);
    assert!(panics(|| plan.execute(&mut real[..7], &mut spectrum)));
    assert!(panics(|| plan.execute(&mut real, &mut spectrum[..4])));
    assert!(panics(|| plan.execute_in_place(&mut spectrum)));
    let plan = fftw.plan_many_dft_r2c(&dims, &IN_PLACE).unwrap();
    plan.execute_in_place(&mut spectrum);
    assert!(panics(|| plan.execute_in_place(&mut spectrum[..4])));
    assert!(panics(|| plan.execute(&mut real, &mut spectrum)));
}

pub fn bad_arguments_are_errors<T: Number>(fftw: &Fftw<T>) {
    let none = Options {
        threads: 0,
        ..ESTIMATE
    };
    let line = Dims::new(&[8]);
    let batch = Dims::new(&[8]).howmany(2);
    for (dims, options) in [
        (Dims::new(&[]), ESTIMATE),
        (Dims::new(&[2, 0]), ESTIMATE),
        (Dims::new(&[2, 2, 2, 2]), ESTIMATE),
        (Dims::new(&[usize::MAX]), ESTIMATE),
        (Dims::new(&[1 << 30, 1 << 30, 1 << 30]), ESTIMATE),
        (line.clone().howmany(0), ESTIMATE),
        (line.clone().input(0, 8), ESTIMATE),
        (batch.clone().output(1, 7), ESTIMATE),
        (batch.clone().output(2, 2), ESTIMATE),
        (batch.clone().output(1, 0), ESTIMATE),
        (line.clone(), none),
    ] {
        let plan = fftw.plan_many_dft(&dims, Direction::Forward, &options);
        assert!(plan.is_err(), "{dims:?}");
    }
    assert!(fftw.plan_many_r2r(&line, &[], &ESTIMATE).is_err());
    // FFTW itself refuses this one.
    let point = Dims::new(&[1]);
    assert!(fftw
        .plan_many_r2r(&point, &[R2rKind::Dct1], &ESTIMATE)
        .is_err());
}
