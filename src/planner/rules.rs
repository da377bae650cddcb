//! What was measured: for the passes of `rules.csv`, the radices, tile and launch that were the fastest on a device of that
//! architecture; rows of one device come before those of its architecture.
//!
//! A pass without a row goes by its price. The environment variable `MMAFFT_RULES` names a file of the same form, whose rows
//! come first, or is `none`: then all passes go by their price. The file is long by its tests, which read every row.

use super::fits::Fits;
use super::likely::suggested;
pub use super::likely::{priced, Priced};
use super::problem::Problem;
use super::rule::facing_end;
pub use super::rule::Rule;
use super::rule_keys::{alike, as_long, cluster_keys, column_keys, keys};
use super::rule_keys::{parts_key, turn_keys};
pub use super::sequence::Sequence;
use super::stage::Stage;
use mmafft_backend_traits::{Engine, Kind, Limits, Pass, ScalarType, Step};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Columns of a key.
const KEY: usize = 6;

/// What `MMAFFT_RULES` says where passes are to go by their price alone.
const NONE: &str = "none";

static RULES: LazyLock<HashMap<String, Rule>> = LazyLock::new(|| {
    if std::env::var_os("MMAFFT_RULES").is_some_and(|rules| rules == NONE) {
        return HashMap::new();
    }
    parse(include_str!("rules.csv")).expect("rules.csv is checked by a test")
});

/// The user's, which come before. A file that is not there or damaged costs speed, not results.
static OWN: LazyLock<Result<HashMap<String, Rule>, String>> = LazyLock::new(|| {
    let Some(path) = std::env::var_os("MMAFFT_RULES") else {
        return Ok(HashMap::new());
    };
    if path == NONE {
        return Ok(HashMap::new());
    }
    let rules = text_of(path.as_ref()).and_then(|text| parse(&text));
    rules.map_err(|reason| format!("MMAFFT_RULES={}: {reason}", path.to_string_lossy()))
});

/// The longest line that a rule, a comment or a header may be, in bytes.
const LONGEST_LINE: u64 = 1 << 16;
/// The longest table, in bytes: far longer than all that can be measured.
const LONGEST_TABLE: usize = 1 << 26;
/// Characters of a line that an error shows.
const SHOWN: usize = 40;

/// The lines of a table, which may be any file: one that cannot be a table is refused at its first line that is none.
fn text_of(path: &std::path::Path) -> Result<String, String> {
    use std::io::{BufRead, BufReader, Read};
    let said = |error: std::io::Error| error.to_string();
    let mut file = BufReader::new(std::fs::File::open(path).map_err(said)?);
    let mut text = String::new();
    loop {
        let mut line = Vec::new();
        let read = file
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line);
        if read.map_err(said)? == 0 {
            return Ok(text);
        }
        let line = String::from_utf8_lossy(&line);
        let row = line.trim_end_matches(['\n', '\r']);
        if is_row(row) && key_and_row(row).is_none() || row.contains('\0') {
            return Err(no_rule(row));
        }
        text.push_str(row);
        text.push('\n');
        if text.len() > LONGEST_TABLE {
            return Err(format!(
                "expected a table of at most {LONGEST_TABLE} bytes, got more"
            ));
        }
    }
}

/// What is wrong with a row, and how it begins.
fn no_rule(row: &str) -> String {
    format!("no rule is {}", shown(row))
}

/// How a row begins, as a message may show it.
fn shown(row: &str) -> String {
    let beginning = row.chars().take(SHOWN).flat_map(char::escape_debug);
    let rest = if row.chars().nth(SHOWN).is_some() {
        "..."
    } else {
        ""
    };
    format!("`{}{rest}`", beginning.collect::<String>())
}

/// Keys of passes in turns, without the devices that they are of.
static OF_ANY_DEVICE: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let keys = RULES.keys().filter(|key| key.contains(",first in turns,"));
    let of_all = |key: &String| {
        let (device, rest) = key.split_once(',')?;
        let (architecture, _) = device.split_once(' ').unwrap_or((device, ""));
        Some(format!("{architecture},{rest}"))
    };
    keys.filter_map(of_all).collect()
});

