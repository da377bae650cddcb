use super::*;
use std::mem::size_of;

#[test]
fn words_lie_as_the_device_reads_them() {
    assert_eq!(size_of::<SideWords>(), 7 * 8);
    assert_eq!(size_of::<TurnWords>(), 3 * 8 + 2 * 7 * 8);
}

/// The first pass is ahead, and never takes the place of what the second has not taken yet.
#[test]
fn the_first_pass_is_ahead_and_waits_for_room() {
    for (arrays, of_a_turn, ahead, kept) in
        [(1, 1, 1, 2), (7, 2, 1, 2), (20, 1, 6, 10), (5, 1, 9, 12)]
    {
        let turns = Turns {
            arrays: of_a_turn,
            ahead,
            kept: Some(kept),
        };
        let order: Vec<_> = turns.order(arrays).collect();
        let at = |pass, turn| order.iter().position(|&x| x == (pass, turn));
        let count = arrays.div_ceil(of_a_turn);
        assert_eq!(order.len(), 2 * count);
        for turn in 0..count {
            assert!(at(0, turn) < at(1, turn), "{order:?}");
            if let Some(before) = turn.checked_sub(kept) {
                assert!(at(1, before) < at(0, turn), "{order:?}");
            }
        }
    }
}
