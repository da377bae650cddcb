//! What was measured: for the passes of `rules.csv`, the radices, tile and launch that were the
//! fastest on a device of that architecture. `mmafft tune` writes the file; a pass without a row
//! goes by what `steps` and the lowering reckon. The environment variable `MMAFFT_RULES`
//! names a file of the same form, whose rows come first. Rows that are of one device alone come before those of
//! its architecture.
//!
//! The file is long because what a row says, how it is read and written, and what of it a pass can follow
//! stand beside each other: a new column is a change of all three.

use super::cluster::Spread;
use super::fits::Fits;
use super::folded;
use super::rule_keys::{access, alike, as_long, cluster_keys, column_keys, convolved, keys};
pub use super::rule_keys::{key, parts_key, transformed};
pub use super::sequence::Sequence;
use super::stage::Stage;
use mmafft_backend_traits::device::{lines_face, spreads, FACING_RADIX};
use mmafft_backend_traits::{
    radix, real::Middle, Ahead, Engine, Images, Kind, Launch, Limits, Pass, Residency, ScalarType,
    Step, TileAxis,
};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The radices of the only axis; none where a pass keeps those that it has.
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

/// The first line of the file: a key's columns, then a rule's. The last three are left out from the first on
/// behind which nothing is said: each access of memory moves one point, no columns face each other, nothing is
/// otherwise than elsewhere.
pub const HEADER: &str =
    "architecture,storage,engine,kind,access,length,radices,lines,threads,residents,apart,fraction,neighbours,facing,otherwise";

/// The steps whose threads have columns that face each other.
const FACING: [(&str, [bool; 2]); 4] = [
    ("none", [false; 2]),
    ("first", [true, false]),
    ("last", [false, true]),
    ("both", [true, true]),
];

/// What a launch may do otherwise, several joined by `+`: see [`Launch::looked_up`], [`Launch::unasked`],
/// [`Launch::multiplied`], [`Launch::ahead`]. And of how many blocks a tile is, if of several: `4 blocks`.
const OTHERWISE: [Otherwise; 5] = [
    ("looked up", |l| l.looked_up = true, |l| l.looked_up),
    ("unasked", |l| l.unasked = true, |l| l.unasked),
    ("multiplied", |l| l.multiplied = true, |l| l.multiplied),
    (
        "ahead",
        |l| l.ahead = Some(Ahead::Late),
        |l| l.ahead == Some(Ahead::Late),
    ),
    (
        "ahead early",
        |l| l.ahead = Some(Ahead::Early),
        |l| l.ahead == Some(Ahead::Early),
    ),
];
/// Its word, what makes a launch do it, and whether one does.
type Otherwise = (&'static str, fn(&mut Launch), fn(&Launch) -> bool);

/// Threads of a block, blocks of a multiprocessor and steps of a pass are never more.
const MOST: usize = 1024;
/// Radices of a pass: a convolution has twice as many steps, and copies beside them.
const MOST_RADICES: usize = 12;
/// Values of a thread.
const MOST_VALUES: usize = 64;

/// Of how many blocks a tile is.
const BLOCKS: &str = " blocks";

/// Columns of a key.
const KEY: usize = 6;

static RULES: LazyLock<HashMap<String, Rule>> =
    LazyLock::new(|| parse(include_str!("rules.csv")).expect("rules.csv is checked by a test"));

/// The user's, which come before. A file that is not there or damaged costs speed, not results.
static OWN: LazyLock<Result<HashMap<String, Rule>, String>> = LazyLock::new(|| {
    let Some(path) = std::env::var_os("MMAFFT_RULES") else {
        return Ok(HashMap::new());
    };
    let text = std::fs::read_to_string(&path).map_err(|error| error.to_string());
    let rules = text.and_then(|text| parse(&text));
    rules.map_err(|reason| format!("MMAFFT_RULES={}: {reason}", path.to_string_lossy()))
});

/// Why the table that the environment's `MMAFFT_RULES` names is not used, if it is not: then no row of it is.
pub fn not_used() -> Option<&'static str> {
    OWN.as_ref().err().map(String::as_str)
}

