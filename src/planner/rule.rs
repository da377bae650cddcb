//! A row of `rules.csv`: what it says, how it is read and written, and which passes can follow it. The file is long because
//! a new column is a change of all three.

use super::folded;
use super::rule_keys::{access, convolved, transformed};
use super::sequence::Sequence;
use super::spread::{cut, holds_more, Spread};
use mmafft_backend_traits::mirrors::{lines_face, FACING_RADIX};
use mmafft_backend_traits::{
    radix, End, Engine, Images, Kind, Launch, Limits, Loop, Pass, Residency, Step, TileAxis,
};

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The radices of the axis, or of all axes in the order of the steps; none where a pass keeps those that it has.
    pub sequence: Sequence,
    /// Lines of a tile.
    pub lines: usize,
    /// Blocks that hold it together: one, or those of a cluster.
    pub blocks: usize,
    /// The shape of the launch for so many lines.
    pub launch: Launch,
    /// What was measured: bytes moved a second, over those of a copy.
    pub fraction: f64,
}

/// Threads of a block, blocks of a multiprocessor and steps of a pass are never more.
const MOST: usize = 1024;
/// Radices of a pass: a convolution has twice as many steps, and copies beside them.
const MOST_RADICES: usize = 12;
/// Beside the words of [`Launch::WORDS`], all joined by `+`: of how many blocks a tile is, as in `4 blocks`, and how many points an
/// access of memory may move, as in `2 neighbours`.
const BLOCKS: &str = " blocks";
const NEIGHBOURS: &str = " neighbours";

impl Rule {
    /// What the rule's columns of the file say; `None` where they are damaged.
    ///
    /// The last one is left out where nothing is otherwise than elsewhere.
    pub fn parse(row: &str) -> Option<Self> {
        let columns: Vec<&str> = row.split(',').collect();
        let (columns, rest) = columns.split_at_checked(5)?;
        let [radices, lines, threads, residents, fraction] = *columns else {
            return None;
        };
        let words = match *rest {
            [] => None,
            [words] => Some(words),
            _ => return None,
        };
        let positive = |text: &str| text.parse().ok().filter(|&n: &usize| n > 0);
        let bounded = |text: &str| positive(text).filter(|&n| n <= MOST);
        let mut launch = Launch::new(bounded(threads)?, bounded(residents)?);
        let mut blocks = 1;
        for word in words.into_iter().flat_map(|words| words.split('+')) {
            if let Some(count) = word.strip_suffix(BLOCKS) {
                blocks = bounded(count).filter(|&n| n > 1)?;
            } else if let Some(count) = word.strip_suffix(NEIGHBOURS) {
                launch.neighbours = bounded(count).filter(|n| n.is_power_of_two())?;
            } else {
                let (_, set, _) = Launch::WORDS.iter().find(|(name, ..)| *name == word)?;
                set(&mut launch);
            }
        }
        let sequence = Sequence::parse(radices)?;
        Some(Rule {
            sequence: Some(sequence).filter(|s| s.radices().len() <= MOST_RADICES)?,
            lines: positive(lines)?,
            blocks,
            launch,
            fraction: fraction.parse().ok()?,
        })
    }

    /// The rule's columns of the file.
    pub fn row(&self) -> String {
        let does = Launch::WORDS.iter().filter(|(_, _, is)| is(&self.launch));
        let mut words: Vec<String> = does.map(|(word, ..)| word.to_string()).collect();
        let counts = [(self.blocks, BLOCKS), (self.launch.neighbours, NEIGHBOURS)];
        let counts = counts.into_iter().filter(|(count, _)| *count > 1);
        words.extend(counts.map(|(count, word)| format!("{count}{word}")));
        let Launch {
            threads, residents, ..
        } = self.launch;
        let words = words.join("+");
        let rest = if words.is_empty() { "" } else { "," };
        format!(
            "{},{},{threads},{residents},{:.3}{rest}{words}",
            self.sequence, self.lines, self.fraction
        )
    }

