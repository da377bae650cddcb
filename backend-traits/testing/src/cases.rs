//! The requests of the suite.

use mmafft_backend_traits::radix::{JOINED, RADICES};
use mmafft_backend_traits::reference::Random;
use mmafft_backend_traits::{
    Direction, Engine, Kind, Layout, Limits, Normalization, Operand, Precision, Request, Shape,
    KINDS,
};

/// Shapes of one to six dimensions: powers of two, mixed radices, primes, single points.
const SHAPES: &[&[usize]] = &[
    &[1],
    &[2],
    &[3],
    &[8],
    &[31],
    &[64],
    &[100],
    &[127],
    &[243],
    &[1000],
    &[1024],
    &[2310],
    &[1, 1],
    &[1, 16],
    &[16, 1],
    &[4, 6],
    &[17, 5],
    &[32, 64],
    &[30, 31],
    &[128, 24],
    &[2, 3, 4],
    &[8, 8, 8],
    &[5, 1, 9],
    &[16, 20, 18],
    &[7, 11, 13],
    &[2, 3, 4, 5],
    &[3, 8, 8, 16],
    &[3, 1, 4, 2, 5],
    &[2, 3, 2, 4, 3, 2],
];

/// The table: every kind, precision and direction over all shapes, then one feature after
/// another on a few.
pub fn requests(limits: &Limits) -> Vec<Request> {
    let mut all = Vec::new();
    for &precision in &limits.precisions {
        let first = all.len();
        for (kind, direction) in kinds() {
            for dims in SHAPES {
                let shape = Shape::new(dims);
                let least = |&n: &usize| kind.logical_length(n) > 0;
                if !dims.iter().all(least) {
                    continue;
                }
                let request = Request::directed(kind, direction, shape).precision(precision);
                all.push(request.clone().batch(3));
                all.push(request.in_place());
            }
        }
        features(precision, limits.workers, &mut all);
        long(precision, limits, &mut all);
        if has_matrix_engine(precision, limits) {
            radices(precision, limits, &mut all);
        }
        if precision == Precision::SplitF16 {
            // Butterflies are tried as f32: what follows the planner's choice are the plain lines.
            let plain = all[first..]
                .iter()
                .filter(|r| r.shape.rank() == 1 && r.batch == 3);
            let plain: Vec<Request> = plain.cloned().collect();
            all[first..]
                .iter_mut()
                .for_each(|request| *request = by_products(request.clone()));
            all.extend(plain);
        }
    }
    all
}

/// In `split-f16` by products, which it has by itself of powers of two alone.
pub fn by_products(request: Request) -> Request {
    match request.precision {
        Precision::SplitF16 => request.engine(Engine::Matrix),
        _ => request,
    }
}

/// Every kind in its directions; of those from reals to reals the direction only normalises.
fn kinds() -> Vec<(Kind, Direction)> {
    let mut kinds = Vec::new();
    for row in KINDS {
        match row.direction {
            Some(direction) => kinds.push((row.kind, direction)),
            None if row.kind.is_real_to_real() => kinds.push((row.kind, Direction::Forward)),
            None => kinds.extend([Direction::Forward, Direction::Inverse].map(|d| (row.kind, d))),
        }
    }
    kinds
}

/// What a block of a device does not hold, and those of a cluster may.
fn long(precision: Precision, limits: &Limits, all: &mut Vec<Request>) {
    let (n, side) = match precision {
        Precision::F64 => (1 << 14, 128),
        _ => (1 << 15, 256),
    };
    let line = |n: usize| Request::forward(Shape::d1(n)).precision(precision);
    all.push(line(n).batch(2));
    all.push(
        line(n)
            .nonzero_input(0, 9..n - 30)
            .wanted_output(0, 1..n / 2),
    );
    let gaps = Layout::strided(&[2]).distance(40_001).offset(1);
    all.push(line(20_000).batch(2).input_layout(gaps).in_place());
    let plane = Request::backward(Shape::d2(side, side)).precision(precision);
    all.push(plane.in_place());
    // What fills a block's memory, or those of the largest.
    let most = limits.tile_bytes / Limits::on_chip_bytes(1, precision.row().storage);
    let fills = [20_000, 12_000, 7000, 3600];
    let core = fills.into_iter().find(|n| *n <= most).unwrap_or(3600);
    all.push(line(core).batch(2));
    for kind in [
        Kind::R2C,
        Kind::C2R,
        Kind::Dht,
        Kind::Dct2,
        Kind::Dct3,
        Kind::Dct4,
    ] {
        let direction = kind.row().direction.unwrap_or(Direction::Forward);
        let request = Request::directed(kind, direction, Shape::d1(2 * core));
        all.push(request.precision(precision));
    }
}

