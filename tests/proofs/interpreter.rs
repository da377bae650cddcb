//! Runs a plan's passes on addresses instead of numbers.
//!
//! ```text
//! for line in pass.loops:                 (outermost first; a line is the least tile)
//!     load  load.offset  + Σ i·loop.load  + Σ point·axis.load_stride  (+ load.imaginary)
//!     store store.offset + Σ i·loop.store + Σ point·axis.store_stride (+ store.imaginary)
//! ```
//! where what lies in runs is `i / run.points · run.apart + i % run.points · stride` on, in place of `i · stride`.
//! Every scalar of memory remembers what it holds: nothing, the caller's input, or what a
//! pass stored, and along which axes that has been transformed. Points of a part of a line
//! that are outside of its range are neither loaded nor stored. That is written from the
//! words of `pass.rs` and shares no code with the planner or a backend.

use super::accesses::{loads, stores};
use super::sides::Addresses;
use mmafft::backend_traits::{Factor, Images, LineForm, Pass, RealLine, Slot, TileAxis};
use mmafft::{Plan, Step};

/// Points transformed together so far, per axis of the array.
type Done = [usize; RANK];
/// The highest rank of what is proven.
const RANK: usize = 6;

/// What a scalar holds.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Value {
    /// The pass that stored it; `None` for the caller's input.
    by: Option<usize>,
    /// Whether a pass has loaded it.
    read: bool,
    done: Done,
}

/// One of the memories, with what happened to it in the pass at work.
struct Memory {
    holds: Vec<Option<Value>>,
    /// The line that loaded a scalar in this pass, plus one.
    loaded: Vec<usize>,
    /// The line that stored it.
    stored: Vec<usize>,
}

impl Memory {
    fn new(scalars: usize) -> Self {
        Memory {
            holds: vec![None; scalars],
            loaded: vec![0; scalars],
            stored: vec![0; scalars],
        }
    }

    /// Whether `at` is inside; an address outside is an error of the plan.
    fn inside(&self, at: usize) -> Result<(), String> {
        match at < self.holds.len() {
            true => Ok(()),
            false => Err(format!("scalar {at} of {}", self.holds.len())),
        }
    }
}