    /// Whether the rule's radices make the pass' length, or those of its axes, and are there; a table may come from
    /// anywhere.
    fn makes(&self, pass: &Pass, limits: &Limits) -> bool {
        let length = self.sequence.length();
        let whole = length.is_some() && length == transformed(pass);
        let radices = self.sequence.radices();
        let plain = !self.sequence.is_mixed();
        let made = || whole || (plain && steps_by(pass, radices).is_some());
        let faced = || facing_end(pass, radices).is_none_or(|end| end);
        let kept = self.sequence.is_empty();
        (kept || made() && self.sequence.is_there(pass.math.engine, limits) && faced())
            && self.lines.is_multiple_of(pass.together())
    }

    /// The steps of the pass by the rule.
    fn steps(&self, pass: &Pass) -> Vec<Step> {
        let radices = self.sequence.radices();
        let plain = !self.sequence.is_mixed();
        if let Some(steps) = steps_by(pass, radices).filter(|_| plain) {
            return steps;
        }
        if self.sequence.is_empty() {
            return pass.steps.clone();
        }
        let convolution = pass.steps.iter().take(1).filter(|s| convolved(s).is_some());
        let mut steps: Vec<Step> = convolution.cloned().collect();
        steps.extend(self.sequence.steps(pass.axes[0].axis, pass.math.engine));
        steps
    }

    /// Whether the pass can follow the rule on this device.
    pub fn suits(&self, pass: &Pass, limits: &Limits) -> bool {
        if self.blocks > 1 {
            return self.spreads(pass, limits);
        }
        // What no block holds is not one block's.
        let block = access(pass) != "cluster";
        block && self.makes(pass, limits) && self.fits(pass, limits)
    }

    /// How the tile of a pass over these lengths is spread; nothing where it wants parts apart, which went wrong
    /// between blocks, in FP64 on an H200.
    pub fn spread(&self, lengths: &[usize]) -> Option<Spread> {
        let blocks = self.blocks;
        if self.launch.apart {
            return None;
        }
        let even = |n: &usize| n.is_multiple_of(blocks);
        let line = match lengths {
            [length] if self.sequence.length() == Some(*length) => {
                let at = cut(self.sequence.radices(), blocks)?;
                Some((self.sequence.clone(), at))
            }
            [_, _] if self.sequence.is_empty() && lengths.iter().all(even) => None,
            _ => return None,
        };
        Some(Spread {
            blocks,
            lines: self.lines,
            line,
            launch: Some(self.launch),
        })
    }

    /// Whether the rule's blocks can have the pass' tile: planned so, or of lines beside each other.
    fn spreads(&self, pass: &Pass, limits: &Limits) -> bool {
        let cores: Vec<usize> = pass.axes.iter().map(|a| a.core_length()).collect();
        let columns = |axis: &TileAxis| {
            let plain = !pass.steps.iter().any(|s| convolved(s).is_some());
            access(pass) != "rows" && axis.kind == Kind::C2C && plain && limits.target.spreads(pass)
        };
        let can = |s: &Spread| match (&pass.axes[..], access(pass)) {
            ([axis], "cluster") => {
                let complex = axis.kind == Kind::C2C;
                s.lines == 1 && (complex || s.halves(axis.kind, pass.math.storage))
            }
            (_, "cluster") => s.lines == 1,
            ([axis], _) => {
                s.lines > 1 && columns(axis) && s.cuts_runs(axis.load.runs, axis.store.runs)
            }
            _ => false,
        };
        let spread = self.spread(&cores);
        spread
            .is_some_and(|s| s.fits(&cores, pass.math.engine, limits, pass.math.storage) && can(&s))
    }

