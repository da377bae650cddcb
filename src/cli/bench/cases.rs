//! What is timed: the default list, or a list from a file.

use crate::cli::excerpt::excerpt;
use crate::cli::rows::{words, Lines, GRAPH, LAUNCH, LAUNCH_BOUND};
use crate::cli::Failure;
use mmafft::{Kind, Precision, Shape, KINDS, PRECISIONS};
use serde::Deserialize;
use std::path::Path;

/// One case.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// What it is gathered by.
    pub class: String,
    pub kind: Kind,
    pub precision: Precision,
    pub shape: Shape,
    /// How many arrays, if that is not to follow from the bytes.
    pub batch: Option<usize>,
    /// The points from the first of each axis that are not known to be zero, if others are.
    pub nonzero: Option<Shape>,
    /// How fast it was, of a copy, if the list is what [`super`] wrote of another run.
    pub fraction: Option<f64>,
}

/// Shapes of one class, and the precisions in which it is timed.
struct Class {
    name: &'static str,
    kind: Kind,
    precisions: &'static [Precision],
    shapes: fn() -> Vec<Shape>,
    /// One array, whatever the bytes.
    single: bool,
}

use Precision::{Bf16, SplitF16, F16, F32, F64};
const ALL: &[Precision] = &[F32, F64, F16, Bf16, SplitF16];
const WIDE: &[Precision] = &[F32, F64];

/// The default list: the classes and sizes by which GPU libraries are measured here.
const CLASSES: &[Class] = &[
    class("pow2", Kind::C2C, ALL, || {
        (1..=27).map(|p| Shape::d1(1 << p)).collect()
    }),
    // Products of 2, 3, 5, 7, 11 and 13.
    class("smooth", Kind::C2C, WIDE, || {
        let lengths = [
            9, 15, 81, 100, 125, 210, 343, 500, 625, 1000, 1080, 1920, 2187, 3125, 6561, 10_000,
            15_015, 30_030, 48_000, 100_000, 1_000_000,
        ];
        lengths.map(Shape::d1).to_vec()
    }),
    class("prime", Kind::C2C, WIDE, || {
        let lengths = [17, 31, 61, 127, 251, 257, 4099, 65_537, 1_000_003];
        lengths.map(Shape::d1).to_vec()
    }),
    class("2d", Kind::C2C, WIDE, || {
        let squares = (6..=13).map(|p| Shape::d2(1 << p, 1 << p));
        squares.collect()
    }),
    class("3d", Kind::C2C, WIDE, || {
        let mut shapes: Vec<Shape> = [32, 64, 128, 256].map(|n| Shape::d3(n, n, n)).to_vec();
        shapes.push(Shape::d3(512, 512, 256));
        shapes
    }),
    class("r2c", Kind::R2C, WIDE, real_shapes),
    class("c2r", Kind::C2R, WIDE, real_shapes),
    Class {
        single: true,
        ..class(LAUNCH, Kind::C2C, &[F32], small_shapes)
    },
    Class {
        single: true,
        ..class(GRAPH, Kind::C2C, &[F32], small_shapes)
    },
];

const fn class(
    name: &'static str,
    kind: Kind,
    precisions: &'static [Precision],
    shapes: fn() -> Vec<Shape>,
) -> Class {
    Class {
        name,
        kind,
        precisions,
        shapes,
        single: false,
    }
}

fn real_shapes() -> Vec<Shape> {
    let mut shapes: Vec<Shape> = (6..=24).step_by(2).map(|p| Shape::d1(1 << p)).collect();
    shapes.extend([Shape::d2(1024, 1024), Shape::d3(256, 256, 256)]);
    shapes
}

fn small_shapes() -> Vec<Shape> {
    let mut shapes = [64, 1024, 4096, 65_536].map(Shape::d1).to_vec();
    shapes.push(Shape::d2(64, 64));
    shapes
}

/// The default list, without arrays of more than twice `bytes`.
pub fn default_list(bytes: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    for class in CLASSES {
        for &precision in class.precisions {
            for shape in (class.shapes)() {
                let case = Case {
                    class: class.name.into(),
                    kind: class.kind,
                    precision,
                    shape,
                    batch: class.single.then_some(1),
                    nonzero: None,
                    fraction: None,
                };
                if array_bytes(&case).is_some_and(|array| array <= 2 * bytes) {
                    cases.push(case);
                }
            }
        }
    }
    cases
}

