use num_complex::Complex;

use super::*;

/// The allowed relative error of the fast transforms, in the L2 norm.
const TOLERANCE: f64 = 1e-29;

/// One element of the result of [`dft_nd`], the one at `bin`, by direct summation.
///
/// Shares nothing with the fast transforms except the arithmetic and the roots of unity. The work
/// is proportional to the number of elements of `data`.
fn direct_bin(
    shape: &[usize],
    axes: &[usize],
    inverse: bool,
    data: &[ComplexDd],
    bin: &[usize],
) -> ComplexDd {
    check_geometry(shape, axes, data.len());
    assert_eq!(bin.len(), shape.len(), "one index for each dimension");
    assert!(
        bin.iter().zip(shape).all(|(index, len)| index < len),
        "bin {bin:?} is outside the shape {shape:?}"
    );
    // From the last dimension on, every row collapses into one number.
    let mut values = data.to_vec();
    for (axis, &len) in shape.iter().enumerate().rev() {
        let rows = values.chunks_exact(len);
        values = if axes.contains(&axis) {
            let roots = Roots::new(len);
            let weight = |j: usize| {
                let k = (j as u128 * bin[axis] as u128 % len as u128) as usize;
                let weight = roots.get(k);
                if inverse {
                    weight.conj()
                } else {
                    weight
                }
            };
            rows.map(|row| weighted_sum(row, 0, &weight)).collect()
        } else {
            rows.map(|row| row[bin[axis]]).collect()
        };
    }
    values[0]
}

/// The sum of `values[j] * weight(first + j)`, in pairs: the error grows with the logarithm of the
/// number of terms.
fn weighted_sum(
    values: &[ComplexDd],
    first: usize,
    weight: &impl Fn(usize) -> ComplexDd,
) -> ComplexDd {
    /// Few enough terms to be added one by one.
    const BLOCK: usize = 16;
    if values.len() > BLOCK {
        let (low, high) = values.split_at(values.len() / 2);
        return weighted_sum(low, first, weight) + weighted_sum(high, first + low.len(), weight);
    }
    let terms = values.iter().enumerate();
    terms.fold(ComplexDd::default(), |sum, (j, &value)| {
        sum + value * weight(first + j)
    })
}

/// A sequence of numbers in `[-1, 1)` (splitmix64).
struct Random(u64);

impl Random {
    fn real(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self, len: usize) -> Vec<ComplexDd> {
        let mut next = || Dd::from(self.real()) + Dd::from(self.real() * 1e-17);
        (0..len).map(|_| ComplexDd::new(next(), next())).collect()
    }
}

fn energy(values: &[ComplexDd]) -> Dd {
    let squares = values.iter().map(|value| value.norm_sqr());
    squares.fold(Dd::default(), |sum, square| sum + square)
}

/// `||a - b|| / ||b||`, with double-double operands on both sides.
fn distance(a: &[ComplexDd], b: &[ComplexDd]) -> f64 {
    assert_eq!(a.len(), b.len());
    let difference: Vec<_> = a.iter().zip(b).map(|(&a, &b)| a - b).collect();
    (energy(&difference).to_f64() / energy(b).to_f64()).sqrt()
}

/// The definition of the transform, with every root taken from its series.
fn direct(input: &[ComplexDd]) -> Vec<ComplexDd> {
    let n = input.len();
    let roots: Vec<_> = (0..n).map(|k| root(k, n)).collect();
    let bin = |k: usize| {
        let terms = input.iter().enumerate();
        terms.fold(ComplexDd::default(), |sum, (j, &value)| {
            sum + value * roots[j * k % n]
        })
    };
    (0..n).map(bin).collect()
}

#[test]
fn arithmetic_keeps_the_low_part() {
    let third = Dd::ONE / Dd::from(3.0);
    let error = third * Dd::from(3.0) - Dd::ONE;
    assert!(error.to_f64().abs() < 1e-31);
    // (2^52 + 1)^2 = 2^104 + 2^53 + 1 needs 105 bits.
    let value = Dd::from(2f64.powi(52) + 1.0);
    let rest = value * value - Dd::from(2f64.powi(104)) - Dd::from(2f64.powi(53));
    assert_eq!(rest.to_f64(), 1.0);
    let odd = Dd::from_u64((1 << 53) + 1);
    assert_eq!((odd.hi, odd.lo), (2f64.powi(53), 1.0));
    let largest = Dd::from_u64(u64::MAX);
    assert_eq!((largest.hi, largest.lo), (2f64.powi(64), -1.0));
}

#[test]
fn sums_are_accurate_under_cancellation() {
    let tiny = 2f64.powi(-100);
    let a = Dd { hi: 1.0, lo: tiny };
    assert_eq!((a - Dd::ONE).to_f64(), tiny);
    assert_eq!((a + -a).to_f64(), 0.0);
}

