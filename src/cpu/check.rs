//! The proof that a pass stays inside its memory: what unsafe code of this folder rests on.

use super::parts::Part;
use super::prepare::sides_of;
use mmafft_backend_traits::{
    Domain, End, Error, Factor, Kind, Loop, Map, Pass, Result, Slot, Step, TileAxis,
};
use std::ops::Range;

/// Scalars that the three slots must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extents {
    /// Of the input.
    pub input: usize,
    /// Of the output.
    pub output: usize,
    /// Of the plan's scratch.
    pub scratch: usize,
}

impl Extents {
    fn cover(&mut self, slot: Slot, scalars: usize) {
        let extent = match slot {
            Slot::Input => &mut self.input,
            Slot::Output => &mut self.output,
            Slot::Scratch => &mut self.scratch,
        };
        *extent = (*extent).max(scalars);
    }
}

/// Checks that no two points are stored to one address, and notes the last address of each slot. Returns whether
/// input and output may be one memory: whether no line is stored to what another one loads. A pass within one slot must be so.
pub fn check(pass: &Pass, extents: &mut Extents) -> Result<bool> {
    let invalid = |what: &str| Error::Unsupported {
        what: format!("a pass that {what}"),
        backend: "cpu".into(),
        instead: "let the planner make it".into(),
    };
    check_counts(pass).map_err(invalid)?;
    if pass.mirrored().is_some() {
        return Err(invalid("has lines in mirrored pairs"));
    }
    let maps = |end: End| {
        let axes = pass.axes.iter().map(move |a| a.map(end));
        axes.chain(pass.loops.iter().map(move |l| l.map(end)))
    };
    if End::BOTH
        .into_iter()
        .flat_map(maps)
        .any(|map| map.runs.is_some())
    {
        return Err(invalid("has points in runs"));
    }
    match Part::<f64>::covers(pass) {
        true => check_parts(pass).map_err(invalid)?,
        // Parts of lines go by what memory has, whole ones by their kinds.
        false => check_domains(pass).map_err(invalid)?,
    }
    check_steps(pass).map_err(invalid)?;
    check_edges(pass).map_err(invalid)?;
    let mut in_line = stays_in_line(pass);
    let mut touched = [0..0, 0..0];
    let beyond = || invalid("reaches beyond all memory");
    // Loops over the parts of a line are within its range.
    let lines: Vec<Loop> = pass.loops.iter().copied().filter(is_line).collect();
    for end in End::BOTH {
        let (side, storing) = (pass.side(end), end == End::Store);
        let left = |axis: usize| !storing && sides_of(pass, axis)[1] == End::Load;
        let stays = left(0);
        let dims = lines.iter().map(|l| (l.count, l.map(end).stride));
        let mut dims: Vec<(usize, usize)> = dims.collect();
        // Those of the last points: the loops' as well.
        let mut reach: Vec<(usize, usize)> = dims.clone();
        let mut empty = false;
        for (i, axis) in pass.axes.iter().enumerate() {
            let (mut range, stride) = (axis.ranges[end].clone(), axis.map(end).unit());
            if left(i) {
                // A tile of half spectra stays where it is loaded until it becomes reals.
                let stored = &axis.ranges.store;
                range = range.start.min(stored.start)..range.end.max(stored.end);
            }
            let edges = side.edges.map_or(0, |e| e.count);
            if range.len() > edges {
                let end = range.end - edges;
                dims.push((end - range.start, stride));
                // Of a tile's later axes, points lie in the output as they were loaded until their turn.
                let end = match storing && i > 0 {
                    true => end.max(axis.ranges.load.end),
                    false => end,
                };
                reach.push((end, stride));
            } else {
                empty = true;
            }
        }
        if side.domain == Domain::Complex {
            dims.push((2, side.imaginary));
            reach.push((2, side.imaginary));
        }
        let furthest = |last: usize, &(count, stride): &(usize, usize)| {
            last.checked_add(count.checked_sub(1)?.checked_mul(stride)?)
        };
        let last = reach.iter().try_fold(side.offset, furthest);
        // Of a loop of no lines nothing is touched.
        let none = lines.iter().any(|l| l.count == 0);
        if !empty && !none {
            let end = last.and_then(|last| last.checked_add(1));
            let end = end.ok_or_else(beyond)?;
            extents.cover(side.slot, end);
            touched[usize::from(storing)] = side.offset..end;
        }
        dims.retain(|d| d.0 > 1);
        dims.sort_by_key(|d| d.1);
        let mut span = 1;
        for dim in dims {
            if (storing || stays) && dim.1 < span {
                return Err(invalid("stores two points to one address"));
            }
            in_line &= dim.1 >= span;
            span = furthest(span, &dim).ok_or_else(beyond)?;
        }
    }
    let [loaded, stored] = touched;
    let apart = |range: &Range<usize>| range.end <= stored.start || stored.end <= range.start;
    in_line |= apart(&loaded);
    if let Some(edges) = pass.load.edges {
        let counts = lines.iter().map(|l| l.count).chain([2, edges.count]);
        let scalars = counts.into_iter().try_fold(1usize, usize::checked_mul);
        let end = scalars.and_then(|scalars| scalars.checked_add(edges.offset));
        let end = end.ok_or_else(beyond)?;
        extents.cover(Slot::Scratch, end);
        if pass.store.slot == Slot::Scratch && !apart(&(edges.offset..end)) {
            return Err(invalid("stores lines to the edge points of others"));
        }
    }
    if pass.load.slot == pass.store.slot && !in_line {
        return Err(invalid("stores lines to what others load"));
    }
    let callers = pass.load.slot != Slot::Scratch && pass.store.slot != Slot::Scratch;
    Ok(in_line || !callers)
}

