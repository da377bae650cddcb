//! Values that are not finite spoil the transform that they are in, and no other: all other arrays of the batch keep
//! their bits, and what lies outside of a zero range counts for nothing.

use bytemuck::{cast_slice, cast_slice_mut};
use mmafft::backend_traits::reference::Random;
use mmafft::{
    Complex, Domain, Engine, Kind, Layout, Planner, Precision, RealElement, Request, Shape,
};

const BATCH: usize = 9;

/// Scalars of a point of the input, and of the output.
fn scalars(request: &Request) -> [usize; 2] {
    let row = request.kind.row();
    [row.input, row.output].map(|domain| match domain {
        Domain::Complex => 2,
        _ => 1,
    })
}

/// Replaces some scalars of an input.
type Spoil<'a, T> = dyn Fn(&mut [T]) + 'a;

/// One plan and its runs.
struct Runs<'a, T> {
    planner: &'a Planner,
    request: &'a Request,
    of: fn(f64) -> T,
}

impl<T: RealElement> Runs<'_, T>
where
    Complex<T>: bytemuck::Pod,
{
    /// The scalars of the results of uniform data in which `spoil` has replaced some.
    fn each(&self, spoils: &[&Spoil<T>]) -> Vec<Vec<T>> {
        let fft = self.planner.build(self.request);
        let fft = fft.unwrap_or_else(|e| panic!("{:?}: {e}", self.request));
        let [from, to] = scalars(self.request);
        let run = |spoil: &&Spoil<T>| {
            let mut random = Random::new(7);
            let uniform = |_| (self.of)(random.uniform());
            let mut input: Vec<T> = (0..fft.input_len() * from).map(uniform).collect();
            spoil(&mut input);
            let mut output = vec![(self.of)(0.0); fft.output_len() * to];
            match [from, to] {
                [1, 1] => fft.process(&input, &mut output),
                [1, _] => fft.process(&input, cast_slice_mut::<T, Complex<T>>(&mut output)),
                [_, 1] => fft.process(cast_slice::<T, Complex<T>>(&input), &mut output),
                _ => fft.process(
                    cast_slice::<T, Complex<T>>(&input),
                    cast_slice_mut::<T, Complex<T>>(&mut output),
                ),
            }
            .unwrap_or_else(|e| panic!("{:?}: {e}", self.request));
            output
        };
        spoils.iter().map(run).collect()
    }
}

/// Where the scalars of an array of a batch lie.
#[derive(Clone, Copy)]
enum Apart {
    /// Array after array.
    Arrays,
    /// Point after point, each of all arrays.
    Points,
}

/// Spoils one array after the other of a batch, by infinity and NaN: it is not finite then, and all others are as they were.
fn others_keep_their_bits<T: RealElement>(
    planner: &Planner,
    request: &Request,
    apart: Apart,
    of: fn(f64) -> T,
    finite: fn(T) -> bool,
) -> Vec<String>
where
    Complex<T>: bytemuck::Pod,
{
    let [from, to] = scalars(request);
    let array = |at: usize, all: usize, scalars: usize| match apart {
        Apart::Arrays => at * BATCH / all,
        Apart::Points => at / scalars % BATCH,
    };
    let spoiled = [(5, f64::INFINITY), (2, f64::NAN), (8, f64::NEG_INFINITY)];
    let put = spoiled.map(|(spoiled, value)| {
        move |input: &mut [T]| {
            let all = input.len();
            let own = |&at: &usize| array(at, all, from) == spoiled;
            let places: Vec<usize> = (0..all).filter(own).collect();
            // In the middle, where no kind has a zero for a factor of all results.
            input[places[places.len() / 2]] = of(value);
        }
    });
    let runs = Runs {
        planner,
        request,
        of,
    };
    let nothing = |_: &mut [T]| ();
    let results = runs.each(&[&nothing, &put[0], &put[1], &put[2]]);
    let clean = &results[0];
    let mut faults = Vec::new();
    for ((spoiled, value), result) in spoiled.into_iter().zip(&results[1..]) {
        let all = result.len();
        let mut others = Vec::new();
        let mut own = 0;
        for (at, (x, y)) in result.iter().zip(clean).enumerate() {
            let of = array(at, all, to);
            let same = bytemuck::bytes_of(x) == bytemuck::bytes_of(y);
            if of == spoiled {
                own += usize::from(!finite(*x));
            } else if !same && !others.contains(&of) {
                others.push(of);
            }
        }
        if !others.is_empty() {
            faults.push(format!(
                "{value} in array {spoiled} changes arrays {others:?}: {request:?}"
            ));
        }
        if own == 0 {
            faults.push(format!(
                "{value} in array {spoiled} is nowhere in its result: {request:?}"
            ));
        }
    }
    faults
}

fn checked(planner: &Planner, request: &Request, apart: Apart) -> Vec<String> {
    use half::{bf16, f16};
    match request.precision {
        Precision::F64 => {
            others_keep_their_bits::<f64>(planner, request, apart, |x| x, f64::is_finite)
        }
        Precision::F16 => {
            others_keep_their_bits(planner, request, apart, f16::from_f64, f16::is_finite)
        }
        Precision::Bf16 => {
            others_keep_their_bits(planner, request, apart, bf16::from_f64, bf16::is_finite)
        }
        _ => others_keep_their_bits::<f32>(planner, request, apart, |x| x as f32, f32::is_finite),
    }
}

