//! Files that are written whole or not at all, and never over what is read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes the concatenation of `parts` to `path`, or to what it links to, there or not.
///
/// A regular file is written under a temporary name in the same directory and renamed at the end, so that `path`
/// always holds either its old contents or all of the new. Existing files keep their permissions, new ones get
/// those of [`File::create`]. Devices, pipes and the like are written to directly.
///
/// # Errors
/// What the system says; an existing file is as it was.
pub fn save(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(target) if !target.is_file() || is_stream_alias(path) => append(path, parts),
        Ok(target) => {
            // Rename would replace even a write-protected file, so ask first.
            OpenOptions::new().write(true).open(path)?;
            replace(&place(path)?, parts, Some(target.permissions()))
        }
        Err(_) => replace(&place(path)?, parts, None),
    }
}

/// The same of a text, with an error that names the file.
///
/// # Errors
/// One sentence.
pub fn save_text(path: &Path, text: &str) -> Result<(), String> {
    save(path, &[text.as_bytes()]).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// Refuses outputs that are an input, or one another, before anything is done.
///
/// # Errors
/// One sentence, with the file's name.
pub fn check<'a>(
    inputs: impl IntoIterator<Item = &'a PathBuf>,
    outputs: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), String> {
    let inputs: Vec<&PathBuf> = inputs.into_iter().collect();
    let outputs: Vec<&PathBuf> = outputs.into_iter().collect();
    for (i, output) in outputs.iter().enumerate() {
        let own = place(output).map_err(|error| {
            let reason = match error.kind() {
                io::ErrorKind::NotFound => "there is no such folder".into(),
                _ => error.to_string(),
            };
            format!("cannot write {}: {reason}", output.display())
        })?;
        let same = |other: &&&PathBuf| place(other).is_ok_and(|place| place == own);
        if inputs.iter().any(|input| same(&input)) {
            return Err(format!(
                "{} would be overwritten: it is read",
                output.display()
            ));
        }
        if outputs[..i].iter().any(|other| same(&other)) && !is_stream(output) {
            return Err(format!("{} would be written twice", output.display()));
        }
        if fs::metadata(output).is_ok_and(|file| file.is_dir()) {
            return Err(format!("cannot write {}: it is a folder", output.display()));
        }
    }
    Ok(())
}

/// Where a file is, or will be: behind symbolic links, also behind those to what is not there yet.
///
/// # Errors
/// `NotFound` where its folder is not there; what the system says of links in a circle.
fn place(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        place => return place,
    }
    let folder = fs::canonicalize(directory(path))?;
    match fs::read_link(path) {
        Ok(target) => place(&folder.join(target)),
        Err(_) => match path.file_name() {
            Some(name) => Ok(folder.join(name)),
            None => Err(io::ErrorKind::NotFound.into()),
        },
    }
}

fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| !file.is_file()) || is_stream_alias(path)
}

/// Whether `path` is a link like `/dev/stdout`, which may lead to a regular file that another process also writes
/// to.
fn is_stream_alias(path: &Path) -> bool {
    (path.starts_with("/dev") || path.starts_with("/proc")) && path.is_symlink()
}

/// Writes to a device, a pipe or an open stream.
fn append(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    // Through the program's own stream: redirected to a file, another would write where the report goes.
    let is = |stream: &str| path == Path::new(stream);
    if is("/dev/stdout") || is("/dev/fd/1") || is("/proc/self/fd/1") {
        let mut stdout = io::stdout().lock();
        write_parts(&mut stdout, parts)?;
        return stdout.flush();
    }
    // Appending never destroys what the stream already holds.
    let file = OpenOptions::new().append(true).open(path)?;
    write_parts(file, parts)
}

/// Writes a temporary file beside `path` and renames it to `path`; the temporary file is removed on every error.
fn replace(path: &Path, parts: &[&[u8]], mode: Option<fs::Permissions>) -> io::Result<()> {
    // `create_new` gives the ordinary permissions (0666 less the umask), where the default of `tempfile` would
    // be 0600.
    let temporary = tempfile::Builder::new()
        .prefix(".mmafft-")
        .make_in(directory(path), |name| File::create_new(name))?;
    if let Some(mode) = mode {
        temporary.as_file().set_permissions(mode)?;
    }
    write_parts(temporary.as_file(), parts)?;
    temporary.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

/// The directory that holds `path`.
fn directory(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

fn write_parts(mut file: impl Write, parts: &[&[u8]]) -> io::Result<()> {
    parts.iter().try_for_each(|part| file.write_all(part))
}
