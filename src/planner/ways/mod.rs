//! The ways to plan, one a file, each headed by its equation: see [`super::way`].

pub mod across_lines;
pub mod axis_by_axis;
pub mod bluestein;
pub mod bluestein_passes;
pub mod cluster_columns;
pub mod cluster_lines;
pub mod cluster_planes;
pub mod four_step;
pub mod halved_last;
pub mod library_lines;
pub mod mirrored_rows;
pub mod neighbours_last;
pub mod packed;
pub mod pipelined;
pub mod points;
pub mod rader;
pub mod radices;
pub mod real_columns;
pub mod several_axes;
pub mod type_one;
pub mod type_one_in_threads;
pub mod whole_lines;

use super::way::Way;

/// All ways: of those of a level that cost the same the first is taken.
pub const WAYS: &[Way] = &[
    // Arrays.
    mirrored_rows::WAY,
    axis_by_axis::WAY,
    halved_last::WAY,
    neighbours_last::WAY,
    // Lines.
    cluster_lines::WAY,
    cluster_columns::WAY,
    whole_lines::WAY,
    real_columns::WAY,
    packed::WAY,
    four_step::WAY,
    bluestein_passes::WAY,
    // Tiles.
    cluster_planes::WAY,
    several_axes::WAY,
    // Axes of a tile.
    points::WAY,
    across_lines::WAY,
    library_lines::WAY,
    type_one_in_threads::WAY,
    type_one::WAY,
    radices::WAY,
    rader::WAY,
    bluestein::WAY,
    // The order of passes.
    pipelined::WAY,
];

/// The names of those that spread a tile over the blocks of a cluster.
pub const OVER_CLUSTERS: [&str; 3] = [
    cluster_lines::WAY.name,
    cluster_columns::WAY.name,
    cluster_planes::WAY.name,
];

#[cfg(test)]
mod tests {
    use super::WAYS;
    use std::collections::BTreeSet;

    /// Each file is a way of the list, and begins with its equation.
    #[test]
    fn files_are_ways() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/planner/ways");
        let files = std::fs::read_dir(folder).expect("a folder").flatten();
        let files = files.filter(|file| file.file_name() != "mod.rs");
        let mut names = BTreeSet::new();
        for file in files {
            let text = std::fs::read_to_string(file.path()).expect("a source file");
            let name = file.file_name().to_string_lossy().into_owned();
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
}
