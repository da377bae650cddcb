//! The radices of a line's DFTs, and which of them are butterflies beside products.

use mmafft_backend_traits::{radix, Engine, Limits, Step};
use std::fmt;
use std::ops::Range;

/// Radices in the order of the steps, written `16*(16*8)`: those in parentheses are butterflies although the
/// pass is of products.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sequence {
    radices: Vec<usize>,
    butterflies: Range<usize>,
}

impl Sequence {
    /// Radices that are all computed as the pass' engine says.
    pub fn of_one_engine(radices: Vec<usize>) -> Self {
        Self::mixed(radices, 0..0)
    }

    /// Radices of a pass of products, of which these are butterflies.
    pub fn mixed(radices: Vec<usize>, butterflies: Range<usize>) -> Self {
        let none = butterflies.is_empty();
        Sequence {
            radices,
            butterflies: if none { 0..0 } else { butterflies },
        }
    }

    /// What [`fmt::Display`] writes; `None` where it is damaged. No radices where there are none to choose.
    pub fn parse(text: &str) -> Option<Self> {
        let mut sequence = Self::default();
        if text.is_empty() {
            return Some(sequence);
        }
        let mut open = false;
        for (i, word) in text.split('*').enumerate() {
            let begun = word.strip_prefix('(');
            let ended = begun.unwrap_or(word).strip_suffix(')');
            if begun.is_some() {
                // One stretch, once.
                let first = sequence.butterflies.is_empty() && !open;
                (open, sequence.butterflies) = first.then_some((true, i..i))?;
            }
            if open {
                sequence.butterflies.end = i + 1;
            }
            if ended.is_some() {
                open = open.then_some(false)?;
            }
            sequence
                .radices
                .push(ended.or(begun).unwrap_or(word).parse().ok()?);
        }
        (!open).then_some(sequence)
    }

    /// In the order of the steps.
    pub fn radices(&self) -> &[usize] {
        &self.radices
    }

    /// Whether there are none: a pass keeps those that it has.
    pub fn is_empty(&self) -> bool {
        self.radices.is_empty()
    }

    /// Whether butterflies are beside products.
    pub fn is_mixed(&self) -> bool {
        !self.butterflies.is_empty()
    }

    /// The length of the line; `None` where no integer holds it.
    pub fn length(&self) -> Option<usize> {
        self.radices
            .iter()
            .try_fold(1usize, |n, &r| n.checked_mul(r))
    }

    /// Each radix, and how it is computed in a pass of this engine.
    pub fn engines(&self, of_pass: Engine) -> impl Iterator<Item = (usize, Engine)> + '_ {
        let engine = move |i| match self.butterflies.contains(&i) {
            true => Engine::Simt,
            false => of_pass,
        };
        let radices = self.radices.iter().enumerate();
        radices.map(move |(i, &radix)| (radix, engine(i)))
    }

    /// Whether a device has all radices, and products, if they are what the pass is of, are among them.
    pub fn is_there(&self, of_pass: Engine, limits: &Limits) -> bool {
        let there = |(radix, engine)| match engine {
            Engine::Simt => limits.butterflies.contains(&radix),
            Engine::Matrix => radix::multiplied(radix),
        };
        let beside = match of_pass {
            Engine::Simt => !self.is_mixed(),
            Engine::Matrix => self.butterflies.len() < self.radices.len(),
        };
        self.is_empty() || beside && self.engines(of_pass).all(there)
    }

    /// The steps of an axis in a pass of this engine.
    pub fn steps(&self, axis: usize, of_pass: Engine) -> Vec<Step> {
        let mut steps = Step::sequence(axis, &self.radices, of_pass);
        let mut engines = self.engines(of_pass);
        for step in &mut steps {
            if let Step::Dft { engine, .. } = step {
                *engine = engines.next().expect("a DFT a radix").1;
            }
        }
        steps
    }

    /// The radices before `at`, and the others.
    pub fn split_at(&self, at: usize) -> [Self; 2] {
        let Range { start, end } = self.butterflies;
        let (before, after) = self.radices.split_at(at);
        [
            Self::mixed(before.to_vec(), start.min(at)..end.min(at)),
            Self::mixed(
                after.to_vec(),
                start.saturating_sub(at)..end.saturating_sub(at),
            ),
        ]
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.butterflies;
        for (i, radix) in self.radices.iter().enumerate() {
            let star = if i > 0 { "*" } else { "" };
            let open = if start < end && i == start { "(" } else { "" };
            let close = if start < end && i + 1 == end { ")" } else { "" };
            write!(f, "{star}{open}{radix}{close}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "sequence_tests.rs"]
mod tests;
