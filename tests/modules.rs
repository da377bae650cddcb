//! Modules of the planner and of the lowering import each other in no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What each module of a folder imports of its neighbours.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// The source without comments, and without its tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source file");
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The modules that some code names behind this prefix.
fn imports(code: &str, prefix: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let word = |text: &str| -> String {
        let letters = text
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_');
        letters.collect()
    };
    for (at, found) in code.match_indices(prefix) {
        let rest = &code[at + found.len()..];
        match rest.strip_prefix('{') {
            Some(group) => {
                let group = group.split(';').next().unwrap_or_default();
                let mut depth = 0;
                let mut item = true;
                for (i, c) in group.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        ',' if depth == 0 => item = true,
                        c if item && depth == 0 && c.is_alphabetic() => {
                            all.insert(word(&group[i..]));
                            item = false;
                        }
                        _ => {}
                    }
                    if depth < 0 {
                        break;
                    }
                }
            }
            None => {
                all.insert(word(rest));
            }
        }
    }
    all
}

/// The names of a folder's source files without their ending, and their code.
fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = path.file_stem().and_then(|name| name.to_str());
        let name = name.unwrap_or_default().to_string();
        if path.extension().is_some_and(|e| e == "rs") && !name.ends_with("tests") {
            sources.push((name, code(&path)));
        }
    }
    sources
}

fn graph(folder: &str) -> Graph {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut graph = Graph::new();
    for (name, code) in sources(&folder) {
        if name != "mod" {
            graph.insert(name, imports(&code, "super::"));
        }
    }
    // A way names the planner's modules from the crate on, and its neighbours behind `super::`.
    let ways = folder.join("ways");
    let of_ways = if ways.is_dir() {
        sources(&ways)
    } else {
        Vec::new()
    };
    for (name, code) in of_ways {
        if name == "mod" {
            let mut all = imports(&code, "super::");
            all.extend(
                imports(&code, "pub mod ")
                    .iter()
                    .map(|way| format!("ways::{way}")),
            );
            graph.insert("ways".into(), all);
        } else {
            let own = imports(&code, " super::").into_iter();
            let mut all: BTreeSet<String> = own.map(|way| format!("ways::{way}")).collect();
            all.extend(imports(&code, "crate::planner::"));
            graph.insert(format!("ways::{name}"), all);
        }
    }
    let modules: BTreeSet<String> = graph.keys().cloned().collect();
    for (name, imports) in &mut graph {
        imports.retain(|import| modules.contains(import) && import != name);
    }
    graph
}

/// The modules that are left when those that import nothing of the rest are taken away again and again.
fn circle(mut graph: Graph) -> Graph {
    loop {
        let free = graph.iter().find(|(_, imports)| imports.is_empty());
        let Some(free) = free.map(|(name, _)| name.clone()) else {
            return graph;
        };
        graph.remove(&free);
        graph.values_mut().for_each(|imports| {
            imports.remove(&free);
        });
    }
}

#[test]
fn modules_import_each_other_in_no_circle() {
    for folder in ["src/planner", "backend-traits/src/device"] {
        let graph = graph(folder);
        assert!(graph.len() > 20, "{folder}: {graph:?}");
        let ways = graph.get("ways").map_or(0, BTreeSet::len);
        assert!(ways > 20 || !folder.contains("planner"), "{graph:?}");
        let circle = circle(graph);
        assert!(circle.is_empty(), "{folder}: {circle:#?}");
    }
}

/// What a device is to the planner are its limits and its target, which knows how passes are lowered.
#[test]
fn the_planner_imports_nothing_of_the_lowering() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/planner");
    let ways = sources(&folder.join("ways"));
    for (name, code) in sources(&folder).into_iter().chain(ways) {
        let of_traits = imports(&code, "mmafft_backend_traits::");
        assert!(!of_traits.contains("device"), "{name}");
        for vendor in ["Vendor", "\"sm_", "\"gfx"] {
            assert!(!code.contains(vendor), "{name}: {vendor}");
        }
    }
}

#[test]
fn imports_are_found_and_circles_are_seen() {
    let code = "use super::{a::{x, y}, b};\nuse super::c::Z;\nlet d = super::d::f();";
    let found = imports(code, "super::");
    assert_eq!(found, ["a", "b", "c", "d"].map(String::from).into());
    let graph = |edges: &[(&str, &[&str])]| -> Graph {
        let edge = |(from, to): &(&str, &[&str])| {
            (
                from.to_string(),
                to.iter().map(|to| to.to_string()).collect(),
            )
        };
        edges.iter().map(edge).collect()
    };
    assert!(circle(graph(&[("a", &["b"]), ("b", &[])])).is_empty());
    assert_eq!(
        circle(graph(&[("a", &["b"]), ("b", &["a"]), ("c", &[])])).len(),
        2
    );
}

/// The longest function that a reader has in one view.
const LONGEST_FUNCTION: usize = 120;

/// The name and the lines of each function of a source.
fn functions(code: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = code.lines().collect();
    let mut all = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let words = line.trim_start();
        let indent = &line[..line.len() - words.len()];
        let begins = ["fn ", "pub ", "pub(", "const fn ", "unsafe fn ", "extern "];
        let named = words.split_once("fn ").map(|(_, rest)| rest);
        let Some(name) = named.filter(|_| begins.iter().any(|begin| words.starts_with(begin)))
        else {
            continue;
        };
        if line.ends_with(';') {
            continue;
        }
        let end = format!("{indent}}}");
        let closed = lines[i..].iter().position(|line| line.starts_with(&end));
        all.push((name.to_string(), closed.map_or(0, |closed| closed + 1)));
    }
    all
}

#[test]
fn functions_are_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<_> = [
        "src",
        "capi",
        "compat",
        "cli/src",
        "backend-traits",
        "kernels-cuda",
        "kernels-hip",
    ]
    .iter()
    .chain(&["benches/lab/src"])
    .map(|folder| root.join(folder))
    .collect();
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        let inner = fs::read_dir(&folder).expect("a folder").flatten();
        folders.extend(inner.map(|entry| entry.path()).filter(|path| path.is_dir()));
        for (name, code) in sources(&folder) {
            for (function, lines) in functions(&code) {
                seen += 1;
                let said = format!("{}/{name}: {function} has {lines} lines", folder.display());
                assert!(lines <= LONGEST_FUNCTION, "{said}");
            }
        }
    }
    assert!(seen > 2000, "{seen}");
}
