//! A reader that knows how many bytes it has left.

use std::io::{ErrorKind, Read};

use super::error::NpyError;

/// A byte stream, of known total length or not.
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
        Ok(self.read(&mut [0])? == 0)
    }

    /// The number of bytes not yet read, if anybody knows.
    pub(super) fn remaining(&self) -> Option<u64> {
        (self.total < u64::MAX).then(|| self.total - self.position)
    }

    /// Fills `out` with the next bytes of the header.
    pub(super) fn fill_header(&mut self, out: &mut [u8]) -> Result<(), NpyError> {
        self.require_header(out.len())?;
        let expected = self.position.saturating_add(out.len() as u64);
        match self.read(out)? == out.len() {
            true => Ok(()),
            false => Err(NpyError::TruncatedHeader {
                expected,
                got: self.position,
            }),
        }
    }

    /// Checks that `len` more header bytes exist, as far as that is known.
    pub(super) fn require_header(&self, len: usize) -> Result<(), NpyError> {
        let len = len as u64;
        if len <= self.total - self.position {
            return Ok(());
        }
        Err(NpyError::TruncatedHeader {
            expected: self.position.saturating_add(len),
            got: self.total,
        })
    }

    /// Reads into `out`; fewer bytes than it holds only where there are no more. Streams end anywhere, and files may
    /// have shrunk meanwhile.
    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize, NpyError> {
        let mut filled = 0;
        while filled < out.len() {
            match self.reader.read(&mut out[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(reason) if reason.kind() == ErrorKind::Interrupted => {}
                Err(reason) => return Err(NpyError::Contents { reason }),
            }
        }
        self.position = self.position.saturating_add(filled as u64).min(self.total);
        Ok(filled)
    }
}
