//! A backend that this build leaves out: its type exists, no value of it does.

use mmafft_backend_traits::{Backend, Bindings, Buffer, Direction, Limits, Plan, Prepared, Result};

/// Cannot be made.
#[derive(Debug, Clone, Copy)]
pub enum Absent {}

impl Buffer for Absent {
    fn bytes(&self) -> usize {
        match *self {}
    }
}

impl Prepared for Absent {
    fn scratch_bytes(&self) -> usize {
        match *self {}
    }
}

impl Backend for Absent {
    type Buffer = Absent;
    type Prepared = Absent;

    fn limits(&self) -> &Limits {
        match *self {}
    }
    fn allocate(&self, _: usize) -> Result<Absent> {
        match *self {}
    }
    fn write(&self, _: &mut Absent, _: usize, _: &[u8]) -> Result<()> {
        match *self {}
    }
    fn read(&self, _: &Absent, _: usize, _: &mut [u8]) -> Result<()> {
        match *self {}
    }
    fn prepare(&self, _: &Plan) -> Result<Absent> {
        match *self {}
    }
    fn launch(&self, _: &Absent, _: Bindings<'_, Absent>) -> Result<()> {
        match *self {}
    }
    fn synchronize(&self) -> Result<()> {
        match *self {}
    }
    fn split(
        &self,
        _: &Absent,
        _: usize,
        _: &mut Absent,
        _: &mut Absent,
        _: &mut Absent,
    ) -> Result<()> {
        match *self {}
    }
    fn product(
        &self,
        _: usize,
        _: Direction,
        _: &Absent,
        _: &Absent,
        _: &Absent,
        _: &mut Absent,
    ) -> Result<()> {
        match *self {}
    }
    fn combine(&self, _: &Absent, _: &Absent, _: &Absent, _: usize, _: &mut Absent) -> Result<()> {
        match *self {}
    }
}
