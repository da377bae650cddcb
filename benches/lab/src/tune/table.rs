//! The file of rules, as `mmafft tune` reads and writes it.

use mmafft::lab::rules::{self, Rule};
use mmafft::{Limits, Pass};
use mmafft_cli::{files, Failure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file of rules.
pub struct Table {
    comments: Vec<String>,
    pub rows: BTreeMap<String, String>,
}

impl Table {
    /// What the file's row says of a pass, where it can follow that.
    pub fn rule(&self, pass: &Pass, limits: &Limits) -> Option<Rule> {
        let rule = self.row(&rules::key(pass, limits)?, limits)?;
        rule.suits(pass, limits).then_some(rule)
    }

    /// The rule of this key, that of the device alone or else that of its architecture.
    pub fn row(&self, key: &str, limits: &Limits) -> Option<Rule> {
        self.of_key(key, limits).into_iter().next()
    }

    /// Both, that of the device first.
    pub fn of_key(&self, key: &str, limits: &Limits) -> Vec<Rule> {
        let keys = [rules::of_device(key, limits), key.to_string()];
        let rows = keys.iter().filter_map(|key| self.rows.get(key));
        rows.filter_map(|row| Rule::parse(row)).collect()
    }

    /// Whether it has a row of this key, of the device alone or of its architecture.
    pub fn has(&self, key: &str, limits: &Limits) -> bool {
        self.rows.contains_key(key) || self.rows.contains_key(&rules::of_device(key, limits))
    }

    pub fn read(path: &Path) -> Result<Self, Failure> {
        let text = match mmafft_cli::text::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(format!("cannot read {}: {error}", path.display()).into()),
        };
        let mut table = Table {
            comments: Vec::new(),
            rows: BTreeMap::new(),
        };
        for (number, line) in text.lines().enumerate() {
            match rules::key_and_row(line) {
                Some((key, row)) if rules::is_row(line) => {
                    table.rows.insert(key.into(), row.into());
                }
                _ if line.starts_with('#') => table.comments.push(line.into()),
                _ if !rules::is_row(line) || line.trim().is_empty() => {}
                _ => {
                    let (path, line) = (path.display(), number + 1);
                    return Err(format!("{path}, line {line}: no rule of `mmafft-lab tune`").into());
                }
            }
        }
        Ok(table)
    }

    pub fn write(&mut self, path: &Path, device: &str) -> Result<(), Failure> {
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

/// A file of everything that was timed, in the form of the table's rows, but several of a key.
pub struct Timings {
    path: Option<PathBuf>,
    rows: Vec<String>,
}

impl Timings {
    /// Of no file nothing is kept.
    pub fn new(path: Option<PathBuf>) -> Self {
        let rows = Vec::new();
        Timings { path, rows }
    }

    pub fn add(&mut self, key: &str, rules: &[Rule]) {
        let rows = rules.iter().map(|rule| format!("{key},{}", rule.row()));
        self.rows.extend(rows);
    }

    pub fn write(&self, device: &str) -> Result<(), Failure> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let head = format!("# mmafft tune, on {device}\n{}\n", rules::HEADER);
        let text = head + &self.rows.join("\n") + "\n";
        Ok(files::save_text(path, &text)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept can be read again, all rules of a key.
    #[test]
    fn timings_are_rows() {
        let path = std::env::temp_dir().join(format!("mmafft-timings-{}.csv", std::process::id()));
        let mut timings = Timings::new(Some(path.clone()));
        let key = "sm_90,f32,simt,c2c,columns,1260";
        let rules = ["28*9*5,8,192,2,no,0.896,2", "12*15*7,4,160,2,no,0.593"];
        let rules = rules.map(|row| Rule::parse(row).expect("a rule"));
        timings.add(key, &rules);
        timings.write("a device").expect("a file");
        let text = std::fs::read_to_string(&path).expect("a file");
        std::fs::remove_file(path).expect("a file");
        let rows = text.lines().filter(|line| rules::is_row(line));
        let rows = rows.map(|line| rules::key_and_row(line).expect("a row"));
        let expected = rules.each_ref().map(Rule::row);
        let expected = expected.iter().map(|row| (key, &row[..]));
        assert!(rows.eq(expected), "{text}");
        Timings::new(None).write("a device").expect("no file");
    }
}