/// Bytes of one array: of the real one for real kinds, which its half spectrum hardly exceeds.
fn array_bytes(case: &Case) -> Option<usize> {
    let scalars = if case.kind == Kind::C2C { 2 } else { 1 };
    let point = scalars * case.precision.row().storage.bytes();
    case.shape.points().ok()?.checked_mul(point)
}

/// How many arrays a case has: its own number, or as many as fill `bytes`.
pub fn batch(case: &Case, bytes: usize) -> usize {
    let fill = || (bytes / array_bytes(case).unwrap_or(usize::MAX).max(1)).max(1);
    case.batch.unwrap_or_else(fill)
}

/// A line of a list.
#[derive(Deserialize)]
struct Line {
    class: String,
    kind: String,
    precision: String,
    shape: String,
    #[serde(default)]
    batch: Option<usize>,
    #[serde(default)]
    nonzero: Option<String>,
    #[serde(default)]
    fraction: Option<f64>,
}

/// Reads a list: CSV with the header `class,kind,precision,shape`, and if wanted `batch` and
/// `nonzero`, the points from the first of each axis that are not known to be zero.
pub fn from_file(path: &Path) -> Result<Vec<Case>, Failure> {
    let text = crate::cli::text::read(path);
    let text = text.map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    parse(&text).map_err(|e| format!("{}, {e}", path.display()).into())
}

/// Those of the rows of another run that were below this fraction of a copy, of as many arrays as fill memory: what a launch
/// takes longer for than its data is left out.
pub fn below(path: &Path, fraction: f64) -> Result<Vec<Case>, Failure> {
    let mut cases = from_file(path)?;
    if cases.iter().all(|case| case.fraction.is_none()) {
        let file = path.display();
        let expected = "expected rows that `mmafft bench --csv` wrote on a GPU";
        return Err(format!("{file} has no fractions of a copy: {expected}").into());
    }
    cases.retain(|case| {
        let slow = case.fraction.is_some_and(|f| f < fraction);
        slow && !LAUNCH_BOUND.contains(&case.class.as_str())
    });
    cases.iter_mut().for_each(|case| case.batch = None);
    Ok(cases)
}

/// The cases of a list's text; an error begins with its line.
fn parse(text: &str) -> Result<Vec<Case>, String> {
    let lines = Lines::of(text)?;
    let mut cases = Vec::new();
    for (line, record) in &lines.records {
        let case = record
            .deserialize(Some(&lines.head))
            .map_err(|e| words(&e))
            .and_then(case_of);
        cases.push(case.map_err(|e| format!("line {line}: {e}"))?);
    }
    match cases.is_empty() {
        true => Err("line 1: no cases: expected a header and a line a case".into()),
        false => Ok(cases),
    }
}

