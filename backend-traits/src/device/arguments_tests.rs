use super::*;
use std::mem::{align_of, offset_of, size_of};

#[test]
fn arguments_lie_as_the_device_reads_them() {
    // Seven 64-bit words in the order of config.hpp; the device test reads them all.
    assert_eq!((size_of::<Arguments>(), align_of::<Arguments>()), (56, 8));
    assert_eq!(offset_of!(Arguments, matrices), 32);
    assert_eq!(offset_of!(Arguments, lines), 40);
    assert_eq!(offset_of!(Arguments, scale), 48);
    assert_eq!(offset_of!(TurnArguments, counters), 2 * 56);
    assert_eq!(offset_of!(TurnArguments, turns), 2 * 56 + 8);
}
