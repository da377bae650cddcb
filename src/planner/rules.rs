//! What was measured: for the passes of `rules.csv`, the radices, tile and launch that were the fastest on a device of that
//! architecture; rows of one device come before those of its architecture.
//!
//! A pass without a row goes by its price, and all passes do where the environment variable `MMAFFT_RULES` is `none`. What is
//! measured on a user's device comes before: `wisdom`.

use super::fits::Fits;
use super::likely::suggested;
pub use super::likely::{priced, Priced};
use super::problem::Problem;
use super::rule::facing_end;
pub use super::rule::Rule;
use super::rule_keys::{keys, Keys};
pub use super::sequence::Sequence;
use mmafft_backend_traits::{Kind, Limits, Pass, Step};
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

/// The rules by their keys; else the first row that is none, or is there twice.
fn parse(text: &str) -> Result<HashMap<String, Rule>, String> {
    let mut rules = HashMap::new();
    for row in text.lines().filter(|l| is_row(l)) {
        let rule = key_and_row(row).and_then(|(key, row)| Some((key, Rule::parse(row)?)));
        let (key, rule) = rule.ok_or_else(|| row.to_string())?;
        if rules.insert(key.to_string(), rule).is_some() {
            return Err(row.into());
        }
    }
    Ok(rules)
}

/// What a line of the file says of which passes, and what it says.
fn key_and_row(line: &str) -> Option<(&str, &str)> {
    let (end, _) = line.match_indices(',').nth(KEY - 1)?;
    Some((&line[..end], &line[end + 1..]))
}

/// Whether a line of the file is a rule, and no comment or header.
fn is_row(line: &str) -> bool {
    !line.starts_with('#') && !line.starts_with("architecture,")
}

/// The rules of these keys with the names they have: of several keys those of a device come before those of its architecture.
fn found(keys: &[&str], limits: &Limits) -> impl Iterator<Item = (String, &'static Rule)> {
    found_in(&RULES, keys, limits)
}

fn found_in<'a>(
    table: &'a HashMap<String, Rule>,
    keys: &[&str],
    limits: &Limits,
) -> impl Iterator<Item = (String, &'a Rule)> + 'a {
    let device = keys.iter().map(|key| of_device(key, limits));
    let architecture = keys.iter().map(|key| key.to_string());
    let keys: Vec<String> = device.chain(architecture).collect();
    let rules = keys.into_iter();
    rules.filter_map(move |key| table.get(&key).map(|rule| (key, rule)))
}

/// The rules of each key in turn.
pub fn of_each(
    keys: impl IntoIterator<Item = String>,
    limits: &Limits,
) -> Vec<(String, &'static Rule)> {
    let keys = keys.into_iter();
    keys.flat_map(|key| found(&[&key], limits)).collect()
}

/// The key of a rule that is of the device alone, and not of all of its architecture: how many passes a long line
/// should take depends on how fast memory is beside multiprocessors.
fn of_device(key: &str, limits: &Limits) -> String {
    let device = limits.device.replace(',', " ");
    match key.split_once(',') {
        Some((architecture, rest)) => format!("{architecture} {device},{rest}"),
        None => key.into(),
    }
}

/// A rule of a request whose passes take turns, and what it was measured for: of the `first` pass, of the `second`, or of
/// the `parts` that make them.
pub(super) fn in_turns(
    problem: &Problem,
    fits: &Fits,
    what: &str,
) -> Option<(String, &'static Rule)> {
    let keys = Keys::of(fits).in_turns(&problem.request, what);
    let rules = of_each(keys, fits.limits).into_iter();
    let mut rules = rules.map(|(key, rule)| (key.replace(',', " "), rule));
    rules.find(|(_, rule)| what != "parts" || !rule.sequence.is_mixed())
}

/// Whether the first rule that says if the request's passes take turns says that they are slower so: what was measured of its
/// own kinds comes before what was of kinds that are alike.
pub(super) fn not_in_turns(problem: &Problem, fits: &Fits) -> bool {
    let keys = |what| Keys::of(fits).in_turns(&problem.request, what).into_iter();
    let mut rules = keys("not").zip(keys("first")).filter_map(|(not, first)| {
        let (key, _) = found(&[&not, &first], fits.limits).next()?;
        Some(key == not || key == of_device(&not, fits.limits))
    });
    rules.next().unwrap_or(false)
}

/// Whether a device of the architecture has a rule of such a request's passes in turns; another one without was as fast without, or
/// has not been measured.
pub(super) fn in_turns_elsewhere(problem: &Problem, fits: &Fits) -> bool {
    let mut keys = Keys::of(fits)
        .in_turns(&problem.request, "first")
        .into_iter();
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
        let mut rules = of_each(keys(pass, limits), limits).into_iter();
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
