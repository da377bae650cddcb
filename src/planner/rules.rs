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
mod tests {
    use super::super::rule::HEADER;
    use super::super::rule_keys::key;
    use super::*;
    use mmafft_backend_traits::{Request, Shape};

    #[test]
    fn a_device_has_rules_of_its_own() {
        let of = |device: &str| Limits {
            device: device.into(),
            architecture: "sm_90".into(),
            ..super::super::fits::invented(227 << 10)
        };
        let key = parts_key(&of(""), ScalarType::F64, Engine::Simt, "c2c", 1 << 24);
        let factors = |device: &str| {
            let rules = found(&key, &of(device));
            let radices = rules.map(|(_, rule)| rule.sequence.radices().len());
            radices.collect::<Vec<_>>()
        };
        assert_eq!(factors("NVIDIA H200"), [3]);
        // What cannot be followed leaves the architecture's.
        assert_eq!(factors("NVIDIA H100 80GB HBM3"), [2, 3]);
    }

    /// Lines of four rows' tiles, in the order in which these are tried.
    #[test]
    fn rows_of_the_user_come_first() {
        let limits = Limits {
            device: "NVIDIA, new".into(),
            ..super::super::fits::invented(227 << 10)
        };
        let table = |rows: &[(&str, usize)]| {
            let rows = rows.iter();
            let rows = rows.map(|(key, lines)| format!("{key},8*8,{lines},128,2,no,0.9\n"));
            parse(&format!("{HEADER}\n{}", rows.collect::<String>())).expect("a table")
        };
        let (all, alone) = (
            "sm_90,f32,simt,c2c,rows,64",
            "sm_90 NVIDIA  new,f32,simt,c2c,rows,64",
        );
        let (user, built_in) = (
            table(&[(all, 2), (alone, 1)]),
            table(&[(all, 4), (alone, 3)]),
        );
        let lines = |user: Option<_>| {
            let rules = found_in([user, Some(&built_in)], &[all], &limits);
            rules.map(|(_, rule)| rule.lines).collect::<Vec<_>>()
        };
        assert_eq!(lines(Some(&user)), [1, 2, 3, 4]);
        assert_eq!(lines(None), [3, 4]);
        let other = "sm_90,f32,simt,c2c,rows,65";
        let built_in = table(&[(other, 5), (alone, 3), (all, 4)]);
        let rules = found_in([None, Some(&built_in)], &[other, all], &limits);
        let lines: Vec<usize> = rules.map(|(_, rule)| rule.lines).collect();
        assert_eq!(lines, [3, 5, 4]);
    }

    /// DCT-III and DST-III go by each other's rows, DCT-III's own first: on an H200 only DST-III of 1024x1024 was slower in turns.
    #[test]
    fn what_is_not_in_turns_is_not_of_kinds_alike() {
        let limits = Limits {
            device: "NVIDIA H200".into(),
            architecture: "sm_90".into(),
            workers: 132,
            butterflies: &[32, 16, 8, 4],
            ..super::super::fits::invented(227 << 10)
        };
        let in_turns = |kind: Kind| {
            let shape = Shape::new(&[1024, 1024]);
            let request = Request::of_kind(kind, shape).batch(64);
            let plan = crate::plan(&request, &limits).expect("a plan");
            plan.turns.is_some()
        };
        assert!(in_turns(Kind::Dct3));
        assert!(!in_turns(Kind::Dst3));
    }

    #[test]
    fn sines_move_as_cosines_do() {
        let of = |kind| alike(kind).collect::<Vec<_>>();
        assert_eq!(of(Kind::Dst2), ["dct2"]);
        assert_eq!(of(Kind::Dct3), ["dst3"]);
        assert_eq!(of(Kind::Dst4), ["dct4"]);
        assert!(of(Kind::C2C).is_empty());
    }

    /// Half spectra that become two reals apart go by rules of their own; without one by those of complex points.
    #[test]
    fn splits_to_reals_have_rules_of_their_own() {
        let limits = Limits {
            architecture: "sm_90".into(),
            ..super::super::fits::invented(64 << 10)
        };
        let names = |request: fn(Shape) -> Request| {
            let plan = crate::plan(&request(Shape::d1(1 << 18)), &limits).expect("a plan");
            let mut names: Vec<String> = Vec::new();
            for key in keys(plan.passes.last().expect("passes"), &limits) {
                let name = key.split(',').nth(3).expect("a kind").to_string();
                if name != "c2c" && !names.contains(&name) {
                    names.push(name);
                }
            }
            names
        };
        assert_eq!(
            names(|n| Request::of_kind(Kind::Dct2, n)),
            ["apart split", "split"]
        );
        assert_eq!(names(Request::r2c), ["split"]);
    }

