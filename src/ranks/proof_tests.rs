//! Distributed plans proved by enumeration: every point of every stage, on every rank, at its address and in its epoch.
//!
//! Between two fences is an epoch. A point that a rank loads was stored by the stage before, in an earlier epoch; nobody
//! stores in the same epoch to what another loads; behind the last stage every point of the output is there, once.

use super::over::plan_over;
use super::place::{Place, Stage};
use super::plan::DistributedPlan;
use super::spread::Spread;
use crate::transform::Planner;
use mmafft_backend_traits::{Kind, Layout, Request, Shape};

/// What is at an address.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    /// The point, the stage that made it, and the rank and epoch of the store.
    stored: Option<(usize, usize, usize, usize)>,
    /// The rank and epoch of the last load.
    loaded: Option<(usize, usize)>,
}

/// What is done to a plan that is right.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mutation {
    None,
    /// There is no fence behind this stage.
    DroppedFence(usize),
    /// Two ranks load each other's parts in the last stage.
    SwappedRanks,
    /// A rank has one plane less of what the last stage transforms.
    ShortenedPart,
}

/// The points of a rank's part: numbers in the whole array, and addresses by a layout.
fn points(place: &Place, rank: usize, layout: &Layout) -> Vec<(usize, usize)> {
    let part = &place.parts[rank];
    if part.is_empty() {
        return Vec::new();
    }
    let mut strides = vec![layout.distance.expect("it is given")];
    strides.extend(layout.strides.as_ref().expect("they are given"));
    let mut all = vec![(0, layout.offset)];
    for ((range, stride), n) in part.all().iter().zip(strides).zip(&place.lengths) {
        let of = |(number, address): (usize, usize)| {
            let along = range.clone().enumerate();
            along.map(move |(i, at)| (number * n + at, address + i * stride))
        };
        all = all.into_iter().flat_map(of).collect();
    }
    all
}

/// Runs a plan twice on addresses.
fn prove(plan: &DistributedPlan, mutation: Mutation) -> Result<(), String> {
    // In the array's order, as in one memory, and in parts, as over several devices.
    [false, true]
        .into_iter()
        .try_for_each(|in_parts| prove_in(plan, mutation, in_parts))
}

fn prove_in(plan: &DistributedPlan, mutation: Mutation, in_parts: bool) -> Result<(), String> {
    let whole = plan.of_stages();
    let last = plan.stages.len() - 1;
    let both = plan.stages.iter().flat_map(|s| [&s.from, &s.to]);
    let most = both.map(Place::points).max().unwrap_or(0);
    let across = |two: &[Stage]| two[0].across(&two[1], in_parts).points();
    let most = plan.stages.windows(2).map(across).fold(most, usize::max);
    let mut windows = vec![vec![Cell::default(); most]; 2];
    let mut epoch = 0;
    for _ in 0..2 {
        let mut outputs: Vec<Vec<Cell>> = vec![vec![Cell::default(); most]; plan.ranks];
        for (i, stage) in plan.stages.iter().enumerate() {
            for (rank, output) in outputs.iter_mut().enumerate() {
                let between = |i: usize| {
                    let two = plan.stages.get(i..i + 2)?;
                    Some(two[0].across(&two[1], in_parts))
                };
                let across = [i.checked_sub(1).and_then(between), between(i)];
                let lie = across.each_ref().map(Option::as_ref);
                let Some(request) = stage.request(&whole, rank, lie) else {
                    continue;
                };
                let mut expected = stage.from.parts[rank].clone();
                for &axis in &stage.axes {
                    expected = expected.with_whole(axis + 1, stage.to.lengths[axis + 1]);
                }
                if expected != stage.to.parts[rank] {
                    return Err(format!("rank {rank} makes other points than it has"));
                }
                if i > 0 {
                    let window = &mut windows[(i - 1) % 2];
                    for (number, at) in points(&stage.from, rank, &request.input) {
                        let cell = window.get_mut(at).ok_or("a load outside of the window")?;
                        match cell.stored {
                            Some((point, by, _, when))
                                if (point, by) == (number, i - 1) && when < epoch => {}
                            other => return Err(format!("rank {rank} loads {number}: {other:?}")),
                        }
                        cell.loaded = Some((rank, epoch));
                    }
                }
                let target = match i == last {
                    true => output,
                    false => &mut windows[i % 2],
                };
                for (number, at) in points(&stage.to, rank, &request.output) {
                    let at = lie[1].map_or(at, |across| across.place_of(at));
                    let cell = target.get_mut(at).ok_or("a store outside of memory")?;
                    let again = cell.stored.is_some_and(|(_, _, _, when)| when == epoch);
                    let read = cell
                        .loaded
                        .is_some_and(|(who, when)| who != rank && when == epoch);
                    if again || read {
                        return Err(format!("rank {rank} stores {number} where others are"));
                    }
                    cell.stored = Some((number, i, rank, epoch));
                }
            }
            epoch += usize::from(mutation != Mutation::DroppedFence(i));
        }
        covered(plan, &outputs)?;
    }
    Ok(())
}

