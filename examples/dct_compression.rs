//! Compression of an image as JPEG does it: a DCT of blocks of 8×8, of which few numbers are kept.
//!
//! `cargo run --release --example dct_compression`

use mmafft::{Kind, Layout, Normalization, Planner, Request, Shape};

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/moon.npy");
    let (file, side, block) = (std::fs::read(path)?, 512, 8);
    let pixels = &file[file.len() - side * side..];
    let image: Vec<f32> = pixels.iter().map(|&pixel| pixel.into()).collect();

    // A batch is a row of blocks: each begins 8 pixels after the one before it, and the rows of
    // a block are an image's row apart.
    let blocks = Layout::strided(&[side, 1]).distance(block);
    let request = Request::of_kind(Kind::Dct2, Shape::d2(block, block))
        .batch(side / block)
        .normalization(Normalization::Ortho)
        .input_layout(blocks.clone())
        .output_layout(blocks);
    let planner = Planner::cpu()?;
    let forward = planner.build(&request)?;
    let backward = planner.build(&request.inverse())?;

    let mut numbers = image.clone();
    for rows in numbers.chunks_exact_mut(block * side) {
        forward.process_in_place(rows)?;
    }

    // The largest tenth stays.
    let mut sizes: Vec<f32> = numbers.iter().map(|x| x.abs()).collect();
    sizes.sort_by(f32::total_cmp);
    let least = sizes[sizes.len() / 10 * 9];
    let kept = |x: f32| if x.abs() < least { 0.0 } else { x };
    let mut restored: Vec<f32> = numbers.iter().copied().map(kept).collect();
    for rows in restored.chunks_exact_mut(block * side) {
        backward.process_in_place(rows)?;
    }

    let squares = image.iter().zip(&restored).map(|(a, b)| (a - b).powi(2));
    let mean = squares.sum::<f32>() / image.len() as f32;
    let decibels = 10.0 * (255.0f32.powi(2) / mean).log10();
    println!("a tenth of the numbers: {decibels:.1} dB of signal to noise");
    assert!(decibels > 30.0, "{decibels}");
    Ok(())
}
