//! Many lines at once, which are not contiguous: the channels of an interleaved recording.
//!
//! `cargo run --release --example batched_strides`

use mmafft::{Complex, Layout, Planner, Request, Shape};
use std::f32::consts::TAU;

pub fn main() -> mmafft::Result<()> {
    // Left, right, left, right, …: a tone in each.
    let (points, channels, tones) = (1024, 2, [20, 300]);
    let sample =
        |i: usize| (TAU * (tones[i % channels] * (i / channels)) as f32 / points as f32).cos();
    let recording: Vec<f32> = (0..points * channels).map(sample).collect();

    // Strides and distances count elements. A channel's samples are `channels` apart, and the
    // next channel begins one after the first; each spectrum is contiguous.
    let half = points / 2 + 1;
    let request = Request::r2c(Shape::d1(points))
        .batch(channels)
        .input_layout(Layout::strided(&[channels]).distance(1))
        .output_layout(Layout::contiguous().distance(half));
    let fft = Planner::cpu()?.build(&request)?;
    let mut spectra = vec![Complex::<f32>::default(); fft.output_len()];
    fft.process(&recording, &mut spectra)?;

    for (spectrum, tone) in spectra.chunks_exact(half).zip(tones) {
        let strongest =
            (0..half).max_by(|&a, &b| spectrum[a].norm().total_cmp(&spectrum[b].norm()));
        println!("strongest of {half} frequencies: {strongest:?}");
        assert_eq!(strongest, Some(tone));
    }
    Ok(())
}
