use super::*;

#[test]
fn lengths_split_near_their_root() {
    assert_eq!(nearest_to_root(13 * 13), 13);
    assert_eq!(nearest_to_root(13usize.pow(5)), 13usize.pow(3));
    assert_eq!(nearest_to_root(37 * 13), 37);
    assert_eq!(without_radices(2 * 3 * 121 * 13), 13);
}

/// What the planner makes is a transform of the length asked for, whatever its primes.
#[test]
fn every_length_has_a_plan() {
    for length in 1..2000 {
        for direction in [FftDirection::Forward, FftDirection::Inverse] {
            let fft = plan::<f64>(length, direction);
            assert_eq!((fft.len(), fft.fft_direction()), (length, direction));
        }
    }
}
