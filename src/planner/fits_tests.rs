use super::*;
use mmafft_backend_traits::{Request, Shape};

fn with(tile_bytes: usize, radices: Option<&[usize]>, test: impl Fn(&Fits)) {
    let limits = invented(tile_bytes);
    let mut request = Request::forward(Shape::d1(2));
    request.radices = radices.map(<[usize]>::to_vec);
    let problem = Problem::new(&request, &limits).expect("a problem");
    test(&Fits::new(&problem, &limits, Engine::Simt));
}

#[test]
fn factors_are_few_and_equal() {
    // 16384 points in a tile, 4096 of a scattered line.
    with(227 << 10, None, |fits| {
        let longest = (fits.longest_line(), fits.longest_scattered());
        assert_eq!(longest, (16384, 4096));
        let factors = |n| fits.factors(n, 4096);
        assert_eq!(factors(1 << 24), Some(vec![4096; 2]));
        assert_eq!(factors(1 << 27), Some(vec![512; 3]));
        assert_eq!(factors(1 << 15), Some(vec![128, 256]));
        assert_eq!(factors(1009 * 1013), Some(vec![1009, 1013]));
        assert_eq!(factors(4099 * 4), None);
        assert_eq!(fits.powers_of_two(15), Some(vec![128, 256]));
        assert_eq!(fits.powers_of_two(26), Some(vec![4096, 16384]));
        assert_eq!(fits.powers_of_two(27), Some(vec![512; 3]));
    });
}

#[test]
fn asked_radices_make_the_factors() {
    with(227 << 10, Some(&[8]), |fits| {
        assert_eq!(fits.factors(1 << 15, 4096), Some(vec![64, 512]));
        assert_eq!(fits.factors(1 << 16, 4096), None);
    });
}

#[test]
fn every_factorisation_multiplies_and_fits() {
    for tile_bytes in [36, 300, 4096] {
        with(tile_bytes, None, |fits| {
            for n in 2..3000 {
                for limit in [fits.longest_line(), fits.longest_scattered()] {
                    let Some(factors) = fits.factors(n, limit) else {
                        continue;
                    };
                    assert_eq!(factors.iter().product::<usize>(), n);
                    assert!(factors.iter().all(|&d| fits.line(d, limit)));
                }
            }
            for bits in fits.longest_line().ilog2() + 1..50 {
                let factors = fits.powers_of_two(bits).expect("powers of two fit");
                assert_eq!(factors.iter().product::<usize>(), 1 << bits);
                let (last, others) = factors.split_last().expect("some");
                assert!(*last <= fits.longest_line());
                assert!(others.iter().all(|d| *d <= fits.longest_scattered()));
            }
        });
    }
}
