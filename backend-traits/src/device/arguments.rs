//! What a kernel is handed at its launch.

use super::driver::{Launch, Region};
use super::turns::TurnWords;
use crate::error::Result;
use crate::side::Slot;

/// `Arguments` of `device/config.hpp`, field for field. Pointers are numbers: the host does
/// not follow them.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arguments {
    load: u64,
    store: u64,
    extra: u64,
    tables: u64,
    matrices: u64,
    lines: u64,
    scale: f64,
}

/// The parameter of `mmafft_turns`, field for field.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurnArguments {
    /// Those of each pass, of the first turn.
    pub passes: [Arguments; 2],
    /// Where the counters are: 32 bits each, 0.
    pub counters: u64,
    /// What there is to do.
    pub turns: TurnWords,
}

impl Arguments {
    /// The arguments of a launch; `address` says where a region begins, 0 for one without
    /// bytes.
    ///
    /// # Errors
    /// Those of `address`.
    pub fn of<M>(
        launch: &Launch<'_, M>,
        address: impl Fn(Region<'_, M>, Slot) -> Result<u64>,
    ) -> Result<Arguments> {
        let may = |region: Option<_>| region.map_or(Ok(0), |region| address(region, Slot::Scratch));
        Ok(Arguments {
            load: address(launch.load, Slot::Input)?,
            store: address(launch.store, Slot::Output)?,
            extra: may(launch.extra)?,
            tables: may(launch.tables)?,
            matrices: may(launch.matrices)?,
            lines: launch.lines,
            scale: launch.scale,
        })
    }
}

#[cfg(test)]
mod tests {
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
}
