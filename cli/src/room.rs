//! Arrays as large as the user's: where there is no memory for one, that is an error, and not the end of the program.

use super::memory::may_fail;
use mmafft::{Error, Result};

/// An empty array with room for so many values.
pub fn room<T>(what: &str, count: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    let reserved = may_fail(|| values.try_reserve_exact(count));
    reserved.map_err(|_| Error::OutOfMemory {
        backend: "host".into(),
        what: what.into(),
        bytes: count.saturating_mul(size_of::<T>()),
    })?;
    Ok(values)
}

/// An array of these values.
pub fn collect<T>(what: &str, values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>> {
    let mut all = room(what, values.len())?;
    all.extend(values);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_is_an_error() {
        assert_eq!(collect("a few", 1..4u8), Ok(vec![1, 2, 3]));
        let error = room::<u64>("too much", usize::MAX / 16).expect_err("no memory");
        assert!(matches!(error, Error::OutOfMemory { bytes, .. } if bytes > usize::MAX / 4));
        assert!(error.to_string().ends_with("for too much"), "{error}");
    }
}
