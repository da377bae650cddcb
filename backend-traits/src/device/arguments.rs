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
#[path = "arguments_tests.rs"]
mod tests;
