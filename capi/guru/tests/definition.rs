//! Problems of any strides beside the same transform of contiguous arrays.

use mmafft::{Complex, Kind, PlanCache, Planner, Precision, Request, Shape};
use mmafft_guru::{Dim, Problem, Runs, Side};

fn cache() -> PlanCache {
    PlanCache::new(Planner::cpu().unwrap())
}

fn dim(n: usize, input: isize, output: isize) -> Dim {
    Dim {
        n,
        strides: [input, output],
    }
}

fn problem(request: Request, dims: &[Dim], loops: &[Dim]) -> Problem {
    Problem {
        request: request.precision(Precision::F64),
        dims: dims.to_vec(),
        loops: loops.to_vec(),
        split: [false; 2],
    }
}

fn none() -> Shape {
    Shape::new(&[])
}

/// Numbers without a pattern.
fn numbers(count: usize) -> Vec<f64> {
    let mut state = 1u64;
    let mut next = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// The forward transform of some points by its definition.
fn dft(x: &[Complex<f64>]) -> Vec<Complex<f64>> {
    let n = x.len();
    let point = |k: usize| {
        let term = |j: usize| {
            let angle = -2.0 * std::f64::consts::PI * ((j * k) % n) as f64 / n as f64;
            x[j] * Complex::from_polar(1.0, angle)
        };
        (0..n).map(term).sum()
    };
    (0..n).map(point).collect()
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()), "{a} and {b}");
}

/// Runs a problem of lines of complex points, and compares each line with the definition.
fn lines(problem: &Problem, in_place: bool, copies: bool) {
    let runs = Runs::new(problem, in_place, &cache()).unwrap();
    assert_eq!(runs.copies(), copies, "{problem:?}");
    let (begin, len) = (500isize, 1000);
    let input = numbers(len);
    let mut output = match in_place {
        true => input.clone(),
        false => numbers(len + 1)[1..].to_vec(),
    };
    let before = output.clone();
    // SAFETY: the tests' problems reach no further than 500 scalars either way.
    unsafe {
        let to = Side::of(output.as_mut_ptr().wrapping_offset(begin));
        let from = match in_place {
            true => to,
            false => Side::of(input.as_ptr().wrapping_offset(begin)),
        };
        runs.run(from, to, None).unwrap();
    }
    let mut written = vec![false; len];
    let count: usize = problem.loops.iter().map(|dim| dim.n).product();
    let axis = problem.dims[0];
    for line in 0..count {
        let (mut rest, mut at) = (line, [begin; 2]);
        for dim in problem.loops.iter().rev() {
            let i = (rest % dim.n) as isize;
            rest /= dim.n;
            at = [at[0] + i * dim.strides[0], at[1] + i * dim.strides[1]];
        }
        let place = |side: usize, j: usize| (at[side] + j as isize * axis.strides[side]) as usize;
        let point = |j: usize| Complex::new(input[place(0, j)], input[place(0, j) + 1]);
        let x: Vec<_> = (0..axis.n).map(point).collect();
        for (k, expected) in dft(&x).into_iter().enumerate() {
            close(output[place(1, k)], expected.re);
            close(output[place(1, k) + 1], expected.im);
            written[place(1, k)] = true;
            written[place(1, k) + 1] = true;
        }
    }
    for (i, written) in written.into_iter().enumerate() {
        assert!(written || output[i] == before[i], "scalar {i} was written");
    }
}

#[test]
fn strides_of_any_sign() {
    let forward = || Request::forward(none());
    lines(&problem(forward(), &[dim(8, 2, 2)], &[]), false, false);
    lines(
        &problem(forward(), &[dim(6, 8, 2)], &[dim(4, 2, 12)]),
        false,
        false,
    );
    lines(
        &problem(forward(), &[dim(5, 2, 2)], &[dim(3, -10, -20)]),
        false,
        false,
    );
    lines(
        &problem(forward(), &[dim(5, -2, 2)], &[dim(3, 10, -20)]),
        false,
        true,
    );
    lines(&problem(forward(), &[dim(7, 3, 5)], &[]), false, true);
    let four = [
        dim(2, 80, 80),
        dim(2, 40, 40),
        dim(2, 20, 20),
        dim(2, 10, 10),
    ];
    lines(&problem(forward(), &[dim(5, 2, 2)], &four), false, false);
    // An input that stands for several.
    lines(
        &problem(forward(), &[dim(5, 2, 2)], &[dim(3, 0, 10)]),
        false,
        false,
    );
    lines(&problem(forward(), &[dim(5, 0, 2)], &[]), false, false);
}

#[test]
fn in_place() {
    let forward = || Request::forward(none());
    lines(
        &problem(forward(), &[dim(8, 4, 4)], &[dim(3, 40, 40)]),
        true,
        false,
    );
    // A transposition: all is read before anything is written.
    lines(
        &problem(forward(), &[dim(4, 2, 8)], &[dim(4, 8, 2)]),
        true,
        true,
    );
    lines(
        &problem(forward(), &[dim(5, -2, -2)], &[dim(20, 10, 10)]),
        true,
        true,
    );
}

