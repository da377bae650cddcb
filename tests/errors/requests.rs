//! Requests that no plan answers.

use crate::check_words;
use crate::common::cpu_limits;
use mmafft::{Error, Kind, Layout, Request, Shape, Slot};

/// Plans for the CPU, which must fail.
#[track_caller]
fn refused(request: &Request) -> Error {
    match mmafft::plan(request, &cpu_limits()) {
        Ok(_) => panic!("planned: {request:?}"),
        Err(error) => {
            check_words(&error);
            error
        }
    }
}

/// A request of each kind, and in place.
fn each(shape: &[usize]) -> [Request; 4] {
    let shape = Shape::new(shape);
    [
        Request::forward(shape.clone()),
        Request::r2c(shape.clone()),
        Request::c2r(shape.clone()),
        Request::r2c(shape).in_place(),
    ]
}

#[test]
fn ranks() {
    for rank in [0, 65, 100] {
        for request in each(&vec![1; rank]) {
            assert_eq!(refused(&request), Error::Rank { got: rank, max: 64 });
        }
    }
}

#[test]
fn nothing_to_transform() {
    for (shape, axis) in [(&[0][..], 0), (&[4, 0], 1), (&[0, 0], 0), (&[2, 0, 3], 1)] {
        for request in each(shape) {
            let what = format!("the length of dimension {axis}");
            assert_eq!(refused(&request), Error::Empty { what });
        }
    }
    for request in each(&[4, 4]) {
        let what = "the batch".into();
        assert_eq!(refused(&request.batch(0)), Error::Empty { what });
    }
}

#[test]
fn kinds() {
    let shape = || Shape::d2(4, 6);
    for kinds in [&[][..], &[Kind::Dct2], &[Kind::Dct2, Kind::Dst3, Kind::Dht]] {
        let request = Request::of_kind(Kind::Dct2, shape()).kinds(kinds);
        let (expected, got) = (2, kinds.len());
        assert_eq!(refused(&request), Error::KindCount { expected, got });
    }
    let mixed = Request::of_kind(Kind::Dct2, shape()).kinds(&[Kind::Dct2, Kind::R2C]);
    assert!(matches!(refused(&mixed), Error::Unsupported { .. }));
    let too_short = |kind, axis| Error::TooShort {
        kind,
        axis,
        expected: 2,
        got: 1,
    };
    let point = Request::of_kind(Kind::Dct1, Shape::d1(1));
    assert_eq!(refused(&point), too_short("dct1", 0));
    let row = Request::of_kind(Kind::Dst2, Shape::d2(1, 6)).kinds(&[Kind::Dct1, Kind::Dst2]);
    assert_eq!(refused(&row), too_short("dct1", 0));
    // Four times the length is more than there are addresses.
    for kind in [Kind::Dct1, Kind::Dst4] {
        let request = Request::of_kind(kind, Shape::d1(isize::MAX as usize / 64));
        assert!(matches!(refused(&request), Error::Overflow { .. }));
    }
}

#[test]
fn axes() {
    for request in each(&[4, 4, 4, 4]) {
        let with = |axes: &[usize]| refused(&request.clone().axes(axes));
        assert_eq!(with(&[]), Error::AxisCount { max: 4 });
        assert_eq!(with(&[4]), Error::AxisOutOfRange { axis: 4, rank: 4 });
        let axis = usize::MAX;
        assert_eq!(with(&[0, axis]), Error::AxisOutOfRange { axis, rank: 4 });
        assert_eq!(with(&[1, 1]), Error::AxisRepeated { axis: 1 });
        assert_eq!(with(&[2, 0, 2]), Error::AxisRepeated { axis: 2 });
    }
}

#[test]
fn products_that_overflow() {
    let huge = usize::MAX;
    for shape in [&[huge][..], &[1 << 62], &[1 << 32, 1 << 32], &[huge, huge]] {
        for request in each(shape) {
            let what = format!("a batch of 1 arrays of {}", request.shape);
            assert_eq!(refused(&request), Error::Overflow { what });
        }
    }
    for request in each(&[4, 4]) {
        let what = format!("a batch of {huge} arrays of 4x4");
        assert_eq!(refused(&request.batch(huge)), Error::Overflow { what });
    }
}

