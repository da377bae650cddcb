//! A short-time Fourier transform: overlapping frames of one signal, none of them copied.
//!
//! `cargo run --release --example stft`

use mmafft::{Complex, Layout, Planner, Request, Shape};
use std::f32::consts::{PI, TAU};

pub fn main() -> mmafft::Result<()> {
    // A tone that rises from 0 to a fourth of the sampling rate.
    let (samples, frame, step) = (16_384, 512, 256);
    let tone = |t: usize| (PI * 0.25 * (t * t) as f32 / samples as f32).cos();
    let signal: Vec<f32> = (0..samples).map(tone).collect();

    // An input that is only read may overlap itself: a frame begins every `step` samples.
    let (frames, half) = ((samples - frame) / step + 1, frame / 2 + 1);
    let request = Request::r2c(Shape::d1(frame))
        .batch(frames)
        .input_layout(Layout::contiguous().distance(step));
    let fft = Planner::cpu()?.build(&request)?;
    let mut spectra = vec![Complex::<f32>::default(); fft.output_len()];
    fft.process(&signal, &mut spectra)?;

    // A periodic Hann window is a sum of three frequencies, applied after the transform.
    let hann = |x: &[Complex<f32>]| x[1] * 0.5 - (x[0] + x[2]) * 0.25;
    let peaks = spectra.chunks_exact(half).map(|spectrum| {
        let sizes: Vec<f32> = spectrum.windows(3).map(|x| hann(x).norm()).collect();
        let best = (0..sizes.len()).max_by(|&a, &b| sizes[a].total_cmp(&sizes[b]));
        best.unwrap_or(0) + 1
    });
    let peaks: Vec<usize> = peaks.collect();
    println!("strongest frequency of each frame: {peaks:?}");

    let rate = |k: usize| TAU * k as f32 / frame as f32;
    for (i, &peak) in peaks.iter().enumerate().skip(2) {
        let middle = (i * step + frame / 2) as f32;
        let expected = TAU * 0.25 * middle / samples as f32;
        assert!(
            (rate(peak) - expected).abs() < 2.0 * rate(1),
            "frame {i}: {peak}"
        );
    }
    Ok(())
}