/// Whether the device multiplies what this precision's values become.
fn has_matrix_engine(precision: Precision, limits: &Limits) -> bool {
    let product = match precision.row().operand {
        Operand::SplitHalf => Operand::Half,
        Operand::SplitBf16 => Operand::Bf16,
        operand => operand,
    };
    limits.fragments.iter().any(|f| f.operand == product)
}

/// Every radix alone and in pairs, on the matrix engine; on devices also those that join products.
fn radices(precision: Precision, limits: &Limits, all: &mut Vec<Request>) {
    let mut add = |request: Request| {
        all.push(request.precision(precision).batch(2).engine(Engine::Matrix));
    };
    for row in RADICES {
        for power in 1..=3u32 {
            let n = row.radix.pow(power);
            add(Request::forward(Shape::d1(n)).radices(&[row.radix]));
        }
    }
    // The CPU has none, and small tiles do not hold their lines.
    if limits.target.line_library().is_some() || limits.tile_bytes < 32 << 10 {
        return;
    }
    for &radix in JOINED {
        for n in [radix, radix * radix] {
            add(Request::forward(Shape::d1(n)).radices(&[radix]));
        }
        add(Request::r2c(Shape::d1(2 * radix)).radices(&[radix]));
        add(Request::r2c(Shape::d1(8 * radix)).radices(&[radix, 4]));
        // First, in the middle and last; beside padded products; lines beside each other.
        add(Request::backward(Shape::d1(3 * radix * 4)).radices(&[3, radix, 4]));
        add(Request::forward(Shape::d1(radix * 15)).radices(&[radix, 5, 3]));
        add(Request::c2r(Shape::d2(16, 2 * radix)).radices(&[radix, 16]));
        let beside = Request::backward(Shape::d2(radix, 6)).axes(&[0]);
        add(beside.radices(&[radix]));
    }
}

