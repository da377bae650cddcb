//! NVRTC, the run-time compiler.

use super::functions::NvrtcFunctions;
use libloading::Library;
use mmafft_driver::calls::{symbol, Names};
use mmafft_driver::RuntimeCompiler;
use std::ffi::c_int;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// An NVRTC: opened, and with every function in use.
pub struct Nvrtc {
    /// What compiles.
    pub compiler: RuntimeCompiler,
    /// Its version, as (13, 0).
    pub version: (u32, u32),
    /// What it compiles for: 90 for `sm_90`. In ascending order.
    pub architectures: Vec<u32>,
}

impl Nvrtc {
    /// Every NVRTC that the loader finds, one per version; a system may have one for CUDA
    /// 12 beside one for 13. Looked for once.
    pub fn all() -> &'static [Nvrtc] {
        static ALL: OnceLock<Vec<Nvrtc>> = OnceLock::new();
        ALL.get_or_init(|| {
            let mut all: Vec<Nvrtc> = Vec::new();
            for name in cudarc::get_lib_name_candidates("nvrtc") {
                if let Some(nvrtc) = open(&name) {
                    if all.iter().all(|known| known.version != nvrtc.version) {
                        all.push(nvrtc);
                    }
                }
            }
            // NVRTC opens its second library, of built-in functions, by a bare name when it
            // first compiles. Opened here by path, it is found also where the loader does
            // not look; and where it is not there, NVRTC says so.
            for folder in folders() {
                open_builtins(&folder);
            }
            all
        })
    }
}

fn open(name: &str) -> Option<Nvrtc> {
    // SAFETY: opens the library, which runs its initialisers and nothing of ours.
    let library = unsafe { Library::new(name) }.ok()?;
    // Never closed: its functions are kept.
    let library: &'static Library = Box::leak(Box::new(library));
    let symbol = |name| symbol(library, name);
    // SAFETY: the library is NVRTC, by its name.
    let functions = unsafe { NvrtcFunctions::load(symbol) }.ok()?;
    // SAFETY: as above.
    let compiler = unsafe { RuntimeCompiler::load(Names::Cuda, symbol) }.ok()?;

    let (mut major, mut minor, mut count) = (0, 0, 0);
    // SAFETY: writes two ints.
    if unsafe { (functions.nvrtcVersion)(&mut major, &mut minor) } != 0 {
        return None;
    }
    // SAFETY: writes one int.
    if unsafe { (functions.nvrtcGetNumSupportedArchs)(&mut count) } != 0 {
        return None;
    }
    let mut numbers: Vec<c_int> = vec![0; usize::try_from(count).ok()?];
    // SAFETY: writes as many ints as its twin said.
    if unsafe { (functions.nvrtcGetSupportedArchs)(numbers.as_mut_ptr()) } != 0 {
        return None;
    }
    let numbers = numbers.into_iter().filter_map(|n| u32::try_from(n).ok());
    let mut architectures: Vec<u32> = numbers.collect();
    architectures.sort_unstable();
    Some(Nvrtc {
        compiler,
        version: (u32::try_from(major).ok()?, u32::try_from(minor).ok()?),
        architectures,
    })
}

/// Where the NVRTCs of this process lie, as Linux tells; elsewhere nobody does, and the
/// second library must lie where the loader looks.
fn folders() -> Vec<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths = maps
        .lines()
        .filter_map(|line| line.find('/').map(|at| Path::new(&line[at..])));
    let nvrtc = paths.filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("libnvrtc.so"))
    });
    let mut folders: Vec<PathBuf> = nvrtc
        .filter_map(|path| path.parent().map(Path::to_owned))
        .collect();
    folders.dedup();
    folders
}

fn open_builtins(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_string_lossy().starts_with("libnvrtc-builtins.so") {
            // SAFETY: as for NVRTC itself, beside which it lies and which would open it.
            if let Ok(library) = unsafe { Library::new(entry.path()) } {
                std::mem::forget(library);
            }
        }
    }
}
