//! What needs no device; `device` has the rest.

mod device;

use mmafft::{Domain, Error, Kind, ScalarType};

use super::api::version_text;
use super::dims::{data_type, Geometry};
use super::status::{self, planning_error};
use super::{Cufft, CufftPlan, Transform};

fn geometry(transform: Transform) -> Geometry {
    Geometry::new(&transform).unwrap()
}

#[test]
fn complex_arrays_are_contiguous() {
    let transform = Transform::new(Kind::C2C, ScalarType::F64, &[4, 5, 6]).batch(7);
    for transform in [transform.clone(), transform.in_place()] {
        let geometry = geometry(transform);
        assert_eq!((geometry.n, geometry.batch), (vec![4, 5, 6], 7));
        assert_eq!(geometry.execution, 5);
        for side in [geometry.input, geometry.output] {
            assert_eq!((side.embed, side.distance), (vec![4, 5, 6], 120));
            assert_eq!((side.data_type, side.bytes), (5, 7 * 120 * 16));
        }
    }
}

#[test]
fn half_spectra_and_padded_rows() {
    for (last, half) in [(6, 4), (7, 4), (8, 5)] {
        let r2c = Transform::new(Kind::R2C, ScalarType::F32, &[3, last]).batch(2);
        for (padded, row) in [(false, last), (true, 2 * half)] {
            let mut transform = r2c.clone();
            transform.in_place = padded;
            let forward = geometry(transform.clone());
            transform.kind = Kind::C2R;
            let inverse = geometry(transform);
            for real in [forward.input, inverse.output] {
                assert_eq!(real.embed, [3, row as i64]);
                assert_eq!(real.distance, 3 * row as i64);
                assert_eq!((real.data_type, real.bytes), (0, 2 * 3 * row * 4));
            }
            for spectrum in [forward.output, inverse.input] {
                assert_eq!(spectrum.embed, [3, half as i64]);
                assert_eq!(spectrum.distance, 3 * half as i64);
                assert_eq!((spectrum.data_type, spectrum.bytes), (4, 2 * 3 * half * 8));
            }
            assert_eq!((forward.n, forward.execution), (vec![3, last as i64], 4));
        }
    }
}

#[test]
fn sizes_have_64_bits() {
    let transform = Transform::new(Kind::C2C, ScalarType::F32, &[1 << 33]).batch(1 << 20);
    let geometry = geometry(transform);
    assert_eq!((geometry.n, geometry.batch), (vec![1 << 33], 1 << 20));
    assert_eq!(geometry.output.distance, 1 << 33);
    assert_eq!(geometry.output.bytes, 1 << 56);
}

#[test]
fn data_types_are_those_of_library_types_h() {
    for (scalar, real, complex) in [
        (ScalarType::F32, 0, 4),
        (ScalarType::F64, 1, 5),
        (ScalarType::F16, 2, 6),
        (ScalarType::Bf16, 14, 15),
    ] {
        assert_eq!(data_type(Domain::Real, scalar), real);
        assert_eq!(data_type(Domain::Complex, scalar), complex);
    }
}

#[test]
fn bad_transforms_are_errors_with_and_without_cufft() {
    let error = |shape: &[usize], batch| {
        let transform = Transform::new(Kind::R2C, ScalarType::F32, shape);
        CufftPlan::new(&transform.batch(batch).in_place()).unwrap_err()
    };
    assert_eq!(error(&[], 1), Error::Rank { got: 0, max: 3 });
    assert_eq!(error(&[2; 4], 1), Error::Rank { got: 4, max: 3 });
    assert!(matches!(error(&[2, 0], 1), Error::Empty { what } if what == "dimension 1"));
    assert!(matches!(error(&[2], 0), Error::Empty { what } if what == "the batch"));
    for (shape, batch) in [
        (&[usize::MAX][..], 1),
        (&[1 << 40, 1 << 40], 1),
        (&[8], 1 << 61),
    ] {
        assert!(matches!(error(shape, batch), Error::Overflow { .. }));
    }
}

#[test]
fn statuses_have_the_names_of_cufft_h() {
    assert_eq!(status::name(0), "CUFFT_SUCCESS");
    assert_eq!(status::name(7), "CUFFT_SETUP_FAILED");
    assert_eq!(status::name(0x10), "CUFFT_NOT_SUPPORTED");
    assert_eq!(status::name(0x14), "CUFFT_NVSHMEM_FAILURE");
    let text = status::describe("cufftXtExec", 6);
    assert_eq!(text, "cufftXtExec: CUFFT_EXEC_FAILED (6)");
    let text = status::describe("cufftXtExec", -42);
    assert_eq!(text, "cufftXtExec: an unknown status (-42)");
}

#[test]
fn versions_are_text() {
    assert_eq!(version_text(12500), "cufft-12.5.0");
    assert_eq!(version_text(11206), "cufft-11.2.6");
    assert_eq!(version_text(11012), "cufft-11.0.12");
}

#[test]
fn limits_are_unsupported_and_failures_are_not() {
    let instead = |scalar, shape: &[usize], batch, status| {
        let transform = Transform::new(Kind::C2C, scalar, shape).batch(batch);
        match planning_error("plan", &transform, status) {
            Error::Unsupported {
                what,
                backend,
                instead,
            } => {
                assert!(what.starts_with(scalar.name()), "{what}");
                assert!(what.ends_with(&format!("({status}))")), "{what}");
                assert_eq!(backend, "cufft");
                Some(instead)
            }
            Error::Device { output_touched, .. } => {
                assert!(!output_touched);
                None
            }
            other => panic!("{other}"),
        }
    };
    let has = |instead: Option<String>, word| instead.is_some_and(|text| text.contains(word));
    for scalar in [ScalarType::F16, ScalarType::Bf16] {
        assert!(has(instead(scalar, &[8, 12], 1, 16), "powers of two"));
        assert!(has(instead(scalar, &[8], 1 << 30, 8), "2^32"));
        assert!(has(instead(scalar, &[8], 1 << 29, 16), "capability"));
        assert!(has(instead(scalar, &[8], 1, 11), "capability"));
        assert_eq!(instead(scalar, &[12], 1, 5), None);
    }
    assert!(has(instead(ScalarType::F32, &[12], 1, 8), "other lengths"));
    assert_eq!(instead(ScalarType::F32, &[12], 1, 11), None);
    assert_eq!(instead(ScalarType::F32, &[12], 1, 2), None);
}

#[test]
fn a_missing_library_is_no_device() {
    let names = ["libmmafft-no-such.so.12", "libmmafft-no-such.so"];
    match Cufft::open_first(&names).unwrap_err() {
        Error::NoDevice {
            backend,
            reason,
            remedy,
        } => {
            assert_eq!(backend, "cufft");
            assert!(names.iter().all(|name| reason.contains(name)), "{reason}");
            assert!(remedy.contains("LD_LIBRARY_PATH"), "{remedy}");
        }
        other => panic!("{other}"),
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_missing_function_is_no_device() {
    // A library that is always there, and is not cuFFT.
    match Cufft::open_first(&["libc.so.6"]).unwrap_err() {
        Error::NoDevice { reason, .. } => assert!(reason.contains("cufftCreate"), "{reason}"),
        other => panic!("{other}"),
    }
}