fn parse(text: &str) -> Result<HashMap<String, Rule>, String> {
    let mut rules = HashMap::new();
    let rows = text.lines().filter(|l| is_row(l));
    for row in rows {
        let end = row.match_indices(',').nth(KEY - 1).map_or(0, |(i, _)| i);
        let rule =
            Rule::parse(&row[(end + 1).min(row.len())..]).ok_or(format!("no rule is `{row}`"))?;
        if rules.insert(row[..end].to_string(), rule).is_some() {
            return Err(format!("`{row}` is there twice"));
        }
    }
    Ok(rules)
}

/// Whether a line of the file is a rule, and no comment or header.
pub fn is_row(line: &str) -> bool {
    !line.starts_with('#') && !line.starts_with("architecture,")
}

impl Rule {
    /// What the rule's columns of the file say; `None` where they are damaged.
    pub fn parse(row: &str) -> Option<Self> {
        let columns: Vec<&str> = row.split(',').collect();
        let (columns, rest) = columns.split_at_checked(6)?;
        let [radices, lines, threads, residents, apart, fraction] = *columns else {
            return None;
        };
        let otherwise: Vec<&str> = rest.get(2).into_iter().flat_map(|w| w.split('+')).collect();
        let (neighbours, facing) = match *rest {
            [] => ("1", "none"),
            [neighbours] => (neighbours, "none"),
            [neighbours, facing] | [neighbours, facing, _] => (neighbours, facing),
            _ => return None,
        };
        let facing = FACING.into_iter().find(|(name, _)| *name == facing)?.1;
        let sequence = Sequence::parse(radices)?;
        let positive = |text: &str| text.parse().ok().filter(|&n: &usize| n > 0);
        let bounded = |text: &str| positive(text).filter(|&n| n <= MOST);
        let mut launch = Launch {
            apart: apart == "yes",
            neighbours: positive(neighbours).filter(|n| n.is_power_of_two())?,
            facing,
            ..Launch::new(bounded(threads)?, bounded(residents)?)
        };
        let mut blocks = 1;
        for word in otherwise {
            if let Some(count) = word.strip_suffix(BLOCKS) {
                blocks = bounded(count).filter(|&n| n > 1)?;
                continue;
            }
            let (_, set, _) = OTHERWISE.iter().find(|(name, ..)| *name == word)?;
            set(&mut launch);
        }
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
        let Launch {
            neighbours, facing, ..
        } = self.launch;
        let otherwise = OTHERWISE.iter().filter(|(_, _, is)| is(&self.launch));
        let spread = (self.blocks > 1).then(|| format!("{}{BLOCKS}", self.blocks));
        let otherwise = otherwise.map(|(word, ..)| word.to_string());
        let otherwise: Vec<String> = otherwise.chain(spread).collect();
        let name = FACING.into_iter().find(|(_, f)| *f == facing);
        let name = name.map_or("", |(name, _)| name);
        let rest = match (neighbours, facing, &otherwise[..]) {
            (1, [false, false], []) => String::new(),
            (n, [false, false], []) => format!(",{n}"),
            (n, _, []) => format!(",{n},{name}"),
            (n, _, words) => format!(",{n},{name},{}", words.join("+")),
        };
        format!(
            "{},{},{},{},{},{:.3}{rest}",
            self.sequence,
            self.lines,
            self.launch.threads,
            self.launch.residents,
            if self.launch.apart { "yes" } else { "no" },
            self.fraction
        )
    }

    /// Whether the rule's radices make the pass' length, and are there; a table may come from
    /// anywhere.
    fn makes(&self, pass: &Pass, limits: &Limits) -> bool {
        let length = self.sequence.length();
        let whole = length.is_some() && (length == transformed(pass) || self.pads(pass).is_some());
        let radices = self.sequence.radices();
        let made = || whole || folded(pass, radices).is_some();
        let faced = || facing_end(pass, radices).is_none_or(|end| end);
        let kept = self.sequence.is_empty();
        (kept || made() && self.sequence.is_there(pass.engine, limits) && faced())
            && self.lines.is_multiple_of(pass.together())
    }

