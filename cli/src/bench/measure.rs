//! One case: memory, repetitions in turn, agreement.
//!
//! A repetition is a copy, ours, a copy, the peer's (the two change places from one to the next),
//! all enqueued before the first is done, so that the device never waits for the host. Before each
//! transform the input is copied from a buffer that nothing else writes: transforms of transforms
//! would grow beyond what 16 bits, and soon 32, hold, and a device that multiplies infinities or
//! zeros is not the same as one that works. That copy is also the ruler.
//!
//! A case of few bytes is run many times between two marks. Then it runs from one buffer to
//! another, for the same reason: the input stays what it was, except where a peer's C2R
//! or HC2R overwrites it, which costs it nothing.
//!
//! On the host a transform from one buffer to another is timed right after itself, as programs
//! repeat it and as other libraries' benchmarks time it: after the copy the caches would hold the
//! copy's source in place of what a run leaves.

use super::lab::{BufferOf, Lab, PreparedOf, Work};
use mmafft::backend_traits::{Bindings, Buffer as _, Prepared as _};
use mmafft::{bf16, f16, Backend as _, Error, Result, ScalarType};

/// Repetitions that are not timed.
const WARM_UPS: usize = 2;

/// The most runs between two marks.
const MOST_TOGETHER: usize = 1000;

/// Results are compared in so many places, spread over the whole output, of so many bytes.
const PLACES: usize = 64;
const PLACE_BYTES: usize = 64 << 10;

/// How far apart ours and a peer's result may be, over our own bound: the peers' errors are up
/// to four times that (cuFFT computes f16 in f16), a wrong result is nearer to 1.
const APART: f64 = 8.0;

/// Seconds of one run each.
#[derive(Debug, Default)]
pub struct Samples {
    pub ours: Vec<f64>,
    pub peer: Vec<f64>,
    pub copy: Vec<f64>,
}

/// How many runs are timed together, for data of so many bytes.
pub fn together<L: Lab>(lab: &L, bytes: usize) -> usize {
    (lab.least_bytes() / bytes.max(1)).clamp(1, MOST_TOGETHER)
}

/// A case with everything in place.
pub struct Setup<'a, L: Lab> {
    lab: &'a L,
    prepared: &'a PreparedOf<L>,
    peer: Option<L::Peer>,
    /// What the input is copied from.
    source: &'a BufferOf<L>,
    input: BufferOf<L>,
    /// `None` in place.
    output: Option<BufferOf<L>>,
    scratch: BufferOf<L>,
    input_bytes: usize,
}

/// What can be enqueued.
#[derive(Clone, Copy, PartialEq)]
enum Turn {
    Copy,
    Ours,
    Peer,
}

impl<'a, L: Lab> Setup<'a, L> {
    /// Allocates what the work needs.
    pub fn new(
        lab: &'a L,
        prepared: &'a PreparedOf<L>,
        source: &'a BufferOf<L>,
        (input_bytes, output_bytes): (usize, usize),
        in_place: bool,
    ) -> Result<Self> {
        let backend = lab.backend();
        let output = (!in_place).then(|| backend.allocate(output_bytes));
        Ok(Setup {
            lab,
            prepared,
            peer: None,
            source,
            input: backend.allocate(input_bytes)?,
            output: output.transpose()?,
            scratch: backend.allocate(prepared.scratch_bytes())?,
            input_bytes,
        })
    }

    /// Plans the same for the peer.
    pub fn with_peer(&mut self, work: &Work) -> Result<()> {
        self.peer = Some(self.lab.plan_peer(work)?);
        Ok(())
    }

    /// Times everything `runs` times, `together` runs at a time; `graph` through a graph.
    pub fn time(&mut self, runs: usize, together: usize, graph: bool) -> Result<Samples> {
        let lab = self.lab;
        let after_itself = self.output.is_some() && lab.caches_hold_a_run();
        let turns: &[Turn] = match self.peer {
            Some(_) => &[Turn::Ours, Turn::Peer],
            None => &[Turn::Ours],
        };
        // Whatever is loaded at the first launch must not be recorded.
        for &turn in turns {
            self.enqueue(turn, lab.stream())?;
        }
        let mut graphs = Vec::new();
        for &turn in turns.iter().filter(|_| graph) {
            graphs.push((turn, lab.record(&mut |stream| self.enqueue(turn, stream))?));
        }
        let mut marks = Vec::new();
        for run in 0..WARM_UPS + runs {
            // The device copies while the host enqueues the rest.
            self.enqueue(Turn::Copy, lab.stream())?;
            for at in 0..turns.len() {
                let turn = turns[(at + run) % turns.len()];
                let start = lab.mark()?;
                for _ in 0..together {
                    self.enqueue(Turn::Copy, lab.stream())?;
                }
                let copied = lab.mark()?;
                if after_itself {
                    self.enqueue(turn, lab.stream())?;
                }
                let begin = lab.mark()?;
                match graphs.iter().find(|(t, _)| *t == turn) {
                    Some((_, graph)) => (0..together).try_for_each(|_| lab.replay(graph))?,
                    None => {
                        (0..together).try_for_each(|_| self.enqueue(turn, lab.stream()))?;
                    }
                }
                let end = lab.mark()?;
                if run >= WARM_UPS {
                    marks.push((turn, start, copied, begin, end));
                }
            }
        }
        let mut samples = Samples::default();
        for (turn, start, copied, begin, end) in &marks {
            let one = |from, to| Ok(lab.seconds(from, to)? / together as f64);
            samples.copy.push(one(start, copied)?);
            let of = match turn {
                Turn::Peer => &mut samples.peer,
                _ => &mut samples.ours,
            };
            of.push(one(begin, end)?);
        }
        Ok(samples)
    }

