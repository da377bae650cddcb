//! What the cases of a class have in common, and which of them fall short.

use crate::rows::Row;
use mmafft::PRECISIONS;

/// Where a peer moves data at this fraction of a copy or more, nobody can be ahead of it: copies
/// vary by half a percent from run to run, transforms by more.
const AT_COPY_SPEED: f64 = 0.95;
/// The ratio that counts as equal there, and for powers of two in f32 and f64 everywhere.
const EQUAL: f64 = 0.97;
/// What split-f16 must reach of our own f32.
const SPLIT: f64 = 0.8;
/// How much later than the peer one small transform may be done on a GPU, in microseconds.
const LATER_US: f64 = 2.0;

/// The bar, in words.
pub const BAR: &str = "Above the bar is a case whose ratio (the peer's time over ours) is 1 or \
    more; 0.97 or more where the peer itself is within 5 % of the speed of a copy, and for powers \
    of two in f32 and f64; for a single launch on a GPU, one that takes at most 2 µs longer than the \
    peer's; for split-f16, one that reaches 0.8 of our own f32.";

/// Whether a row falls short; `None` where it has no bar. `rows` are those of its device.
pub fn below(row: &Row, rows: &[Row]) -> Option<bool> {
    let ours = row.ours_us?;
    if row.precision == "split-f16" {
        let same = |other: &&Row| {
            other.precision == "f32"
                && (&other.class, &other.kind, &other.shape) == (&row.class, &row.kind, &row.shape)
                && (&other.device, &other.backend) == (&row.device, &row.backend)
                && (other.batch, &other.placement) == (row.batch, &row.placement)
        };
        let single = rows.iter().find(same)?.ours_us?;
        return Some(single / ours < SPLIT);
    }
    if row.launch_bound() && row.backend != "cpu" {
        return Some(ours > row.peer_us? + LATER_US);
    }
    let at_copy_speed = row.peer_fraction.is_some_and(|f| f >= AT_COPY_SPEED);
    let wide_power = row.class == "pow2" && ["f32", "f64"].contains(&row.precision.as_str());
    let bar = if at_copy_speed || wide_power {
        EQUAL
    } else {
        1.0
    };
    Some(row.ratio? < bar)
}

/// A geometric mean, and the two ends with their shapes.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    pub mean: f64,
    pub least: (f64, String),
    pub most: (f64, String),
}

impl Spread {
    /// Of those rows that have the figure; `None` if none has.
    fn of(rows: &[&Row], figure: impl Fn(&Row) -> Option<f64>) -> Option<Spread> {
        let with = |row: &&Row| Some((figure(row)?, label(&row.shape)));
        let all: Vec<(f64, String)> = rows.iter().filter_map(with).collect();
        let by_figure = |a: &&(f64, String), b: &&(f64, String)| a.0.total_cmp(&b.0);
        let sum: f64 = all.iter().map(|(x, _)| x.ln()).sum();
        Some(Spread {
            mean: (sum / all.len() as f64).exp(),
            least: all.iter().min_by(by_figure)?.clone(),
            most: all.iter().max_by(by_figure)?.clone(),
        })
    }
}

/// The rows of one class and precision.
#[derive(Debug)]
pub struct Group<'a> {
    pub class: &'a str,
    pub precision: &'a str,
    /// In the order of their lengths.
    pub rows: Vec<&'a Row>,
    pub cases: usize,
    /// Of the peer's time over ours; `None` without a peer.
    pub ratios: Option<Spread>,
    /// Ours and the peer's, of a copy's speed.
    pub fractions: [Option<Spread>; 2],
    /// How many are below the bar, and how many have one.
    pub below: usize,
    pub judged: usize,
}

