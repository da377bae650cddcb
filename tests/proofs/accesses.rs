//! The addresses that a pass loads and stores, line by line, from the words of `pass.rs`.

use mmafft::backend_traits::{End, Images, Map, Mirrored, Pass, Slot};
use mmafft::Kind;
use std::collections::HashMap;
use std::ops::Range;

/// Indices, and where they lie.
pub type Along = (Range<usize>, Map);

type Each<'a> = &'a mut dyn FnMut(usize, Slot, usize) -> Result<(), String>;

/// Calls `each(line, slot, address)` for every scalar that the pass loads.
pub fn loads(
    pass: &Pass,
    mut each: impl FnMut(usize, Slot, usize) -> Result<(), String>,
) -> Result<(), String> {
    if pass.loops.iter().any(|l| l.load.index > 0) {
        return part_loads(pass, &mut each);
    }
    let Some(edges) = pass.load.edges else {
        return side(pass, End::Load, None, &mut each);
    };
    // Point 1 is at the load's address 0; points 0 and, for an even length, the last wait
    // in scratch.
    let [axis] = &pass.axes[..] else {
        return Err("edge points in a tile of several axes".into());
    };
    let points = axis.length / 2 + 1;
    let count = if axis.length % 2 == 0 { 2 } else { 1 }.min(points);
    if axis.kind != Kind::C2R || axis.ranges.load != (0..points) || edges.count != count {
        return Err("edge points that are not those of a whole C2R line".into());
    }
    side(pass, End::Load, Some(0..points - count), &mut each)?;
    let lines: usize = pass.loops.iter().map(|l| l.count).product();
    for line in 0..lines {
        for scalar in 0..2 * count {
            each(
                line,
                Slot::Scratch,
                edges.offset + 2 * line * count + scalar,
            )?;
        }
    }
    Ok(())
}

/// Calls `each(line, slot, address)` for every scalar that the pass stores.
pub fn stores(
    pass: &Pass,
    mut each: impl FnMut(usize, Slot, usize) -> Result<(), String>,
) -> Result<(), String> {
    if pass.loops.iter().any(|l| l.store.index > 0) {
        let [axis] = &pass.axes[..] else {
            return Err("a part of a line in a tile of several axes".into());
        };
        let unit = axis.store.unit();
        let last = pass.store.halves();
        for (line, address, n) in part_points(pass, End::Store, last) {
            if let Some(whole) = pass.store.reals {
                let reals = whole.stored(n);
                let reals = reals.into_iter().flatten().map(|(i, _)| i);
                let there = n < whole.points() || last == Some(n);
                for i in reals.filter(|i| there && axis.ranges.store.contains(i)) {
                    let at = pass.store.offset + address + i * unit - n * unit;
                    each(line, pass.store.slot, at)?;
                }
                continue;
            }
            for scalar in 0..pass.store.domain.scalars() {
                if axis.ranges.store.contains(&n) {
                    let at = pass.store.offset + address + scalar * pass.store.imaginary;
                    each(line, pass.store.slot, at)?;
                }
            }
        }
        return Ok(());
    }
    side(pass, End::Store, None, &mut each)
}

/// The tile of every line, called by a line that is in it: its own number; or, of lines in mirrored
/// pairs, the lower one's.
pub fn tiles(pass: &Pass) -> Vec<usize> {
    let lines: usize = pass.loops.iter().map(|l| l.count).product();
    let Some((end, mirrored)) = pass.mirrored() else {
        return (0..lines).collect();
    };
    let rows = match mirrored.images {
        Images::Rows(rows) => pass.loops.len() - rows..pass.loops.len(),
        _ => 0..0,
    };
    let parts = mirrored.points / pass.axes[0].length;
    let counts: Vec<usize> = match mirrored.images {
        Images::Rows(_) => pass.loops[rows.clone()].iter().map(|l| l.count).collect(),
        _ => vec![parts],
    };
    // The whole line or array, and which part or row of it.
    let place = |mut line: usize| {
        let (mut whole, mut scale, mut part, mut row) = (0, 1, 0, 1);
        for (at, l) in pass.loops.iter().enumerate().rev() {
            let i = line % l.count;
            line /= l.count;
            part += match rows.contains(&at) {
                true => i * row,
                false => i * l.map(end).index,
            };
            if rows.contains(&at) {
                row *= l.count;
            } else if l.map(end).index == 0 {
                whole += i * scale;
                scale *= l.count;
            }
        }
        (whole, part)
    };
    let numbers: HashMap<_, usize> = (0..lines).map(|line| (place(line), line)).collect();
    let lower = |line| {
        let (whole, part) = place(line);
        let partner = match mirrored.images {
            Images::Facing => parts - 1 - part,
            _ => Mirrored::partner(&counts, part),
        };
        let other = numbers.get(&(whole, partner));
        line.min(other.copied().unwrap_or(line))
    };
    (0..lines).map(lower).collect()
}

