//! FFTW beside the library and beside the program.

use super::lab::{bench, program::figure};
use super::real::{all, bound, cases, complex, input, run};
use mmafft::reference::{relative_l2, ComplexDd};
use mmafft::{Direction, Request, ScalarType, Shape};
use mmafft_lab::peers::fftw::{Fftw, FftwPlan, Memory, Rigor};
use mmafft_lab::peers::Transform;
use mmafft_testing::skip;

/// Every kind, in place and out of it, in f32 and f64: the results agree.
pub fn fftw_is_a_peer() {
    if let Err(reason) = Fftw::open(ScalarType::F32) {
        skip(format!("needs libfftw3: {reason}"));
    }
    for kind in mmafft::KINDS.iter().map(|row| row.name) {
        // Others run out of place anyway.
        let both = [(&[][..], "in place"), (&["--out-of-place"], "out of place")];
        for (out, placement) in both.into_iter().take(if kind == "c2c" { 2 } else { 1 }) {
            let small = ["48", "16x15", "4x6x10", "--mebibytes", "1", "--kind", kind];
            let beside = ["--precision", "f32,f64", "--peer", "fftw"];
            let (_, rows) = bench(
                &format!("bench-fftw-{kind}-{}", out.len()),
                &[&small[..], &beside, out].concat(),
            );
            assert_eq!(rows.len(), 6);
            for row in &rows {
                assert!(
                    row["peer"].starts_with("fftw-3") && row["failure"].is_empty(),
                    "{row:?}"
                );
                assert!(
                    figure(row, "ratio") > 0.0 && figure(row, "difference") < 1e-6,
                    "{row:?}"
                );
                let expected = if kind == "c2c" {
                    placement
                } else {
                    "out of place"
                };
                assert_eq!(row["placement"], expected);
            }
        }
    }
    let inverse = ["48", "--inverse", "--peer", "fftw", "--mebibytes", "1"];
    assert_eq!(bench("bench-fftw-inverse", &inverse).1[0]["failure"], "");
}

/// FFTW's r2r says the same.
pub fn fftw_says_the_same() {
    if let Err(reason) = Fftw::open(ScalarType::F64) {
        skip(format!("needs libfftw3: {reason}"));
    }
    let lengths = (1..=512).chain([1350, 4050, 4096, 4099, 20250, 65536]);
    all(cases(lengths), |kind, n| {
        let x = input::<f64>(n);
        let ours = run(&Request::of_kind(kind, Shape::d1(n)), &x);
        let transform = Transform::new(kind, ScalarType::F64, &[n]);
        let plan = FftwPlan::new(&transform, Direction::Forward, Rigor::Estimate, 1)?;
        let (mut from, mut to) = (Memory::new::<f64>(n), Memory::new::<f64>(n));
        from.bytes().copy_from_slice(bytemuck::cast_slice(&x));
        plan.execute(from.bytes(), Some(to.bytes()));
        let to: Vec<f64> = bytemuck::cast_slice(to.bytes()).to_vec();
        let theirs: Vec<ComplexDd> = complex(&to).into_iter().map(ComplexDd::from).collect();
        let error = relative_l2(&complex(&ours), &theirs);
        // FFTW's own error is of the same size; of type I it grows with the root of the length.
        let theirs = match kind.is_symmetric() {
            true => 1.0 + (n as f64).sqrt(),
            false => 1.0,
        };
        let allowed = bound::<f64>(kind, n) * (1.0 + theirs);
        match error <= allowed {
            true => Ok(()),
            false => Err(format!("{} of {n}: {error:.1e} from FFTW", kind.row().name)),
        }
    });
}