    /// Whether a block of the device holds the rule's tile: devices of one architecture differ.
    fn fits(&self, pass: &Pass, limits: &Limits) -> bool {
        let steps = self.steps(pass);
        let folded = folded::points(&steps, pass.axes[0].axis);
        let [points, all] = match (folded, transformed(pass)) {
            (Some(points), Some(_)) => [points; 2],
            (None, Some(points)) => [points + 1; 2],
            (_, None) => [held_points(pass, &steps, 1), points_of_steps(pass, &steps)],
        };
        let bytes = Limits::on_chip_bytes(self.lines.saturating_mul(points), pass.math.storage);
        // Splits, merges, orders of reals and convolutions exchange points whole.
        let plain = pass.mirrored().is_none()
            && pass.axes.iter().all(|a| a.kind == Kind::C2C)
            && !pass.steps.iter().any(|s| convolved(s).is_some());
        // A thread holds whole columns; between real columns and rows, and where axes of reals split or merge, pairs of them.
        let pairs = folded.is_some() || pass.axes_of_reals();
        let butterflies = self
            .sequence
            .engines(pass.math.engine)
            .filter_map(|(r, engine)| {
                let pair = pairs && r <= FACING_RADIX;
                let held = engine == Engine::Simt && !radix::summed(r, false);
                held.then_some(if pair { 2 * r } else { r })
            });
        if limits.target.places_beside_twiddles(pass) && self.launch.threads > MOST / 2 {
            return false;
        }
        let all = self.lines.saturating_mul(all);
        if pass.mirrored().is_none() && holds_more(all, self.launch.threads, butterflies) {
            return false;
        }
        bytes / if self.launch.apart && plain { 2 } else { 1 } <= limits.tile_bytes
    }

    /// Changes `pass` to what the rule says.
    pub fn apply(&self, pass: &mut Pass, limits: &Limits) {
        let cores: Vec<usize> = pass.axes.iter().map(|a| a.core_length()).collect();
        let spread = self.spread(&cores).filter(|_| self.blocks > 1);
        if let Some(spread) = spread {
            spread.apply(pass);
            self.launch(pass, limits);
            return;
        }
        pass.tile.residency = Residency::Block;
        let points = |pass: &Pass| match transformed(pass) {
            // A convolution has more than its line.
            Some(points) if points > pass.axes[0].core_length() => points,
            Some(_) => folded::on_chip(&pass.steps, &pass.axes[0]),
            None => held_points(pass, &pass.steps, 0),
        };
        let before = points(pass);
        pass.steps = self.steps(pass);
        let after = points(pass);
        if before != after {
            pass.tile.bytes = pass.tile.lines * after * 2 * pass.math.storage.bytes();
        }
        self.launch(pass, limits);
    }

    /// Says how many lines the tile has, and how it is launched.
    fn launch(&self, pass: &mut Pass, limits: &Limits) {
        let all: usize = pass.loops.iter().map(|l| l.count).product();
        let mut lines = self.lines.min(all.max(1));
        // Few lines go to as many blocks as there are multiprocessors, while rows stay whole
        // sectors.
        let sector = 32 / (2 * pass.math.storage.bytes());
        let together = pass.together();
        let rows = access(pass) == "rows";
        let least = if rows { 1 } else { sector } * together;
        let half = |lines: usize| match rows {
            true => (lines / together).div_ceil(2) * together,
            false => lines / 2,
        };
        while (rows || lines.is_multiple_of(2 * together))
            && half(lines) >= least
            && half(lines) < lines
            && all.div_ceil(lines) * self.blocks < limits.workers
        {
            lines = half(lines);
        }
        pass.tile.bytes = pass.tile.bytes / pass.tile.lines * lines;
        pass.tile.lines = lines;
        let threads = (self.launch.threads * lines).div_ceil(self.lines).max(32);
        pass.tile.launch = Some(Launch {
            threads: threads.next_multiple_of(32),
            residents: (self.launch.residents * self.launch.threads / threads).max(1),
            ..self.launch
        });
    }
}

/// The steps that radices make of a line by real columns in one tile, or of a tile of several axes. Not of convolutions, or where
/// a cluster holds the tile.
pub fn steps_by(pass: &Pass, radices: &[usize]) -> Option<Vec<Step>> {
    let plain = |s: &Step| {
        let moved = matches!(s, Step::Exchange | Step::RealColumns { .. });
        moved || matches!(s, Step::Dft { .. } | Step::Twiddle { .. })
    };
    let simt = pass.math.engine == Engine::Simt && pass.tile.residency.blocks() == 1;
    match pass.axes.len() {
        1 => folded(pass, radices),
        _ if simt && pass.steps.iter().all(plain) => {
            steps_of_axes(&pass.axes, radices, pass.axes_of_reals())
        }
        _ => None,
    }
}