/// Nothing that is divided by, or counted from one, is zero.
fn check_counts(pass: &Pass) -> std::result::Result<(), &'static str> {
    let empty = |axis: &TileAxis| {
        let counted = End::BOTH.into_iter().all(|end| axis.map(end).index > 0);
        axis.length == 0 || axis.core_length() == 0 || !counted
    };
    if pass.axes.is_empty() {
        Err("has no axes")
    } else if pass.axes.iter().any(empty) {
        Err("has an axis without points")
    } else if pass.store.hermitian.is_some() || pass.store.edges.is_some() {
        Err("stores half a line")
    } else if pass.loops.iter().any(|l| l.count == 0) {
        Err("has no lines")
    } else {
        Ok(())
    }
}

/// Checks that memory has on either side what the axes' kinds, one after another, take and make.
fn check_domains(pass: &Pass) -> std::result::Result<(), &'static str> {
    let rows: Vec<_> = pass.axes.iter().map(|axis| axis.kind.row()).collect();
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
        return Err("has no axes");
    };
    let outside = [first.input, last.output];
    let follow = rows.windows(2).all(|two| two[0].output == two[1].input);
    match follow && outside == [pass.load.domain, pass.store.domain] {
        true => Ok(()),
        false => Err("has reals for complex numbers, or these for reals"),
    }
}

/// Checks that edge points are those of half spectra of whole lines.
fn check_edges(pass: &Pass) -> std::result::Result<(), &'static str> {
    let (Some(edges), axis) = (pass.load.edges, &pass.axes[0]) else {
        return Ok(());
    };
    let n = pass.load.hermitian.unwrap_or(axis.length);
    let halved = axis.kind == Kind::C2R || pass.load.hermitian.is_some();
    if !halved || pass.axes.len() != 1 {
        return Err("has edge points but is no C2R of one axis");
    }
    let all = edges.count == (n / 2 + 1).min(2 - n % 2) && axis.ranges.load == (0..n / 2 + 1);
    match all {
        true => Ok(()),
        false => Err("has other edge points than its half spectrum"),
    }
}

/// Whether each line is stored where it was loaded, so that it may be while others are loaded: points at the same addresses, or
/// of an axis that is halved reals at those of the complex numbers, of which edge points lie elsewhere.
fn stays_in_line(pass: &Pass) -> bool {
    let (load, store) = (&pass.load, &pass.store);
    let beside = |axis: &TileAxis| {
        let [from, to] = [axis.load.stride, axis.store.stride];
        match axis.kind {
            Kind::R2C => from.checked_mul(2) == Some(to) && store.imaginary == from,
            Kind::C2R => to.checked_mul(2) == Some(from) && load.imaginary == to,
            _ => from == to,
        }
    };
    let halved = load.domain != store.domain;
    let parts = load.imaginary == store.imaginary || halved || load.domain == Domain::Real;
    let loops = pass
        .loops
        .iter()
        .all(|l| l.count < 2 || l.load.stride == l.store.stride);
    let axes = pass.axes.iter().all(|axis| axis.length < 2 || beside(axis));
    let first = match pass.load.edges {
        // The load begins with point 1, behind as many reals as there are edge points.
        Some(edges) => {
            let past = edges.count.checked_mul(pass.axes[0].store.stride);
            past.and_then(|past| past.checked_add(store.offset))
        }
        None => Some(store.offset),
    };
    let whole = load.hermitian.is_none() && load.reals.is_none() && store.reals.is_none();
    whole && first == Some(load.offset) && parts && loops && axes
}