fn case_of(line: Line) -> Result<Case, String> {
    let none = |what: &str, name: &str, names: Vec<&str>| {
        let name = excerpt(name);
        format!("there is no {what} '{name}': use {}", names.join(", "))
    };
    if line.batch == Some(0) {
        return Err("a batch of 0: expected at least 1".into());
    }
    let shape = crate::cli::request::shape(&line.shape)?;
    let nonzero = line.nonzero.filter(|text| !text.is_empty());
    let nonzero = nonzero.map(|text| crate::cli::request::shape(&text));
    let nonzero = nonzero.transpose()?;
    if let Some(part) = &nonzero {
        let (part, whole) = (part.dims(), shape.dims());
        let within =
            part.len() == whole.len() && part.iter().zip(whole).all(|(p, w)| (1..=*w).contains(p));
        if !within || line.kind == "c2r" {
            return Err(format!(
                "{} points of {shape} that are not zero: expected as many axes, none longer, and \
                 no half spectrum",
                Shape::new(part)
            ));
        }
    }
    Ok(Case {
        nonzero,
        class: line.class,
        kind: Kind::from_name(&line.kind).ok_or_else(|| {
            let names = KINDS.iter().map(|row| row.name).collect();
            none("kind", &line.kind, names)
        })?,
        precision: Precision::from_name(&line.precision).ok_or_else(|| {
            let names = PRECISIONS.iter().map(|row| row.name).collect();
            none("precision", &line.precision, names)
        })?,
        shape,
        batch: line.batch,
        fraction: line.fraction,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_a_paper_is_read_and_parts_are_checked() {
        let cases = parse(include_str!("../../../benches/cases/hu2022.csv")).expect("a list");
        let padded = cases.iter().filter(|case| case.nonzero.is_some());
        assert!(padded.count() > 8);
        let of = |nonzero: &str| {
            parse(&format!(
                "class,kind,precision,shape,nonzero\na,c2c,f64,8x8,{nonzero}\n"
            ))
        };
        assert!(of("4x8").is_ok() && of("").is_ok());
        for wrong in ["4", "9x4", "0x4"] {
            let error = of(wrong).expect_err("it is wrong");
            assert!(error.starts_with("line 2: "), "{error}");
        }
    }

    #[test]
    fn the_default_list_has_every_class_and_fits() {
        let cases = default_list(1 << 30);
        for class in CLASSES {
            let of = |c: &&Case| c.class == class.name;
            let expected = class.precisions.len() * (class.shapes)().len();
            assert_eq!(cases.iter().filter(of).count(), expected, "{}", class.name);
        }
        for case in &cases {
            let bytes = batch(case, 1 << 30) * array_bytes(case).expect("it fits");
            assert!(bytes <= 2 << 30, "{case:?}");
            assert!(case.batch.is_some() || bytes > 1 << 29, "{case:?}");
        }
        let few = default_list(1 << 20);
        assert!(few.len() < cases.len() && few.iter().all(|c| array_bytes(c) <= Some(2 << 20)));
    }

    #[test]
    fn lists_are_read() {
        let text =
            "# mine\nclass,kind,precision,shape,batch\n a, c2c ,f32,64x32,7\nb,r2c,f16,12,\n";
        let cases = parse(text).expect("a list");
        assert_eq!(cases[0].shape, Shape::d2(64, 32));
        assert_eq!((cases[0].class.as_str(), cases[0].batch), ("a", Some(7)));
        assert_eq!((cases[1].kind, cases[1].precision), (Kind::R2C, F16));
        assert_eq!(cases[1].batch, None);
        let text = "shape,kind,precision,class\n8,c2c,f64,x\n";
        assert_eq!(parse(text).expect("a list")[0].precision, F64);
    }

    /// Rows of a run are a list too, of what was slow in it.
    #[test]
    fn what_was_slow_is_read() {
        let path = std::env::temp_dir().join(format!("mmafft-rows-{}.csv", std::process::id()));
        let of = |rows: &str| {
            let head = "device,class,kind,precision,shape,batch,fraction,failure";
            std::fs::write(&path, format!("{head}\n{rows}")).expect("a file");
            below(&path, 0.7)
        };
        let slow = "d,a,dct2,f64,8x8,7,0.6,\n";
        let fast = "d,a,c2c,f32,8,9,0.7,\n";
        let others = "d,launch,c2c,f32,8,1,0.1,\nd,a,c2c,f32,16,1,,out of memory\n";
        let cases = of(&[slow, fast, others].concat()).expect("a list");
        let read: Vec<_> = cases
            .iter()
            .map(|c| (c.kind, c.batch, c.fraction))
            .collect();
        assert_eq!(read, [(Kind::Dct2, None, Some(0.6))]);
        assert!(of(fast).expect("a list").is_empty());
        let said = of("d,a,c2c,f32,8,9,,\n")
            .expect_err("no fractions")
            .to_string();
        assert!(said.contains("has no fractions of a copy"), "{said}");
        std::fs::remove_file(path).expect("a file");
    }

    #[test]
    fn a_bad_line_is_named() {
        let head = "class,kind,precision,shape,batch\na,c2c,f32,8,1\n";
        for (line, words) in [
            (
                "a,c2c,f8,8,1",
                "line 3: there is no precision 'f8': use f64, f32",
            ),
            ("a,dct,f32,8,1", "line 3: there is no kind 'dct': use c2c"),
            ("a,c2c,f32,8 by 8,1", "line 3: expected lengths"),
            ("a,c2c,f32,8,0", "line 3: a batch of 0"),
            ("a,c2c,f32,8,x", "line 3: column 5: invalid digit"),
            ("a,c2c,f32", "line 3: 3 fields: expected 5"),
        ] {
            let said = parse(&format!("{head}{line}\n")).expect_err("bad");
            assert!(said.starts_with(words), "{said}");
        }
        let said = parse("class,kind\na,c2c\n").expect_err("bad");
        assert!(said.contains("missing field `precision`"), "{said}");
        assert!(parse("")
            .expect_err("empty")
            .starts_with("line 1: no cases"));
    }
}