/// Groups in the order of their classes, and in those of the table of precisions.
pub fn groups(rows: &[Row]) -> Vec<Group<'_>> {
    let mut classes: Vec<&str> = Vec::new();
    for row in rows {
        if !classes.contains(&row.class.as_str()) {
            classes.push(&row.class);
        }
    }
    let mut groups = Vec::new();
    for class in classes {
        for precision in PRECISIONS.iter().map(|p| p.name) {
            let of = |row: &&Row| row.class == class && row.precision == precision;
            let mut all: Vec<&Row> = rows.iter().filter(of).collect();
            if all.is_empty() {
                continue;
            }
            all.sort_by(|a, b| {
                a.points()
                    .total_cmp(&b.points())
                    .then(a.shape.cmp(&b.shape))
            });
            let judged: Vec<bool> = all.iter().filter_map(|row| below(row, rows)).collect();
            groups.push(Group {
                class,
                precision,
                cases: all.len(),
                ratios: Spread::of(&all, |row| row.ratio),
                fractions: [
                    Spread::of(&all, |row| row.fraction),
                    Spread::of(&all, |row| row.peer_fraction),
                ],
                below: judged.iter().filter(|&&below| below).count(),
                judged: judged.len(),
                rows: all,
            });
        }
    }
    groups
}

/// `1048576` as `2^20`, `64x64` as `64×64`.
pub fn label(shape: &str) -> String {
    match shape.parse::<u64>() {
        Ok(n) if n.is_power_of_two() && n > 1 << 14 => format!("2^{}", n.trailing_zeros()),
        _ => shape.replace('x', "×"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(class: &str, precision: &str, shape: &str, ours: f64, peer: f64) -> Row {
        Row {
            class: class.into(),
            precision: precision.into(),
            shape: shape.into(),
            ours_us: Some(ours),
            peer_us: Some(peer),
            ratio: Some(peer / ours),
            fraction: Some(0.5),
            ..Row::default()
        }
    }

    #[test]
    fn groups_have_means_and_ends() {
        let mut rows = vec![
            row("pow2", "f64", "8", 1.0, 1.0),
            row("pow2", "f32", "65536", 1.0, 4.0),
            row("pow2", "f32", "4", 1.0, 1.0),
            row("2d", "f32", "64x64", 2.0, 1.0),
        ];
        rows.push(Row {
            ours_us: None,
            peer_us: None,
            ratio: None,
            failure: "no memory".into(),
            ..rows[1].clone()
        });
        let groups = groups(&rows);
        let names: Vec<(&str, &str)> = groups.iter().map(|g| (g.class, g.precision)).collect();
        assert_eq!(names, [("pow2", "f64"), ("pow2", "f32"), ("2d", "f32")]);
        let ratios = groups[1].ratios.as_ref().expect("a peer");
        assert!((ratios.mean - 2.0).abs() < 1e-12);
        assert_eq!(ratios.least, (1.0, "4".into()));
        assert_eq!(ratios.most, (4.0, "2^16".into()));
        assert_eq!(
            (groups[1].cases, groups[1].judged, groups[1].below),
            (3, 2, 0)
        );
        assert_eq!((groups[2].judged, groups[2].below), (1, 1));
        assert_eq!(groups[2].fractions[1], None);
    }

    #[test]
    fn bars_are_those_in_words() {
        let judge = |row: &Row| below(row, std::slice::from_ref(row));
        assert_eq!(judge(&row("pow2", "f32", "8", 1.0, 0.98)), Some(false));
        assert_eq!(judge(&row("pow2", "f32", "8", 1.0, 0.96)), Some(true));
        assert_eq!(judge(&row("pow2", "f16", "8", 1.0, 0.98)), Some(true));
        let smooth = row("smooth", "f32", "9", 1.0, 0.98);
        assert_eq!(judge(&smooth), Some(true));
        let fast = Row {
            peer_fraction: Some(0.96),
            ..smooth
        };
        assert_eq!(judge(&fast), Some(false));
        assert_eq!(judge(&row("launch", "f32", "64", 4.0, 2.1)), Some(false));
        assert_eq!(judge(&row("graph", "f32", "64", 4.0, 1.9)), Some(true));
        let on_cpu = Row {
            backend: "cpu".into(),
            ..row("launch", "f32", "64", 4.0, 2.1)
        };
        assert_eq!(judge(&on_cpu), Some(true));
        // Against our own f32, not against the peer.
        let split = row("pow2", "split-f16", "8", 1.2, 9.0);
        assert_eq!(judge(&split), None);
        let mut rows = [split, row("pow2", "f32", "8", 1.0, 1.0)];
        assert_eq!(below(&rows[0], &rows), Some(false));
        rows[1].ours_us = Some(0.9);
        assert_eq!(below(&rows[0], &rows), Some(true));
    }
}
