//! Which passes answer a request, where there are several ways.

use mmafft_backend_traits::Turns;
use std::fmt;

/// A way that a request can be planned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Asked {
    /// As it is planned without measurements.
    #[default]
    Planned,
    /// No passes take turns.
    PassByPass,
    /// All that a cluster holds and no block does is spread over one.
    Clusters,
    /// No tile is spread over a cluster.
    Blocks,
    /// Two passes take these turns.
    Turns(Turns),
    /// Long lines are split into these factors, in the order of their passes.
    Parts(Vec<usize>),
}

impl Asked {
    /// What [`fmt::Display`] writes; `None` where it is damaged.
    pub fn parse(text: &str) -> Option<Self> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let positive = |text: &str| text.parse().ok().filter(|&n: &usize| n > 0);
        match (word, rest) {
            ("planned", "") => Some(Asked::Planned),
            ("passes", "") => Some(Asked::PassByPass),
            ("clusters", "") => Some(Asked::Clusters),
            ("blocks", "") => Some(Asked::Blocks),
            ("parts", parts) => {
                let parts: Option<Vec<usize>> = parts.split('*').map(positive).collect();
                parts.filter(|parts| parts.len() > 1).map(Asked::Parts)
            }
            ("turns", numbers) => {
                let numbers: Option<Vec<usize>> =
                    numbers.split(' ').map(|text| text.parse().ok()).collect();
                let [arrays, ahead, kept] = <[usize; 3]>::try_from(numbers?).ok()?;
                let kept = (kept > 0).then_some(kept);
                (arrays > 0 && ahead > 0).then_some(Asked::Turns(Turns {
                    arrays,
                    ahead,
                    kept,
                }))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Asked::Planned => f.write_str("planned"),
            Asked::PassByPass => f.write_str("passes"),
            Asked::Clusters => f.write_str("clusters"),
            Asked::Blocks => f.write_str("blocks"),
            Asked::Turns(Turns {
                arrays,
                ahead,
                kept,
            }) => write!(f, "turns {arrays} {ahead} {}", kept.unwrap_or(0)),
            Asked::Parts(parts) => {
                let parts: Vec<String> = parts.iter().map(usize::to_string).collect();
                write!(f, "parts {}", parts.join("*"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let turns = Turns {
            arrays: 2,
            ahead: 3,
            kept: Some(5),
        };
        for way in [
            Asked::Planned,
            Asked::PassByPass,
            Asked::Clusters,
            Asked::Blocks,
            Asked::Turns(turns),
            Asked::Turns(Turns {
                kept: None,
                ..turns
            }),
            Asked::Parts(vec![256, 512]),
        ] {
            assert_eq!(Asked::parse(&way.to_string()), Some(way));
        }
        for bad in [
            "",
            "parts 4",
            "parts 4*0",
            "turns 1 2",
            "turns 0 1 2",
            "there",
        ] {
            assert_eq!(Asked::parse(bad), None, "{bad}");
        }
    }
}
