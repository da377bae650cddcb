//! Distributed plans as data: what goes where, in words and in numbers.

use super::backend;
use mmafft::ranks::{plan_over, DistributedPlan, How, Spread, Station};
use mmafft::{Planner, Request, Shape};

fn plan(request: &Request, ranks: usize, sides: [Option<&Spread>; 2]) -> DistributedPlan {
    let planner = Planner::on(backend("cpu"));
    plan_over(&planner, request, ranks, sides).expect("a plan")
}

/// Stages' axes.
fn axes(plan: &DistributedPlan) -> Vec<Vec<usize>> {
    plan.stages.iter().map(|stage| stage.axes.clone()).collect()
}

#[test]
fn slabs_take_one_exchange_and_the_same_slabs_two() {
    let request = Request::forward(Shape::d3(64, 32, 16));
    let one = plan(&request, 4, [None, None]);
    assert_eq!(axes(&one), [vec![1, 2], vec![0]]);
    // Three quarters of a quarter of the array.
    let quarter = 64 * 32 * 16 * 8 / 4;
    assert_eq!(one.exchanges(), [(quarter * 3 / 4, 3)]);
    assert_eq!(one.output_part(1).ranges(), [0..64, 8..16, 0..16]);

    let slab = Spread::slab(0);
    let two = plan(&request, 4, [Some(&slab), Some(&slab)]);
    assert_eq!(axes(&two), [vec![1, 2], vec![0], vec![]]);
    assert_eq!(two.input_part(3), two.output_part(3));

    let batch = plan(&request.batch(8), 4, [None, None]);
    assert_eq!((axes(&batch).len(), batch.exchanges().len()), (1, 0));
}

#[test]
fn pencils_exchange_within_rows_and_columns() {
    let request = Request::forward(Shape::d3(16, 16, 16));
    let (input, output) = (Spread::grid(&[2, 3, 1]), Spread::grid(&[1, 2, 3]));
    let pencils = plan(&request, 6, [Some(&input), Some(&output)]);
    assert_eq!(axes(&pencils), [vec![2], vec![1], vec![0]]);
    let messages: Vec<usize> = pencils.exchanges().iter().map(|e| e.1).collect();
    assert_eq!(messages, [2, 1]);
}

#[test]
fn inverses_start_where_forward_transforms_end() {
    for request in [
        Request::forward(Shape::d2(12, 10)),
        Request::r2c(Shape::d3(12, 10, 8)),
    ] {
        let there = plan(&request, 3, [None, None]);
        let back = plan(&request.inverse(), 3, [None, None]);
        for rank in 0..3 {
            assert_eq!(there.output_part(rank), back.input_part(rank));
            assert_eq!(there.input_part(rank), back.output_part(rank));
        }
    }
}

#[test]
fn a_line_takes_one_to_three_exchanges() {
    let request = Request::forward(Shape::d1(1 << 12));
    let scrambled = Spread::scrambled();
    let count = |sides| plan(&request, 4, sides).exchanges().len();
    assert_eq!(count([None, None]), 3);
    assert_eq!(count([Some(&scrambled), None]), 2);
    assert_eq!(count([None, Some(&scrambled)]), 2);
    assert_eq!(count([Some(&scrambled), Some(&scrambled)]), 1);
    let inverse = plan(
        &request.clone().inverse(),
        4,
        [Some(&scrambled), Some(&scrambled)],
    );
    let forward = plan(&request, 4, [Some(&scrambled), Some(&scrambled)]);
    assert_eq!(forward.output_part(2), inverse.input_part(2));
}

#[test]
fn explain_says_what_crosses() {
    let request = Request::forward(Shape::d3(1024, 1024, 1024));
    let planner = Planner::on(backend("cpu"));
    let plan = plan(&request, 4, [None, None]);
    let station = Station {
        rank: 0,
        ranks: 4,
        engine: "threads".into(),
        bytes_per_second: 8e9,
    };
    let expected = "\
f32 c2c of 1024x1024x1024 forward over 4 ranks
2 stages, 1 exchange; a rank sends 1.5 GiB
rank 0 has [0..256, 0..1024, 0..1024] of the input, [0..1024, 0..256, 0..1024] of the output
relative L2 error ≤ 4.5e-7, as of one device: an exchange rounds nothing
stage 1: axes [1, 2] of 256x1024x1024
exchange 1: by the stores of stage 1; all ranks wait for all; 1.5 GiB a rank, in 3 messages
stage 2: axis 0 of 1024x256x1024
expected 1.61 s on 4 ranks of threads: passes 1.61 s, packing 0 µs, link 0 µs, fences 60 µs; \
one device 6.44 s
";
    let words = plan.explain_on(&station, How::Memory, planner.limits());
    assert_eq!(words, expected);
    let by_messages = plan.explain_on(
        &station,
        How::Messages("there is no shared memory"),
        planner.limits(),
    );
    assert!(
        by_messages.contains("packed, sent through the host and unpacked, as there is no shared memory; 1.5 GiB a rank, in 3 messages"),
        "{by_messages}"
    );
}

/// A rank that has nothing of the array takes part in no stage more, and its part has the other lengths.
#[test]
fn empty_parts_have_the_lengths_of_what_is_made() {
    let slab = Spread::slab(0);
    for request in [
        Request::r2c(Shape::d2(5, 8)),
        Request::r2c(Shape::d2(5, 8)).inverse(),
    ] {
        let request = request.axes(&[1]);
        let plan = plan(&request, 4, [Some(&slab), Some(&slab)]);
        assert_eq!(axes(&plan), [vec![1]]);
        let [real, half] = [[1, 0, 8], [1, 0, 5]];
        let (input, output) = match request.kind {
            mmafft::Kind::R2C => (real, half),
            _ => (half, real),
        };
        assert_eq!(plan.input_part(3).lengths(), input);
        assert_eq!(plan.output_part(3).lengths(), output);
    }
}

#[test]
fn nobody_has_no_plan() {
    let planner = Planner::on(backend("cpu"));
    let none = plan_over(
        &planner,
        &Request::forward(Shape::d2(4, 4)),
        0,
        [None, None],
    );
    assert!(matches!(none, Err(mmafft::Error::Empty { .. })), "{none:?}");
}
