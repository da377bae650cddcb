//! Lines that 16-bit products scale once: which passes do it, and that what is small beside the bound on a DFT
//! keeps its digits.

use crate::probe::{Probe, Vendor, ORDERS};
use crate::words::{constant, head, step};
use mmafft::backend_traits::device::{lower, Driver, Program};
use mmafft::backend_traits::reference::Random;
use mmafft::backend_traits::reference::{dft_nd, ComplexDd};
use mmafft::{
    AnyBackend, Complex, Engine, Limits, Plan, Planner, Precision, Request, Result, Shape,
};
use mmafft_testing::check;

/// The lines' scales are in shared memory where a pass is products and twiddles, and each product has its own in
/// convolutions and where there is one product only.
#[test]
fn convolutions_scale_columns() {
    for vendor in [Vendor::Nvidia, Vendor::Amd] {
        let driver = vendor.driver();
        // By no rule, which may ask for butterflies beside products.
        let limits = Limits {
            architecture: String::new(),
            ..driver.limits().clone()
        };
        for (n, once) in [
            (16, false),
            (256, true),
            (1000, true),
            (4096, true),
            (257, false),
            (1031, false),
        ] {
            let request = Request::forward(Shape::d1(n))
                .precision(Precision::SplitF16)
                .engine(Engine::Matrix)
                .batch(3);
            let plan = mmafft::plan(&request, &limits).expect("a plan");
            for pass in &plan.passes {
                let lowered = lower(pass, &driver.geometry()).expect("it is lowered");
                let words = &lowered.program;
                assert_eq!(head(words, "magnitudes") != 0, once, "{n} on {vendor:?}");
                let steps = head(words, "steps") as usize;
                let scaled = (0..steps)
                    .filter(|&i| step(words, i, "scaling") == constant("SCALING_LINE"))
                    .count();
                assert_eq!(scaled, usize::from(once), "{n} on {vendor:?}");
            }
        }
    }
}

/// Planes are scaled once too, where they are asked to be: what has no twiddles is made smaller between the axes.
#[test]
fn planes_can_be_scaled_once() {
    fn once(request: &Request, limits: &Limits) -> Result<Plan> {
        let mut plan = mmafft::plan(request, limits)?;
        for pass in &mut plan.passes {
            assert!(
                !pass.math.scale_lines,
                "another batch may have another tile"
            );
            pass.math.scale_lines = true;
        }
        Ok(plan)
    }
    for vendor in [Vendor::Nvidia, Vendor::Amd] {
        for (dims, radices) in [
            (vec![16, 48], &[][..]),
            (vec![32, 32], &[]),
            (vec![16, 4, 16], &[]),
            (vec![6, 20], &[]),
            // Joined products at the end of an axis, and of the pass.
            (vec![32, 32], &[32]),
            (vec![64, 8], &[64, 8]),
            (vec![4, 128], &[128, 4]),
        ] {
            let mut request = Request::forward(Shape::new(&dims))
                .precision(Precision::SplitF16)
                .engine(Engine::Matrix)
                .batch(20);
            if !radices.is_empty() {
                request = request.radices(radices);
            }
            let driver = vendor.driver();
            let plan = once(&request, driver.limits()).expect("a plan");
            let of = |pass| {
                lower(pass, &driver.geometry())
                    .expect("it is lowered")
                    .program
            };
            let down = |program: Program| {
                (0..head(&program, "steps") as usize).any(|i| step(&program, i, "down") != 0)
            };
            let planes = plan.passes.iter().filter(|p| p.axes.len() > 1);
            assert!(
                planes.clone().count() > 0 && planes.map(of).all(down),
                "{dims:?}"
            );
            for order in ORDERS {
                let backend = Probe::new(vendor, order).backend();
                check(&backend, once, &request, 10.0).unwrap_or_else(|what| panic!("{what}"));
            }
        }
    }
}

/// A single point, whose DFT is as small as can be beside its bound; a constant, whose DFT is as large; and
/// two that differ by seven digits.
#[test]
fn extremes_keep_their_digits() {
    let mut random = Random::new(5);
    for backend in ["emulated-nvidia", "emulated-amd"] {
        let planner = Planner::on(AnyBackend::from_name(backend).expect("a backend"));
        for dims in [vec![256], vec![1000], vec![4096], vec![8192], vec![16, 64]] {
            let points: usize = dims.iter().product();
            let lines = |at: usize| -> [f32; 4] {
                [
                    if at == 1 { 1.0 } else { 0.0 },
                    1.0,
                    if at == 3 { 1.0 } else { 1e-7 },
                    if at.is_multiple_of(2) { -1.0 } else { 1.0 },
                ]
            };
            for (kind, scale) in (0..4).flat_map(|k| [1e-30, 1.0, 1e30].map(|s| (k, s))) {
                let noise = 1.0 + 0.1 * random.uniform() as f32;
                let value = |at| Complex::new(lines(at)[kind] * noise * scale, 0.0);
                let mut data: Vec<Complex<f32>> = (0..points).map(value).collect();
                let exact = |x: &Complex<f32>| {
                    ComplexDd::from(Complex::new(f64::from(x.re), f64::from(x.im)))
                };
                let mut wanted: Vec<ComplexDd> = data.iter().map(exact).collect();
                let axes: Vec<usize> = (0..dims.len()).collect();
                dft_nd(&dims, &axes, false, &mut wanted);
                let request = Request::forward(Shape::new(&dims)).precision(Precision::SplitF16);
                let request = request.engine(Engine::Matrix);
                let fft = planner.build(&request).expect("a plan");
                fft.process_in_place(&mut data).expect("it runs");
                let (mut error, mut size) = (0.0, 0.0);
                for (x, w) in data.iter().zip(&wanted) {
                    let w = w.to_c64();
                    error += (Complex::new(f64::from(x.re), f64::from(x.im)) - w).norm_sqr();
                    size += w.norm_sqr();
                }
                let error: f64 = (error / size).sqrt();
                let bound = 1.6e-7 * (1.0 + (points as f64).log2()).sqrt();
                assert!(
                    error <= bound,
                    "{backend} {dims:?} line {kind} times {scale:e}: {error:e}"
                );
            }
        }
    }
}
