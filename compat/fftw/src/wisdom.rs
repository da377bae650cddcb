//! What FFTW calls wisdom: which problems were planned with which effort, and what was measured.

use mmafft::{Effort, Planner};
use mmafft_guru::Problem;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The wisdom of a precision.
pub struct Wisdom {
    planned: BTreeMap<u64, Effort>,
    /// Measured choices that were imported, for planners that are made later.
    imported: String,
}

/// How a text begins, before the precision's name.
const BEGIN: &str = concat!("(mmafft-", env!("CARGO_PKG_VERSION"), " fftw_wisdom ");
const END: &str = ")";
/// How a line of measured choices begins.
const MEASURED: &str = "  : ";
/// How a line of a planned problem begins.
const PLANNED: &str = "  plan ";

/// The longest line, the most lines: far more than is planned or measured.
const LONGEST_LINE: usize = 1 << 13;
const MOST_LINES: usize = 1 << 20;

impl Wisdom {
    pub const fn new() -> Self {
        Wisdom {
            planned: BTreeMap::new(),
            imported: String::new(),
        }
    }

    /// A problem's number.
    pub fn key(problem: &Problem, threads: usize, in_place: bool) -> u64 {
        let mut hasher = DefaultHasher::new();
        (problem, threads, in_place).hash(&mut hasher);
        hasher.finish()
    }

    /// Whether a problem was planned with this effort or more.
    pub fn knows(&self, key: u64, effort: Effort) -> bool {
        self.planned.get(&key).is_some_and(|&known| known >= effort)
    }

    pub fn learn(&mut self, key: u64, effort: Effort) {
        let known = self.planned.entry(key).or_insert(effort);
        *known = effort.max(*known);
    }

    /// Takes other wisdom besides.
    pub fn take(&mut self, other: Wisdom) {
        for (key, effort) in other.planned {
            self.learn(key, effort);
        }
        self.imported += &other.imported;
    }

    /// Gives a planner what was measured elsewhere.
    pub fn give(&self, planner: &Planner) {
        // Its lines have been read before.
        let _ = planner.import_wisdom(&self.imported);
    }

    /// All of it as text.
    pub fn export<'a>(&self, name: &str, planners: impl Iterator<Item = &'a Planner>) -> String {
        let mut text = format!("{BEGIN}{name}\n");
        for (key, effort) in &self.planned {
            text += &format!("{PLANNED}{key:016x} {}\n", effort.name());
        }
        for planner in planners {
            let measured = planner.export_wisdom();
            for line in measured.lines().filter(|line| !line.starts_with('#')) {
                text += &format!("{MEASURED}{line}\n");
            }
        }
        text + END + "\n"
    }

    /// Takes a text's wisdom, byte by byte to its end and no further; whether it is one of this library's.
    pub fn import(&mut self, name: &str, mut next: impl FnMut() -> Option<u8>) -> bool {
        let mut line = || {
            let mut line = Vec::new();
            loop {
                match next() {
                    Some(b'\n') => break,
                    None if line.is_empty() => return None,
                    None => break,
                    Some(_) if line.len() > LONGEST_LINE => return None,
                    Some(byte) => line.push(byte),
                }
            }
            String::from_utf8(line).ok()
        };
        let mut first = line();
        while first.as_ref().is_some_and(|line| line.trim().is_empty()) {
            first = line();
        }
        let is_ours = |line: String| line.strip_prefix(BEGIN).is_some_and(|rest| rest == name);
        if !first.is_some_and(is_ours) {
            return false;
        }
        let (mut planned, mut measured) = (Vec::new(), String::new());
        for _ in 0..MOST_LINES {
            let Some(line) = line() else {
                return false;
            };
            if line == END {
                planned
                    .into_iter()
                    .for_each(|(key, effort)| self.learn(key, effort));
                self.imported += &measured;
                return true;
            }
            match (line.strip_prefix(PLANNED), line.strip_prefix(MEASURED)) {
                (Some(plan), _) => match parse(plan) {
                    Some(plan) => planned.push(plan),
                    None => return false,
                },
                (_, Some(line)) => {
                    measured += line;
                    measured.push('\n');
                }
                _ => return false,
            }
        }
        false
    }
}

fn parse(text: &str) -> Option<(u64, Effort)> {
    let (key, effort) = text.split_once(' ')?;
    Some((
        u64::from_str_radix(key, 16).ok()?,
        Effort::from_name(effort)?,
    ))
}