#[test]
fn separate_parts_and_many_runs() {
    // As many arrays as are copied in several runs.
    let (n, count) = (64usize, 5000usize);
    let loops = [dim(count, n as isize, n as isize)];
    let mut all = problem(Request::forward(none()), &[dim(n, 1, 1)], &loops);
    all.split = [true; 2];
    let runs = Runs::new(&all, false, &cache()).unwrap();
    assert!(runs.copies() && runs.count() > 1);
    let (re, im) = (numbers(n * count), numbers(n * count + 1));
    let (mut out_re, mut out_im) = (vec![0.0f64; n * count], vec![0.0f64; n * count]);
    let to = Side::split(out_re.as_mut_ptr(), out_im.as_mut_ptr());
    // SAFETY: all are of as many points.
    unsafe {
        runs.run(Side::split(re.as_ptr(), im.as_ptr()), to, None)
            .unwrap()
    };
    for line in [0, 1, 777, count - 1] {
        let x: Vec<_> = (0..n)
            .map(|j| Complex::new(re[line * n + j], im[line * n + j]))
            .collect();
        for (k, expected) in dft(&x).into_iter().enumerate() {
            close(out_re[line * n + k], expected.re);
            close(out_im[line * n + k], expected.im);
        }
    }
}

#[test]
fn halves() {
    let input = numbers(8 * 6);
    let mut output = vec![0.0; 8 * 8];
    // Rows of six reals, every second column of eight rows, to four complex numbers a row.
    let r2c = problem(Request::r2c(none()), &[dim(3, 2, 2)], &[dim(8, 6, 8)]);
    let runs = Runs::new(&r2c, false, &cache()).unwrap();
    // SAFETY: the sides have as many scalars.
    unsafe {
        runs.run(
            Side::of(input.as_ptr()),
            Side::of(output.as_mut_ptr()),
            None,
        )
        .unwrap()
    };
    close(output[8], input[6] + input[8] + input[10]);
    assert_eq!(output[4], 0.0);
    // In place, padded and not.
    for (row, copies) in [(8isize, false), (7, true)] {
        let dims = [dim(2, row, 8), dim(6, 1, 2)];
        let r2c = problem(Request::r2c(none()), &dims, &[]);
        let runs = Runs::new(&r2c, true, &cache()).unwrap();
        assert_eq!(runs.copies(), copies);
        let mut data = input[..16].to_vec();
        let sum: f64 = (0..2)
            .map(|i| data[i * row as usize..][..6].iter().sum::<f64>())
            .sum();
        let side = Side::of(data.as_mut_ptr());
        // SAFETY: as above.
        unsafe { runs.run(side, side, None).unwrap() };
        close(data[0], sum);
    }
}

#[test]
fn no_dimension_is_a_copy_and_no_array_nothing() {
    let copy = problem(Request::forward(none()), &[], &[dim(3, 2, 8), dim(4, 6, 2)]);
    let runs = Runs::new(&copy, false, &cache()).unwrap();
    let (input, mut output) = (numbers(24), vec![0.0f64; 24]);
    // SAFETY: both are of 12 points.
    unsafe {
        runs.run(
            Side::of(input.as_ptr()),
            Side::of(output.as_mut_ptr()),
            None,
        )
        .unwrap()
    };
    assert_eq!(output[8..10], input[2..4]);
    assert_eq!(output[2..4], input[6..8]);
    let nothing = problem(Request::forward(none()), &[dim(8, 2, 2)], &[dim(0, 0, 0)]);
    let runs = Runs::new(&nothing, false, &cache()).unwrap();
    let null = Side::of(std::ptr::null::<f64>());
    // SAFETY: nothing runs.
    unsafe { runs.run(null, null, None).unwrap() };
    assert_eq!(runs.count(), 0);
}

#[test]
fn addresses_within_a_scalar() {
    let dct = problem(Request::of_kind(Kind::Dct2, none()), &[dim(4, 1, 1)], &[]);
    let runs = Runs::new(&dct, false, &cache()).unwrap();
    let mut bytes = [0u8; 80];
    for i in 0..4 {
        bytes[3 + 8 * i..][..8].copy_from_slice(&1.0f64.to_ne_bytes());
    }
    let at = |byte: usize| Side::of(bytes.as_ptr().wrapping_add(byte));
    // SAFETY: both are inside of the bytes and apart.
    unsafe { runs.run(at(3), at(41), None).unwrap() };
    assert_eq!(bytes[41..49], 8.0f64.to_ne_bytes());
    let null = Side::of(std::ptr::null::<f64>());
    // SAFETY: a null address is refused.
    assert!(unsafe { runs.run(null, null, None) }.is_err());
}

#[test]
fn what_no_memory_holds_is_refused() {
    let huge = problem(Request::forward(none()), &[dim(3, isize::MAX, 2)], &[]);
    assert!(Runs::new(&huge, false, &cache()).is_err());
    let empty = problem(Request::forward(none()), &[dim(0, 2, 2)], &[]);
    assert!(Runs::new(&empty, false, &cache()).is_err());
}
