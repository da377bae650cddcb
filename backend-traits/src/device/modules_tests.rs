//! Modules here import each other in no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What each module names of its siblings, tests apart.
fn imports(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let files = std::fs::read_dir(folder).expect("a folder");
    let files = files.map(|file| file.expect("a file").path());
    let name = |path: &Path| path.file_stem().map(|s| s.to_string_lossy().into_owned());
    let texts: BTreeMap<String, String> = files
        .filter_map(|path| Some((name(&path)?, std::fs::read_to_string(&path).ok()?)))
        .filter(|(name, _)| name != "mod" && !name.ends_with("_tests"))
        .collect();
    let of = |text: &str| -> BTreeSet<String> {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code.lines().filter(|l| !l.trim_start().starts_with("//"));
        let code: Vec<&str> = lines.collect();
        let code = code.join("\n");
        let word = |s: &str| {
            let end = s.find(|c: char| !c.is_alphanumeric() && c != '_');
            s[..end.unwrap_or(s.len())].to_string()
        };
        let named = code.split("super::").skip(1).flat_map(|rest| {
            let group = rest.strip_prefix('{').and_then(|r| r.split('}').next());
            let names: Vec<String> = match group {
                Some(group) => group.split(',').map(|s| word(s.trim())).collect(),
                None => vec![word(rest)],
            };
            names
        });
        named.filter(|name| texts.contains_key(name)).collect()
    };
    texts
        .iter()
        .map(|(name, text)| (name.clone(), of(text)))
        .collect()
}

#[test]
fn no_circle_of_modules() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/device");
    let mut imports = imports(&folder);
    assert!(imports.len() > 20, "{imports:?}");
    // What imports nothing that is left goes; what stays is a circle, or imports one.
    let free = |imports: &BTreeMap<String, BTreeSet<String>>| {
        let mut names = imports.iter().filter(|(_, others)| others.is_empty());
        names.next().map(|(name, _)| name.clone())
    };
    while let Some(name) = free(&imports) {
        imports.remove(&name);
        for others in imports.values_mut() {
            others.remove(&name);
        }
    }
    assert!(imports.is_empty(), "{imports:#?}");
}
