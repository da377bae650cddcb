//! Outputs that are written piece by piece and appear under their name at the end.

use super::{directory, is_standard_output, is_stream, place};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Stdout, Write};
use std::path::{Path, PathBuf};

#[cfg(unix)]
use super::held::Held;

/// What a failed attempt may leave for a moment begins like this.
const PREFIX: &str = ".mmafft-";
/// Bytes written at once, so that a signal never waits for long.
const MOST_AT_ONCE: usize = 1 << 20;

/// An output under construction; one that is dropped before [`Output::finish`] leaves nothing of a regular file.
pub struct Output(Target);

enum Target {
    /// The program's own stream: redirected to a file, another would write where the report goes.
    Standard(Stdout),
    /// A device, a pipe or another process' stream.
    Stream(File),
    /// A regular file, and the path that it gets.
    Regular(Unfinished, PathBuf),
}

/// A regular file before it has its name.
enum Unfinished {
    /// No name at all: the system removes the file, however the program ends.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    /// A temporary name, for systems without unnamed files; signals wait, and end the writing.
    Named {
        file: tempfile::NamedTempFile<File>,
        #[cfg(unix)]
        held: Held,
    },
}

/// Begins to write to `path`, or to what it links to, there or not; `-` is the standard output.
///
/// A regular file is named when it is finished and on disk, so that `path` always holds either its old contents or
/// all of the new, also where a signal ends the program. Existing files keep their permissions, new ones get those
/// of [`File::create`]. Devices, pipes and the like are written to directly.
///
/// # Errors
/// What the system says; an existing file is as it was.
pub fn create(path: &Path) -> io::Result<Output> {
    if is_standard_output(path) {
        return Ok(Output(Target::Standard(io::stdout())));
    }
    if is_stream(path) {
        // Appending never destroys what the stream already holds.
        let stream = OpenOptions::new().append(true).open(path)?;
        return Ok(Output(Target::Stream(stream)));
    }
    let old = fs::metadata(path).ok();
    if old.is_some() {
        // A new name would replace even a write-protected file, so ask first.
        OpenOptions::new().write(true).open(path)?;
    }
    let place = place(path)?;
    let unfinished = Unfinished::new(&directory(&place))?;
    if let Some(old) = old {
        unfinished.set_permissions(old.permissions())?;
    }
    Ok(Output(Target::Regular(unfinished, place)))
}

impl Output {
    /// Completes the output: a regular file is on disk and has its name afterwards.
    ///
    /// # Errors
    /// What the system says; an existing file is as it was.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {
            Target::Standard(mut stdout) => stdout.flush(),
            Target::Stream(mut stream) => stream.flush(),
            Target::Regular(unfinished, path) => {
                unfinished.file().sync_all()?;
                unfinished.name(&path)?;
                sync_folder(&directory(&path))
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(MOST_AT_ONCE)];
        match &mut self.0 {
            Target::Standard(stdout) => stdout.write(bytes),
            Target::Stream(stream) => stream.write(bytes),
            Target::Regular(unfinished, _) => {
                unfinished.interrupted()?;
                unfinished.file().write(bytes)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Target::Standard(stdout) => stdout.flush(),
            Target::Stream(stream) => stream.flush(),
            Target::Regular(unfinished, _) => unfinished.file().flush(),
        }
    }
}

impl Unfinished {
    /// An empty file in this folder, without a name where the system has that.
    fn new(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed(folder) {
            return Ok(Self::Unnamed(file));
        }
        Self::named(folder)
    }

    /// An empty file under a temporary name.
    fn named(folder: &Path) -> io::Result<Self> {
        #[cfg(unix)]
        let held = Held::new()?;
        // `create_new` gives the ordinary permissions (0666 less the umask), where the default of `tempfile` would
        // be 0600.
        let file = tempfile::Builder::new()
            .prefix(PREFIX)
            .make_in(folder, |name| File::create_new(name))?;
        Ok(Self::Named {
            file,
            #[cfg(unix)]
            held,
        })
    }

    fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => file,
            Self::Named { file, .. } => file.as_file(),
        }
    }

    fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        self.file().set_permissions(permissions)
    }

    /// An error where a signal waits for the file's temporary name to go.
    fn interrupted(&self) -> io::Result<()> {
        match self {
            #[cfg(unix)]
            Self::Named { held, .. } if held.signalled() => {
                Err(io::Error::other("a signal ended the writing"))
            }
            _ => Ok(()),
        }
    }

    /// Gives the file its name, in place of what had it.
    fn name(self, path: &Path) -> io::Result<()> {
        self.interrupted()?;
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => match link(&file, path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => replace(&file, path),
                done => done,
            },
            Self::Named { file, .. } => {
                file.persist(path).map_err(|failed| failed.error)?;
                Ok(())
            }
        }
    }
}

/// A file without a name, if this folder's file system has such and `/proc` is there to name it later.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> Option<File> {
    use rustix::fs::{open, Mode, OFlags};
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = File::from(open(folder, flags, Mode::from_raw_mode(0o666)).ok()?);
    // Where any of this fails, a named file shows what is wrong.
    fs::metadata(descriptor(&file)).ok()?;
    Some(file)
}

/// Where the system shows an open file.
#[cfg(target_os = "linux")]
fn descriptor(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Names an unnamed file; an error where the name is taken.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{linkat, AtFlags, CWD};
    Ok(linkat(
        CWD,
        descriptor(file),
        CWD,
        path,
        AtFlags::SYMLINK_FOLLOW,
    )?)
}

/// Names an unnamed file in place of another.
#[cfg(target_os = "linux")]
fn replace(file: &File, path: &Path) -> io::Result<()> {
    // A link replaces nothing, so there is a temporary name for a moment, in which signals wait.
    let _held = Held::new()?;
    let temporary = tempfile::Builder::new()
        .prefix(PREFIX)
        .make_in(directory(path), |name| link(file, name))?;
    temporary.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

/// Puts a folder's names on disk.
fn sync_folder(folder: &Path) -> io::Result<()> {
    // Only Unix opens folders, and one that may not be read cannot be asked.
    let Ok(folder) = File::open(folder) else {
        return Ok(());
    };
    match folder.sync_all() {
        // Some file systems know no such request.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        done => done,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
