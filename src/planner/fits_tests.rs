use super::*;
use mmafft_backend_traits::{Request, Shape};

/// A GPU that nobody has, of such an architecture.
pub fn invented_device(architecture: &str) -> Limits {
    use mmafft_backend_traits::device::{Geometry, Vendor};
    use mmafft_backend_traits::{radix::BUTTERFLIES, Precision};
    let geometry = Geometry {
        wave: 32,
        threads: 1024,
        shared_bytes: 227 << 10,
        registers: 65536,
        multiprocessors: 132,
        blocks: 1 << 31,
        access: 0,
        together: true,
        vendor: Vendor::Nvidia,
    };
    Limits {
        architecture: architecture.into(),
        workers: geometry.multiprocessors,
        butterflies: BUTTERFLIES,
        precisions: vec![Precision::F32, Precision::F64, Precision::F16],
        geometry: Some(geometry),
        ..invented(geometry.shared_bytes)
    }
}

/// Limits of what is no device.
pub fn invented(tile_bytes: usize) -> Limits {
    Limits {
        backend: "invented",
        device: String::new(),
        architecture: String::new(),
        workers: 1,
        vector_bytes: 32,
        tile_bytes,
        line_points: usize::MAX,
        cluster_blocks: 0,
        target: &mmafft_backend_traits::device::Lowering,
        butterflies: &[8, 4, 2, 3, 5, 7, 11, 13],
        fragments: Vec::new(),
        precisions: vec![mmafft_backend_traits::Precision::F32],
        geometry: None,
    }
}

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