fn features(precision: Precision, workers: usize, all: &mut Vec<Request>) {
    let d2 = || Shape::d2(24, 40);
    let forward = || Request::forward(d2()).precision(precision);
    for (normalization, _) in Normalization::ALL {
        all.push(forward().normalization(normalization));
        all.push(
            Request::backward(d2())
                .precision(precision)
                .normalization(normalization),
        );
        all.push(
            Request::c2r(d2())
                .precision(precision)
                .normalization(normalization),
        );
    }
    real_to_real(precision, workers, all);
    // Axes: each alone, both orders, and of a larger array.
    for axes in [&[0][..], &[1], &[1, 0]] {
        all.push(forward().axes(axes));
        all.push(Request::r2c(d2()).axes(axes).precision(precision));
        all.push(Request::c2r(d2()).axes(axes).precision(precision));
    }
    for axes in [&[0, 2][..], &[1], &[3, 1], &[0, 1, 2]] {
        let shape = || Shape::new(&[4, 6, 10, 3]);
        all.push(
            Request::forward(shape())
                .axes(axes)
                .precision(precision)
                .batch(2),
        );
        all.push(Request::r2c(shape()).axes(axes).precision(precision));
        all.push(Request::c2r(shape()).axes(axes).precision(precision));
    }
    // Edge points of half spectra wait in scratch where it is limited.
    for columns in [40, 41] {
        let limited = Request::c2r(Shape::d2(24, columns)).precision(precision);
        all.push(limited.batch(2).scratch_limit(1 << 24));
    }
    // Layouts: padded rows, transposed output, batch innermost, offsets.
    let padded = || Layout::strided(&[43, 1]).distance(24 * 43 + 5).offset(3);
    all.push(forward().batch(2).input_layout(padded()));
    all.push(forward().batch(2).output_layout(padded()));
    all.push(forward().batch(2).input_layout(padded()).in_place());
    all.push(forward().output_layout(Layout::strided(&[1, 24])));
    let innermost = || Layout::strided(&[40 * 5, 5]).distance(1);
    all.push(forward().batch(5).input_layout(innermost()));
    all.push(forward().batch(5).input_layout(innermost()).in_place());
    all.push(
        Request::r2c(d2())
            .batch(5)
            .input_layout(innermost())
            .precision(precision),
    );
    let half = Layout::strided(&[21 * 5, 5]).distance(1);
    all.push(
        Request::c2r(d2())
            .batch(5)
            .input_layout(half)
            .output_layout(innermost())
            .precision(precision),
    );
    // Zero ranges: on either side, on both, on every kind.
    for kind in [
        Request::forward(d2()),
        Request::r2c(d2()),
        Request::c2r(d2()),
    ] {
        let base = kind.precision(precision).batch(2);
        all.push(base.clone().nonzero_input(0, 3..17));
        all.push(base.clone().nonzero_input(1, 2..15).nonzero_input(0, 0..12));
        all.push(base.clone().wanted_output(0, 5..9));
        all.push(base.clone().wanted_output(1, 1..7));
        all.push(base.clone().wanted_output(0, 5..9).wanted_output(1, 3..20));
        all.push(base.clone().nonzero_input(0, 0..12).wanted_output(1, 0..8));
        all.push(
            base.axes(&[1])
                .wanted_output(0, 3..9)
                .nonzero_input(1, 0..4),
        );
    }
}

/// Kinds from reals to reals: each normalisation, the kinds of neighbouring rows on two axes of
/// one array, strides, and zero ranges; as many small arrays as keep all `workers` busy, which devices have whole in tiles.
fn real_to_real(precision: Precision, workers: usize, all: &mut Vec<Request>) {
    let real: Vec<Kind> = KINDS.iter().map(|row| row.kind).collect();
    let real: Vec<Kind> = real.into_iter().filter(|k| k.is_real_to_real()).collect();
    for (i, &kind) in real.iter().enumerate() {
        let other = real[(i + 1) % real.len()];
        let mixed = |rows, columns| {
            let request = Request::of_kind(kind, Shape::d2(rows, columns));
            request.kinds(&[kind, other]).precision(precision).batch(2)
        };
        all.push(mixed(12, 17));
        all.push(mixed(6 + i, 16).batch(workers));
        all.push(mixed(15, 20).in_place());
        for (normalization, _) in Normalization::ALL {
            let inverse = Request::directed(kind, Direction::Inverse, Shape::d1(2 + i));
            let inverse = inverse.precision(precision).normalization(normalization);
            all.push(inverse);
            all.push(mixed(2 + i, 24).normalization(normalization));
        }
        let padded = || Layout::strided(&[50, 2]).distance(12 * 50 + 5).offset(3);
        let turned = || Layout::strided(&[1, 12]).distance(12 * 24);
        all.push(mixed(12, 24).input_layout(padded()).output_layout(turned()));
        all.push(mixed(12, 24).nonzero_input(0, 3..8).wanted_output(1, 5..19));
        all.push(mixed(12, 24).nonzero_input(1, 0..12).wanted_output(0, 0..7));
        let shape = Shape::new(&[3, 4, 5, 6]);
        let three = Request::of_kind(kind, shape).axes(&[3, 0, 1]);
        all.push(three.kinds(&[other, kind, kind]).precision(precision));
    }
    // Type I of several axes, by real columns: in any order, beside each kind.
    for (i, &other) in real.iter().enumerate() {
        let [a, b] = [[33, 12], [10, 65]][i % 2];
        let kind = [Kind::Dct1, Kind::Dst1][i / 2 % 2];
        let kinds = if i % 2 == 0 {
            [kind, other]
        } else {
            [other, kind]
        };
        let request = Request::of_kind(kinds[0], Shape::d2(a, b)).kinds(&kinds);
        all.push(request.precision(precision).batch(workers));
    }
}