/// Why the table that the environment's `MMAFFT_RULES` names is not used, if it is not: then no row of it is.
pub fn not_used() -> Option<&'static str> {
    OWN.as_ref().err().map(String::as_str)
}

fn parse(text: &str) -> Result<HashMap<String, Rule>, String> {
    let mut rules = HashMap::new();
    let rows = text.lines().filter(|l| is_row(l));
    for row in rows {
        let rule = key_and_row(row).and_then(|(key, row)| Some((key, Rule::parse(row)?)));
        let (key, rule) = rule.ok_or_else(|| no_rule(row))?;
        if rules.insert(key.to_string(), rule).is_some() {
            return Err(format!("{} is there twice", shown(row)));
        }
    }
    Ok(rules)
}

/// What a line of the file says of which passes, and what it says.
pub fn key_and_row(line: &str) -> Option<(&str, &str)> {
    let (end, _) = line.match_indices(',').nth(KEY - 1)?;
    Some((&line[..end], &line[end + 1..]))
}

/// Whether a line of the file is a rule, and no comment or header.
pub fn is_row(line: &str) -> bool {
    !line.starts_with('#') && !line.starts_with("architecture,")
}

/// The rules of this key with the names they have: the user's, then those of `rules.csv`; of either that of the device
/// alone, then that of its architecture.
fn found(key: &str, limits: &Limits) -> impl Iterator<Item = (String, &'static Rule)> {
    found_in([OWN.as_ref().ok(), Some(&*RULES)], &[key], limits)
}

/// Of several keys those of a device come before those of its architecture.
fn found_in<'a>(
    tables: [Option<&'a HashMap<String, Rule>>; 2],
    keys: &[&str],
    limits: &Limits,
) -> impl Iterator<Item = (String, &'a Rule)> + use<'a> {
    let device = keys.iter().map(|key| of_device(key, limits));
    let architecture = keys.iter().map(|key| key.to_string());
    let keys: Vec<String> = device.chain(architecture).collect();
    tables.into_iter().flatten().flat_map(move |table| {
        let keys = keys.clone().into_iter();
        keys.filter_map(|key| table.get(&key).map(|rule| (key, rule)))
    })
}

/// The key of a rule that is of the device alone, and not of all of its architecture: how many passes a long line
/// should take depends on how fast memory is beside multiprocessors.
pub fn of_device(key: &str, limits: &Limits) -> String {
    let device = limits.device.replace(',', " ");
    match key.split_once(',') {
        Some((architecture, rest)) => format!("{architecture} {device},{rest}"),
        None => key.into(),
    }
}

/// The rules of complex lines beside each other that blocks share.
pub(super) fn of_columns<'a>(
    fits: &'a Fits,
    stage: &Stage,
) -> impl Iterator<Item = &'static Rule> + use<'a> {
    let keys = column_keys(fits.limits, fits.scalar, fits.engine, stage);
    let rules = keys.into_iter().flat_map(|key| found(&key, fits.limits));
    rules
        .map(|(_, rule)| rule)
        .filter(|rule| rule.blocks > 1 && rule.lines > 1)
}

/// The rules of a line or plane that a cluster holds.
pub(super) fn of_cluster<'a>(
    limits: &'a Limits,
    scalar: ScalarType,
    engine: Engine,
    kind: Kind,
    lengths: &[usize],
) -> impl Iterator<Item = &'static Rule> + use<'a> {
    let keys = cluster_keys(limits, scalar, engine, kind, lengths);
    let rules = keys.into_iter().flat_map(|key| found(&key, limits));
    rules
        .map(|(_, rule)| rule)
        .filter(|rule| rule.blocks > 1 && rule.lines == 1)
}

