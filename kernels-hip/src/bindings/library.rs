//! Where HIP's libraries are looked for.

use libloading::Library;
use std::path::{Path, PathBuf};

/// Opens the first of the places where a library may lie, or says why none does. It stays
/// open to the end of the process: its threads would not survive closing it. A library that
/// is there but lacks one of its own needs says more than that others are not there.
pub fn open(stem: &str) -> Result<&'static Library, String> {
    let mut reason = format!("the HIP library {stem}.so was not found");
    for path in candidates(stem, std::env::var_os("ROCM_PATH").map(PathBuf::from)) {
        // SAFETY: opening runs the library's initialisers, and nothing of ours.
        match unsafe { Library::new(&path) } {
            Ok(library) => return Ok(Box::leak(Box::new(library))),
            Err(libloading::Error::DlOpen { source }) => {
                let source = source.to_string();
                if !source.starts_with(&format!("{}: cannot open", path.display())) {
                    reason = format!("the HIP library {stem}.so cannot be opened: {source}");
                }
            }
            Err(_) => {}
        }
    }
    Err(reason)
}

/// Where a library may lie: where the user says, where the system looks, where ROCm is
/// installed by default. The newest first; the bare name last, as it may be of any age.
fn candidates(stem: &str, rocm: Option<PathBuf>) -> Vec<PathBuf> {
    let folders = [
        rocm.map(|path| path.join("lib")),
        Some(PathBuf::new()),
        Some(Path::new("/opt/rocm/lib").into()),
    ];
    let names = [".so.7", ".so.6", ".so.5", ".so"].map(|suffix| format!("{stem}{suffix}"));
    let folders = folders.iter().flatten();
    folders
        .flat_map(|folder| names.iter().map(|name| folder.join(name)))
        .collect()
}

#[cfg(test)]
#[path = "library_tests.rs"]
mod tests;
