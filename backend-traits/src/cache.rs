//! Machine code on disk, so that a plan is compiled once per computer and not per process.
//!
//! A cache is a help and never an obstacle: whatever goes wrong with its folder, the answer
//! is "not there", and the caller compiles. Several processes may use one folder: a file
//! appears whole, by renaming, and is known to be whole by its checksum.

use crate::error::Result;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// `off`, or the folder to use in place of `mmafft` in the user's cache directory.
const VARIABLE: &str = "MMAFFT_CACHE";

/// Bytes that the folder may hold: some ten thousand kernels.
const LIMIT: u64 = 256 << 20;

/// First in each file; another number if what follows ever changes.
const MAGIC: &[u8; 16] = b"mmafft code  v1\n";

/// How the names of code end, and those of texts.
const CODE: &str = "code";
const TEXT: &str = "txt";
/// How the names of files end that are being written, or were when a process died.
const UNFINISHED: &str = "tmp";
/// Older ones are a dead process'.
const UNFINISHED_FOR: Duration = Duration::from_secs(3600);

/// Bytes before the code: the magic and the checksum.
const HEAD: usize = MAGIC.len() + 32;

/// A folder of compiled kernels.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    limit: u64,
}

/// What code is kept under: the digest of all that it depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key(String);

impl Cache {
    /// The user's cache of a backend; `None` if it is switched off or has no place.
    pub fn of_user(backend: &str) -> Option<Cache> {
        let base = base(|name| std::env::var_os(name))?;
        Some(Cache::at(base.join(backend), LIMIT))
    }

    /// A cache in a folder, which need not exist.
    pub fn at(folder: PathBuf, limit: u64) -> Cache {
        Cache { folder, limit }
    }

    /// The code that depends on these texts, in this order, and on this version of mmafft:
    /// from the cache if it is there, else made and kept.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn code(&self, texts: &[&str], make: impl FnOnce() -> Result<Vec<u8>>) -> Result<Vec<u8>> {
        let key = Cache::key(&[texts, &[env!("CARGO_PKG_VERSION")]].concat());
        if let Some(code) = self.get(&key) {
            return Ok(code);
        }
        let code = make()?;
        self.put(&key, &code);
        Ok(code)
    }

    /// The text that was kept under a name.
    pub fn text(&self, name: &str) -> Option<String> {
        if !is_private(&self.folder) {
            return None;
        }
        let path = self.folder.join(name).with_extension(TEXT);
        let size = fs::metadata(&path).ok()?.len();
        (size <= self.limit).then(|| fs::read_to_string(path).ok())?
    }

    /// Keeps a text under a name, in place of the one before.
    pub fn keep_text(&self, name: &str, text: &str) {
        // A failure has nobody to be told to.
        let path = self.folder.join(name).with_extension(TEXT);
        let _ = self.write_whole(name, &path, &[text.as_bytes()]);
    }

    /// The key of code that depends on these texts, in this order.
    fn key(texts: &[&str]) -> Key {
        Key(digest(texts))
    }

    /// The code under a key. A damaged file is removed.
    fn get(&self, key: &Key) -> Option<Vec<u8>> {
        if !is_private(&self.folder) {
            return None;
        }
        let path = self.path(key);
        let mut bytes = fs::read(&path).ok()?;
        let whole = bytes.len() > HEAD
            && bytes[..MAGIC.len()] == *MAGIC
            && bytes[MAGIC.len()..HEAD] == checksum(key, &bytes[HEAD..]);
        if !whole {
            // If it cannot be removed, the next `put` replaces it or fails as quietly.
            let _ = fs::remove_file(&path);
            return None;
        }
        // So that the oldest file is the one unused for longest.
        if let Ok(file) = File::open(&path) {
            let _ = file.set_modified(SystemTime::now());
        }
        bytes.drain(..HEAD);
        Some(bytes)
    }

    /// Keeps code, if it can, and removes the oldest beyond the limit.
    fn put(&self, key: &Key, code: &[u8]) {
        // A failure has nobody to be told to: the code is at hand, and in use.
        if (HEAD + code.len()) as u64 <= self.limit && self.write(key, code).is_ok() {
            self.trim();
        }
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(&key.0).with_extension(CODE)
    }

    fn write(&self, key: &Key, code: &[u8]) -> io::Result<()> {
        let parts: [&[u8]; 3] = [MAGIC, &checksum(key, code), code];
        self.write_whole(&key.0, &self.path(key), &parts)
    }

    /// Writes a file that appears at once.
    fn write_whole(&self, name: &str, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        create_private(&self.folder)?;
        if !is_private(&self.folder) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        // A name that no other thread and no other process has.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let name = format!("{name}.{process}.{count}.{UNFINISHED}");
        let unfinished = self.folder.join(name);
        let written = write_new(&unfinished, parts).and_then(|()| fs::rename(&unfinished, path));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        written
    }

    fn trim(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        let mut code = Vec::new();
        let mut total = 0;
        for entry in entries.flatten() {
            let (path, Ok(data)) = (entry.path(), entry.metadata()) else {
                continue;
            };
            let modified = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            match path.extension().and_then(|e| e.to_str()) {
                Some(CODE) => {
                    total += data.len();
                    code.push((modified, data.len(), path));
                }
                Some(UNFINISHED) if modified.elapsed().is_ok_and(|age| age > UNFINISHED_FOR) => {
                    let _ = fs::remove_file(path);
                }
                _ => {}
            }
        }
        code.sort();
        for (_, bytes, path) in code {
            if total <= self.limit {
                break;
            }
            // One that another process has removed meanwhile is gone as well.
            let _ = fs::remove_file(path);
            total -= bytes;
        }
    }
}

/// Where the caches of all backends lie.
fn base(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let variable = |name| variable(name).filter(|value| !value.is_empty());
    if let Some(chosen) = variable(VARIABLE) {
        return (chosen != "off").then(|| chosen.into());
    }
    // A relative path would be another folder from every working directory.
    let folder = |name| {
        variable(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    let user = if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else {
        folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))
    };
    user.map(|user| user.join("mmafft"))
}

/// The digest of these texts, in this order, in hexadecimal digits.
pub fn digest(texts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for text in texts {
        // With its length, so that no text can lend letters to its neighbour.
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text);
    }
    let bytes = digest.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Over the key too, so that no file passes under another's name.
fn checksum(key: &Key, code: &[u8]) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update(&key.0);
    digest.update(code);
    digest.finalize().into()
}

fn write_new(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    parts.iter().try_for_each(|part| file.write_all(part))
}

/// Creates the folder and those above it, for the user alone.
fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Whether strangers cannot put code there: it is the user's, or root's, and not everyone may write. What the
/// folder holds will run on the device.
#[cfg(unix)]
fn is_private(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid();
    let trusted = |owner| owner == 0 || owner == user.as_raw();
    fs::metadata(folder).is_ok_and(|data| trusted(data.uid()) && data.mode() & 0o002 == 0)
}
#[cfg(not(unix))]
fn is_private(folder: &Path) -> bool {
    folder.is_dir()
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