/// Checks all that the plan's data says of memory; the error names the pass and the scalar.
/// `in_place`: the input's memory is the output's.
pub fn prove(plan: &Plan, in_place: bool) -> Result<(), String> {
    let input = Addresses::of_input(&plan.request);
    let output = Addresses::of_output(&plan.request);
    let scalars = [plan.input_scalars, plan.output_scalars];
    let scratch = plan.scratch_bytes / plan.request.precision.row().storage.bytes();
    let mut memories = match in_place {
        true => vec![scalars[0].max(scalars[1]), scratch],
        false => vec![scalars[0], scratch, scalars[1]],
    }
    .into_iter()
    .map(Memory::new)
    .collect::<Vec<_>>();
    // Input, scratch, output; in place the first is also the last.
    let index = |slot| match slot {
        Slot::Input => 0,
        Slot::Scratch => 1,
        Slot::Output if in_place => 0,
        Slot::Output => 2,
    };
    let input_value = Value {
        by: None,
        read: false,
        done: [1; RANK],
    };
    for &at in &input.inside {
        memories[0].inside(at)?;
        memories[0].holds[at] = Some(input_value);
    }
    let mut may_store = vec![false; memories[index(Slot::Output)].holds.len()];
    for &at in output.inside.iter().chain(&input.all).take(match in_place {
        true => usize::MAX,
        false => output.inside.len(),
    }) {
        may_store[at] = true;
    }

    for (number, pass) in plan.passes.iter().enumerate() {
        let named = |what: String| format!("pass {}: {what}", number + 1);
        for memory in &mut memories {
            memory.loaded.fill(0);
            memory.stored.fill(0);
        }
        let count = pass.loops.iter().map(|l| l.count).product();
        let mut lines: Vec<Option<Done>> = vec![None; count];
        let mut makers = vec![None; count];
        // A point and its mirror image are made of the same scalars.
        let again = |line: RealLine| line.form != LineForm::Packed;
        let mirrored = pass.load.hermitian.is_some() || pass.load.reals.is_some_and(again);
        loads(pass, |line, slot, at| {
            let memory = &mut memories[index(slot)];
            memory.inside(at).map_err(|e| format!("loads {e}"))?;
            // Two points are mirror images of one another.
            if memory.loaded[at] != 0 && !mirrored {
                return Err(format!("loads {} {at} twice", slot.name()));
            }
            memory.loaded[at] = line + 1;
            let Some(value) = &mut memory.holds[at] else {
                return Err(format!("loads {} {at}, unset", slot.name()));
            };
            // Every value of a tile has come the same way.
            // Scratch is used again: what an earlier pass left there is not meant. Edge points
            // alone come from a pass of their own.
            let maker = *makers[line].get_or_insert(value.by);
            let other = maker != value.by && pass.load.edges.is_none();
            if other || *lines[line].get_or_insert(value.done) != value.done {
                return Err(format!("loads {} {at} of another pass", slot.name()));
            }
            if value.by.is_none() && value.read && !mirrored {
                return Err(format!("loads input {at}, which an earlier pass has"));
            }
            value.read = true;
            Ok(())
        })
        .map_err(named)?;
        // A part of a line may have no point that is not zero.
        let any = lines.iter().flatten().next().copied();
        if pass.loops.iter().any(|l| l.load.index > 0) {
            lines.iter_mut().for_each(|line| *line = line.or(any));
        }
        let last = number + 1 == plan.passes.len();
        let mut stored = 0;
        stores(pass, |line, slot, at| {
            let memory = &mut memories[index(slot)];
            memory.inside(at).map_err(|e| format!("stores {e}"))?;
            let say = |what| format!("stores {} {at}, {what}", slot.name());
            if memory.stored[at] != 0 {
                return Err(say("twice".into()));
            }
            memory.stored[at] = line + 1;
            let loaded = memory.loaded[at];
            if loaded != 0 && loaded != line + 1 {
                return Err(say(format!("which tile {loaded} loads")));
            }
            if let Some(Value {
                read: false, by, ..
            }) = memory.holds[at]
            {
                return Err(say(format!("yet to be read, of {by:?}")));
            }
            let Some(mut done) = lines[line] else {
                return Err(say("of a tile that loads nothing".into()));
            };
            for axis in &pass.axes {
                done[axis.axis] = transformed(pass, axis, done[axis.axis])?;
            }
            memory.holds[at] = Some(Value {
                by: Some(number),
                read: false,
                done,
            });
            stored += 1;
            match slot {
                Slot::Scratch if !last => Ok(()),
                Slot::Input if !in_place => Err(say("the caller's".into())),
                Slot::Output | Slot::Input if may_store[at] => Ok(()),
                _ => Err(say("which is not wanted".into())),
            }
        })
        .map_err(named)?;
        if last && stored != output.inside.len() {
            let wanted = output.inside.len();
            return Err(named(format!("stores {stored} scalars of {wanted}")));
        }
    }
    // What the last pass stored: each once, as many as are wanted, all of them these, and
    // transformed along every axis.
    let mut done = [1; RANK];
    for &axis in plan.request.axes.iter().flatten() {
        done[axis] = plan.request.shape.dims()[axis];
    }
    let result = Some(Value {
        by: plan.passes.len().checked_sub(1),
        read: false,
        done,
    });
    let memory = &memories[index(Slot::Output)];
    if let Some(at) = output.inside.iter().find(|&&at| memory.holds[at] != result) {
        return Err(format!(
            "output {at} is not the last pass', fully transformed"
        ));
    }
    // Nothing was made, or given, in vain.
    for memory in &memories {
        let unread = |v: &Value| !v.read && v.by != plan.passes.len().checked_sub(1);
        if let Some(at) = memory
            .holds
            .iter()
            .position(|v| v.is_some_and(|v| unread(&v)))
        {
            return Err(format!("scalar {at} is never read"));
        }
    }
    Ok(())
}

/// Points transformed together after the pass, where `done` were before it. A convolution
/// counts up to its length; its middle marks that by a factor of the length, which is all
/// that is left when it has counted down. What it has computed is then a DFT.
fn transformed(pass: &Pass, axis: &TileAxis, done: usize) -> Result<usize, String> {
    let padded = pass.steps.iter().find_map(|step| match step {
        Step::Convolve { padded, .. } => Some(*padded),
        _ => None,
    });
    if let Some(padded) = padded {
        return match done * axis.length == padded {
            true => Ok(done * padded),
            false => Err(format!("convolves {} of {padded}", done * axis.length)),
        };
    }
    let back = matches!(pass.load.factor, Some(Factor::Roots { .. }));
    let done = match back {
        true => done / axis.length,
        false => done * axis.length,
    };
    let done = match pass.store.factor {
        Some(Factor::Chirp { length, .. }) if done == pass.line_points() => length,
        Some(Factor::Chirp { .. }) => return Err(format!("ends a convolution at {done}")),
        _ => done,
    };
    // Parts split in their last pass and merge in their first, which makes points of reals; whole
    // rows become twice as many reals either way.
    let twice = match pass.mirrored() {
        Some((_, mirrored)) if matches!(mirrored.images, Images::Rows(_)) => Some(mirrored.points),
        _ => pass.store.halves(),
    };
    match (pass.store.reals, twice) {
        (Some(line), _) if done != line.points() => Err(format!("ends a line of reals at {done}")),
        (Some(line), _) => Ok(line.length),
        (None, Some(points)) if done != points => Err(format!("splits a half spectrum at {done}")),
        (None, Some(points)) => Ok(2 * points),
        (None, None) => Ok(done),
    }
}
