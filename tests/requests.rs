//! What requests promise: an inverse for every kind, any rank, input that overlaps itself.

use mmafft::{
    Complex, Direction, Error, Kind, Layout, Normalization, Planner, Precision, Request, Shape,
    Transform, KINDS,
};

fn build(request: &Request) -> Transform {
    let planner = Planner::cpu().expect("the CPU");
    planner.build(request).expect("a transform")
}

/// Reals in [−1, 1) that differ from point to point.
fn reals(count: usize) -> Vec<f64> {
    let golden = 0.618_033_988_749_895;
    (0..count)
        .map(|i| 2.0 * (golden * (i + 1) as f64).fract() - 1.0)
        .collect()
}

/// Runs a request on scalars, two a complex number.
fn run(request: &Request, input: &[f64]) -> Vec<f64> {
    let fft = build(request);
    let row = fft.plan().request.kind.row();
    let mut output = vec![0.0; fft.output_len() * row.output.scalars()];
    use mmafft::Domain::{Complex as C, Real as R};
    let (as_c, as_c_mut) = (
        bytemuck::cast_slice::<f64, Complex<f64>>,
        bytemuck::cast_slice_mut::<f64, Complex<f64>>,
    );
    match (row.input, row.output) {
        (C, C) => fft.process(as_c(input), as_c_mut(&mut output)),
        (R, C) => fft.process(input, as_c_mut(&mut output)),
        (C, R) => fft.process(as_c(input), &mut output),
        (R, R) => fft.process(input, &mut output),
    }
    .expect("a run");
    output
}

/// The input of a request: any reals, or what a C2R can be the inverse of.
fn input(request: &Request) -> Vec<f64> {
    let scalars = build(request).input_len() * request.kind.row().input.scalars();
    match request.kind {
        Kind::C2R => run(
            &request.clone().inverse(),
            &reals(request.shape.points().unwrap()),
        ),
        _ => reals(scalars),
    }
}

fn assert_near(got: &[f64], expected: &[f64], what: &str) {
    assert_eq!(got.len(), expected.len(), "{what}");
    for (i, (a, b)) in got.iter().zip(expected).enumerate() {
        assert!((a - b).abs() < 1e-11, "{what}: at {i} {a} in place of {b}");
    }
}

/// Requests of every kind and normalisation over shapes of all ranks, both directions.
fn every_request() -> impl Iterator<Item = Request> {
    let shapes: [&[usize]; 6] = [&[12], &[15], &[97], &[6, 10], &[4, 1, 9], &[2, 3, 2, 4, 3]];
    let kinds = KINDS.iter().flat_map(|row| {
        [Direction::Forward, Direction::Inverse].map(|direction| (row.kind, direction))
    });
    kinds.flat_map(move |(kind, direction)| {
        let long = move |shape: &&&[usize]| shape.iter().all(|&n| kind.logical_length(n) > 0);
        let shapes = shapes.into_iter().filter(move |shape| long(&&&shape[..]));
        shapes.flat_map(move |dims| {
            Normalization::ALL.map(|(normalization, _)| {
                Request::directed(kind, direction, Shape::new(dims))
                    .normalization(normalization)
                    .precision(Precision::F64)
            })
        })
    })
}

#[test]
fn the_inverse_undoes_every_request() {
    for request in every_request() {
        let x = input(&request);
        let back = run(&request.clone().inverse(), &run(&request, &x));
        assert_near(&back, &x, &format!("{request:?}"));
        assert_eq!(request.clone().inverse().inverse(), request);
    }
}

#[test]
fn the_inverse_undoes_lists_of_kinds() {
    let kinds = [
        [Kind::Dct2, Kind::Dst3],
        [Kind::R2HC, Kind::HC2R],
        [Kind::Dht, Kind::Dct1],
    ];
    for kinds in kinds {
        for (normalization, _) in Normalization::ALL {
            let request = Request::of_kind(kinds[1], Shape::d2(6, 7))
                .kinds(&kinds)
                .normalization(normalization)
                .precision(Precision::F64);
            let x = reals(42);
            let back = run(&request.clone().inverse(), &run(&request, &x));
            assert_near(&back, &x, &format!("{request:?}"));
        }
    }
}

/// Layouts, and what is known to be zero, change sides with the data.
#[test]
fn the_inverse_has_the_sides_swapped() {
    let request = Request::forward(Shape::d1(8))
        .input_layout(Layout::strided(&[3]))
        .nonzero_input(0, 0..5);
    let inverse = request.clone().inverse();
    assert_eq!(inverse.output, request.input);
    assert_eq!(inverse.wanted_output, request.nonzero_input);
    assert_eq!(inverse.direction(), Direction::Inverse);
}

/// A DCT-III by itself is as SciPy's `dct(x, 3)`, unscaled; the inverse of a DCT-II is scaled.
#[test]
fn a_kind_is_forward_unless_it_undoes_another() {
    let n = 10;
    let of = |kind| {
        Request::of_kind(kind, Shape::d1(n))
            .normalization(Normalization::Backward)
            .precision(Precision::F64)
    };
    let x = reals(n);
    let forward = run(&of(Kind::Dct3), &x);
    let undoing = run(&of(Kind::Dct2).inverse(), &x);
    let scaled: Vec<f64> = forward.iter().map(|x| x / (2 * n) as f64).collect();
    assert_near(&undoing, &scaled, "dct3");
}

/// Arrays of ranks above three, some axes of them or all, are transforms of one axis after another.
#[test]
fn any_rank_and_any_axes() {
    let dims = [3, 2, 4, 1, 5, 2, 3];
    let points: usize = dims.iter().product();
    let x = reals(2 * points);
    for axes in [&[0, 1, 2, 3, 4, 5, 6][..], &[6, 0, 2, 4], &[1, 5, 3, 2, 0]] {
        let request = || Request::forward(Shape::new(&dims)).precision(Precision::F64);
        let together = run(&request().axes(axes), &x);
        let one_by_one = axes
            .iter()
            .fold(x.clone(), |x, &axis| run(&request().axes(&[axis]), &x));
        assert_near(&together, &one_by_one, &format!("axes {axes:?}"));
    }
    let plan = Planner::cpu()
        .unwrap()
        .plan(&Request::forward(Shape::new(&dims)));
    assert_eq!(plan.unwrap().request.axes, Some((0..7).collect()));
}

/// Frames of a signal, half of each in the next, are those that a copy of each would give.
#[test]
fn overlapping_frames() {
    let (frames, length, hop) = (7, 32, 16);
    let signal = reals(hop * (frames - 1) + length);
    let request = Request::r2c(Shape::d1(length)).precision(Precision::F64);
    let spectra = run(
        &request
            .clone()
            .batch(frames)
            .input_layout(Layout::contiguous().distance(hop)),
        &signal,
    );
    let one = build(&request).output_len() * 2;
    for (i, spectrum) in spectra.chunks(one).enumerate() {
        let frame = &signal[i * hop..][..length];
        assert_near(spectrum, &run(&request, frame), "a frame");
    }
    // One buffer for both sides would be overwritten where frames meet.
    let both = request.in_place().batch(frames);
    let both = both.input_layout(Layout::contiguous().distance(hop));
    let refused = Planner::cpu().unwrap().plan(&both);
    assert!(matches!(refused, Err(Error::Overlap { .. })), "{refused:?}");
}