#[test]
fn roots_match_constants() {
    // exp(-2 pi i k / n) as computed with mpmath 1.3 at 400 bits, each part as (hi, lo).
    type Parts = (f64, f64);
    #[rustfmt::skip]
    const KNOWN: [((usize, usize), Parts, Parts); 12] = [
        // cos(pi/8), sin(pi/16), cos(2 pi/7), then roots in all octants.
        ((1, 16), (0.9238795325112867, 1.7645047084336677e-17), (-0.3826834323650898, 1.0050772696461588e-17)),
        ((1, 32), (0.9807852804032304, 1.8546939997825006e-17), (-0.19509032201612828, 7.991079068461731e-18)),
        ((1, 7), (0.6234898018587335, 4.716099920540896e-17), (-0.7818314824680298, -5.074320362582868e-18)),
        ((1, 3), (-0.5, 0.0), (-0.8660254037844386, -5.0175421109034514e-17)),
        ((17, 100), (0.48175367410171527, 7.046032021092807e-18), (-0.8763066800438636, -3.368248791573042e-18)),
        ((101, 300), (-0.5180270093731302, -3.347473685378667e-17), (-0.8553642601605066, -3.2475635648502604e-17)),
        ((410_000, 1_000_003), (-0.8443237844493979, -3.159243714763811e-17), (-0.535833320178063, -3.833939785580547e-17)),
        ((523, 1009), (-0.9933715726638184, 1.939680238046536e-17), (0.11494746027386712, -6.139055086288925e-18)),
        ((77, 120), (-0.6293203910498375, 4.928960949864041e-17), (0.7771459614569709, -2.1812891210385366e-17)),
        ((3_000_000, 4_194_304), (-0.21657481360624486, 1.0538461729516303e-17), (0.9762660242533386, -4.4440877761102214e-17)),
        ((119, 130), (0.8619696668800493, -4.7240175728596805e-17), (0.5069598538135904, -2.3429337067857348e-17)),
        ((999_999_999_999, 1_000_000_000_039), (1.0, -3.1582734081022495e-20), (2.513274122773817e-10, -2.08924666905252e-26)),
    ];
    for ((k, n), (re_hi, re_lo), (im_hi, im_lo)) in KNOWN {
        let value = root(k, n);
        let re = value.re - Dd::from(re_hi) - Dd::from(re_lo);
        let im = value.im - Dd::from(im_hi) - Dd::from(im_lo);
        let error = re.to_f64().hypot(im.to_f64());
        assert!(error < 2e-31, "root {k} of {n}: {error:e}");
    }
}

#[test]
fn roots_on_the_axes_are_exact() {
    let quarters: Vec<_> = (0..4).map(|k| root(250 * k, 1000).to_c64()).collect();
    let expected = [(1.0, 0.0), (0.0, -1.0), (-1.0, 0.0), (0.0, 1.0)];
    assert_eq!(quarters, expected.map(|(re, im)| Complex::new(re, im)));
    assert_eq!(root(1001, 1000), root(1, 1000));
}

#[test]
fn roots_satisfy_their_identities() {
    for n in [1usize, 2, 3, 7, 12, 61, 97, 128, 1000, 1009, 4096] {
        let roots = Roots::new(n).to_vec();
        assert_eq!(roots.len(), n);
        for (k, &value) in roots.iter().enumerate() {
            let inverse = roots[(n - k) % n];
            assert!(distance(&[value * inverse], &[ComplexDd::ONE]) < 1e-30);
            assert!(distance(&[value], &[root(k, n)]) < 1e-30);
        }
        // The n-th power by squaring: the error of the root grows n-fold at most.
        let mut power = ComplexDd::ONE;
        for bit in (0..usize::BITS).rev() {
            power = power * power;
            if n >> bit & 1 == 1 {
                power = power * roots[1 % n];
            }
        }
        assert!(distance(&[power], &[ComplexDd::ONE]) < 1e-30 * n as f64);
    }
}

#[test]
fn transforms_match_the_definition() {
    let mut random = Random(1);
    for n in (1..=130).chain([257, 509, 1009, 1024, 1080]) {
        let input = random.vector(n);
        let fft = ReferenceFft::new(n);
        let output = fft.forward(&input);
        let error = distance(&output, &direct(&input));
        assert!(error < TOLERANCE, "length {n}: {error:e}");

        let conjugate: Vec<_> = input.iter().map(|value| value.conj()).collect();
        let output: Vec<_> = output.iter().map(|value| value.conj()).collect();
        let error = distance(&fft.inverse(&conjugate), &output);
        assert!(error < TOLERANCE, "length {n}, inverse: {error:e}");
    }
}

