//! What of a plan is asked for, in place of what rules and prices say.

use mmafft_backend_traits::Turns;
use std::fmt;

/// What of a plan is asked for, in place of what rules and prices say; by default nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// Whether all that a cluster holds and no block does is spread over one, or nothing is.
    ///
    /// Complex lines that passes share have fewer factors where clusters hold longer ones.
    pub clusters: Option<bool>,
    /// The turns that two passes take where they can, by the tiles that are likely fast so.
    pub turns: Option<Turns>,
    /// Whether no passes take turns.
    pub pass_by_pass: bool,
    /// The factors of lines that no tile holds, in the order of their passes, where they can be split so.
    pub parts: Option<Vec<usize>>,
    /// The name of a way that is taken wherever it makes something.
    pub way: Option<String>,
}

impl Asked {
    /// Passes one after the other.
    pub fn pass_by_pass() -> Self {
        Asked {
            pass_by_pass: true,
            ..Asked::default()
        }
    }

    /// Passes one after the other, and all that a cluster holds spread over one, or nothing.
    pub fn clusters(all: bool) -> Self {
        Asked {
            clusters: Some(all),
            ..Asked::pass_by_pass()
        }
    }

    /// These turns.
    pub fn turns(turns: Turns) -> Self {
        Asked {
            turns: Some(turns),
            ..Asked::default()
        }
    }

    /// Passes one after the other, of long lines over these factors.
    pub fn parts(parts: &[usize]) -> Self {
        Asked {
            parts: Some(parts.to_vec()),
            ..Asked::pass_by_pass()
        }
    }

    /// What [`fmt::Display`] writes; `None` where it is damaged.
    pub fn parse(text: &str) -> Option<Self> {
        let mut asked = Asked::default();
        for item in text.split(", ").filter(|item| *item != NOTHING) {
            let (word, rest) = item.split_once(' ').unwrap_or((item, ""));
            match (word, rest) {
                ("passes", "") => asked.pass_by_pass = true,
                ("clusters", "") => asked.clusters = Some(true),
                ("blocks", "") => asked.clusters = Some(false),
                ("parts", parts) => {
                    let positive = |text: &str| text.parse().ok().filter(|&n: &usize| n > 0);
                    let parts: Option<Vec<usize>> = parts.split('*').map(positive).collect();
                    asked.parts = Some(parts.filter(|parts| parts.len() > 1)?);
                }
                ("turns", numbers) => {
                    let numbers = numbers.split(' ').map(|text| text.parse().ok());
                    let numbers: Option<Vec<usize>> = numbers.collect();
                    let [arrays, ahead, kept] = <[usize; 3]>::try_from(numbers?).ok()?;
                    asked.turns = Some(Turns {
                        arrays,
                        ahead,
                        kept: (kept > 0).then_some(kept),
                    });
                    if arrays == 0 || ahead == 0 {
                        return None;
                    }
                }
                ("by", way) => asked.way = Some(way.into()),
                _ => return None,
            }
        }
        Some(asked)
    }
}

/// What is written where nothing is asked for.
const NOTHING: &str = "planned";

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut items = Vec::new();
        if self.pass_by_pass {
            items.push("passes".into());
        }
        if let Some(all) = self.clusters {
            items.push(if all { "clusters" } else { "blocks" }.into());
        }
        if let Some(turns) = self.turns {
            let (arrays, ahead) = (turns.arrays, turns.ahead);
            items.push(format!(
                "turns {arrays} {ahead} {}",
                turns.kept.unwrap_or(0)
            ));
        }
        if let Some(parts) = &self.parts {
            let parts: Vec<String> = parts.iter().map(usize::to_string).collect();
            items.push(format!("parts {}", parts.join("*")));
        }
        if let Some(way) = &self.way {
            items.push(format!("by {way}"));
        }
        match items.is_empty() {
            true => f.write_str(NOTHING),
            false => f.write_str(&items.join(", ")),
        }
    }
}

#[cfg(test)]
#[path = "asked_tests.rs"]
mod tests;
