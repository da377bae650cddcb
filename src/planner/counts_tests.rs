use super::super::tiles::faced;
use super::super::work::tile;
use super::*;
use crate::planner::fits::invented_device;
use crate::planner::model::knows;
use mmafft_backend_traits::{Direction, Precision, Request, Shape, KINDS};

/// Rounds of the threads of a tile are those of its shape.
#[test]
fn columns_of_threads_are_those_of_shapes() {
    let limits = invented_device("sm_90");
    let shapes = [
        Shape::d1(42),
        Shape::d1(351),
        Shape::d1(5544),
        Shape::d2(8, 15),
        Shape::d2(36, 44),
        Shape::d3(9, 28, 13),
        // Columns.
        Shape::d2(1260, 1001),
        Shape::d2(34, 40),
        Shape::d2(2049, 2049),
    ];
    let mut compared = 0;
    let wide = [Precision::F32, Precision::F64];
    let kinds = KINDS.iter().flat_map(|row| wide.map(|p| (row.kind, p)));
    let requests = kinds.flat_map(|(kind, precision)| {
        let direction = kind.row().direction.unwrap_or(Direction::Forward);
        let of = move |shape: &Shape| Request::directed(kind, direction, shape.clone());
        let shapes = shapes.iter();
        shapes.map(move |shape| of(shape).precision(precision).batch(10_000))
    });
    for request in requests {
        let mut plan = crate::plan(&request, &limits).expect("a plan");
        plan.passes.retain(knows);
        for pass in &mut plan.passes {
            let asked = pass.tile.launch.unwrap_or(Launch::new(160, 1));
            pass.tile.launch = Some(asked);
        }
        for (pass, shape) in plan.passes.iter().zip(plan.shapes()) {
            let radices: Vec<usize> = pass.steps.iter().filter_map(Step::radix).collect();
            let asked = pass.tile.launch.expect("set");
            let tile = tile(pass, &radices, pass.tile.lines, asked.threads).expect("a tile");
            // A rule may ask for what its radices do not allow.
            let can = faced(pass, &radices).map_or([false; 2], |(can, _)| can);
            let facing = [0, 1].map(|i| can[i] && asked.facing[i]);
            let counts = Counts::new(pass, limits.target);
            let Some(array) = counts.array(&tile, facing) else {
                continue;
            };
            let shape = shape.expect("a shape");
            let of_shape: Vec<usize> = shape.trips.iter().map(|t| t.of_thread).collect();
            let counted: Vec<usize> = array.trips.iter().map(|t| array.columns(t)).collect();
            assert_eq!(counted, of_shape, "{}", plan.explain());
            compared += 1;
        }
    }
    assert!(compared > 150, "{compared}");
}
