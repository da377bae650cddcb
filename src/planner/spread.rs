//! How a tile is spread over the blocks of a cluster.

use super::sequence::Sequence;
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{
    mirrors::halves_radix, radix, Engine, Kind, Launch, Limits, Pass, Residency, Runs, ScalarType,
    Step,
};

/// Values of a thread, points of its columns.
const MOST_VALUES: usize = 64;

/// How a tile is spread over a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// The blocks.
    pub blocks: usize,
    /// The lines of the tile.
    pub lines: usize,
    /// Of a line, its radices, and how many of them are before points change places; those of a plane's axes
    /// are what they are.
    pub line: Option<(Sequence, usize)>,
    /// The shape of the launch, where it was measured.
    pub launch: Option<Launch>,
}

impl Spread {
    /// Whether a device has such clusters, of blocks that hold their shares, and computes the parts by this engine.
    pub fn fits(
        &self,
        lengths: &[usize],
        engine: Engine,
        limits: &Limits,
        scalar: ScalarType,
    ) -> bool {
        let all = |points: usize, &n: &usize| points.saturating_mul(n);
        let points = lengths.iter().fold(self.lines, all) / self.blocks;
        let bytes = Limits::on_chip_bytes(points, scalar);
        let line = self.line.as_ref().map(|(sequence, _)| sequence);
        // Columns of a joined product are not in the order in which they go to other blocks, if there are several.
        let joined = |(sequence, cut): &(Sequence, usize)| {
            let last = sequence.engines(engine).nth(cut - 1);
            let product = |(r, e)| e == Engine::Matrix && radix::joined(r).is_some();
            *cut > 1 && last.is_some_and(product)
        };
        let radices = line.into_iter().flat_map(|line| line.engines(engine));
        let butterflies = radices.filter(|(_, engine)| *engine == Engine::Simt);
        let butterflies = butterflies.map(|(radix, _)| radix);
        let more = |launch: Launch| holds_more(points, launch.threads, butterflies);
        (2..=limits.cluster_blocks).contains(&self.blocks)
            && bytes <= limits.tile_bytes
            && points <= limits.tile_points(scalar)
            && line.is_none_or(|line| line.is_there(engine, limits))
            && !self.line.as_ref().is_some_and(joined)
            && !self.launch.is_some_and(more)
    }

    /// Whether points of a half spectrum, if the kind has one, are in the threads that have their mirror images,
    /// where the first part of the line merges it or the last one splits it.
    pub fn halves(&self, kind: Kind, scalar: ScalarType) -> bool {
        let product = |radices: &[usize]| radices.iter().product::<usize>();
        let Some((line, cut)) = &self.line else {
            return false;
        };
        let (before, after) = line.radices().split_at(*cut);
        let (own, radix, other) = match kind.row().packed.middle {
            Middle::Merge => (product(before), before.first(), product(after)),
            Middle::Split => (product(after), after.last(), product(before)),
            Middle::Plain => return true,
        };
        let most = halves_radix(scalar);
        let pairs = |&r: &usize| r <= most && (own / r).is_multiple_of(2);
        radix.is_some_and(pairs) && other.is_multiple_of(2 * self.blocks)
    }

    /// Whether the points of each part of a line are as far from each other as the first two, where the line lies in runs.
    pub fn cuts_runs(&self, load: Option<Runs>, store: Option<Runs>) -> bool {
        let Some((line, cut)) = &self.line else {
            return true;
        };
        let product = |radices: &[usize]| radices.iter().product::<usize>();
        let (before, after) = line.radices().split_at(*cut);
        let whole = |runs: Option<Runs>, n: usize| Runs::every(runs, 1, n).is_some();
        whole(load, product(after)) && whole(store, product(before))
    }

    /// Changes a pass over the whole tile to one that is spread so.
    pub fn apply(&self, pass: &mut Pass) {
        if let ([axis], Some((line, cut))) = (&pass.axes[..], &self.line) {
            let (number, length) = (axis.axis, axis.core_length());
            let [before, after] = line
                .split_at(*cut)
                .map(|s| s.steps(number, pass.math.engine));
            let twiddle = Step::Twiddle {
                axis: number,
                length,
            };
            pass.steps = [&before[..], &[twiddle, Step::AllToAll], &after].concat();
        } else if let [_, last] = &pass.axes[..] {
            let of_last = |s: &Step| matches!(s, Step::Dft { axis, .. } if *axis == last.axis);
            pass.steps.retain(|s| *s != Step::AllToAll);
            let at = pass.steps.iter().position(of_last);
            pass.steps.insert(at.unwrap_or_default(), Step::AllToAll);
        }
        let all: usize = pass.loops.iter().map(|l| l.count).product();
        let points: usize = pass.axes.iter().map(|axis| axis.core_length()).product();
        pass.tile.lines = self.lines.min(all.max(1));
        pass.tile.bytes = pass.tile.lines * points * 2 * pass.math.storage.bytes();
        pass.tile.residency = Residency::Cluster(self.blocks);
        pass.tile.launch = self.launch;
    }
}

/// Where the radices of a line are cut into those of two parts, which the blocks divide and which
/// are as equal as they can be.
pub fn cut(radices: &[usize], blocks: usize) -> Option<usize> {
    let product = |radices: &[usize]| radices.iter().product::<usize>();
    let parts = |&at: &usize| (product(&radices[..at]), product(&radices[at..]));
    let even = |at: &usize| {
        let (n1, n2) = parts(at);
        n1.is_multiple_of(blocks) && n2.is_multiple_of(blocks)
    };
    let all = (1..radices.len()).filter(even);
    all.min_by_key(|at| parts(at).0.max(parts(at).1))
}

/// Whether a thread of so many would have more than it can of so many points: whole columns of these butterflies.
pub fn holds_more(
    points: usize,
    threads: usize,
    mut butterflies: impl Iterator<Item = usize>,
) -> bool {
    let columns = |r: usize| (points / r).div_ceil(threads).saturating_mul(r);
    points.div_ceil(threads) > MOST_VALUES || butterflies.any(|r| columns(r) > MOST_VALUES)
}
