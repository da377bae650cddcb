use mmafft_backend_traits::device::DeviceBackend;
use mmafft_backend_traits::*;
use mmafft_emulated::EmulatedDriver;

fn plan(request: &Request, limits: &Limits) -> Result<Plan> {
    let n = request.shape.dims()[0];
    let precision = request.precision;
    let mut request = request.clone();
    request.axes = Some(vec![0]);
    let kind = request.kind;
    let engine = request.engine.unwrap_or(Engine::Simt);
    let (inl, outl) = kind.lengths(n);
    let core = if kind == Kind::C2C || n % 2 == 1 { n } else { n / 2 };
    let mut steps = vec![];
    let radices = match &request.radices { Some(r) => radix::factor(core, r), None => radix::factor(core, &[16, 8, 4, 2, 3, 5, 7, 11, 13]) };
    match radices {
        Some(f) => for r in f { steps.push(Step::Dft { axis: 0, radix: r }) },
        None => {
            let rader = radix::factor(core - 1, &[16, 8, 4, 2, 9, 3, 5, 7, 11, 13]).filter(|_| largest_prime_factor(core) == core);
            if let Some(f) = rader {
            steps.push(Step::Rader { axis: 0, length: core });
                for r in f { steps.push(Step::Dft { axis: 0, radix: r }) } } else {
            let padded = (2 * core - 1).next_power_of_two();
            steps.push(Step::Chirp { axis: 0, length: core, padded });
            for r in radix::factor(padded, &[16, 8, 4, 2]).unwrap() { steps.push(Step::Dft { axis: 0, radix: r }) }
        }}
    }
    let (din, dout) = (kind.row().input, kind.row().output);
    let storage = precision.row().storage;
    let pass = Pass {
        axes: vec![TileAxis { axis: 0, kind, direction: request.direction, length: n, load_stride: din.scalars(), store_stride: dout.scalars(), load_index: 1, store_index: 1, load_range: 0..inl, store_range: 0..outl }],
        loops: vec![Loop { count: request.batch, load: inl * din.scalars(), store: outl * dout.scalars(), load_index: 0, store_index: 0 }],
        load: Access { slot: Slot::Input, offset: 0, domain: din, imaginary: 1 },
        store: Access { slot: Slot::Output, offset: 0, domain: dout, imaginary: 1 },
        edges: None, hermitian: None, load_factor: None, store_factor: None, scale: 1.0, storage,
        operand: if engine == Engine::Matrix { precision.row().operand } else if storage == ScalarType::F64 { Operand::F64 } else { Operand::F32 },
        split_matrix: true, engine, steps,
        tile: Tile { lines: (512 / n).max(1), bytes: 0, residency: Residency::Block }, reason: String::new(),
    };
    Ok(Plan { backend: limits.backend, passes: vec![pass], scratch_bytes: 0,
        input_scalars: request.batch * inl * din.scalars(), output_scalars: request.batch * outl * dout.scalars(),
        not_in_place: None, error_bound: precision.error_bound(&[n]), request })
}

fn run(driver: EmulatedDriver) {
    let backend = DeviceBackend::new(driver);
    let mut bad = 0;
    for precision in [Precision::F32, Precision::F64, Precision::SplitF16, Precision::F16, Precision::Bf16] {
        for n in [1usize, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 47, 34, 62, 31, 32, 64, 100, 127, 128, 243, 256, 343, 512, 1000, 1024, 4096] {
            for kind in 0..4 {
                for engine in [Engine::Simt, Engine::Matrix] {
                    if engine == Engine::Simt && precision == Precision::SplitF16 { continue; }
                    if engine == Engine::Matrix && precision == Precision::F32 { continue; }
                    let r = match kind { 0 => Request::forward(Shape::d1(n)), 1 => Request::inverse(Shape::d1(n)), 2 => Request::r2c(Shape::d1(n)), _ => Request::c2r(Shape::d1(n)) };
                    let r = r.precision(precision).engine(engine).batch(5);
                    if let Err(e) = conformance::check(&backend, plan, &r, 1.0) {
                        bad += 1;
                        if bad < 40 { println!("{} {n} kind {kind} {engine:?}: {e}", precision.row().name); }
                    }
                }
            }
        }
    }
    assert_eq!(bad, 0);
}
#[test]
fn nvidia() { run(EmulatedDriver::nvidia()); }
#[test]
fn amd() { run(EmulatedDriver::amd()); }
