//! What the steps and factors of a pass must add up to.

use super::accesses::{part_points, tiles};
use mmafft::backend_traits::{End, Factor, Images, LineForm, Pass, RealLine, TileAxis};
use mmafft::{largest_prime_factor, Engine, Limits, Step};

/// Checks that each axis' steps make its length, in a tile that the device has, and that
/// factors are those of its line.
pub fn check(pass: &Pass, limits: &Limits) -> Result<(), String> {
    let blocks = pass.tile.residency.blocks();
    let exchanges = pass.steps.iter().filter(|s| **s == Step::AllToAll).count();
    if exchanges != usize::from(blocks > 1) || blocks > limits.cluster_blocks.max(1) {
        return Err(format!("{exchanges} exchanges of {blocks} blocks"));
    }
    for axis in &pass.axes {
        let convolve = |s: &Step| matches!(s, Step::Convolve { .. });
        for steps in pass.steps.split(convolve) {
            let points = axis_steps(pass, axis, steps)? / blocks;
            // One line to a block may fill it.
            let fills = pass.tile.lines == 1 && points <= limits.line_points;
            let alone =
                fills && Limits::on_chip_bytes(points, pass.math.storage) <= limits.tile_bytes;
            if pass.together() * points > limits.longest_line(pass.math.storage) && !alone {
                return Err(format!("a line of {} points on chip", points));
            }
        }
    }
    if limits.target.line_library().is_none() && pass.axes.len() > 1 {
        // Of type I: halves of columns and rows, and one of each; or reals, two for a point, that threads have whole.
        let own = |axis: &TileAxis| match pass.real_columns(axis).and_then(|l| l.columns_and_rows())
        {
            Some(lengths) => lengths.map(|n| n / 2 + 1).into_iter().product(),
            None if pass.in_thread(axis) => axis.length.div_ceil(2),
            None => axis.core_length(),
        };
        let points = pass.held_points(own);
        if Limits::on_chip_bytes(points / blocks, pass.math.storage) > limits.tile_bytes {
            return Err(format!("a tile of {points} points"));
        }
    }
    for factor in End::BOTH
        .into_iter()
        .filter_map(|end| pass.side(end).factor)
    {
        if let Factor::Roots {
            length, line_loop, ..
        } = factor
        {
            let lines = all_lines(pass, pass.loops[line_loop].count);
            if lines * pass.axes[0].length != length {
                return Err(format!("{lines} lines twiddled for {length}"));
            }
        }
    }
    mirrored(pass)?;
    for step in &pass.steps {
        if let Step::Convolve {
            length,
            padded,
            factors,
            ..
        } = step
        {
            let own = factors.last() == Some(&pass.axes[0].length);
            let all = factors.iter().product::<usize>() == *padded && pass.line_points() == *padded;
            if !own || !all || *padded < 2 * length - 1 {
                return Err(format!("a convolution of {length} in {padded}"));
            }
        }
    }
    for end in End::BOTH {
        let loops = pass.loops.iter();
        let loops = loops.map(|l| (l.map(end).index, all_lines(pass, l.count)));
        let mut parts: Vec<_> = loops.filter(|p| p.0 > 0).collect();
        parts.push((pass.axes[0].map(end).index, pass.axes[0].length));
        parts.sort_unstable();
        let mut span = 1;
        for (index, count) in parts {
            if index != span {
                return Err(format!("point {index} of a line after {span}"));
            }
            span *= count;
        }
    }
    Ok(())
}

/// Parts of a line beside so many: as many; or, of real columns, those whose mirror images are not
/// computed as well.
fn all_lines(pass: &Pass, lines: usize) -> usize {
    let columns = |line: &RealLine| matches!(line.form, LineForm::Columns(_));
    let line = pass.load.reals.or(pass.store.reals).filter(columns);
    let points = line.map(|line| line.points()).or(pass.load.hermitian);
    let all = points.map(|points| points / pass.axes[0].length);
    all.filter(|n| lines == n / 2 + 1).unwrap_or(lines)
}

