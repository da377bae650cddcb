//! A perceptually uniform colour map.

/// Red, green and blue.
pub(super) type Rgb = [u8; 3];

/// The colour of pixels without a value.
pub(super) const MISSING: Rgb = [200, 200, 200];

/// Equally spaced samples of matplotlib's `viridis` map (which is in the
/// public domain, CC0).
const ANCHORS: [Rgb; 16] = [
    [68, 1, 84],
    [72, 26, 108],
    [71, 47, 125],
    [65, 68, 135],
    [57, 86, 140],
    [49, 104, 142],
    [42, 120, 142],
    [35, 136, 142],
    [31, 152, 139],
    [34, 168, 132],
    [53, 183, 121],
    [84, 197, 104],
    [122, 209, 81],
    [165, 219, 54],
    [210, 226, 27],
    [253, 231, 37],
];

/// The colour at `position`, from 0 (dark) to 1 (bright).
pub(super) fn color(position: f64) -> Rgb {
    let scaled = position.clamp(0.0, 1.0) * (ANCHORS.len() - 1) as f64;
    // A NaN position becomes index 0.
    let index = (scaled as usize).min(ANCHORS.len() - 2);
    let weight = scaled - index as f64;
    let (from, to) = (ANCHORS[index], ANCHORS[index + 1]);
    std::array::from_fn(|i| {
        let (from, to) = (f64::from(from[i]), f64::from(to[i]));
        (from + (to - from) * weight).round() as u8
    })
}
