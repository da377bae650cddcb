//! Transforms whose passes follow the measured rules, one or more for each row of the table.

use mmafft::{Direction, Engine, Kind, Precision, Request, Shape};

/// Arrays of a request: the last tile is not full.
const BATCH: usize = 9;
/// The same of what clusters hold: fewer would be planned in two passes.
const CLUSTERS: usize = 70;
/// The longest lines: a check has them transformed in double precision, point by point.
const LONGEST: usize = 1 << 14;

/// The requests of the table's rows of lines in a row, columns, and rows of planes.
pub fn requests() -> Vec<Request> {
    let rows = include_str!("../../src/planner/rules.csv").lines();
    let rows = rows.filter(|row| !row.starts_with(['#', 'a']));
    rows.flat_map(of).chain(real_columns()).collect()
}

/// Lines whose passes follow the rows of real columns and of their rows: those need a line around them.
fn real_columns() -> impl Iterator<Item = Request> {
    let kinds = [
        (Kind::Dct1, (1 << 16) + 1),
        (Kind::Dst1, (1 << 16) - 1),
        (Kind::HC2R, 1 << 16),
        (Kind::Dct3, 1 << 16),
        (Kind::C2R, 1 << 16),
    ];
    let precisions = [Precision::F32, Precision::F64];
    kinds.into_iter().flat_map(move |(kind, n)| {
        let direction = kind.row().direction.unwrap_or(Direction::Forward);
        precisions.map(|precision| {
            let request = Request::of_kind(kind, direction, Shape::d1(n));
            request.batch(BATCH).precision(precision)
        })
    })
}

fn of(row: &str) -> Vec<Request> {
    let columns: Vec<&str> = row.split(',').collect();
    let [_, storage, engine, kind, access, length, ..] = columns[..] else {
        panic!("`{row}` has no key");
    };
    let lengths: Vec<usize> = length.split('x').filter_map(|n| n.parse().ok()).collect();
    let n: usize = lengths.iter().product();
    let precisions: &[Precision] = match (storage, engine) {
        ("16 bits", _) => &[Precision::F16, Precision::Bf16],
        ("f32", "matrix") => &[Precision::SplitF16],
        ("f32", _) => &[Precision::F32],
        _ => &[Precision::F64],
    };
    let of = |kind: Kind, shape: Shape| {
        let direction = kind.row().direction.unwrap_or(Direction::Forward);
        Request::of_kind(kind, direction, shape)
    };
    let request = match (kind, access) {
        _ if n > LONGEST => return Vec::new(),
        ("c2c", "rows" | "cluster") => match lengths[..] {
            [n] => of(Kind::C2C, Shape::d1(n)),
            [a, b] => of(Kind::C2C, Shape::d2(a, b)),
            _ => return Vec::new(),
        },
        ("split", "rows") => of(Kind::R2C, Shape::d2(256, 2 * n)),
        ("merge", "rows") => of(Kind::C2R, Shape::d2(256, 2 * n)),
        ("c2c", "columns") => of(Kind::C2C, Shape::d2(n, 48)).axes(&[0]),
        ("rader" | "chirp", "rows") => of(Kind::C2C, Shape::d1(n)),
        (kind, "rows") => match Kind::from_name(kind) {
            Some(kind) => of(kind, Shape::d1(n)),
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let engine = match engine {
        "matrix" => Engine::Matrix,
        _ => Engine::Simt,
    };
    let request = match kind {
        "split" | "merge" => request,
        _ if access == "cluster" => request.batch(CLUSTERS),
        _ => request.batch(BATCH),
    };
    let with = |&precision: &Precision| request.clone().precision(precision).engine(engine);
    precisions.iter().map(with).collect()
}
