//! Transforms of host memory by a device, through copies there and back: what they write is as on the CPU, and what
//! they do not write stays as it was.

use mmafft::{AnyBackend, Complex, Layout, Planner, Request, Shape};

/// What no transform of the test gives.
const KEPT: Complex<f32> = Complex::new(-77.0, 33.0);

#[test]
fn what_is_not_written_stays() {
    let line = || Request::forward(Shape::d1(60)).batch(3);
    let requests = [
        line(),
        line().wanted_output(0, 7..31),
        line().output_layout(Layout::strided(&[2]).distance(130).offset(3)),
        line().nonzero_input(0, 0..20),
        Request::backward(Shape::d2(12, 10)),
    ];
    let cpu = Planner::cpu().expect("it is built");
    for name in ["emulated-nvidia", "emulated-amd"] {
        let device = Planner::on(AnyBackend::from_name(name).expect("it is built"));
        for request in &requests {
            let run = |planner: &Planner| {
                let fft = planner.build(request).expect("a plan");
                let value = |i: usize| Complex::new((i * 37 % 64) as f32 / 64.0, (i % 5) as f32);
                let input: Vec<_> = (0..fft.input_len()).map(value).collect();
                let mut output = vec![KEPT; fft.output_len()];
                fft.process(&input, &mut output).expect("it runs");
                let bytes = bytemuck::cast_slice(&input);
                let mut same = vec![KEPT; fft.output_len()];
                fft.process_bytes(bytes, bytemuck::cast_slice_mut(&mut same))
                    .expect("it runs");
                assert_eq!(output, same);
                let zeros = fft.allocate_output().expect("memory");
                let zeros: Vec<Complex<f32>> = fft.download(&zeros).expect("a copy");
                assert!(zeros.iter().all(|zero| *zero == Complex::default()));
                output
            };
            let (ours, wanted) = (run(&device), run(&cpu));
            let written = wanted.iter().filter(|x| **x != KEPT).count();
            assert!(written > 0, "{request:?}");
            for (x, y) in ours.iter().zip(&wanted) {
                assert_eq!(*x == KEPT, *y == KEPT, "{name}: {request:?}");
                assert!((x - y).norm() < 1e-4 * 60.0, "{name}: {request:?}");
            }
        }
    }
}
