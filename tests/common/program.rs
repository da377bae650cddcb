//! A program as a user runs it, and what it writes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory of its own for a test.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

pub fn run(program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).output().expect("the program runs")
}

/// Runs what must fail: one line on standard error, none on standard output.
pub fn refused(program: &str, arguments: &[&str]) -> String {
    let output = run(program, arguments);
    let said = String::from_utf8_lossy(&output.stderr)
        .trim_end()
        .to_string();
    assert!(!output.status.success(), "{arguments:?} succeeded");
    assert!(output.stdout.is_empty(), "{arguments:?} printed a result");
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

/// Runs what the command line itself refuses, in these words.
pub fn misused(program: &str, arguments: &[&str], words: &str) {
    let output = run(program, arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(words), "{said}");
    assert!(!said.contains("as a value, use"), "{said}");
}

/// A row of `bench`, by the names of its columns.
pub type Row = HashMap<String, String>;

fn rows(path: &Path) -> Vec<Row> {
    let reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_path(path);
    let rows = reader.expect("the table").into_deserialize();
    rows.map(|row| row.expect("a row")).collect()
}

pub fn figure(row: &Row, name: &str) -> f64 {
    row[name]
        .parse()
        .unwrap_or_else(|_| panic!("{name}: {row:?}"))
}

/// Runs a `bench` that must succeed; returns what it prints and its rows.
pub fn bench(program: &str, name: &str, arguments: &[&str]) -> (String, Vec<Row>) {
    let csv = folder(name).join("out.csv");
    let all = [&["bench"], arguments, &["--quick", "--csv", text(&csv)]].concat();
    let output = run(program, &all);
    assert!(output.status.success(), "{output:?}");
    let head = std::fs::read_to_string(&csv).expect("the table");
    let stem = Path::new(program).file_stem().expect("a name");
    let command = format!(": {} bench ", stem.to_string_lossy());
    assert!(head.starts_with("# mmafft ") && head.contains(&command));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (said, rows(&csv))
}
