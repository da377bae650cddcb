//! Lists of cases from files.

use super::cases::Case;
use crate::excerpt::excerpt;
use crate::request::shape as shape_of;
use crate::rows::{words, Lines};
use crate::Failure;
use mmafft::{Kind, Precision, Shape, KINDS, PRECISIONS};
use serde::Deserialize;
use std::path::Path;

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
}

/// Reads a list: CSV with the header `class,kind,precision,shape`, and if wanted `batch` and
/// `nonzero`, the points from the first of each axis that are not known to be zero.
pub fn from_file(path: &Path) -> Result<Vec<Case>, Failure> {
    let text = crate::text::read(path);
    let text = text.map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    parse(&text).map_err(|e| format!("{}, {e}", path.display()).into())
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
    let shape = shape_of(&line.shape)?;
    let nonzero = line.nonzero.filter(|text| !text.is_empty());
    let nonzero = nonzero.map(|text| shape_of(&text));
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
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Precision::{F16, F64};

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

    /// Rows of a run are a list too.
    #[test]
    fn rows_are_read() {
        let head = "device,class,kind,precision,shape,batch,fraction,failure";
        let cases = parse(&format!("{head}\nd,a,dct2,f64,8x8,7,0.6,\n")).expect("a list");
        let read = (cases[0].kind, cases[0].precision, cases[0].batch);
        assert_eq!(read, (Kind::Dct2, F64, Some(7)));
        assert_eq!(cases[0].shape, Shape::d2(8, 8));
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
