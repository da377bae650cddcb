//! What to expect of AMD devices that are not here: the table in `docs/lab/amd.md`, made anew and
//! compared. `MMAFFT_BLESS=1` writes it.

use mmafft::{Engine, Error, Precision, Request, Shape};
use mmafft_lab::predict::{sheets, Sheet};
use std::fmt::Write;

/// Those of AMD.
fn amd() -> impl Iterator<Item = &'static Sheet> {
    sheets().filter(|sheet| sheet.architecture.starts_with("gfx"))
}

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/lab/amd.md");
const BEGIN: &str = "<!-- made by benches/lab/tests/predicted.rs: MMAFFT_BLESS=1 -->\n";
const END: &str = "<!-- to here -->";

/// Data of each case.
const BYTES: usize = 1 << 30;

fn d1(n: usize) -> Request {
    Request::forward(Shape::d1(n))
}

/// The classes of shapes, each by some of it.
fn classes() -> Vec<(&'static str, Vec<Request>)> {
    let lines = |lengths: &[usize]| lengths.iter().map(|&n| d1(n)).collect::<Vec<_>>();
    let planes = [64, 256, 1024, 4096].map(|n| Request::forward(Shape::d2(n, n)));
    let volumes = [64, 256].map(|n| Request::forward(Shape::d3(n, n, n)));
    vec![
        ("2 … 32", lines(&[2, 8, 32])),
        ("64 … 4096", lines(&[64, 256, 1024, 4096])),
        ("8192, 16384", lines(&[8192, 16384])),
        ("2^15 … 2^18", lines(&[1 << 15, 1 << 16, 1 << 18])),
        ("2^19 … 2^21", lines(&[1 << 19, 1 << 20, 1 << 21])),
        ("2^22 … 2^24", lines(&[1 << 22, 1 << 24])),
        ("2^25 … 2^27", lines(&[1 << 25, 1 << 27])),
        ("mixed: 100, 1000, 15015", lines(&[100, 1000, 15015])),
        ("primes: 61, 127, 1009, 4099", lines(&[61, 127, 1009, 4099])),
        ("2-D: 64² … 4096²", planes.to_vec()),
        ("3-D: 64³, 256³", volumes.to_vec()),
        (
            "real: 4096, 2^20",
            [4096, 1 << 20].map(|n| Request::r2c(Shape::d1(n))).to_vec(),
        ),
    ]
}

/// The fraction of a copy's speed, least to most over the class; nothing where the device has
/// no such product.
fn fractions(sheet: &Sheet, requests: &[Request], precision: Precision, engine: Engine) -> String {
    let (limits, geometry) = sheet.limits().expect("the feature is on");
    let mut least = f64::INFINITY;
    let mut most: f64 = 0.0;
    for request in requests {
        let point = 2 * precision.row().storage.bytes();
        let points: usize = request.shape.dims().iter().product();
        let request = request
            .clone()
            .precision(precision)
            .engine(engine)
            .batch((BYTES / point / points).max(1));
        let plan = match mmafft::plan(&request, &limits) {
            Err(Error::Unsupported { .. }) => return "–".into(),
            plan => plan.expect("a plan"),
        };
        let prediction = sheet.predict(&plan, &geometry).expect("kernels");
        least = least.min(prediction.fraction());
        most = most.max(prediction.fraction());
    }
    format!("{least:.2} … {most:.2}")
}

fn table() -> String {
    let mut text = String::new();
    for (precision, engine) in [
        (Precision::F32, Engine::Simt),
        (Precision::F32, Engine::Matrix),
        (Precision::F64, Engine::Simt),
        (Precision::F64, Engine::Matrix),
        (Precision::F16, Engine::Simt),
        (Precision::SplitF16, Engine::Matrix),
    ] {
        let names: Vec<&str> = amd().map(|sheet| sheet.name).collect();
        let _ = write!(
            text,
            "\n| {}, {} | {} |\n| --- | --- | --- | --- |\n",
            precision.row().name,
            engine.name(),
            names.join(" | ")
        );
        for (class, requests) in classes() {
            let row = amd().map(|sheet| fractions(sheet, &requests, precision, engine));
            let row: Vec<String> = row.collect();
            let _ = writeln!(text, "| {class} | {} |", row.join(" | "));
        }
    }
    text.push('\n');
    text
}

#[test]
fn the_table_of_predictions_is_as_committed() {
    let document = std::fs::read_to_string(DOCUMENT).expect("docs/lab/amd.md");
    let (head, rest) = document.split_once(BEGIN).expect("where the table begins");
    let (then, tail) = rest.split_once(END).expect("where it ends");
    let now = table();
    if std::env::var_os("MMAFFT_BLESS").is_some() {
        std::fs::write(DOCUMENT, format!("{head}{BEGIN}{now}{END}{tail}")).expect("written");
        return;
    }
    assert_eq!(now, then, "MMAFFT_BLESS=1 writes the table anew");
}

/// A pass that only memory limits is as fast as a copy; two of them are half as fast.
#[test]
fn memory_is_the_ruler() {
    for sheet in amd() {
        let (limits, geometry) = sheet.limits().expect("the feature is on");
        let fraction = |n: usize| {
            let request = d1(n).engine(Engine::Simt).batch((1 << 24) / n);
            let plan = mmafft::plan(&request, &limits).expect("a plan");
            let prediction = sheet.predict(&plan, &geometry).expect("kernels");
            (plan.passes.len(), prediction.fraction())
        };
        assert_eq!(fraction(16), (1, 1.0), "{}", sheet.name);
        let (passes, two) = fraction(1 << 16);
        assert!(passes == 2 && two <= 0.5, "{}: {two}", sheet.name);
    }
    let error = Sheet::of("gfx1100").expect_err("not of CDNA");
    assert!(error.to_string().contains("gfx942"), "{error}");
}
