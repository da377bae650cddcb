//! Every place in the sources that could panic is in a list, with why it cannot.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What users reach; tests, the suite, the reference and what compares us with peers are not.
const FOLDERS: [&str; 11] = [
    "src",
    "capi/guru/src",
    "capi/src",
    "compat/cufft/src",
    "compat/fftw/src",
    "cli/src",
    "backend-traits/src",
    "backend-traits/driver/src",
    "backend-traits/emulated/src",
    "kernels-cuda/src",
    "kernels-hip/src",
];
const LEFT_OUT: [&str; 4] = ["/tests", "tests.rs", "/reference/", "cli/src/bench"];
/// Calls that may panic. `expect(b'` is the method of a parser that returns an error.
const CALLS: [&str; 8] = [
    ".unwrap()",
    ".expect(",
    " panic!(",
    "unreachable!(",
    "todo!(",
    "unimplemented!(",
    " assert!(",
    " assert_eq!(",
];

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => sources(&path, all),
            false if path.extension().is_some_and(|e| e == "rs") => all.push(path),
            false => {}
        }
    }
}

/// `file: line` of each call, without the tests at a file's end.
fn calls() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in FOLDERS {
        sources(&root.join(folder), &mut files);
    }
    let mut found = BTreeSet::new();
    for file in files {
        let name = file
            .strip_prefix(root)
            .unwrap_or(&file)
            .display()
            .to_string();
        if LEFT_OUT.iter().any(|part| name.contains(part)) {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source file");
        let code = text.split("\nmod tests {").next().unwrap_or(&text);
        for line in code.lines().map(str::trim) {
            let may = CALLS.iter().any(|call| format!(" {line}").contains(call));
            if may && !line.starts_with("//") && !line.contains("expect(b'") {
                found.insert(format!("{name}: {line}"));
            }
        }
    }
    found
}

/// The list has a line of code, then a line that begins with `#` and says why it cannot panic.
#[test]
fn every_panic_has_its_reason() {
    let list = include_str!("panics.txt");
    let listed: BTreeSet<String> = list
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(String::from)
        .collect();
    let found = calls();
    let new: Vec<_> = found.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&found).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "return an error, or say in tests/errors/panics.txt why it cannot happen: {new:#?}\ngone: {gone:#?}"
    );
    let mut lines = list
        .lines()
        .skip_while(|line| line.starts_with('#') || line.is_empty());
    while let Some(code) = lines.next() {
        let why = lines.next().unwrap_or_default();
        assert!(why.starts_with("#   "), "no reason for: {code}");
    }
}
