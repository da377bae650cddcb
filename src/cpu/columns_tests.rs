use super::*;

/// Lists of radices that go in blocks: three, four, five and six.
const LISTS: &[&[usize]] = &[
    &[9, 9, 2],
    &[8, 5, 5, 5],
    &[8, 8, 4, 4],
    &[11, 7, 5, 3, 2],
    &[4, 4, 2, 2, 3],
    &[5, 3, 2, 2, 2, 3],
    &[2, 2, 2, 2, 2, 2, 2],
];

/// Neighbouring lines of a transform in memory, through memory of some width.
fn run<T: Real + Storage<Compute = T>>(fft: &ColumnFft<T>, lines: usize, in_place: bool) -> Vec<T> {
    let width = 2 * lines + 6;
    let number = |i: usize| T::rounded((i * 7919 % 1013) as f64 / 1013.0 - 0.5);
    let mut from: Vec<T> = (0..fft.length * width).map(number).collect();
    let mut to = vec![T::zero(); fft.length * width];
    let mut workspace = vec![T::zero(); fft.workspace()];
    let (load, store) = (Memory::of(&mut from), Memory::of(&mut to));
    let store = if in_place { load } else { store };
    let sides = [load, store].map(|memory| (memory, 2, width));
    // SAFETY: rows of so many lines from the second scalar on are inside.
    unsafe { fft.process(sides[0], sides[1], lines, T::rounded(0.25), &mut workspace) };
    if in_place {
        from
    } else {
        to
    }
}

fn blocks_are_steps<T: Real + Storage<Compute = T>>() {
    for &radices in LISTS {
        for inverse in [false, true] {
            let blocks = ColumnFft::<T>::new(radices, inverse, LinesIn::Memory);
            assert!(blocks.begins.is_some(), "{radices:?}");
            let steps = ColumnFft::<T>::new(radices, inverse, LinesIn::Workspace);
            assert!(steps.begins.is_none(), "{radices:?}");
            let lanes = blocks.lanes;
            let counts = [1, lanes.div_ceil(2), lanes - 1, lanes, lanes + 1];
            let counts = counts.into_iter().chain([blocks.lines()]);
            for lines in counts.filter(|&lines| lines > 0 && lines <= blocks.lines()) {
                for in_place in [false, true] {
                    let [ours, theirs] = [&blocks, &steps].map(|fft| run(fft, lines, in_place));
                    assert!(ours == theirs, "{radices:?}, {lines} lines");
                }
            }
        }
    }
}

/// Blocks do the same arithmetic as one step after another.
#[test]
fn lines_in_blocks_are_those_of_steps() {
    blocks_are_steps::<f32>();
    blocks_are_steps::<f64>();
}

/// Lines go step by step where blocks are too long or radices too many.
#[test]
fn long_blocks_are_not_taken() {
    for radices in [&[2, 3, 5, 7, 11][..], &[2; MOST_NEAR + 4]] {
        let fft = ColumnFft::<f64>::new(radices, false, LinesIn::Memory);
        assert!(fft.begins.is_none(), "{radices:?}");
    }
}
