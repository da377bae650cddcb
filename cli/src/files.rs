//! Files that are written whole or not at all, and never over what is read.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[cfg(unix)]
mod held;
mod output;

pub use output::{create, Output};

/// Writes the concatenation of `parts` as an output of [`create`].
///
/// # Errors
/// What the system says; an existing file is as it was.
pub fn save(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let mut output: Output = create(path)?;
    parts.iter().try_for_each(|part| output.write_all(part))?;
    output.finish()
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
    let named = |path: &&PathBuf| !is_dash(path);
    let inputs: Vec<&PathBuf> = inputs.into_iter().filter(named).collect();
    let outputs: Vec<&PathBuf> = outputs.into_iter().collect();
    let standard = outputs.iter().filter(|output| is_standard_output(output));
    if standard.count() > 1 {
        return Err("two outputs would be written to the standard output".into());
    }
    let outputs: Vec<&PathBuf> = outputs.into_iter().filter(named).collect();
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

/// Which of these extensions a file that is to be written has; `None` of a stream, whose name says nothing.
///
/// # Errors
/// One sentence that names them all, where it has another or none.
pub fn extension<'a>(path: &Path, known: &[&'a str]) -> Result<Option<&'a str>, String> {
    if is_dash(path) || is_stream(path) {
        return Ok(None);
    }
    let of = |path: &Path| {
        let own = path.extension()?.to_str()?;
        known.iter().find(|one| own.eq_ignore_ascii_case(one))
    };
    // The name of a link may say it, or that of what it leads to.
    let found = of(path).or_else(|| of(&place(path).ok()?));
    found.copied().map(Some).ok_or_else(|| {
        let known: Vec<String> = known.iter().map(|one| format!(".{one}")).collect();
        format!(
            "cannot write {}: a name that ends in {} is expected",
            path.display(),
            known.join(" or ")
        )
    })
}

/// Whether what is written to `path` goes to the program's own standard output.
pub fn is_standard_output(path: &Path) -> bool {
    let names = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    names.iter().any(|name| path == Path::new(name))
}

/// Whether `path` is the standard input or output, by convention.
fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| !file.is_file()) || is_stream_alias(path)
}

/// Whether `path` is a link like `/dev/stdout`, which may lead to a regular file that another process also writes
/// to.
fn is_stream_alias(path: &Path) -> bool {
    (path.starts_with("/dev") || path.starts_with("/proc")) && path.is_symlink()
}

/// The directory that holds `path`.
fn directory(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}
