//! What radices make of a pass' tile: points that threads hold, columns of each step, and which of them can face each other.

use super::folded::columns_of_steps;
use super::rule::{points_of_axes, real_columns};
use super::rule_keys::transformed;
use mmafft_backend_traits::mirrors::{facing_neighbours, FACING_RADIX};
use mmafft_backend_traits::{End, Engine, Pass};

/// Points that a block's threads hold, of so many lines.
pub fn points(pass: &Pass, radices: &[usize], lines: usize) -> usize {
    lines * of_line(pass, radices)[0]
}

/// Points of a line, or of an array, that a block's threads hold, and those that are on chip.
pub fn of_line(pass: &Pass, radices: &[usize]) -> [usize; 2] {
    match (real_columns(pass, radices), transformed(pass)) {
        (Some(parts), _) => {
            let columns = columns_of_steps(parts, radices);
            let points = columns.iter().zip(radices).map(|(n, radix)| n * radix);
            [points.max().unwrap_or(0); 2]
        }
        (None, Some(points)) => [points; 2],
        (None, None) => points_of_axes(pass, radices),
    }
}

/// Of radices those of each axis in turn, as few as make its points.
pub fn of_axes<'a>(pass: &Pass, radices: &'a [usize]) -> Option<Vec<&'a [usize]>> {
    let mut rest = radices;
    let own = pass.axes.iter().map(|axis| {
        let product = |count: &usize| rest[..*count].iter().product::<usize>();
        let count = (1..=rest.len()).find(|n| product(n) == axis.core_length())?;
        let (own, others) = rest.split_at(count);
        rest = others;
        Some(own)
    });
    own.collect()
}

/// How many columns the step of each radix has, of so many lines, were all butterflies.
pub fn columns(pass: &Pass, radices: &[usize], lines: usize) -> Vec<usize> {
    let Some(of_line) = columns_and_rows(pass, radices) else {
        let points = points(pass, radices, lines);
        return radices.iter().map(|r| points / r).collect();
    };
    of_line.into_iter().map(|columns| columns * lines).collect()
}

/// The same of one line by real columns and their rows, if radices make such.
pub fn columns_and_rows(pass: &Pass, radices: &[usize]) -> Option<Vec<usize>> {
    let parts = real_columns(pass, radices)?;
    Some(columns_of_steps(parts, radices))
}

/// In which steps columns can face each other: the first, the last, and the larger of their radices.
pub fn faced(pass: &Pass, radices: &[usize]) -> Option<([bool; 2], usize)> {
    let ([axis], [first, .., last]) = (&pass.axes[..], radices) else {
        return None;
    };
    let reduction = axis.kind.reduction(axis.length, false);
    let can =
        End::BOTH.map(|end| reduction.middle == end.middle() || facing_neighbours(pass, end) > 0);
    let ends = [*first, *last];
    let even = |r: usize| (axis.core_length() / r).is_multiple_of(2) && r <= FACING_RADIX;
    let facing = [0, 1].map(|i| can[i] && even(ends[i]) && pass.math.engine == Engine::Simt);
    let radix = [0, 1].map(|i| if facing[i] { ends[i] } else { 0 });
    facing
        .contains(&true)
        .then_some((facing, radix[0].max(radix[1])))
}
