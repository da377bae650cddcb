use super::*;

/// Shares follow each other, all is asked for, and not much more.
#[test]
fn all_is_asked_for() {
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
