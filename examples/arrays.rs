//! Arrays of the crate `ndarray`: transposed, sliced and reversed views, without loops for them.
//!
//! `cargo run --release --features ndarray --example arrays`

use mmafft::{layout_of, Complex, Normalization, Planner, Request, Shape, Slot};
use ndarray::{s, Array2, ShapeBuilder, Zip};

pub fn main() -> mmafft::Result<()> {
    let planner = Planner::cpu()?;
    let image = Array2::from_shape_fn((48, 40), |(i, j)| (3 * i + j * j % 7) as f32);

    // Every other row, backwards: the elements are gathered, transformed, and put in place.
    let part = image.slice(s![..;-2, ..]);
    let request = Request::r2c(Shape::new(part.shape())).normalization(Normalization::Backward);
    let forward = planner.build(&request)?;
    let mut spectrum = Array2::<Complex<f32>>::zeros((24, 21));
    forward.process_array(part, spectrum.view_mut())?;
    let backward = planner.build(&request.inverse())?;
    let mut again = Array2::<f32>::zeros((24, 40));
    backward.process_array(spectrum.view(), again.view_mut())?;
    Zip::from(&again)
        .and(part)
        .for_each(|a, b| assert!((a - b).abs() < 1e-3));

    // A request for an array's own strides takes its memory as it is: here columns first.
    let mut turned = Array2::from_shape_fn((48, 40).f(), |at| Complex::new(image[at], 0.0));
    let layout = layout_of(&turned, Slot::Input)?;
    let request = Request::forward(Shape::new(turned.shape()))
        .input_layout(layout.clone())
        .output_layout(layout);
    planner
        .build(&request)?
        .process_array_in_place(turned.view_mut())?;
    println!(
        "sum {}, by the transform {}",
        image.sum(),
        turned[[0, 0]].re
    );
    assert!((turned[[0, 0]].re - image.sum()).abs() < 1e-3 * image.sum());
    Ok(())
}
