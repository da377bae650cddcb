//! What was measured on a device: of each pass the fastest tile, of each request the fastest way.
//!
//! FFTW's users know it as wisdom. It is text: a line for each choice, with what it was measured of and
//! on. Choices are of one device and of one revision of the kernels; others are not followed.

use super::asked::Asked;
use super::rule::Rule;
use mmafft_backend_traits::{digest, Cache};
use mmafft_backend_traits::{Effort, Error, Limits, Math, Pass, Request, Result};
use std::collections::BTreeMap;

/// The first line of exported wisdom.
const HEADER: &str = "# mmafft wisdom 2: device, revision, what, key, effort, choice, seconds";
/// Columns of a line.
const COLUMNS: usize = 7;
/// The longest line, in bytes.
const LONGEST_LINE: usize = 1 << 12;
/// The longest text, in bytes: far more than can be measured.
const LONGEST: usize = 1 << 26;
/// Digits of a key.
const DIGITS: usize = 24;

/// How a pass was the fastest.
#[derive(Debug, Clone, PartialEq)]
pub enum Tile {
    /// As it is planned without measurements.
    Planned,
    /// By this tile and launch. Whether its lines are no longer in mirrored pairs: `alone`.
    By { rule: Box<Rule>, alone: bool },
    /// By so many lines a tile, on a CPU.
    Lines(usize),
}

/// What was chosen.
#[derive(Debug, Clone, PartialEq)]
enum Choice {
    Tile(Tile),
    Way(Asked),
}

/// A choice, what it is of in words, and the seconds that were measured.
#[derive(Debug, Clone, PartialEq)]
struct Entry {
    what: String,
    effort: Effort,
    choice: Choice,
    seconds: f64,
}

/// What was measured on a device.
#[derive(Debug, Clone, PartialEq)]
pub struct Wisdom {
    device: String,
    revision: String,
    entries: BTreeMap<String, Entry>,
}

impl Wisdom {
    /// None yet, of a device whose kernels have this revision.
    pub fn new(limits: &Limits, revision: &str) -> Self {
        let device = format!("{} {}", limits.backend, limits.device);
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        Wisdom {
            device: device.chars().map(plain).collect(),
            revision: digest(&[revision, env!("CARGO_PKG_VERSION")])[..DIGITS].into(),
            entries: BTreeMap::new(),
        }
    }

    /// How many choices there are.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The tile of a pass, as it is planned before any is chosen.
    pub fn tile(&self, pass: &Pass) -> Option<&Tile> {
        match &self.entries.get(&key_of_pass(pass))?.choice {
            Choice::Tile(tile) => Some(tile),
            Choice::Way(_) => None,
        }
    }

    /// The way of a request.
    pub fn way(&self, request: &Request) -> Option<&Asked> {
        match &self.entries.get(&key_of_request(request))?.choice {
            Choice::Way(way) => Some(way),
            Choice::Tile(_) => None,
        }
    }

    /// By which effort the tile of a pass was chosen.
    pub fn effort_of_tile(&self, pass: &Pass) -> Option<Effort> {
        self.entries.get(&key_of_pass(pass)).map(|e| e.effort)
    }

    /// By which effort the way of a request was chosen.
    pub fn effort_of(&self, request: &Request) -> Option<Effort> {
        self.entries.get(&key_of_request(request)).map(|e| e.effort)
    }

    /// Keeps a pass' tile.
    pub fn keep_tile(&mut self, pass: &Pass, tile: Tile, effort: Effort, seconds: f64) {
        let lengths: Vec<String> = pass.lengths().iter().map(usize::to_string).collect();
        let kind = pass.axes[0].kind.row().name;
        let what = format!(
            "{} {kind} pass of {}",
            pass.math.storage.name(),
            lengths.join("x")
        );
        let choice = Choice::Tile(tile);
        self.keep(key_of_pass(pass), what, effort, choice, seconds);
    }

    /// Keeps a request's way.
    pub fn keep_way(&mut self, request: &Request, way: Asked, effort: Effort, seconds: f64) {
        let (precision, kind) = (request.precision.row().name, request.kind.row().name);
        let what = format!("{precision} {kind} of {}", request.shape);
        let choice = Choice::Way(way);
        self.keep(key_of_request(request), what, effort, choice, seconds);
    }

    fn keep(&mut self, key: String, what: String, effort: Effort, choice: Choice, seconds: f64) {
        let entry = Entry {
            what,
            effort,
            choice,
            seconds,
        };
        self.entries.insert(key, entry);
    }

