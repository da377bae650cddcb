//! From a file's points to those of the result, in the storage of the precision: no other copy of all points is made.

use crate::estimate;
use crate::npy::{Number, Reader};
use crate::points::{FirstArray, Points};
use crate::ranks::Ranks;
use crate::room::room;
use crate::Failure;
use half::{bf16, f16};
use mmafft::{Complex, Domain, Element, Precision, RealElement, Request, Transform};
use std::io::Read;
use std::time::{Duration, Instant};

/// A transform that has run.
pub struct Outcome {
    /// The output's shape.
    pub shape: Vec<usize>,
    /// What came out.
    pub values: Box<dyn Points>,
    /// What went in, of the first array, where its error can be estimated.
    pub first: Option<Box<dyn Points>>,
    /// How long the transform took.
    pub time: Duration,
}

/// Reads the input that the transform wants, and transforms it.
pub fn run<R: Read>(fft: &Transform, ranks: &Ranks, reader: Reader<R>) -> Result<Outcome, Failure> {
    match fft.plan().request.precision {
        Precision::F64 => typed::<f64, R>(fft, ranks, reader),
        Precision::F16 => typed::<f16, R>(fft, ranks, reader),
        Precision::Bf16 => typed::<bf16, R>(fft, ranks, reader),
        _ => typed::<f32, R>(fft, ranks, reader),
    }
}

/// The shape of a side of one array of a request whose axes are filled in.
pub fn shapes(request: &Request) -> [Vec<usize>; 2] {
    let mut shapes = [(); 2].map(|()| request.shape.dims().to_vec());
    if let Some(&halved) = request.axes.as_ref().and_then(|axes| axes.last()) {
        let [input, output] = request.kind.lengths(shapes[0][halved]);
        (shapes[0][halved], shapes[1][halved]) = (input, output);
    }
    shapes
}

/// A request of the first array alone: the transformed axes of `request`, in the array's order.
pub fn of_first_array(request: &Request) -> (Vec<usize>, Request) {
    let listed = request.axes.clone().unwrap_or_default();
    let mut axes = listed.clone();
    axes.sort_unstable();
    let lengths: Vec<usize> = axes.iter().map(|&a| request.shape.dims()[a]).collect();
    let mut first = request.clone();
    first.shape = mmafft::Shape::new(&lengths);
    first.axes = Some(
        listed
            .iter()
            .filter_map(|a| axes.binary_search(a).ok())
            .collect(),
    );
    (axes, first)
}

fn typed<T, R>(fft: &Transform, ranks: &Ranks, reader: Reader<R>) -> Result<Outcome, Failure>
where
    T: RealElement + Number,
    Complex<T>: Number,
    R: Read,
{
    let row = fft.plan().request.kind.row();
    if ranks.ranks.is_some() {
        return match (row.input, row.output) {
            (Domain::Real, Domain::Real) => shared::<T, T, R>(fft, ranks, reader),
            (Domain::Complex, Domain::Complex) => {
                shared::<Complex<T>, Complex<T>, R>(fft, ranks, reader)
            }
            (Domain::Real, Domain::Complex) => shared::<T, Complex<T>, R>(fft, ranks, reader),
            (Domain::Complex, Domain::Real) => shared::<Complex<T>, T, R>(fft, ranks, reader),
        };
    }
    match (row.input, row.output) {
        (Domain::Real, Domain::Real) => computed(fft, reader, alike::<T>),
        (Domain::Complex, Domain::Complex) => computed(fft, reader, alike::<Complex<T>>),
        (Domain::Real, Domain::Complex) => computed(fft, reader, unlike::<T, Complex<T>>),
        (Domain::Complex, Domain::Real) => computed(fft, reader, unlike::<Complex<T>, T>),
    }
}

/// The same over ranks.
fn shared<I: Element + Number, O: Element + Number, R: Read>(
    fft: &Transform,
    ranks: &Ranks,
    reader: Reader<R>,
) -> Result<Outcome, Failure> {
    let backend = mmafft::AnyBackend::from_name(fft.plan().backend)?;
    computed(fft, reader, |fft, data: Vec<I>| -> Timed<O> {
        ranks.transform(&backend, &fft.plan().request, &data, fft.output_len())
    })
}

/// A result, and how long it took.
type Timed<T> = Result<(Vec<T>, Duration), Failure>;

fn computed<I: Element + Number, O: Element + Number, R: Read>(
    fft: &Transform,
    reader: Reader<R>,
    transform: impl Fn(&Transform, Vec<I>) -> Timed<O>,
) -> Result<Outcome, Failure> {
    let request = &fft.plan().request;
    let [shape, output_shape] = shapes(request);
    let complex = reader.dtype().is_complex();
    let input: Vec<I> = reader.read(&shape)?;
    let first = first_array(request, &shape, complex, &input)?;
    let (values, time) = transform(fft, input)?;
    Ok(Outcome {
        shape: output_shape,
        values: Box::new(values),
        first,
        time,
    })
}

/// A copy of the first array, no wider than it has to be; of real points no imaginary parts.
fn first_array<I: Element + Number>(
    request: &Request,
    shape: &[usize],
    complex: bool,
    input: &Vec<I>,
) -> Result<Option<Box<dyn Points>>, Failure> {
    let (axes, alone) = of_first_array(request);
    if !estimate::is_affordable(&alone) {
        return Ok(None);
    }
    let first = FirstArray::new(shape, &axes);
    let copy = match (complex, request.precision) {
        (false, Precision::F64) => first.copy::<f64>(input),
        (false, _) => first.copy::<f32>(input),
        (true, Precision::F64) => first.copy::<Complex<f64>>(input),
        (true, _) => first.copy::<Complex<f32>>(input),
    };
    Ok(Some(copy?))
}

/// Transforms points into points of the same type: in place, where the plan can.
fn alike<T: Element>(fft: &Transform, mut data: Vec<T>) -> Timed<T> {
    if !on_host(fft) || fft.plan().not_in_place.is_some() {
        return unlike(fft, data);
    }
    let started = Instant::now();
    fft.process_in_place(&mut data)?;
    Ok((data, started.elapsed()))
}

/// Transforms points into points of another type.
fn unlike<I: Element, O: Element>(fft: &Transform, data: Vec<I>) -> Timed<O> {
    if on_host(fft) {
        let mut output = room("the output", fft.output_len())?;
        output.resize(fft.output_len(), O::default());
        let started = Instant::now();
        fft.process(&data, &mut output)?;
        return Ok((output, started.elapsed()));
    }
    let input = fft.upload(&data)?;
    drop(data);
    let mut output = fft.allocate_output()?;
    let started = Instant::now();
    fft.run(&input, &mut output)?;
    fft.synchronize()?;
    let time = started.elapsed();
    Ok((fft.download(&output)?, time))
}

/// Whether the backend computes on the host's own memory.
fn on_host(fft: &Transform) -> bool {
    fft.plan().backend == "cpu"
}
