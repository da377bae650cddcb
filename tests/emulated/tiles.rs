//! Requests at random on devices with little room: lines over several passes, chirps over
//! passes, and blocks that take several tiles, which the conformance suite's lengths need on
//! no real device.

use crate::probe::{Probe, Vendor, ORDERS};

#[test]
fn small_tiles_and_few_blocks() {
    for vendor in Vendor::ALL {
        for (order, tile_bytes) in ORDERS.into_iter().zip([1 << 10, 3 << 10, 10 << 10]) {
            let probe = Probe::new(vendor, order)
                .tile_bytes(Some(tile_bytes))
                .blocks(Some(3));
            mmafft_testing::random(&[probe.backend()], mmafft::plan, 150);
        }
    }
}
