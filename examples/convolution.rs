//! A convolution by the convolution theorem: pad, transform, multiply, and transform back.
//!
//! `cargo run --release --example convolution`

use mmafft::{good_size, Complex, Planner, Precision, Request, Shape};

pub fn main() -> mmafft::Result<()> {
    let signal: Vec<f64> = (0..5000).map(|i| (i as f64 * 0.37).sin()).collect();
    let echo: Vec<f64> = (0..700).map(|i| (-0.01 * i as f64).exp()).collect();

    // Without room for the whole result its end would be added to its beginning.
    let length = signal.len() + echo.len() - 1;
    let padded = good_size(length);

    // What a request says is zero is neither read nor worked on, and what is not wanted is not
    // written.
    let planner = Planner::cpu()?;
    let spectrum = |data: &[f64]| -> mmafft::Result<Vec<Complex<f64>>> {
        let request = Request::r2c(Shape::d1(padded))
            .precision(Precision::F64)
            .nonzero_input(0, 0..data.len());
        let fft = planner.build(&request)?;
        let mut input = data.to_vec();
        input.resize(fft.input_len(), 0.0);
        let mut output = vec![Complex::default(); fft.output_len()];
        fft.process(&input, &mut output)?;
        Ok(output)
    };
    let mut product = spectrum(&signal)?;
    for (x, y) in product.iter_mut().zip(spectrum(&echo)?) {
        *x *= y;
    }

    let request = Request::r2c(Shape::d1(padded)).precision(Precision::F64);
    let backward = planner.build(&request.inverse().wanted_output(0, 0..length))?;
    let mut heard = vec![0.0f64; backward.output_len()];
    backward.process(&product, &mut heard)?;

    for at in [0, 699, 700, 3000, length - 1] {
        let first = at.saturating_sub(signal.len() - 1);
        let terms = (first..=at.min(echo.len() - 1)).map(|i| echo[i] * signal[at - i]);
        let direct: f64 = terms.sum();
        println!("{at}: {:.6}, as a sum {direct:.6}", heard[at]);
        assert!((heard[at] - direct).abs() < 1e-10);
    }
    Ok(())
}
