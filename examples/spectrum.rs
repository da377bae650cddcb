//! The spectrum of a real signal: how long a cycle of sunspots takes.
//!
//! `cargo run --release --example spectrum`

use mmafft::{half_frequencies, Complex, Planner, Precision, Request, Shape};

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A mean per year, as 64-bit numbers at the end of a `.npy` file.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/sunspots.npy");
    let (file, years) = (std::fs::read(path)?, 309);
    let numbers = file[file.len() - 8 * years..].chunks_exact(8);
    let mut spots: Vec<f64> = numbers
        .map(|bytes| Ok(f64::from_le_bytes(bytes.try_into()?)))
        .collect::<Result<_, std::array::TryFromSliceError>>()?;
    let mean = spots.iter().sum::<f64>() / years as f64;
    spots.iter_mut().for_each(|x| *x -= mean);

    // A real signal's spectrum is symmetric: R2C returns its first half, N/2 + 1 numbers.
    let request = Request::r2c(Shape::d1(years)).precision(Precision::F64);
    let fft = Planner::cpu()?.build(&request)?;
    let mut spectrum = vec![Complex::<f64>::default(); fft.output_len()];
    fft.process(&spots, &mut spectrum)?;

    let frequencies = half_frequencies(years, 1.0);
    let mut strongest: Vec<usize> = (1..spectrum.len()).collect();
    strongest.sort_by(|&a, &b| spectrum[b].norm().total_cmp(&spectrum[a].norm()));
    for &k in &strongest[..3] {
        println!("period {:.1} years", 1.0 / frequencies[k]);
    }
    let period = 1.0 / frequencies[strongest[0]];
    assert!((period - 11.0).abs() < 0.5, "{period}");
    Ok(())
}
