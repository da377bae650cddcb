use super::WAYS;
use std::collections::BTreeSet;

/// Each file but those of tests is a way of the list, and begins with its equation.
#[test]
fn files_are_ways() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/planner/ways");
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names = BTreeSet::new();
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        if name == "mod.rs" || name.ends_with("tests.rs") {
            continue;
        }
        let text = std::fs::read_to_string(file.path()).expect("a source file");
        let is_head = |line: &&str| line.starts_with("//!");
        let head: String = text.lines().take_while(is_head).collect();
        assert!(head.contains("```text"), "{name} has no equation");
        assert!(text.contains("pub const WAY: Way"), "{name} has no way");
        names.insert(name);
    }
    let listed: BTreeSet<&str> = WAYS.iter().map(|way| way.name).collect();
    assert_eq!(listed.len(), WAYS.len(), "{listed:?}");
    assert_eq!(names.len(), WAYS.len(), "{names:?}");
}