/// A request drawn at random; one seed, one request.
pub fn random_request(seed: u64, limits: &Limits) -> Request {
    let mut r = Random::new(seed);
    let rank = r.choose(&[1, 1, 2, 2, 3, 4, 5]);
    let most = [4000, 90, 20, 9, 5][rank - 1];
    let mut dims: Vec<usize> = (0..rank).map(|_| 1 + r.below(most)).collect();
    let precision = r.choose(&limits.precisions);
    let (kind, direction) = r.choose(&kinds());
    let mut request = Request::directed(kind, direction, Shape::new(&dims))
        .precision(precision)
        .batch(1 + r.below(4))
        .normalization(r.choose(&Normalization::ALL).0);
    let mut axes: Vec<usize> = (0..rank).filter(|_| !r.once_in(3)).collect();
    if axes.is_empty() {
        axes.push(r.below(rank));
    }
    if r.once_in(3) {
        axes.reverse();
    }
    request = request.axes(&axes);
    if kind.is_real_to_real() {
        let real = |r: &mut Random| loop {
            let kind = r.choose(KINDS).kind;
            if kind.is_real_to_real() {
                return kind;
            }
        };
        let kinds: Vec<Kind> = axes.iter().map(|_| real(&mut r)).collect();
        if r.once_in(2) {
            request = request.kinds(&kinds);
        }
        let kinds = request.kinds.clone().unwrap_or(vec![kind; axes.len()]);
        for (&axis, kind) in axes.iter().zip(kinds) {
            dims[axis] = dims[axis].max(if kind.logical_length(1) == 0 { 2 } else { 1 });
        }
        request.shape = Shape::new(&dims);
    }
    let kind = request.kind;
    let alike = kind == Kind::C2C || kind.is_real_to_real();
    let halved = axes[axes.len() - 1];
    let [mut input, mut output] = [dims.clone(), dims.clone()];
    [input[halved], output[halved]] = kind.lengths(dims[halved]);
    if alike && r.once_in(3) {
        request = request.in_place();
        if r.once_in(2) {
            request.input = layout(&mut r, &input, request.batch);
        }
    } else if !alike && halved + 1 == rank && r.once_in(4) {
        request = request.in_place();
    } else {
        if r.once_in(3) {
            request.input = layout(&mut r, &input, request.batch);
        }
        if r.once_in(3) {
            request.output = layout(&mut r, &output, request.batch);
        }
        for &axis in &axes {
            if r.once_in(8) {
                request = request.nonzero_input(axis, part(&mut r, input[axis]));
            }
            if r.once_in(8) {
                request = request.wanted_output(axis, part(&mut r, output[axis]));
            }
        }
    }
    if has_matrix_engine(precision, limits) && r.once_in(2) {
        request = request.engine(Engine::Matrix);
    }
    request
}

/// A layout in a random order of dimensions, with gaps.
fn layout(r: &mut Random, dims: &[usize], batch: usize) -> Layout {
    let mut order: Vec<usize> = (0..=dims.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, r.below(i + 1));
    }
    let mut strides = vec![1; dims.len() + 1];
    let mut next = 1;
    for d in order {
        strides[d] = next + if r.once_in(4) { r.below(3) } else { 0 };
        let n = if d == 0 { batch } else { dims[d - 1] };
        next = strides[d] * n;
    }
    Layout::strided(&strides[1..])
        .distance(strides[0])
        .offset(r.below(4))
}

fn part(r: &mut Random, n: usize) -> std::ops::Range<usize> {
    let start = r.below(n);
    start..start + 1 + r.below(n - start)
}
