use super::*;

/// Each step has a share, and the one that writes asks for nothing to be written.
#[test]
fn each_step_has_a_share() {
    for lines in [2, 4] {
        for points in 4..1100 {
            for middle in [Middle::Plain, Middle::Split, Middle::Merge] {
                let inverse = middle == Middle::Merge;
                let Some(fft) = SharedVectors::<f32>::new(lines, points, inverse, middle) else {
                    continue;
                };
                let steps = 1 + fft.second.radices.len() + usize::from(middle == Middle::Split);
                assert_eq!(fft.asks.len(), steps, "{points}");
                let bytes = fft.stored_points() * size_of::<Complex<f32>>();
                let all = (lines * bytes.div_ceil(CACHE_LINE)) as u32;
                for side in 0..2 {
                    let firsts = fft.asks.iter().map(|share| share.first[side]);
                    let firsts: Vec<_> = firsts.chain([all]).collect();
                    assert!(firsts.is_sorted() && firsts[0] == 0, "{points}");
                }
                assert_eq!(
                    fft.asks[steps - 1].each[1],
                    0,
                    "{points}: it is written then"
                );
            }
        }
    }
}

/// Pieces of a share are all of it and less than a cache line each more, and shares follow each other to the end.
#[test]
fn all_is_asked_for() {
    for lines in [1, 7, 34, 64, 250, 500] {
        for pieces in [&[2, 1][..], &[2, 4, 1, 9], &[16, 16, 4, 8], &[63, 126, 1]] {
            let shares = asks(lines, pieces);
            // Whatever is read next is shared by all steps, and what is written by all but the last.
            for (side, steps) in [pieces.len(), pieces.len() - 1].into_iter().enumerate() {
                let firsts = shares[..steps].iter().map(|share| share.first[side]);
                let firsts: Vec<_> = firsts.chain([lines as u32]).collect();
                for (step, &pieces) in pieces[..steps].iter().enumerate() {
                    let asked = shares[step].each[side] * pieces as u32;
                    let share = firsts[step + 1] - firsts[step];
                    assert!((share..share + pieces as u32).contains(&asked), "{lines}");
                }
            }
        }
    }
}