    /// The relative L2 difference between ours and the peer's on the same input.
    pub fn difference(&mut self, scalar: ScalarType) -> Result<Option<f64>> {
        if self.peer.is_none() {
            return Ok(None);
        }
        let mut results = Vec::new();
        for turn in [Turn::Ours, Turn::Peer] {
            self.enqueue(Turn::Copy, self.lab.stream())?;
            // What the other left must not be taken for a result.
            if let Some(output) = &mut self.output {
                let bytes = self.input_bytes.min(output.bytes());
                let stream = self.lab.stream();
                self.lab.copy(stream, self.source, output, bytes)?;
            }
            self.enqueue(turn, self.lab.stream())?;
            results.push(self.result(scalar)?);
        }
        Ok(Some(relative_l2(&results[0], &results[1])))
    }

    fn enqueue(&mut self, turn: Turn, stream: &L::Stream) -> Result<()> {
        let Setup { lab, input, .. } = self;
        match turn {
            Turn::Copy => lab.copy(stream, self.source, input, self.input_bytes),
            Turn::Ours => {
                let (input, output) = match &mut self.output {
                    Some(output) => (Some(&*input), output),
                    None => (None, input),
                };
                let scratch = &mut self.scratch;
                let bindings = Bindings {
                    input,
                    output,
                    scratch,
                };
                lab.launch(stream, self.prepared, bindings)
            }
            Turn::Peer => match &mut self.peer {
                Some(peer) => lab.launch_peer(stream, peer, input, self.output.as_mut()),
                None => Ok(()),
            },
        }
    }

    /// Samples of what the last transform left.
    fn result(&self, scalar: ScalarType) -> Result<Vec<f64>> {
        let backend = self.lab.backend();
        backend.synchronize()?;
        let from = self.output.as_ref().unwrap_or(&self.input);
        let mut values = Vec::new();
        for (at, len) in places(from.bytes(), scalar.bytes()) {
            let mut bytes = vec![0; len];
            backend.read(from, at, &mut bytes)?;
            values.extend(scalars(&bytes, scalar));
        }
        Ok(values)
    }
}

/// Whether a difference is one of rounding, given our own bound.
pub fn agrees(difference: f64, bound: f64) -> bool {
    difference <= APART * bound
}

/// Offsets and lengths, in whole scalars: everything, or places spread over everything.
fn places(bytes: usize, scalar: usize) -> Vec<(usize, usize)> {
    if bytes <= PLACES * PLACE_BYTES {
        return vec![(0, bytes)];
    }
    let last = bytes - PLACE_BYTES;
    let at = |i: usize| (last as u128 * i as u128 / (PLACES - 1) as u128) as usize;
    (0..PLACES)
        .map(|i| (at(i) / scalar * scalar, PLACE_BYTES))
        .collect()
}

/// |a − b| / |b| over all values; NaN if there is one among them.
fn relative_l2(a: &[f64], b: &[f64]) -> f64 {
    let differences = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    let energy: f64 = b.iter().map(|b| b * b).sum();
    (differences.sum::<f64>() / energy).sqrt()
}

/// Stored scalars as numbers.
fn scalars(bytes: &[u8], scalar: ScalarType) -> Vec<f64> {
    match scalar {
        ScalarType::F64 => widened::<f64>(bytes, f64::from),
        ScalarType::F32 => widened::<f32>(bytes, f64::from),
        ScalarType::F16 => widened::<f16>(bytes, f16::to_f64),
        ScalarType::Bf16 => widened::<bf16>(bytes, bf16::to_f64),
    }
}

fn widened<T: bytemuck::Pod>(bytes: &[u8], widen: impl Fn(T) -> f64) -> Vec<f64> {
    let scalars = bytes.chunks_exact(size_of::<T>());
    scalars
        .map(|scalar| widen(bytemuck::pod_read_unaligned(scalar)))
        .collect()
}

/// An error of a lab that has no such thing.
pub fn without(backend: &str, what: &str, instead: &str) -> Error {
    Error::Unsupported {
        what: what.into(),
        backend: backend.into(),
        instead: instead.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_spread_over_everything() {
        assert_eq!(places(1000, 8), [(0, 1000)]);
        for bytes in [(PLACES * PLACE_BYTES) + 8, (1 << 30) + 24] {
            let all = places(bytes, 8);
            assert_eq!((all.len(), all[0].0), (PLACES, 0));
            let (at, len) = all[PLACES - 1];
            assert_eq!(at + len, bytes);
            assert!(all.iter().all(|(at, _)| at % 8 == 0));
            assert!(all.windows(2).all(|w| w[0].0 < w[1].0));
        }
    }

    #[test]
    fn a_wrong_result_does_not_agree() {
        let right = [1.0, -2.0, 3.0];
        assert!(agrees(relative_l2(&right, &right), 1e-7));
        assert!(!agrees(relative_l2(&[1.0, 2.0, 3.0], &right), 1e-3));
        assert!(!agrees(relative_l2(&[1.0, f64::NAN, 3.0], &right), 1e-3));
        assert!(!agrees(relative_l2(&[0.0; 3], &[0.0; 3]), 1e-3));
    }

    #[test]
    fn scalars_are_read_at_any_alignment() {
        let values = [1.5, -0.25];
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|&x| f16::from_f64(x).to_ne_bytes())
            .collect();
        assert_eq!(scalars(&bytes, ScalarType::F16), values);
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_ne_bytes()).collect();
        assert_eq!(scalars(&bytes, ScalarType::F64), values);
    }
}
