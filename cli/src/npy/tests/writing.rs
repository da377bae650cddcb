//! The writer: headers, round trips, and nothing half-written.

use std::fs;

use num_complex::Complex;

use super::*;

#[test]
fn round_trips() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    let reals: Vec<f64> = (0..24).map(|i| f64::from(i) / 7.0).collect();
    let singles: Vec<f32> = reals.iter().map(|&x| x as f32).collect();
    let complex: Vec<_> = reals.iter().map(|&x| Complex::new(x, -x)).collect();
    let single_complex: Vec<_> = singles.iter().map(|&x| Complex::new(x, -x)).collect();
    for shape in [&[24][..], &[4, 6], &[2, 3, 4], &[2, 1, 3, 4]] {
        write(&path, shape, &reals).unwrap();
        let array = read(&path).unwrap();
        assert_eq!(array.values, Values::Real(reals.clone()));
        assert_eq!(array.shape, shape);
        write(&path, shape, &singles).unwrap();
        assert_eq!(
            read(&path).unwrap().values,
            Values::RealF32(singles.clone())
        );
        write(&path, shape, &complex).unwrap();
        assert_eq!(
            read(&path).unwrap().values,
            Values::Complex(complex.clone())
        );
        write(&path, shape, &single_complex).unwrap();
        let expected = Values::ComplexF32(single_complex.clone());
        assert_eq!(read(&path).unwrap().values, expected);
    }
    write(&path, &[], &[1.5f32]).unwrap();
    assert_eq!(read(&path).unwrap().shape, [0usize; 0]);
    write::<f64>(&path, &[3, 0], &[]).unwrap();
    assert_eq!(read(&path).unwrap().shape, [3, 0]);
}

#[test]
fn headers_are_aligned_and_version_2_when_long() {
    for rank in [0, 1, 2, 4, 20, 21_810, 21_820, 21_850] {
        let header = write::header("f8", &vec![1; rank]);
        assert_eq!(header.len() % 64, 0, "{rank}");
        assert!(header.ends_with(b"\n"));
        let (version, len) = match header[6] {
            1 => (
                1,
                10 + usize::from(u16::from_le_bytes([header[8], header[9]])),
            ),
            _ => (
                2,
                12 + u32::from_le_bytes(header[8..12].try_into().unwrap()) as usize,
            ),
        };
        assert_eq!(header.len(), len);
        assert_eq!(version == 2, rank > 21_820, "{rank}: {len}");
    }
    let text = String::from_utf8_lossy(&write::header("f4", &[3])).into_owned();
    assert!(text.contains("'fortran_order': False, 'shape': (3,), }"));
}

#[test]
fn shape_and_data_must_agree() {
    let path = Path::new("/nonexistent/x.npy");
    for shape in [&[3][..], &[], &[0], &[usize::MAX, 2], &[1, 2, 2]] {
        let error = write(path, shape, &[1.0f64, 2.0]).unwrap_err();
        assert!(matches!(error, NpyError::ShapeMismatch { got: 2, .. }));
    }
}

#[test]
fn an_error_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    // A directory of this name can be neither written to nor replaced.
    let path = directory.path().join("taken.npy");
    fs::create_dir(&path).unwrap();
    let error = write(&path, &[1], &[1.0f64]).unwrap_err();
    assert!(error.to_string().contains("taken.npy"), "{error}");
    let missing = directory.path().join("missing/x.npy");
    assert!(matches!(
        write(missing, &[1], &[1.0f64]),
        Err(NpyError::Write { .. })
    ));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{symlink, PermissionsExt};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn permissions_are_those_of_ordinary_files() {
        let directory = tempfile::tempdir().unwrap();
        let (ordinary, path) = (directory.path().join("a"), directory.path().join("b"));
        File::create(&ordinary).unwrap();
        write(&path, &[1], &[1.0f64]).unwrap();
        assert_eq!(mode(&path), mode(&ordinary));

        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write(&path, &[1], &[2.0f64]).unwrap();
        assert_eq!(mode(&path), 0o640);
    }

    #[test]
    fn symbolic_links_are_written_through() {
        let directory = tempfile::tempdir().unwrap();
        let (target, link) = (directory.path().join("t"), directory.path().join("l"));
        File::create(&target).unwrap();
        symlink(&target, &link).unwrap();
        write(&link, &[1], &[1.0f64]).unwrap();
        assert!(link.is_symlink());
        assert_eq!(read(&target).unwrap().values, Values::Real(vec![1.0]));
    }

    #[test]
    fn devices_are_written_directly() {
        write("/dev/null", &[1], &[1.0f64]).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error() {
        let error = write("/dev/full", &[1], &[1.0f64]).unwrap_err();
        assert!(error.to_string().contains("No space left"), "{error}");
    }
}
