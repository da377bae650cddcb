use super::*;
use crate::reference::root;

#[test]
fn two_levels_make_every_root() {
    let mut tables = Tables::new(true);
    let at = tables.roots(1000, 5, true) as usize;
    let values = tables.values();
    for e in [0, 1, 31, 32, 999] {
        let w = values[at + e % 32] * values[at + 32 + e / 32];
        assert!((w - root(e, 1000).to_c64().conj()).norm() < 1e-15);
    }
}
