//! A reader that knows how many bytes it has left.

use std::io::Read;

use super::error::NpyError;

/// A byte stream of known total length.
///
/// Knowing the length up front lets every size found in a header be checked
/// before memory is reserved for it.
pub(super) struct Source<R> {
    reader: R,
    position: u64,
    total: u64,
}

impl<R: Read> Source<R> {
    /// Wraps `reader`, which is expected to yield `total` bytes.
    pub(super) fn new(reader: R, total: u64) -> Self {
        Self {
            reader,
            position: 0,
            total,
        }
    }

    /// Wraps a reader of which nobody knows how many bytes it has.
    pub(super) fn unbounded(reader: R) -> Self {
        Self::new(reader, u64::MAX)
    }

    /// Whether there are no more bytes.
    pub(super) fn ends(&mut self) -> Result<bool, NpyError> {
        let mut one = [0];
        loop {
            match self.reader.read(&mut one) {
                Err(reason) if reason.kind() == std::io::ErrorKind::Interrupted => {}
                read => {
                    return read
                        .map(|count| count == 0)
                        .map_err(|reason| NpyError::Contents { reason })
                }
            }
        }
    }

    /// The number of bytes not yet read.
    pub(super) fn remaining(&self) -> u64 {
        self.total - self.position
    }

    /// Fills `out` with the next bytes of the header.
    pub(super) fn fill_header(&mut self, out: &mut [u8]) -> Result<(), NpyError> {
        self.require_header(out.len())?;
        self.fill(out)
    }

    /// Checks that `len` more header bytes exist.
    pub(super) fn require_header(&self, len: usize) -> Result<(), NpyError> {
        let len = len as u64;
        if len <= self.remaining() {
            return Ok(());
        }
        Err(NpyError::TruncatedHeader {
            expected: self.position.saturating_add(len),
            got: self.total,
        })
    }

    /// Fills `out`; a file that shrank meanwhile is an I/O error.
    pub(super) fn fill(&mut self, out: &mut [u8]) -> Result<(), NpyError> {
        self.reader
            .read_exact(out)
            .map_err(|reason| NpyError::Contents { reason })?;
        self.position = self
            .position
            .saturating_add(out.len() as u64)
            .min(self.total);
        Ok(())
    }
}