/// The precisions by products, the one that is named after them without being asked.
fn by_products(request: &Request, planner: &Planner) -> Vec<Request> {
    let with = |precision| request.clone().precision(precision).batch(BATCH);
    let asked = |precision| with(precision).engine(Engine::Matrix);
    let mut all = vec![
        asked(Precision::SplitF16),
        asked(Precision::F16),
        asked(Precision::Bf16),
        asked(Precision::F64),
    ];
    all.push(asked(Precision::F32));
    // No device has products of every precision.
    all.retain(|request| planner.plan(request).is_ok());
    all
}

fn all_right(planner: &Planner, requests: Vec<(Request, Apart)>) {
    let of = |(request, apart): &(Request, Apart)| checked(planner, request, *apart);
    let faults: Vec<String> = requests.iter().flat_map(of).collect();
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// Lengths whose products fill a row, are padded, are joined, are of two points alone and among others; primes, by
/// Rader's and by Bluestein's convolution.
pub fn lines_by_products(planner: &Planner) {
    const LENGTHS: [usize; 12] = [2, 3, 4, 6, 10, 12, 22, 34, 48, 97, 100, 130];
    all_right(planner, {
        let of = |n: usize| by_products(&Request::forward(Shape::d1(n)), planner);
        LENGTHS
            .into_iter()
            .flat_map(of)
            .map(|r| (r, Apart::Arrays))
            .collect()
    });
}

pub fn reals_by_products(planner: &Planner) {
    all_right(planner, {
        let mut all = Vec::new();
        for n in [4usize, 12, 52, 74, 100] {
            all.push(Request::r2c(Shape::d1(n)));
            all.push(Request::c2r(Shape::d1(n)));
        }
        all.push(Request::r2c(Shape::d1(15)));
        for (kind, n) in [
            (Kind::Dct1, 23),
            (Kind::Dct2, 211),
            (Kind::Dct2, 20),
            (Kind::Dct3, 44),
            (Kind::Dct4, 26),
            (Kind::Dst1, 13),
            (Kind::Dst2, 11),
            (Kind::Dst3, 10),
            (Kind::Dst4, 25),
            (Kind::Dht, 100),
            (Kind::R2HC, 20),
            (Kind::HC2R, 20),
        ] {
            all.push(Request::of_kind(kind, Shape::d1(n)));
        }
        let of = |request: Request| by_products(&request, planner);
        all.into_iter()
            .flat_map(of)
            .map(|r| (r, Apart::Arrays))
            .collect()
    });
}

/// Arrays whose points lie between those of the others, and arrays of several axes in a tile.
pub fn columns_and_planes_by_products(planner: &Planner) {
    all_right(planner, {
        let mut all = Vec::new();
        for n in [2usize, 10, 12, 97] {
            let layout = Layout::strided(&[BATCH]).distance(1);
            let request = Request::forward(Shape::d1(n));
            let request = request.input_layout(layout.clone()).output_layout(layout);
            all.extend(
                by_products(&request, planner)
                    .into_iter()
                    .map(|r| (r, Apart::Points)),
            );
        }
        for dims in [[2usize, 6], [6, 10], [12, 2]] {
            let plane = Request::forward(Shape::new(&dims));
            all.extend(
                by_products(&plane, planner)
                    .into_iter()
                    .map(|r| (r, Apart::Arrays)),
            );
        }
        let plane = Request::r2c(Shape::new(&[6, 12]));
        all.extend(
            by_products(&plane, planner)
                .into_iter()
                .map(|r| (r, Apart::Arrays)),
        );
        all
    });
}

/// By butterflies: of lines, their convolutions, parts of long lines, and planes.
pub fn butterflies(planner: &Planner) {
    all_right(planner, {
        let mut all = Vec::new();
        for precision in [
            Precision::F32,
            Precision::F64,
            Precision::F16,
            Precision::Bf16,
        ] {
            let kinds = [Kind::Dct1, Kind::Dct2, Kind::Dst3, Kind::Dct4, Kind::Dht];
            let mut requests: Vec<Request> = [6, 12, 97, 101, 211]
                .map(|n| Request::forward(Shape::d1(n)))
                .into();
            requests.extend([12, 15, 100].map(|n| Request::r2c(Shape::d1(n))));
            requests.extend([12, 15, 100].map(|n| Request::c2r(Shape::d1(n))));
            requests.extend(kinds.map(|kind| Request::of_kind(kind, Shape::d1(21))));
            requests.push(Request::forward(Shape::d2(6, 10)));
            requests.push(Request::r2c(Shape::d2(9, 10)));
            let batch = |r: Request| (r.precision(precision).batch(BATCH), Apart::Arrays);
            all.extend(requests.into_iter().map(batch));
        }
        all
    });
}

/// What lies outside of the range of points that are not zero is not read: it may be anything.
pub fn outside_of_a_zero_range(planner: &Planner) {
    for (n, range) in [
        (12usize, 2..7),
        (97, 0..50),
        (100, 30..100),
        (1 << 10, 5..600),
    ] {
        for precision in [Precision::SplitF16, Precision::F32] {
            let request = Request::forward(Shape::d1(n))
                .precision(precision)
                .batch(BATCH)
                .nonzero_input(0, range.clone());
            let runs = Runs {
                planner,
                request: &request,
                of: |x| x as f32,
            };
            let put = |value: f32| {
                let range = range.clone();
                move |input: &mut [f32]| {
                    for (at, x) in input.iter_mut().enumerate() {
                        if !range.contains(&(at / 2 % n)) {
                            *x = value;
                        }
                    }
                }
            };
            let results = runs.each(&[&put(0.0), &put(f32::NAN), &put(f32::INFINITY)]);
            let bytes: Vec<&[u8]> = results.iter().map(|r| cast_slice(r)).collect();
            assert!(bytes[1] == bytes[0] && bytes[2] == bytes[0], "{request:?}");
        }
    }
}