    /// Lines whose convolutions are as long go by one rule.
    #[test]
    fn chirps_are_known_by_their_convolutions() {
        let limits = Limits {
            architecture: "sm_90".into(),
            butterflies: &[2, 3, 4, 5, 8, 9, 16, 32],
            ..super::super::fits::invented(227 << 10)
        };
        let keys = |length: usize| {
            let request = Request::forward(Shape::d1(length)).batch(1000);
            let plan = crate::plan(&request, &limits).expect("a plan");
            let keys = plan.passes.iter().map(|p| key(p, &limits));
            keys.collect::<Vec<_>>()
        };
        let known = |length| vec![Some(format!("sm_90,f32,simt,chirp,rows,{length}"))];
        assert_eq!(keys(4099), known(9216));
        assert_eq!(keys(4127), known(9216));
        assert_eq!(keys(7187), known(16384));
        assert_eq!(keys(8219), known(18432));
    }

    #[test]
    fn the_table_can_be_read_and_is_as_it_would_be_written() {
        let rules = parse(include_str!("rules.csv")).expect("a table");
        for row in include_str!("rules.csv").lines().filter(|l| is_row(l)) {
            let (key, rule) = rules
                .iter()
                .find(|(k, _)| row.starts_with(&format!("{k},")))
                .expect("a rule");
            assert_eq!(row, format!("{key},{}", rule.row()));
            let length: usize = key.rsplit(',').next().map_or(0, |n| {
                n.split('x')
                    .map(|n| n.parse::<usize>().unwrap_or(0))
                    .product()
            });
            let product = rule.sequence.length().expect("it is small");
            let fields: Vec<&str> = key.split(',').collect();
            // Of the points of all axes: halved ones are packed.
            let axes = |kind: Kind| {
                let lengths = fields[5].split('x').map(|n| n.parse().unwrap_or(0));
                lengths.map(|n| kind.core_length(n)).product::<usize>()
            };
            let made = match (fields[3], fields[4]) {
                // Of two passes that share a line, or of a pass of an array.
                (kind, "first in turns" | "second in turns") => {
                    let kind = Kind::from_name(kind).filter(|kind| kind.is_symmetric());
                    let lengths = fields[5].split('x').map(|n| n.parse().unwrap_or(0));
                    let whole = |n| kind.map_or(n, |kind| kind.logical_length(n));
                    lengths
                        .map(whole)
                        .product::<usize>()
                        .is_multiple_of(product)
                }
                // Of the line, or of half of it where it is packed.
                (kind, "parts" | "parts in turns") => {
                    let whole = Kind::from_name(kind).map(|k| k.shared_core_length(length));
                    whole == Some(product) || 2 * product == length
                }
                ("rader", _) => product == length - 1,
                ("chirp", _) => product == length,
                // Of reals: of the line's length, as it is or half of it where it is packed.
                (kind, _) if kind.ends_with(" rader") => {
                    product + 1 == length || 2 * (product + 1) == length
                }
                (kind, _) if kind.ends_with(" chirp") => product >= length - 1,
                // `split`, `merge` and `facing` are of complex lines.
                (kind, _) => {
                    let kind = kind.rsplit(' ').next().unwrap_or(kind);
                    let kind = Kind::from_name(kind).unwrap_or(Kind::C2C);
                    // Of lines of type I also a quarter of each continued one.
                    let lengths = fields[5].split('x').map(|n| n.parse().unwrap_or(0));
                    let columns = lengths.fold(vec![1], |products: Vec<usize>, n| {
                        let folded = kind.is_symmetric().then(|| kind.shared_core_length(n) / 4);
                        let ways = [Some(kind.core_length(n)), folded];
                        let times = |p: usize| ways.into_iter().flatten().map(move |n| p * n);
                        products.into_iter().flat_map(times).collect()
                    });
                    columns.contains(&product) || product == axes(kind)
                }
            };
            assert!(rule.sequence.is_empty() || made, "{row}");
            // Both passes are in one launch.
            let turns = fields[4].strip_suffix(" in turns");
            if let Some(other) = turns.filter(|other| *other != "not") {
                let other = ["first", "second"].map(|which| key.replace(other, which));
                let threads = other.map(|key| rules.get(&key).map(|rule| rule.launch.threads));
                assert!(threads[0].is_some() && threads[0] == threads[1], "{row}");
            }
        }
    }
}
