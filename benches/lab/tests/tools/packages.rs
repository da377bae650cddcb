//! What `deny.toml` asks of the packages that the library depends on, and what crates.io asks of
//! our own: as cargo itself tells, without another tool.

use mmafft_testing::skip;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// `cargo metadata`, of everything that any feature brings.
fn metadata() -> Value {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version", "1", "--all-features"]);
    let output = cargo.current_dir(ROOT).output();
    let output = output.expect("cargo runs");
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        skip(format!("needs the packages' registry: {said}"));
    }
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or("")
}

/// The strings of a list of `deny.toml`.
fn listed(name: &str) -> Vec<String> {
    let file = Path::new(ROOT).join("deny.toml");
    let file = std::fs::read_to_string(file).expect("deny.toml");
    let start = file.find(&format!("\n{name} = [")).expect(name);
    let body = file[start..].split(']').next().unwrap_or("");
    let quoted = body.split('"').skip(1).step_by(2);
    quoted.map(String::from).collect()
}

/// Our own packages that go to crates.io.
fn published(metadata: &Value) -> impl Iterator<Item = &Value> {
    let members = list(metadata, "workspace_members");
    let packages = list(metadata, "packages").iter();
    packages.filter(|p| members.contains(&p["id"]) && p["publish"].is_null())
}

/// Each dependency's licence, or one of those that it offers, is one of the list.
pub fn licences() {
    let allowed = listed("allow");
    let is_allowed = |terms: &str| {
        let terms = terms.replace(['(', ')'], "").replace('/', " OR ");
        let mut all = terms.split(" AND ");
        all.all(|one| {
            one.split(" OR ")
                .any(|l| allowed.iter().any(|a| a == l.trim()))
        })
    };
    let metadata = metadata();
    let packages = list(&metadata, "packages").iter();
    let refused = packages.filter(|package| !is_allowed(text(package, "license")));
    let refused: Vec<String> = refused
        .map(|package| format!("{}: {}", text(package, "name"), text(package, "license")))
        .collect();
    assert!(refused.is_empty(), "{refused:?}");
}

/// No package is there in two versions that users would compile, but for those that are listed.
pub fn duplicates() {
    let metadata = metadata();
    let nodes = list(&metadata["resolve"], "nodes");
    let node = |id: &str| nodes.iter().find(|node| text(node, "id") == id);
    let mut todo: Vec<&str> = published(&metadata).map(|p| text(p, "id")).collect();
    let mut seen = todo.clone();
    while let Some(id) = todo.pop() {
        let dependencies = node(id).map_or(&[][..], |node| list(node, "deps"));
        let normal = dependencies.iter().filter(|dependency| {
            let mut kinds = list(dependency, "dep_kinds").iter();
            // On all systems, or on this one as far as `cfg` says so by itself.
            kinds.any(|kind| kind["kind"].is_null() && !text(kind, "target").contains("windows"))
        });
        for dependency in normal.map(|dependency| text(dependency, "pkg")) {
            if !seen.contains(&dependency) {
                seen.push(dependency);
                todo.push(dependency);
            }
        }
    }
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in list(&metadata, "packages") {
        if seen.contains(&text(package, "id")) {
            let name = text(package, "name");
            versions
                .entry(name)
                .or_default()
                .push(text(package, "version"));
        }
    }
    let skipped = listed("skip");
    versions.retain(|name, versions| versions.len() > 1 && !skipped.iter().any(|s| s == name));
    assert!(versions.is_empty(), "{versions:?}");
}

/// What is published says what it is, whose it is, and under which licences it comes.
pub fn ours_can_be_published() {
    let metadata = metadata();
    let mut count = 0;
    for package in published(&metadata) {
        let name = text(package, "name");
        for field in ["description", "license", "repository"] {
            assert!(!text(package, field).is_empty(), "{name}: {field}");
        }
        for field in ["keywords", "categories"] {
            assert!(
                (1..=5).contains(&list(package, field).len()),
                "{name}: {field}"
            );
        }
        let folder = Path::new(text(package, "manifest_path")).parent();
        for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let licence = folder.map(|folder| std::fs::read_to_string(folder.join(file)));
            assert!(licence.is_some_and(|text| text.is_ok()), "{name}: {file}");
        }
        count += 1;
    }
    assert_eq!(count, 9);
}

/// A harness of their own calls the tests of these targets by name: an attribute would leave one out.
pub fn tests_are_called() {
    let own = [
        "tests/conformance.rs",
        "tests/codegen",
        "tests/device",
        "benches/lab/tests/beside_cufft.rs",
        "benches/lab/tests/tools",
        "capi/tests/installed.rs",
        "compat/cufft/tests/programs.rs",
        "compat/fftw/tests/programs.rs",
    ];
    let kernels = ["kernels-cuda/tests/device", "kernels-hip/tests/device"];
    let attribute = concat!("#[", "test]");
    for path in own.iter().chain(&kernels) {
        let path = Path::new(ROOT).join(path);
        let files: Vec<_> = match std::fs::read_dir(&path) {
            Ok(entries) => entries.map(|entry| entry.expect("a file").path()).collect(),
            Err(_) => vec![path],
        };
        for file in files {
            let source = std::fs::read_to_string(&file).expect("a source");
            assert!(!source.contains(attribute), "{}", file.display());
        }
    }
}