fn is_line(l: &Loop) -> bool {
    l.load.index == 0
}

/// Checks that the radices of each axis make the points that its lines have, and that no step is one of devices
/// alone.
fn check_steps(pass: &Pass) -> std::result::Result<(), &'static str> {
    let device = |s: &Step| {
        matches!(
            s,
            Step::Rader { .. } | Step::AllToAll | Step::RealColumns { .. }
        )
    };
    if pass.steps.iter().any(device) {
        return Err("has steps of devices");
    }
    let beside = |s: &Step| matches!(s, Step::Dft { engine, .. } if *engine != pass.math.engine);
    if pass.steps.iter().any(beside) {
        return Err("has products beside butterflies");
    }
    for axis in &pass.axes {
        for steps in pass.steps.split(|s| matches!(s, Step::Convolve { .. })) {
            let mut wanted = axis.core_length();
            let mut made = None;
            for step in steps {
                match *step {
                    Step::Chirp {
                        axis: a,
                        length,
                        padded,
                    } if a == axis.axis => {
                        if length != wanted || padded / 2 + padded % 2 < length {
                            return Err("has a chirp of another length than its line");
                        }
                        wanted = padded;
                    }
                    Step::Dft { axis: a, radix, .. } if a == axis.axis => {
                        let product = made.unwrap_or(Some(1));
                        made = Some(product.and_then(|product: usize| product.checked_mul(radix)));
                    }
                    _ => {}
                }
            }
            if made.is_some_and(|made| made != Some(wanted)) {
                return Err("has radices that do not make its line");
            }
        }
    }
    Ok(())
}

/// Checks what `parts` relies on beside: on either side, the points of a line's parts are
/// numbered once each, and lie at multiples of one unit; factors and mirrored points are
/// those of that line.
fn check_parts(pass: &Pass) -> std::result::Result<(), &'static str> {
    let [axis] = &pass.axes[..] else {
        return Err("splits a line in a tile of several axes");
    };
    for end in End::BOTH {
        let map = axis.map(end);
        if map.index == 0 || map.stride % map.index != 0 || axis.kind != Kind::C2C {
            return Err("has a part of a line without a unit");
        }
        let unit = map.unit();
        let mut parts: Vec<[usize; 2]> = vec![[map.index, axis.length]];
        for l in &pass.loops {
            let Map { index, stride, .. } = *l.map(end);
            if is_line(l) != (index == 0) || (index > 0 && stride != unit * index) {
                return Err("has a loop that leaves its line");
            }
            if index > 0 {
                parts.push([index, l.count]);
            }
        }
        parts.sort_unstable();
        let mut span = 1;
        for [index, count] in parts {
            if index != span {
                return Err("numbers points of a line twice, or leaves some out");
            }
            span *= count;
        }
    }
    if let Some(n) = pass.load.hermitian {
        let half = 0..n / 2 + 1;
        let edges = pass.load.edges.map(|e| e.count);
        let all = edges == Some(2 - n % 2) && axis.ranges.load == half;
        if n == 0 || axis.ranges.load.end > half.end || edges.is_some() && !all {
            return Err("reads another half spectrum than its line's");
        }
    }
    for side in End::BOTH.map(|end| pass.side(end)) {
        if side.reals.is_some_and(|line| line.length == 0) {
            return Err("has a line of no reals");
        }
        match side.factor {
            Some(Factor::Roots { line_loop, .. }) if line_loop >= pass.loops.len() => {
                return Err("has a twiddle without lines");
            }
            Some(Factor::Roots { turned: true, .. }) => {
                return Err("has a twiddle that is turned");
            }
            Some(Factor::Roots { length: 0, .. } | Factor::Chirp { length: 0, .. }) => {
                return Err("has a factor of no length");
            }
            _ => {}
        }
    }
    for step in &pass.steps {
        if let Step::Convolve {
            length,
            padded,
            factors,
            ..
        } = step
        {
            let fits = *padded == pass.line_points() && *padded + 1 >= 2 * *length;
            if !fits || factors.iter().product::<usize>() != *padded || *length == 0 {
                return Err("has a convolution of another length than its line");
            }
        }
    }
    Ok(())
}
