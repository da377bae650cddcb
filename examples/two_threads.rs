//! One plan for many threads: a transform is immutable, and takes its scratch from a pool.
//!
//! `cargo run --release --example two_threads`

use mmafft::{AnyBackend, Complex, CpuBackend, CpuOptions, Planner, Request, Shape};
use std::thread;

pub fn main() -> mmafft::Result<()> {
    // The threads are the caller's: the backend is to start none of its own.
    let options = CpuOptions {
        threads: 1,
        ..Default::default()
    };
    let planner = Planner::on(AnyBackend::Cpu(CpuBackend::new(options)));
    let fft = planner.build(&Request::forward(Shape::d1(1 << 12)))?;

    let transformed = |tone: usize| -> mmafft::Result<Vec<Complex<f32>>> {
        let angle = |i: usize| std::f32::consts::TAU * (i * tone % 4096) as f32 / 4096.0;
        let mut data: Vec<_> = (0..4096)
            .map(|i| Complex::from_polar(1.0, angle(i)))
            .collect();
        fft.process_in_place(&mut data)?;
        Ok(data)
    };
    let both = thread::scope(|scope| {
        let [one, two] = [100, 2000].map(|tone| scope.spawn(move || transformed(tone)));
        [one, two].map(|thread| thread.join())
    });

    for (thread, tone) in both.into_iter().zip([100, 2000]) {
        let spectrum = thread.expect("no thread panics")?;
        println!("tone {tone}: {:.1}", spectrum[tone].re);
        assert!((spectrum[tone].re - 4096.0).abs() < 0.01);
        // Which thread it was makes no difference, not in a bit.
        assert_eq!(spectrum, transformed(tone)?);
    }
    Ok(())
}
