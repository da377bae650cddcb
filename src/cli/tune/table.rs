//! The file of rules, as `mmafft tune` reads and writes it.

use crate::cli::{files, Failure};
use mmafft::rules;
use std::collections::BTreeMap;

/// The file of rules.
pub struct Table {
    comments: Vec<String>,
    pub rows: BTreeMap<String, String>,
}

impl Table {
    pub fn read(path: &std::path::Path) -> Result<Self, Failure> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(format!("cannot read {}: {error}", path.display()).into()),
        };
        let mut table = Table {
            comments: Vec::new(),
            rows: BTreeMap::new(),
        };
        for (number, line) in text.lines().enumerate() {
            match line.match_indices(',').nth(5) {
                Some((at, _)) if rules::is_row(line) => {
                    table.rows.insert(line[..at].into(), line[at + 1..].into());
                }
                _ if line.starts_with('#') => table.comments.push(line.into()),
                _ if !rules::is_row(line) || line.trim().is_empty() => {}
                _ => {
                    let (path, line) = (path.display(), number + 1);
                    return Err(format!("{path}, line {line}: no rule of `mmafft tune`").into());
                }
            }
        }
        Ok(table)
    }

    pub fn write(&mut self, path: &std::path::Path, device: &str) -> Result<(), Failure> {
        let comment = format!("# mmafft tune, on {device}");
        if !self.comments.contains(&comment) {
            self.comments.push(comment);
        }
        let mut lines = self.comments.clone();
        lines.push(rules::HEADER.into());
        lines.extend(self.rows.iter().map(|(key, rule)| format!("{key},{rule}")));
        Ok(files::save_text(path, &(lines.join("\n") + "\n"))?)
    }
}