    /// All of it as text, that [`Wisdom::import`] reads.
    pub fn export(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for (key, entry) in &self.entries {
            let (device, revision) = (&self.device, &self.revision);
            let (what, seconds) = (&entry.what, entry.seconds);
            let effort = entry.effort.name();
            let choice = match &entry.choice {
                Choice::Tile(Tile::Planned) => "planned".into(),
                Choice::Tile(Tile::By { rule, alone: false }) => format!("tile {}", rule.row()),
                Choice::Tile(Tile::By { rule, alone: true }) => format!("alone {}", rule.row()),
                Choice::Tile(Tile::Lines(lines)) => format!("lines {lines}"),
                Choice::Way(way) => format!("way {way}"),
            };
            text += &format!(
                "{device}\t{revision}\t{what}\t{key}\t{effort}\t{choice}\t{seconds:.3e}\n"
            );
        }
        text
    }

    /// Takes the choices of this device and revision; returns how many there were.
    ///
    /// # Errors
    /// `Wisdom` with the first line that is none; then nothing is taken.
    pub fn import(&mut self, text: &str) -> Result<usize> {
        if text.len() > LONGEST {
            return Err(refused(format!(
                "expected at most {LONGEST} bytes, got more"
            )));
        }
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut taken = Vec::new();
        for line in lines.filter(|line| !line.is_empty()) {
            let entry =
                parse(line).ok_or_else(|| refused(format!("no choice is {}", shown(line))))?;
            let [device, revision] = [entry.0, entry.1];
            if device == self.device && revision == self.revision {
                taken.push((entry.2.to_string(), entry.3));
            }
        }
        let count = taken.len();
        self.entries.extend(taken);
        Ok(count)
    }

    /// What the user's cache has of this device and revision: none where there is no cache, or it is damaged.
    pub fn read(&mut self) {
        let text = Cache::of_user(FOLDER).and_then(|cache| cache.text(&self.file()));
        // A cache is a help: what is damaged in it is measured anew.
        let _ = text.map(|text| self.import(&text));
    }

    /// Keeps it in the user's cache, beside what other processes have kept there meanwhile.
    pub fn write(&self) {
        let Some(cache) = Cache::of_user(FOLDER) else {
            return;
        };
        let mut all = Wisdom {
            entries: BTreeMap::new(),
            ..self.clone()
        };
        let kept = cache.text(&self.file());
        let _ = kept.map(|text| all.import(&text));
        all.entries.extend(self.entries.clone());
        cache.keep_text(&self.file(), &all.export());
    }

    fn file(&self) -> String {
        digest(&[&self.device])[..DIGITS].into()
    }
}

/// The folder of the cache.
const FOLDER: &str = "wisdom";

/// Device, revision, key and entry of a line.
fn parse(line: &str) -> Option<(&str, &str, &str, Entry)> {
    if line.len() > LONGEST_LINE {
        return None;
    }
    let columns: Vec<&str> = line.split('\t').collect();
    let [device, revision, what, key, effort, choice, seconds] =
        <[&str; COLUMNS]>::try_from(columns).ok()?;
    let (word, rest) = choice.split_once(' ').unwrap_or((choice, ""));
    let by = |alone| {
        let rule = Box::new(Rule::parse(rest)?);
        Some(Choice::Tile(Tile::By { rule, alone }))
    };
    let choice = match word {
        "planned" => Choice::Tile(Tile::Planned),
        "tile" => by(false)?,
        "alone" => by(true)?,
        "lines" => Choice::Tile(Tile::Lines(rest.parse().ok().filter(|&n| n > 0)?)),
        "way" => Choice::Way(Asked::parse(rest)?),
        _ => return None,
    };
    let entry = Entry {
        what: what.into(),
        effort: Effort::from_name(effort)?,
        choice,
        seconds: seconds.parse().ok()?,
    };
    Some((device, revision, key, entry))
}

fn refused(reason: String) -> Error {
    Error::Wisdom { reason }
}

/// How a line begins, as a message may show it.
fn shown(line: &str) -> String {
    let beginning: String = line.chars().take(40).flat_map(char::escape_debug).collect();
    format!("`{beginning}`")
}

/// The key of a pass: all that its speed depends on but for what is chosen.
fn key_of_pass(pass: &Pass) -> String {
    let mut loops = pass.loops.clone();
    // How many lines there are hardly matters where there are many.
    if let Some(outermost) = loops.first_mut() {
        outermost.count = outermost.count.next_power_of_two();
    }
    // Lines that face each other may as well not.
    let mut apart = pass.clone();
    apart.part_facing_lines();
    // Blocks that share lines beside each other are a tile's choice.
    let spread = super::rule_keys::access(pass) == "cluster";
    let text = format!(
        "{:?}",
        (
            (&pass.axes, loops, apart.load, apart.store),
            Math {
                scale: 1.0,
                ..pass.math
            },
            // A convolution's steps are no choice.
            pass.steps.first().filter(|step| step.radix().is_none()),
            spread,
        )
    );
    digest(&[&text])[..DIGITS].into()
}

/// The key of a request.
fn key_of_request(request: &Request) -> String {
    let request = request.clone().without_effort();
    digest(&[&format!("{request:?}")])[..DIGITS].into()
}

#[cfg(test)]
#[path = "wisdom_tests.rs"]
mod tests;