#[test]
fn layouts_that_overflow() {
    let layouts = [
        Layout::strided(&[usize::MAX / 2]),
        Layout::strided(&[usize::MAX / 3]),
        Layout::contiguous().distance(usize::MAX / 2),
        Layout::contiguous().offset(usize::MAX / 2),
        Layout::contiguous().offset(usize::MAX / 16),
    ];
    for layout in layouts {
        let request = Request::forward(Shape::d1(4)).batch(2);
        let of = |side| Error::Overflow {
            what: format!("the extent of the {side} layout"),
        };
        let input = request.clone().input_layout(layout.clone());
        assert_eq!(refused(&input), of(Slot::Input));
        let output = request.output_layout(layout);
        assert_eq!(refused(&output), of(Slot::Output));
    }
}

#[test]
fn layouts_that_overlap() {
    let request = || Request::forward(Shape::d2(3, 5)).batch(2);
    for (layout, dimension, expected, got) in [
        (Layout::strided(&[4, 1]), "0", 5, 4),
        (Layout::strided(&[1, 2]), "1", 3, 2),
        (Layout::strided(&[5, 0]), "1", 1, 0),
        (
            Layout::contiguous().distance(14),
            "batch (its distance)",
            15,
            14,
        ),
        (
            Layout::contiguous().distance(0),
            "batch (its distance)",
            1,
            0,
        ),
        // The last row ends before its stride does.
        (
            Layout::strided(&[8, 1]).distance(20),
            "batch (its distance)",
            21,
            20,
        ),
    ] {
        let of = |side| Error::Overlap {
            side,
            dimension: dimension.into(),
            expected,
            got,
        };
        let both = request().in_place().input_layout(layout.clone());
        assert_eq!(refused(&both), of(Slot::Input));
        let output = request().output_layout(layout.clone());
        assert_eq!(refused(&output), of(Slot::Output));
        // What is only read may overlap itself.
        let planner = mmafft::Planner::cpu().expect("the CPU");
        let planned = planner.plan(&request().input_layout(layout));
        assert!(planned.is_ok(), "{planned:?}");
    }
}

#[test]
fn negative_strides() {
    let minus = |n: usize| n.wrapping_neg();
    let cases = [
        (Layout::strided(&[5, minus(1)]), "stride of dimension 1", -1),
        (Layout::contiguous().distance(minus(15)), "distance", -15),
        (Layout::contiguous().offset(minus(4)), "offset", -4),
    ];
    for (layout, what, got) in cases {
        let of = |side| Error::NegativeStride {
            side,
            what: what.into(),
            got,
        };
        let request = Request::forward(Shape::d2(3, 5)).batch(2);
        let input = request.clone().input_layout(layout.clone());
        assert_eq!(refused(&input), of(Slot::Input));
        assert_eq!(refused(&request.output_layout(layout)), of(Slot::Output));
    }
}

#[test]
fn layouts_of_another_rank() {
    for strides in [&[][..], &[1], &[15, 5, 1]] {
        let got = strides.len();
        let of = |side| Error::StrideCount {
            side,
            expected: 2,
            got,
        };
        let layout = Layout::strided(strides);
        let request = Request::r2c(Shape::d2(3, 5));
        let input = request.clone().input_layout(layout.clone());
        assert_eq!(refused(&input), of(Slot::Input));
        let output = request.output_layout(layout);
        assert_eq!(refused(&output), of(Slot::Output));
    }
}

