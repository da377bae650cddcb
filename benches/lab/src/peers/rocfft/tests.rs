//! What needs neither rocFFT nor a device.

use mmafft::{Direction, Error, Kind, ScalarType};

use super::api::words;
use super::plan::Numbers;
use super::{Rocfft, RocfftPlan};
use crate::peers::Transform;

#[test]
fn arguments_are_those_of_rocfft_h() {
    use Direction::{Forward, Inverse};
    let numbers = |kind, scalar, direction| {
        let transform = Transform::new(kind, scalar, &[4, 5, 6]).batch(7);
        Numbers::new(&transform, direction).unwrap()
    };
    let forward = numbers(Kind::C2C, ScalarType::F64, Forward);
    assert_eq!(forward.lengths, [6, 5, 4]);
    assert_eq!(
        (forward.placement, forward.kind, forward.precision),
        (1, 0, 1)
    );
    assert_eq!(numbers(Kind::C2C, ScalarType::F32, Inverse).kind, 1);
    assert_eq!(numbers(Kind::R2C, ScalarType::F16, Forward).kind, 2);
    assert_eq!(numbers(Kind::C2R, ScalarType::F16, Inverse).kind, 3);
    let in_place = Transform::new(Kind::C2C, ScalarType::F16, &[8]).in_place();
    let in_place = Numbers::new(&in_place, Forward).unwrap();
    assert_eq!((in_place.placement, in_place.precision), (0, 2));
}

#[test]
fn bad_transforms_are_errors_with_and_without_rocfft() {
    let error = |scalar, shape: &[usize], batch| {
        let transform = Transform::new(Kind::C2C, scalar, shape).batch(batch);
        RocfftPlan::new(&transform, Direction::Forward).unwrap_err()
    };
    let f32 = ScalarType::F32;
    assert_eq!(error(f32, &[], 1), Error::Rank { got: 0, max: 3 });
    assert_eq!(error(f32, &[2; 4], 1), Error::Rank { got: 4, max: 3 });
    assert!(matches!(error(f32, &[2, 0], 1), Error::Empty { .. }));
    assert!(matches!(error(f32, &[2], 0), Error::Empty { .. }));
    assert!(matches!(
        error(ScalarType::Bf16, &[2], 1),
        Error::Unsupported { .. }
    ));
}

#[test]
fn statuses_have_the_names_of_rocfft_h() {
    assert_eq!(
        words("rocfft_execute", 8),
        "rocfft_execute: rocfft_status_invalid_work_buffer (8)"
    );
    assert_eq!(
        words("rocfft_execute", -1),
        "rocfft_execute: an unknown status (-1)"
    );
}

#[test]
fn a_missing_library_or_function_is_one_sentence() {
    let missing = ["libmmafft-no-such.so.0", "libc.so.6"];
    let error = Rocfft::open_first(&missing).unwrap_err();
    let said = error.to_string();
    assert!(matches!(
        error,
        Error::NoDevice {
            backend: "rocfft",
            ..
        }
    ));
    for words in ["libmmafft-no-such.so.0", "rocfft_setup", "install rocFFT"] {
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(said.lines().count(), 1);
}
