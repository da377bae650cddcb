//! Any bytes as a request: planning neither panics nor takes long, and a small plan runs in
//! buffers of exactly the sizes that it asks for.
#![no_main]

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use mmafft::backend_traits::Prepared;
use mmafft::{
    Backend, CpuBackend, CpuOptions, Direction, Engine, Error, Layout, Normalization, Placement,
    Plan, Request, Shape, KINDS, PRECISIONS,
};

/// Plans of more scalars than this on a side are not run.
const SMALL: usize = 1 << 12;

fuzz_target!(|bytes: &[u8]| {
    let mut u = Unstructured::new(bytes);
    let (Ok(request), Ok(line_points)) = (request(&mut u), u.int_in_range(2..=200)) else {
        return;
    };
    let backend = CpuBackend::new(CpuOptions {
        threads: 1,
        line_points,
    });
    let plan = match mmafft::plan(&request, backend.limits()) {
        Ok(plan) => plan,
        Err(error) => {
            assert!(!error.output_touched());
            assert!(!error.to_string().contains('\n'), "{error}");
            return;
        }
    };
    assert!(!plan.explain().is_empty());
    if plan.input_scalars.max(plan.output_scalars) <= SMALL {
        match run(&plan, &backend) {
            // The planner does not know which butterflies the CPU lacks.
            Ok(()) | Err(Error::Radices { .. }) => {}
            Err(error) => panic!("{error}\n{request:?}"),
        }
    }
});

/// A small number mostly, else one of any size.
fn number(u: &mut Unstructured) -> Result<usize> {
    match u.ratio(15, 16)? {
        true => u.int_in_range(0..=40),
        false => u.arbitrary(),
    }
}

fn list(u: &mut Unstructured, most: usize) -> Result<Vec<usize>> {
    let count = u.int_in_range(0..=most)?;
    (0..count).map(|_| number(u)).collect()
}

fn layout(u: &mut Unstructured) -> Result<Layout> {
    let mut layout = Layout::contiguous();
    if u.ratio(1, 3)? {
        layout.strides = Some(list(u, 5)?);
    }
    if u.ratio(1, 4)? {
        layout.distance = Some(number(u)?);
    }
    if u.ratio(1, 4)? {
        layout.offset = number(u)?;
    }
    Ok(layout)
}

fn request(u: &mut Unstructured) -> Result<Request> {
    let direction = *u.choose(&[Direction::Forward, Direction::Inverse])?;
    let kind = u.choose(KINDS)?.kind;
    let mut request = Request::directed(kind, direction, Shape::new(&list(u, 5)?))
        .precision(u.choose(PRECISIONS)?.precision)
        .normalization(u.choose(&Normalization::ALL)?.0)
        .split_matrix(u.arbitrary()?);
    request.batch = number(u)?;
    request.placement = *u.choose(&[Placement::OutOfPlace, Placement::InPlace])?;
    if u.arbitrary()? {
        request.axes = Some(list(u, 4)?);
    }
    request.input = layout(u)?;
    request.output = layout(u)?;
    for _ in 0..u.int_in_range(0..=2)? {
        let (axis, range) = (u.int_in_range(0..=4)?, number(u)?..number(u)?);
        match u.arbitrary()? {
            true => request.nonzero_input.push((axis, range)),
            false => request.wanted_output.push((axis, range)),
        }
    }
    request.engine = *u.choose(&[None, Some(Engine::Simt), Some(Engine::Matrix)])?;
    if u.ratio(1, 4)? {
        request.radices = Some(list(u, 4)?);
    }
    request.write_only_output = u.ratio(1, 8)?;
    if u.ratio(1, 8)? {
        request.scratch_limit = Some(number(u)?);
    }
    Ok(request)
}

/// Runs the plan on the CPU, in buffers not a scalar longer than it says.
fn run(plan: &Plan, backend: &CpuBackend) -> mmafft::Result<()> {
    let prepared = backend.prepare(plan)?;
    let scalar = plan.request.precision.row().storage.bytes();
    let in_place = plan.request.placement == Placement::InPlace;
    let scalars = match in_place {
        true => plan.input_scalars.max(plan.output_scalars),
        false => plan.output_scalars,
    };
    // The allocator aligns for any scalar, and its sanitizer guards both ends.
    let mut output = vec![0u8; scalars * scalar];
    let input = vec![0u8; plan.input_scalars * scalar];
    let mut scratch = vec![0u8; prepared.scratch_bytes()];
    let input = (!in_place).then_some(&input[..]);
    backend.run_on_host(&prepared, input, &mut output, &mut scratch)
}
