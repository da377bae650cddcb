//! A low-pass filter of an image: R2C, a factor for each frequency, and the inverse.
//!
//! `cargo run --release --example image_filter`

use mmafft::{frequencies, half_frequencies, Complex, Planner, Request, Shape};

/// Differences of neighbours, which a low-pass filter makes smaller.
fn roughness(image: &[f32]) -> f32 {
    let steps = image.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    steps.sum::<f32>() / image.len() as f32
}

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/moon.npy");
    let (file, side) = (std::fs::read(path)?, 512);
    let pixels = &file[file.len() - side * side..];
    let image: Vec<f32> = pixels.iter().map(|&pixel| pixel.into()).collect();

    // What undoes a request, its normalisation included, is the request's inverse.
    let request = Request::r2c(Shape::d2(side, side));
    let planner = Planner::cpu()?;
    let forward = planner.build(&request)?;
    let backward = planner.build(&request.inverse())?;

    let mut spectrum = vec![Complex::<f32>::default(); forward.output_len()];
    forward.process(&image, &mut spectrum)?;

    // The last axis is the halved one.
    let (down, across) = (frequencies(side, 1.0), half_frequencies(side, 1.0));
    for (row, &v) in spectrum.chunks_exact_mut(across.len()).zip(&down) {
        for (value, &u) in row.iter_mut().zip(&across) {
            *value *= (-200.0 * (u * u + v * v)).exp() as f32;
        }
    }

    let mut smooth = vec![0.0f32; backward.output_len()];
    backward.process(&spectrum, &mut smooth)?;

    let mean =
        |image: &[f32]| image.iter().map(|&x| f64::from(x)).sum::<f64>() / image.len() as f64;
    println!("mean {:.2}, then {:.2}", mean(&image), mean(&smooth));
    println!(
        "roughness {:.2}, then {:.2}",
        roughness(&image),
        roughness(&smooth)
    );
    assert!((mean(&image) - mean(&smooth)).abs() < 0.01);
    assert!(roughness(&smooth) < 0.5 * roughness(&image));
    Ok(())
}
