//! Tables as text: files that may be anything.

use crate::excerpt::excerpt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// The longest line of a table, in bytes.
const LONGEST_LINE: usize = 1 << 16;
/// The longest table, in bytes: far longer than all that can be measured.
const LONGEST_TABLE: usize = 1 << 26;

/// The text of a table, refused at its first line that cannot be one of a table.
///
/// # Errors
/// What the system says; `InvalidData` with the beginning of a line that is too long, or that is no text.
pub fn read(path: &Path) -> io::Result<String> {
    let mut file = BufReader::new(File::open(path)?);
    let mut text = String::new();
    loop {
        let mut line = Vec::new();
        let limit = LONGEST_LINE as u64 + 1;
        if file.by_ref().take(limit).read_until(b'\n', &mut line)? == 0 {
            return Ok(text);
        }
        let whole = line.len() <= LONGEST_LINE && !line.contains(&0);
        match std::str::from_utf8(&line) {
            Ok(row) if whole && text.len() <= LONGEST_TABLE => text.push_str(row),
            _ => {
                let shown = excerpt(&String::from_utf8_lossy(&line));
                let what = format!("it is no table: one of its lines is '{shown}'");
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_table_is_refused_soon() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let path = file.path();
        std::fs::write(path, "a,b\n1,2").expect("it is there");
        assert_eq!(read(path).expect("a table"), "a,b\n1,2");
        let long = "x".repeat(LONGEST_LINE + 1);
        for text in [&b"a\n\0\0"[..], b"a\n\xff\n", long.as_bytes()] {
            std::fs::write(path, text).expect("it is there");
            let error = read(path).expect_err("no table");
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            assert!(error.to_string().len() < 120, "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_without_end_is_refused() {
        let error = read(Path::new("/dev/zero")).expect_err("no table");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
}