    /// The length that the rule pads a pass' chirp to: any that its radices make, and that is enough.
    fn pads(&self, pass: &Pass) -> Option<usize> {
        match (pass.steps.first(), self.sequence.length()) {
            (Some(Step::Chirp { length, .. }), Some(made)) => {
                (made / 2 + made % 2 >= *length).then_some(made)
            }
            _ => None,
        }
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

    /// Whether the rule's blocks can have the pass' tile: planned so, or of lines beside each other.
    fn spreads(&self, pass: &Pass, limits: &Limits) -> bool {
        let cores: Vec<usize> = pass.axes.iter().map(|a| a.core_length()).collect();
        let columns = |axis: &TileAxis| {
            let plain = !pass.steps.iter().any(|s| convolved(s).is_some());
            access(pass) != "rows" && axis.kind == Kind::C2C && plain && spreads(pass)
        };
        let can = |s: &Spread| match (&pass.axes[..], access(pass)) {
            ([axis], "cluster") => {
                let complex = axis.kind == Kind::C2C;
                s.lines == 1 && (complex || s.halves(axis.kind, pass.storage))
            }
            (_, "cluster") => s.lines == 1,
            ([axis], _) => {
                s.lines > 1 && columns(axis) && s.cuts_runs(axis.load_runs, axis.store_runs)
            }
            _ => false,
        };
        let spread = Spread::of_rule(self, &cores);
        spread.is_some_and(|s| s.fits(&cores, pass.engine, limits, pass.storage) && can(&s))
    }

    /// Whether a block of the device holds the rule's tile: devices of one architecture differ.
    fn fits(&self, pass: &Pass, limits: &Limits) -> bool {
        let folded = folded(pass, self.sequence.radices()).and_then(|steps| folded::points(&steps));
        let points = match (folded, self.pads(pass).or(transformed(pass))) {
            (Some(points), _) => points,
            (None, Some(points)) => points + 1,
            (None, None) => pass.axes.iter().map(|a| a.core_length() + 1).product(),
        };
        let bytes = Limits::on_chip_bytes(self.lines.saturating_mul(points), pass.storage);
        // Splits, merges, orders of reals and convolutions exchange points whole.
        let plain = pass.mirrored.is_none()
            && pass.axes.iter().all(|a| a.kind == Kind::C2C)
            && !pass.steps.iter().any(|s| convolved(s).is_some());
        // A thread holds whole columns; between real columns and rows, pairs of them.
        let butterflies = self
            .sequence
            .engines(pass.engine)
            .filter_map(|(r, engine)| {
                let pair = folded.is_some() && r <= FACING_RADIX;
                let held = engine == Engine::Simt && !radix::summed(r, false);
                held.then_some(if pair { 2 * r } else { r })
            });
        let all = self.lines.saturating_mul(points);
        if pass.mirrored.is_none() && holds_more(all, self.launch.threads, butterflies) {
            return false;
        }
        bytes / if self.launch.apart && plain { 2 } else { 1 } <= limits.tile_bytes
    }

    /// Changes `pass` to what the rule says.
    pub fn apply(&self, pass: &mut Pass, limits: &Limits) {
        let cores: Vec<usize> = pass.axes.iter().map(|a| a.core_length()).collect();
        let spread = Spread::of_rule(self, &cores).filter(|_| self.blocks > 1);
        if let Some(spread) = spread {
            spread.apply(pass);
            self.launch(pass, limits);
            return;
        }
        pass.tile.residency = Residency::Block;
        let points = |pass: &Pass| folded::points(&pass.steps).or(transformed(pass));
        let before = points(pass);
        if let Some(steps) = folded(pass, self.sequence.radices()) {
            pass.steps = steps;
        } else if !self.sequence.is_empty() {
            let convolution = pass.steps.iter().take(1).filter(|s| convolved(s).is_some());
            let mut steps: Vec<Step> = convolution.cloned().collect();
            if let (Some(Step::Chirp { padded, .. }), Some(made)) =
                (steps.first_mut(), self.pads(pass))
            {
                *padded = made;
            }
            steps.extend(self.sequence.steps(pass.axes[0].axis, pass.engine));
            pass.steps = steps;
        }
        let after = points(pass);
        if before != after {
            let points = after.unwrap_or_default();
            pass.tile.bytes = pass.tile.lines * points * 2 * pass.storage.bytes();
        }
        self.launch(pass, limits);
    }

    /// Says how many lines the tile has, and how it is launched.
    fn launch(&self, pass: &mut Pass, limits: &Limits) {
        let all: usize = pass.loops.iter().map(|l| l.count).product();
        let mut lines = self.lines.min(all.max(1));
        // Few lines go to as many blocks as there are multiprocessors, while rows stay whole
        // sectors.
        let sector = 32 / (2 * pass.storage.bytes());
        let together = pass.together();
        let least = if access(pass) == "rows" { 1 } else { sector } * together;
        while lines.is_multiple_of(2 * together)
            && lines / 2 >= least
            && all.div_ceil(lines) * self.blocks < limits.workers
        {
            lines /= 2;
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

/// Whether a thread of so many would have more than it can of so many points: whole columns of these butterflies.
pub(super) fn holds_more(
    points: usize,
    threads: usize,
    mut butterflies: impl Iterator<Item = usize>,
) -> bool {
    let columns = |r: usize| (points / r).div_ceil(threads).saturating_mul(r);
    points.div_ceil(threads) > MOST_VALUES || butterflies.any(|r| columns(r) > MOST_VALUES)
}

/// The steps that a rule's radices make of a line by real columns in one tile, if they do.
fn folded(pass: &Pass, radices: &[usize]) -> Option<Vec<Step>> {
    let whole = pass.loops.iter().all(|l| l.load_index + l.store_index == 0);
    match &pass.axes[..] {
        [axis] if pass.engine == Engine::Simt && whole => folded::of_radices(axis, radices),
        _ => None,
    }
}

/// N1 and N2 where a rule's radices make such steps of a line: of columns and of rows.
pub fn real_columns(pass: &Pass, radices: &[usize]) -> Option<[usize; 2]> {
    match folded(pass, radices)?.first() {
        Some(&Step::RealColumns { columns, rows, .. }) => Some([columns, rows]),
        _ => None,
    }
}

/// The rules of this key with the names they have: the user's, then those of `rules.csv`; of either that of the device
/// alone, then that of its architecture.
fn found(key: &str, limits: &Limits) -> impl Iterator<Item = (String, &'static Rule)> {
    found_in([OWN.as_ref().ok(), Some(&*RULES)], key, limits)
}

fn found_in<'a>(
    tables: [Option<&'a HashMap<String, Rule>>; 2],
    key: &str,
    limits: &Limits,
) -> impl Iterator<Item = (String, &'a Rule)> + use<'a> {
    let keys = [of_device(key, limits), key.to_string()];
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

/// Of lines that face each other, whether threads can have columns of two at the end where they do, of
/// these radices.
fn facing_end(pass: &Pass, radices: &[usize]) -> Option<bool> {
    let mirrored = pass.mirrored.filter(|m| m.images == Images::Facing)?;
    let end = match mirrored.middle {
        Middle::Split => radices.last(),
        _ => radices.first(),
    };
    Some(end.is_some_and(|&radix| lines_face(radix, pass.storage)))
}

/// Lets a pass follow its rule, if it has one.
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
    if found.is_none() && facing_end(pass, &radices) == Some(false) {
        // Neither a rule's radices nor these face each other: lines as they come.
        pass.mirrored = None;
        found = first(pass);
    }
    let Some((key, rule)) = found else {
        return;
    };
    rule.apply(pass, limits);
    pass.reason = format!(
        "as measured for {}: {:.2} of a copy",
        key.replace(',', " "),
        rule.fraction
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use mmafft_backend_traits::{Request, Shape};

    #[test]
    fn rows_that_would_harm_are_refused() {
        assert!(Rule::parse("8*8,1,128,2,no,0.9").is_some());
        let wide = Rule::parse("8*8,1,128,2,no,0.900,4").expect("a rule");
        assert_eq!(wide.launch.neighbours, 4);
        assert_eq!(wide.row(), "8*8,1,128,2,no,0.900,4");
        let facing = Rule::parse("8*8,1,128,2,no,0.900,1,last").expect("a rule");
        assert_eq!(facing.launch.facing, [false, true]);
        assert_eq!(facing.row(), "8*8,1,128,2,no,0.900,1,last");
        let roots = Rule::parse("8*8,1,128,2,no,0.900,1,none,looked up").expect("a rule");
        assert!(roots.launch.looked_up && roots.launch.facing == [false; 2]);
        assert_eq!(roots.row(), "8*8,1,128,2,no,0.900,1,none,looked up");
        let both = Rule::parse("8*8,1,128,2,no,0.900,1,none,multiplied+ahead").expect("a rule");
        assert!(both.launch.multiplied && both.launch.ahead == Some(Ahead::Late));
        let both = Rule::parse("8*8,1,128,2,no,0.900,2,last,looked up+unasked").expect("a rule");
        assert!(both.launch.looked_up && both.launch.unasked);
        assert_eq!(both.row(), "8*8,1,128,2,no,0.900,2,last,looked up+unasked");
        let spread = Rule::parse("8*8,4,128,2,no,0.900,1,none,ahead+2 blocks").expect("a rule");
        assert_eq!((spread.lines, spread.blocks), (4, 2));
        assert_eq!(spread.row(), "8*8,4,128,2,no,0.900,1,none,ahead+2 blocks");
        let mixed = Rule::parse("16*(32*8),1,128,2,no,0.900").expect("a rule");
        assert!(mixed.sequence.is_mixed());
        assert_eq!(mixed.row(), "16*(32*8),1,128,2,no,0.900");
        for bad in [
            "8*8,0,128,2,no,0.9",
            "8*8,1,0,2,no,0.9",
            "8*8,1,128,0,no,0.9",
            "8*8,1,1025,1,no,0.9",
            "8*8,1,128,18446744073709551615,no,0.9",
            "2*2*2*2*2*2*2*2*2*2*2*2*2,1,128,1,no,0.9",
            "8*x,1,128,2,no,1",
            "8*8,1,128,2,no,0.9,3",
            "8*8,1,128,2,no,0.9,1,faced",
            "8*8,1,128,2,no,0.9,1,none,looked",
            "8*8,1,128,2,no,0.9,1,none,looked up,1",
            "8*8,1,128,2,no,0.9,1,none,1 blocks",
            "8*8,1,128,2,no,0.9,1,none,two blocks",
        ] {
            assert_eq!(Rule::parse(bad), None, "{bad}");
        }
    }

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
            let rules = found_in([user, Some(&built_in)], all, &limits);
            rules.map(|(_, rule)| rule.lines).collect::<Vec<_>>()
        };
        assert_eq!(lines(Some(&user)), [1, 2, 3, 4]);
        assert_eq!(lines(None), [3, 4]);
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
            names(|n| Request::real(Kind::Dct2, n)),
            ["apart split", "split"]
        );
        assert_eq!(names(Request::r2c), ["split"]);
    }

    /// A convolution is as short as it can be, or as long as was the fastest.
    #[test]
    fn rules_say_how_far_a_chirp_is_padded() {
        let padded = |architecture: &str| {
            let limits = Limits {
                architecture: architecture.into(),
                butterflies: &[2, 3, 4, 5, 8, 9, 16, 32],
                ..super::super::fits::invented(227 << 10)
            };
            let request = Request::forward(Shape::d1(4099)).batch(1000);
            let plan = crate::plan(&request, &limits).expect("a plan");
            let [pass] = &plan.passes[..] else {
                panic!("{}", plan.explain());
            };
            (transformed(pass), pass.tile.bytes)
        };
        assert_eq!(padded(""), (Some(9216), 9216 * 8));
        assert_eq!(padded("sm_90"), (Some(16384), 16384 * 8));
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
            let made = match (fields[3], fields[4]) {
                // Of the line, or of half of it where it is packed.
                (kind, "parts") => {
                    let whole = Kind::from_name(kind).map(|k| k.shared_core_length(length));
                    whole == Some(product) || 2 * product == length
                }
                ("rader", _) => product == length - 1,
                ("chirp", _) => product >= 2 * length - 1,
                // `split`, `merge` and `facing` are of complex lines.
                (kind, _) => {
                    let kind = kind.rsplit(' ').next().unwrap_or(kind);
                    let kind = Kind::from_name(kind).unwrap_or(Kind::C2C);
                    let folded = 4 * product == kind.shared_core_length(length);
                    product == kind.core_length(length) || (folded && kind.is_symmetric())
                }
            };
            assert!(rule.sequence.is_empty() || made, "{row}");
        }
    }
}
