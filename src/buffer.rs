//! Memory of a backend, with the type of its elements.

use crate::any::{AnyBackend, AnyBuffer};
use crate::element::{self, Element};
use crate::foreign::Foreign;
use mmafft_backend_traits::{Buffer as _, Domain, Error, Result, ScalarType, Slot};

/// Memory of a transform's backend, with the type of its elements.
#[derive(Debug)]
pub struct Buffer {
    pub(crate) memory: AnyBuffer,
    pub(crate) scalar: ScalarType,
    pub(crate) domain: Domain,
}

impl Buffer {
    /// Memory of another library, which keeps owning it.
    ///
    /// # Safety
    /// As [`crate::Transform::buffer_from_raw`] says.
    pub(crate) unsafe fn from_raw(
        backend: &AnyBackend,
        (scalar, domain): (ScalarType, Domain),
        pointer: u64,
        bytes: usize,
    ) -> Self {
        Buffer {
            // SAFETY: the caller's.
            memory: unsafe { backend.buffer_from_raw(pointer, bytes) },
            scalar,
            domain,
        }
    }

    /// Memory whose bytes have no type of their own: scratch.
    pub(crate) fn of_bytes(memory: AnyBuffer) -> Self {
        Buffer {
            memory,
            scalar: ScalarType::F32,
            domain: Domain::Real,
        }
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.memory.bytes() / (self.scalar.bytes() * self.domain.scalars())
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Checks that it has so many elements of this type.
    pub(crate) fn holds<T: Element>(&self, side: Slot, count: usize) -> Result<()> {
        if (self.scalar, self.domain) != (T::SCALAR, T::DOMAIN) {
            return Err(Error::ElementType {
                side,
                expected: T::NAME,
                got: element::name(self.scalar, self.domain),
                instead: "copy to or from memory of the buffer's own type",
            });
        }
        match count == self.len() {
            true => Ok(()),
            false => Err(Error::BufferLength {
                side,
                expected: self.len(),
                got: count,
            }),
        }
    }
}
