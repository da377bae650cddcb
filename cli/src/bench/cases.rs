//! What is timed: the default list, and what a case is.

use crate::rows::{GRAPH, LAUNCH};
use mmafft::{Kind, Precision, Shape};

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