#[test]
fn round_trips_and_parseval_hold_at_larger_lengths() {
    let mut random = Random(2);
    // Powers of two, smooth, the largest prime butterfly, prime.
    for n in [8192, 10_800, 61 * 61, 4099] {
        let input = random.vector(n);
        let fft = ReferenceFft::new(n);
        let output = fft.forward(&input);
        let gain = energy(&output) / (energy(&input) * Dd::from(n as f64));
        assert!((gain - Dd::ONE).to_f64().abs() < 1e-28, "length {n}");
        let scaled: Vec<_> = input.iter().map(|x| x.scale(Dd::from(n as f64))).collect();
        assert!(distance(&fft.inverse(&output), &scaled) < TOLERANCE);
    }
}

/// What FP32 and shorter numbers are judged by: a millionth of their errors.
#[test]
fn in_fp64_it_is_as_exact_as_fp64() {
    let mut random = Random(5);
    for n in (1..200).chain([1 << 14, 10_800, 4099, 65537]) {
        let input = random.vector(n);
        let rounded: Vec<_> = input.iter().map(|x| x.to_c64().into()).collect();
        let got = ReferenceFft::<f64>::new(n).forward(&rounded);
        let got: Vec<_> = got.iter().map(|x| x.to_c64()).collect();
        let error = relative_l2(&got, &ReferenceFft::new(n).forward(&input));
        assert!(error < 2e-15, "length {n}: {error:e}");
    }
}

#[test]
fn an_impulse_gives_a_root_in_every_bin() {
    for n in [720usize, 1013] {
        let mut input = vec![ComplexDd::default(); n];
        input[5] = ComplexDd::ONE;
        let expected: Vec<_> = (0..n).map(|k| root(5 * k, n)).collect();
        assert!(distance(&ReferenceFft::new(n).forward(&input), &expected) < TOLERANCE);
    }
}

#[test]
fn every_bin_of_an_array_matches_direct_summation() {
    let shape = [4, 3, 5];
    let data = Random(3).vector(60);
    for axes in [&[][..], &[1], &[2, 0], &[0, 1, 2]] {
        for inverse in [false, true] {
            let mut output = data.clone();
            dft_nd(&shape, axes, inverse, &mut output);
            let bins = (0..60).map(|k| [k / 15, k / 5 % 3, k % 5]);
            let expected: Vec<_> = bins
                .map(|bin| direct_bin(&shape, axes, inverse, &data, &bin))
                .collect();
            assert!(distance(&output, &expected) < TOLERANCE, "axes {axes:?}");
        }
    }
}

#[test]
fn arrays_without_elements_or_dimensions_are_allowed() {
    dft_nd::<Dd>(&[3, 0], &[0, 1], false, &mut []);
    let mut scalar = [ComplexDd::ONE];
    dft_nd(&[], &[], false, &mut scalar);
    assert_eq!(direct_bin(&[], &[], false, &scalar, &[]), ComplexDd::ONE);
}

#[test]
#[should_panic(expected = "listed twice")]
fn a_repeated_axis_is_refused() {
    dft_nd(&[2], &[0, 0], false, &mut [ComplexDd::ONE; 2]);
}

#[test]
fn errors_are_measured_below_the_precision_of_f64() {
    let exact = Random(4).vector(50);
    let rounded: Vec<_> = exact.iter().map(|value| value.to_c64()).collect();
    let error = relative_l2(&rounded, &exact);
    assert!(error > 1e-18 && error < 1.2e-16, "{error:e}");

    let reference = [3.0, 4.0].map(|re| ComplexDd::from(Complex::from(re)));
    let y = [3.0, 4.5].map(Complex::from);
    assert_eq!(relative_l2(&y, &reference), 0.1);
    let expected = 0.5 / 12.5f64.sqrt();
    assert!((largest_over_rms(&y, &reference) - expected).abs() < 1e-15);
    // Neither squares nor sums may overflow or vanish.
    for scale in [1e-200, 1e200] {
        let reference = reference.map(|value| value.scale(Dd::from(scale)));
        let y = y.map(|value| value * scale);
        assert!((relative_l2(&y, &reference) - 0.1).abs() < 1e-15);
    }
}

#[test]
fn errors_never_hide_what_is_not_finite() {
    let measures = [relative_l2, largest_over_rms];
    for measure in measures {
        let zero = Complex::new(0.0, 0.0);
        let one = ComplexDd::ONE;
        assert_eq!(measure(&[], &[]), 0.0);
        assert_eq!(measure(&[zero], &[zero.into()]), 0.0);
        assert_eq!(
            measure(&[Complex::from(1.0)], &[zero.into()]),
            f64::INFINITY
        );
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for bad in [Complex::new(bad, 0.0), Complex::new(1.0, bad)] {
                assert!(!measure(&[bad, zero], &[one, one]).is_finite());
                assert!(!measure(&[zero, bad], &[one, one]).is_finite());
                assert!(!measure(&[zero, zero], &[bad.into(), one]).is_finite());
                assert!(!measure(&[bad], &[bad.into()]).is_finite());
            }
        }
    }
}