/// The steps of several axes by these radices: those of each in turn, as few as make, with those of the axes behind it, its points
/// or, of `reals`, real columns and their rows.
fn steps_of_axes(axes: &[TileAxis], radices: &[usize], reals: bool) -> Option<Vec<Step>> {
    let [axis, others @ ..] = axes else {
        return radices.is_empty().then(Vec::new);
    };
    (1..=radices.len()).find_map(|count| {
        let (own, rest) = radices.split_at(count);
        let product = own.iter().try_fold(1usize, |n, &r| n.checked_mul(r))?;
        let whole = || Step::sequence(axis.axis, own, Engine::Simt);
        let mut steps = match product == axis.core_length() {
            true => whole(),
            false => folded::of_radices(axis, own).filter(|_| reals)?,
        };
        steps.extend(steps_of_axes(others, rest, reals)?);
        Some(steps)
    })
}

/// Points of a tile of several axes of these steps on chip, with so many more of each axis as a half spectrum has; those by real
/// columns have them, and those of type I that threads have whole have none.
fn held_points(pass: &Pass, steps: &[Step], more: usize) -> usize {
    pass.held_points(|axis| {
        let points = folded::on_chip(steps, axis);
        let halved = points == axis.core_length();
        points + if halved { more } else { 0 }
    })
}

/// The same that threads have, in columns of the steps' butterflies.
fn points_of_steps(pass: &Pass, steps: &[Step]) -> usize {
    let own = |axis: &TileAxis| folded::points(steps, axis.axis).unwrap_or(axis.core_length());
    pass.held_points(own)
}

/// The steps that a rule's radices make of a line by real columns in one tile, if they do.
fn folded(pass: &Pass, radices: &[usize]) -> Option<Vec<Step>> {
    let whole = !pass.loops.iter().any(Loop::counts_parts);
    match &pass.axes[..] {
        [axis] if pass.math.engine == Engine::Simt && whole => folded::of_radices(axis, radices),
        _ => None,
    }
}

/// Whether radices make an axis' columns and rows.
pub fn folds(axis: &TileAxis, radices: &[usize]) -> bool {
    folded::of_radices(axis, radices).is_some()
}

/// Whether a rule's radices, or the pass' own where there are none, end with rows of real columns.
pub fn ends_with_rows(pass: &Pass, radices: &[usize]) -> bool {
    let steps = steps_by(pass, radices);
    let last = |step: &Step| match step {
        Step::RealColumns { axis, .. } => pass.axes.last().is_some_and(|a| a.axis == *axis),
        _ => false,
    };
    steps.as_ref().unwrap_or(&pass.steps).iter().any(last)
}

/// Points of a tile of several axes by a rule's radices, or by its own where there are none: those that threads have, and those on
/// chip.
pub fn points_of_axes(pass: &Pass, radices: &[usize]) -> [usize; 2] {
    let steps = steps_by(pass, radices);
    let steps = steps.as_ref().unwrap_or(&pass.steps);
    [points_of_steps(pass, steps), held_points(pass, steps, 0)]
}

/// N1 and N2 where a rule's radices make such steps of a line: of columns and of rows.
pub fn real_columns(pass: &Pass, radices: &[usize]) -> Option<[usize; 2]> {
    match folded(pass, radices)?.first() {
        Some(&Step::RealColumns { columns, rows, .. }) => Some([columns, rows]),
        _ => None,
    }
}

/// Of lines that face each other, whether threads can have columns of two at the end where they do, of
/// these radices.
pub(super) fn facing_end(pass: &Pass, radices: &[usize]) -> Option<bool> {
    let (end, _) = pass
        .mirrored()
        .filter(|(_, m)| m.images == Images::Facing)?;
    let end = match end {
        End::Store => radices.last(),
        End::Load => radices.first(),
    };
    Some(end.is_some_and(|&radix| lines_face(radix, pass.math.storage)))
}

#[cfg(test)]
#[path = "rule_tests.rs"]
mod tests;