/// The rules of a line that passes share, by its kind and whole length: their radices are the factors, in the
/// order of the passes.
pub(super) fn of_parts<'a>(
    fits: &'a Fits,
    kind: Kind,
    length: usize,
) -> impl Iterator<Item = &'static Rule> + use<'a> {
    let key = |kind, length| parts_key(fits.limits, fits.scalar, fits.engine, kind, length);
    let kinds = [kind.row().name].into_iter().chain(alike(kind));
    let own = kinds.map(|kind| key(kind, length));
    let beside = as_long(kind, length).map(|(kind, length)| key(kind.row().name, length));
    let keys: Vec<String> = own.chain(beside).collect();
    let rules = keys.into_iter().flat_map(|key| found(&key, fits.limits));
    // Factors are whole passes.
    rules
        .map(|(_, rule)| rule)
        .filter(|rule| !rule.sequence.is_mixed())
}

/// A rule of a request whose passes take turns, and what it was measured for: of the `first` pass, of the `second`, or of
/// the `parts` that make them.
pub(super) fn in_turns(
    problem: &Problem,
    fits: &Fits,
    what: &str,
) -> Option<(String, &'static Rule)> {
    let keys = turn_keys(&problem.request, fits.engine, fits.limits, what);
    let rules = keys.into_iter().flat_map(|key| found(&key, fits.limits));
    let mut rules = rules.map(|(key, rule)| (key.replace(',', " "), rule));
    rules.find(|(_, rule)| what != "parts" || !rule.sequence.is_mixed())
}

/// Whether the first rule that says if the request's passes take turns says that they are slower so: what was measured of its
/// own kinds comes before what was of kinds that are alike.
pub(super) fn not_in_turns(problem: &Problem, fits: &Fits) -> bool {
    let tables = [OWN.as_ref().ok(), Some(&*RULES)];
    let keys = |what| turn_keys(&problem.request, fits.engine, fits.limits, what).into_iter();
    let mut rules = keys("not").zip(keys("first")).filter_map(|(not, first)| {
        let (key, _) = found_in(tables, &[&not, &first], fits.limits).next()?;
        Some(key == not || key == of_device(&not, fits.limits))
    });
    rules.next().unwrap_or(false)
}

/// Whether a device of the architecture has a rule of such a request's passes in turns; another one without was as fast without, or
/// has not been measured.
pub(super) fn in_turns_elsewhere(problem: &Problem, fits: &Fits) -> bool {
    let mut keys = turn_keys(&problem.request, fits.engine, fits.limits, "first").into_iter();
    keys.any(|key| OF_ANY_DEVICE.contains(&key))
}

/// Lets a pass follow its rule, or without one the model, if either knows better. The model also comes before a rule of complex
/// columns, where these are reals.
pub fn follow(pass: &mut Pass, limits: &Limits, asked: bool) {
    let suits = |rule: &Rule, pass: &Pass| {
        let free = !asked || rule.sequence.is_empty();
        free && rule.suits(pass, limits)
    };
    let first = |pass: &Pass| {
        let keys = keys(pass, limits).into_iter();
        let mut rules = keys.flat_map(|key| found(&key, limits));
        rules.find(|(_, rule)| suits(rule, pass))
    };
    let mut found = first(pass);
    let radices: Vec<usize> = pass.steps.iter().filter_map(Step::radix).collect();
    let facing = facing_end(pass, &radices);
    let loading = || pass.load.mirrored.is_some();
    if found.is_none() && facing.is_some_and(|faces| !faces || loading()) {
        // Neither a rule's radices nor these face each other, or only in what they load, which caches bring together too: lines as
        // they come. On an H100 44 lines of type IV over passes ran 1.05 times as fast so in the mean.
        pass.part_facing_lines();
        found = first(pass);
    }
    let complex = |key: &str| key.contains(",c2c,columns,") && pass.axes[0].kind != Kind::C2C;
    let own = found.as_ref().is_some_and(|(key, _)| !complex(key));
    if !asked && !own {
        if let Some((rule, reaches)) = suggested(pass, limits) {
            rule.apply(pass, limits);
            pass.reason = format!("likely the fastest of its tiles: {reaches:.2} of a copy");
            return;
        }
    }
    let Some((key, rule)) = found else { return };
    rule.apply(pass, limits);
    pass.reason = format!(
        "as measured for {}: {:.2} of a copy",
        key.replace(',', " "),
        rule.fraction
    );
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
