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
mod tests;