/// Tile, scalars from the offset and number in the whole line, of every point of every
/// part of a line; beside point 0 the `last` one of a half spectrum, if it is there.
pub fn part_points(pass: &Pass, end: End, last: Option<usize>) -> Vec<(usize, usize, usize)> {
    let own = pass.axes[0].map(end);
    let sum = |of: fn(Map) -> Map| {
        let loops = pass.loops.iter().map(|l| (0..l.count, of(*l.map(end))));
        let axis = (0..pass.axes[0].length, of(*own));
        addresses(&loops.chain([axis]).collect::<Vec<_>>(), 0)
    };
    let points = sum(|map| map).into_iter();
    let points = points.zip(sum(|map| Map::of_lines(map.index)));
    let points = points.enumerate();
    let tiles = tiles(pass);
    let points = points.map(|(i, (address, n))| (tiles[i / pass.axes[0].length], address, n));
    let with_last = points.flat_map(|(tile, address, n)| {
        let last = last.filter(|_| n == 0);
        let last = last.map(|last| (tile, address + last * own.unit(), last));
        [Some((tile, address, n)), last].into_iter().flatten()
    });
    with_last.collect()
}

/// The loads of a part of a line: those inside its range, mirrored where the line is a
/// half spectrum.
fn part_loads(pass: &Pass, each: Each<'_>) -> Result<(), String> {
    let [axis] = &pass.axes[..] else {
        return Err("a part of a line in a tile of several axes".into());
    };
    let last = pass.load.halves();
    let points = part_points(pass, End::Load, last);
    // Scalars from point to point of the whole line.
    let unit = axis.load.unit();
    // Lines of the caller's, without the parts of each.
    let mut order = vec![0];
    for l in &pass.loops {
        let step = usize::from(l.load.index == 0);
        let counts = order.into_iter().flat_map(|i: usize| {
            (0..l.count).map(move |j| if step == 1 { i * l.count + j } else { i })
        });
        order = counts.collect();
    }
    for (line, address, n) in points {
        if let Some(whole) = pass.load.reals {
            let reals = whole.side(End::Load).reals(whole.length, n);
            let reals = reals.into_iter().flatten().map(|(i, _)| i);
            let there = n < whole.points() || last == Some(n);
            for i in reals.filter(|i| there && axis.ranges.load.contains(i)) {
                let at = pass.load.offset + address + i * unit - n * unit;
                each(line, pass.load.slot, at)?;
            }
            continue;
        }
        let source = match pass.load.hermitian {
            Some(length) if n >= length => continue,
            Some(length) if n > length / 2 => length - n,
            _ => n,
        };
        if !axis.ranges.load.contains(&source) {
            continue;
        }
        let length = pass.load.hermitian.or(last.map(|points| 2 * points));
        let edge = pass.load.edges.zip(length).and_then(|(edges, length)| {
            let edge = match source {
                0 => 0,
                s if 2 * s == length => 1,
                _ => return None,
            };
            Some(edges.offset + 2 * (order[line] * edges.count + edge))
        });
        for scalar in 0..pass.load.domain.scalars() {
            match edge {
                Some(at) => each(line, Slot::Scratch, at + scalar)?,
                None => {
                    let first = usize::from(pass.load.edges.is_some());
                    // The address of the point itself, moved to that of its source.
                    let at = pass.load.offset + address + (source - first) * unit - n * unit;
                    each(line, pass.load.slot, at + scalar * pass.load.imaginary)?;
                }
            }
        }
    }
    Ok(())
}

/// All of a side, of an axis this range in place of its own.
fn side(pass: &Pass, end: End, range: Option<Range<usize>>, each: Each<'_>) -> Result<(), String> {
    let side = pass.side(end);
    let loops = pass.loops.iter().map(|l| (0..l.count, *l.map(end)));
    let lines: Vec<Along> = loops.collect();
    let axes = pass.axes.iter().map(|axis| {
        let range = range.as_ref().unwrap_or(&axis.ranges[end]);
        (range.clone(), *axis.map(end))
    });
    let parts = (0..side.domain.scalars(), Map::of_lines(side.imaginary));
    let tile: Vec<Along> = axes.chain([parts]).collect();
    for (line, start) in addresses(&lines, side.offset).into_iter().enumerate() {
        for at in addresses(&tile, start) {
            each(line, side.slot, at)?;
        }
    }
    Ok(())
}

/// `start` and the sums of what lies before all indices, each at its stride or in its runs, the last index fastest.
pub fn addresses(dims: &[Along], start: usize) -> Vec<usize> {
    let mut all = vec![start];
    for (range, map) in dims {
        let next = |at: usize| range.clone().map(move |i| at + map.at(i));
        all = all.into_iter().flat_map(next).collect();
    }
    all
}