/// Checks that lines in pairs have every point beside its mirror image.
fn mirrored(pass: &Pass) -> Result<(), String> {
    let Some((end, mirrored)) = pass.mirrored() else {
        return Ok(());
    };
    let axis = &pass.axes[0];
    let points = part_points(pass, end, None);
    let all = mirrored.points;
    let mut found = vec![Vec::new(); tiles(pass).len()];
    for (tile, _, n) in points {
        found[tile].push(n);
    }
    for tile in found.iter_mut().filter(|tile| !tile.is_empty()) {
        tile.sort_unstable();
        let image = |&n: &usize| match mirrored.images {
            Images::Facing => all - 1 - n,
            _ => (all - n) % all,
        };
        let mut images: Vec<usize> = tile.iter().map(image).collect();
        images.sort_unstable();
        if *tile != images || tile.len() != 2 * axis.length {
            return Err(format!("a tile of points {tile:?} of {all}"));
        }
    }
    let facing = mirrored.images == Images::Facing;
    let even = facing || axis.length.is_multiple_of(2);
    match even && pass.tile.lines.is_multiple_of(2) && pass.points_of_line(end) == all {
        true => Ok(()),
        false => Err(format!("mirrored pairs of lines of {}", axis.length)),
    }
}

/// The points on chip that these steps make of an axis.
fn axis_steps(pass: &Pass, axis: &TileAxis, steps: &[Step]) -> Result<usize, String> {
    let core = axis.core_length();
    let mut wanted = core;
    let mut product = 1;
    // Points of the first part of a line that a cluster holds.
    let mut before = 1;
    let line = pass.axes.len() == 1;
    // Real columns and rows, of one line.
    let mut folded = None;
    for step in steps {
        match *step {
            Step::RealColumns {
                axis: a,
                columns,
                rows,
            } if a == axis.axis => {
                let whole = axis.kind.shared_core_length(axis.length);
                if columns * rows != whole || columns % 2 + rows % 2 > 0 || product > 1 {
                    return Err(format!("columns of {columns}, rows of {rows} for {whole}"));
                }
                folded = Some([columns, rows]);
                wanted = whole / 4;
            }
            Step::Twiddle { axis: a, length }
                if a == axis.axis && folded.is_some_and(|[n1, n2]| n1 * n2 == length) =>
            {
                if folded.is_some_and(|[columns, _]| columns != 2 * product) {
                    return Err(format!("{product} points for a column's half"));
                }
                (before, product) = (product, 1);
            }
            Step::AllToAll if line => (before, product) = (product, 1),
            Step::Line {
                axis: a, length, ..
            } if a == axis.axis => product *= length,
            Step::Dft { axis: a, radix, .. } if a == axis.axis => product *= radix,
            // Between the steps so far and the next one.
            Step::Twiddle { axis: a, length }
                if a == axis.axis && (length <= product || length % product != 0) =>
            {
                return Err(format!("roots of order {length} after {product} points"));
            }
            Step::Chirp {
                axis: a,
                length,
                padded,
            } if a == axis.axis => {
                let simt = pass.math.engine == Engine::Simt;
                if length != core || padded < 2 * core - 1 || simt && product > 1 {
                    return Err(format!("a chirp of {length} in {padded} for {core}"));
                }
                wanted = padded;
            }
            Step::Rader { axis: a, length } if a == axis.axis => {
                if length != core || largest_prime_factor(length) != length || product > 1 {
                    return Err(format!("Rader's algorithm of {length} for {core}"));
                }
                wanted = length - 1;
            }
            _ => {}
        }
    }
    let blocks = pass.tile.residency.blocks();
    if line && blocks > 1 && [before, product].iter().any(|n| n % blocks > 0) {
        return Err(format!("{before}·{product} points in {blocks} blocks"));
    }
    match before * product == wanted {
        // Half of the columns, or rows, and one.
        true => Ok(folded.map_or(wanted, |[n1, n2]| (n1 / 2 + 1) * (n2 / 2 + 1))),
        false => Err(format!(
            "steps that make {before}·{product} points of {wanted}"
        )),
    }
}