#[test]
fn half_lengths() {
    let from_half = |half: &[usize], axis, length| {
        let error = Shape::from_half(half, axis, length).expect_err("it cannot be");
        check_words(&error);
        error
    };
    for (length, expected, got) in [(8, 5, 4), (9, 5, 6), (0, 1, 2), (1, 1, 5)] {
        let error = Error::HalfLength {
            axis: 1,
            length,
            expected,
            got,
        };
        assert_eq!(from_half(&[7, got], 1, Some(length)), error);
    }
    let error = Error::AxisOutOfRange { axis: 1, rank: 1 };
    assert_eq!(from_half(&[5], 1, None), error);
    let what = "dimension 0".into();
    assert_eq!(from_half(&[0], 0, None), Error::Empty { what });
    let what = "the real length".into();
    assert_eq!(from_half(&[usize::MAX], 0, None), Error::Overflow { what });
    for (half, length, real) in [(5, None, 8), (5, Some(9), 9), (1, None, 1), (1, Some(1), 1)] {
        let shape = Shape::from_half(&[3, half], 1, length);
        assert_eq!(shape, Ok(Shape::d2(3, real)));
    }
}

#[test]
fn zero_ranges() {
    // The halved axis has another length on its complex side.
    let half = [
        (Request::r2c as fn(Shape) -> Request, 8, 5),
        (Request::c2r, 5, 8),
    ];
    for (kind, input, output) in half {
        for (side, length) in [(Slot::Input, input), (Slot::Output, output)] {
            for (start, end) in [
                (2, 2),
                (0, 0),
                (3, 1),
                (0, length + 1),
                (length, length + 1),
            ] {
                let request = kind(Shape::d2(4, 8));
                let request = match side {
                    Slot::Input => request.nonzero_input(1, start..end),
                    _ => request.wanted_output(1, start..end),
                };
                let error = Error::ZeroRange {
                    side,
                    axis: 1,
                    start,
                    end,
                    length,
                };
                assert_eq!(refused(&request), error);
            }
        }
    }
    let error = Error::AxisOutOfRange { axis: 2, rank: 2 };
    let request = Request::forward(Shape::d2(4, 8));
    assert_eq!(refused(&request.clone().nonzero_input(2, 0..1)), error);
    assert_eq!(refused(&request.clone().wanted_output(2, 0..1)), error);
    // Which of two would be meant?
    let error = Error::AxisRepeated { axis: 1 };
    let twice = request.clone().nonzero_input(1, 0..4);
    assert_eq!(refused(&twice.clone().nonzero_input(1, 2..8)), error);
    let sides = twice.clone().wanted_output(1, 2..8);
    assert!(mmafft::plan(&sides, &cpu_limits()).is_ok());
    let twice = request.clone().wanted_output(1, 0..4);
    assert_eq!(refused(&twice.wanted_output(1, 0..4)), error);
    // What is zero for certain cannot be asked for: there would be no pass to write it.
    let request = request
        .axes(&[1])
        .nonzero_input(0, 0..2)
        .wanted_output(0, 1..3);
    assert!(matches!(refused(&request), Error::Unsupported { .. }));
}

#[test]
fn in_place_on_layouts_that_differ() {
    let reason = |request: &Request| match refused(request) {
        Error::NotInPlace { reason } => reason,
        error => panic!("{error:?}"),
    };
    let different = Request::forward(Shape::d2(4, 8))
        .input_layout(Layout::strided(&[9, 1]))
        .output_layout(Layout::strided(&[8, 1]))
        .in_place();
    assert!(reason(&different).contains("different layouts"));
    let offset = Request::forward(Shape::d1(8))
        .output_layout(Layout::contiguous().offset(1))
        .in_place();
    assert!(reason(&offset).contains("different layouts"));
    let rows = Request::r2c(Shape::d2(4, 8))
        .input_layout(Layout::strided(&[8, 1]))
        .in_place();
    assert!(reason(&rows).contains("start at different bytes"));
    let scattered = |request: Request| request.input_layout(Layout::strided(&[2])).in_place();
    for request in [
        scattered(Request::r2c(Shape::d1(8))),
        scattered(Request::c2r(Shape::d1(8))),
    ] {
        assert!(reason(&request).contains("not contiguous"));
    }
}