/// Whether every point of the output is with the rank that its spread names, once, in the part's own order.
fn covered(plan: &DistributedPlan, outputs: &[Vec<Cell>]) -> Result<(), String> {
    let place = &plan.stages[plan.stages.len() - 1].to;
    let mut there = vec![0; place.points()];
    for (rank, cells) in outputs.iter().enumerate() {
        let count = place.parts[rank].points();
        if cells[count..].iter().any(|cell| cell.stored.is_some()) {
            return Err(format!("rank {rank} stores behind its part"));
        }
        for cell in &cells[..count] {
            let (point, ..) = cell.stored.ok_or(format!("rank {rank} has gaps"))?;
            there[point] += 1;
        }
    }
    match there.iter().all(|&count| count == 1) {
        true => Ok(()),
        false => Err("a point of the output is nowhere, or twice".into()),
    }
}

/// Whether messages are of what each rank has, and make up what each gets.
fn messages(plan: &DistributedPlan) -> Result<(), String> {
    for two in plan.stages.windows(2) {
        let (before, next) = (&two[0].to, &two[1].from);
        if before.lengths != next.lengths {
            return Err("an exchange between arrays of other lengths".into());
        }
        for (rank, part) in next.parts.iter().enumerate() {
            let common = before.parts.iter().filter_map(|from| from.common(part));
            let common: Vec<_> = common.collect();
            let sum: usize = common.iter().map(|part| part.points()).sum();
            let twice = (0..common.len())
                .any(|a| common[..a].iter().any(|b| b.common(&common[a]).is_some()));
            if sum != part.points() || twice {
                return Err(format!(
                    "rank {rank} gets {sum} of {} points",
                    part.points()
                ));
            }
        }
    }
    Ok(())
}

fn plans() -> Vec<DistributedPlan> {
    let planner = Planner::cpu().expect("the CPU");
    let slab = Spread::slab;
    let mut plans = Vec::new();
    for ranks in 1..=8 {
        let mut add = |request: &Request, sides: [Option<Spread>; 2]| {
            let sides = [sides[0].as_ref(), sides[1].as_ref()];
            plans.push(plan_over(&planner, request, ranks, sides).expect("a plan"));
        };
        for shape in [Shape::d3(5, 6, 4), Shape::d2(9, 3), Shape::d3(2, 3, 9)] {
            for kind in [Kind::C2C, Kind::R2C, Kind::C2R, Kind::Dct2] {
                let request = Request::of_kind(kind, shape.clone()).batch(2);
                for sides in [
                    [None, None],
                    [Some(slab(0)), Some(slab(0))],
                    [Some(slab(1)), None],
                    [Some(slab(shape.rank() - 1)), Some(slab(0))],
                ] {
                    add(&request, sides);
                }
            }
        }
        let request = Request::forward(Shape::d3(4, 5, 6));
        add(
            &request,
            [
                Some(Spread::grid(&[1, ranks, 1])),
                Some(Spread::grid(&[1, 1, ranks])),
            ],
        );
        if ranks % 2 == 0 {
            add(&request, [Some(Spread::grid(&[2, ranks / 2, 1])), None]);
        }
        let scrambled = || Some(Spread::scrambled());
        for sides in [
            [None, None],
            [scrambled(), None],
            [None, scrambled()],
            [scrambled(), scrambled()],
        ] {
            add(&Request::forward(Shape::d1(60)), sides);
        }
    }
    plans
}

#[test]
fn every_point_is_stored_once_and_loaded_behind_a_fence() {
    let plans = plans();
    assert!(plans.len() > 400, "{}", plans.len());
    for plan in &plans {
        let proved = prove(plan, Mutation::None).and_then(|()| messages(plan));
        proved.unwrap_or_else(|what| panic!("{what}\n{}", plan.explain()));
    }
}

/// What is wrong is found in every plan where it can be.
#[test]
fn mutations_are_found() {
    let mut found = [0; 3];
    for plan in plans() {
        let last = plan.stages.len() - 1;
        let crossed = plan.exchanges().iter().all(|(bytes, _)| *bytes > 0);
        if last == 0 || !crossed {
            continue;
        }
        for fence in 0..last {
            let dropped = prove(&plan, Mutation::DroppedFence(fence));
            assert!(dropped.is_err(), "fence {fence}\n{}", plan.explain());
            found[0] += 1;
        }
        let mut swapped = plan.clone();
        swapped.stages[last].from.parts.swap(0, 1);
        let wrong = prove(&swapped, Mutation::SwappedRanks);
        assert!(wrong.is_err(), "swapped\n{}", plan.explain());
        found[1] += 1;
        let mut short = plan.clone();
        let stage = &mut short.stages[last];
        let dims = 0..stage.from.lengths.len();
        let free = |&dim: &usize| dim == 0 || !stage.axes.contains(&(dim - 1));
        let Some(dim) = dims
            .filter(free)
            .max_by_key(|&dim| stage.from.parts[0].all()[dim].len())
        else {
            continue;
        };
        for place in [&mut stage.from, &mut stage.to] {
            let mut ranges = place.parts[0].all().to_vec();
            ranges[dim].end -= 1;
            place.parts[0] = super::part::Part::new(ranges);
        }
        let wrong = prove(&short, Mutation::ShortenedPart).and_then(|()| messages(&short));
        assert!(wrong.is_err(), "shortened\n{}", plan.explain());
        found[2] += 1;
    }
    assert!(found.iter().all(|&count| count > 200), "{found:?}");
}
