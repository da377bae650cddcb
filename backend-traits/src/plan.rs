//! A plan: an ordered list of passes, as plain data.

use crate::error::{Error, Result};
use crate::pass::Pass;
use crate::request::Request;

/// What answers a request on a device with given limits. It can be printed
/// ([`Plan::explain`]), compared and checked without running anything.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What was asked for, with every default filled in.
    pub request: Request,
    /// The backend it was made for.
    pub backend: &'static str,
    /// The trips through memory, in order.
    pub passes: Vec<Pass>,
    /// The scratch that the passes share, in bytes. A backend may need more for itself:
    /// ask the prepared transform.
    pub scratch_bytes: usize,
    /// Scalars that an input buffer must have.
    pub input_scalars: usize,
    /// Scalars that an output buffer must have.
    pub output_scalars: usize,
    /// Why the same plan cannot run in place, if it cannot.
    pub not_in_place: Option<String>,
    /// The bound on the relative L2 error.
    pub error_bound: f64,
}

impl Plan {
    /// Whether the plan was made for this backend, as [`crate::Limits`] names it.
    ///
    /// # Errors
    /// `Unsupported` when it was made for another: its steps mean nothing there.
    pub fn made_for(&self, backend: &str) -> Result<()> {
        if self.backend == backend {
            return Ok(());
        }
        Err(Error::Unsupported {
            what: format!("a plan made for {}", self.backend),
            backend: backend.into(),
            instead: "plan with this backend's limits".into(),
        })
    }

    /// Bytes read and written by all passes together, as far as they can be counted.
    pub fn bytes_moved(&self) -> usize {
        self.passes
            .iter()
            .map(|pass| pass.bytes())
            .fold(0, |sum, (read, written)| {
                sum.saturating_add(read).saturating_add(written)
            })
    }
}
