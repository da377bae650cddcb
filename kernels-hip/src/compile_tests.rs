use super::*;
use mmafft_backend_traits::device::SOURCES;
use mmafft_backend_traits::Cache;

/// Whether hipRTC is there; tests/device says that tests here need it.
fn hiprtc() -> bool {
    compiler_version().is_some()
}

/// A translation unit with our primitives and a kernel that uses some of them.
fn unit() -> String {
    let files = SOURCES[..1].iter().chain(PRIMITIVES);
    let lines = files.flat_map(|(_, text)| text.lines());
    let lines = lines.filter(|l| !l.starts_with("#include \"") && !l.starts_with("#pragma once"));
    let mut unit = lines.collect::<Vec<_>>().join("\n");
    unit.push_str(
        "\nMMAFFT_KERNEL void MMAFFT_BOUNDS(64, 1) scale(mmafft::Arguments a) {
  using namespace mmafft;
  u64 i = u64(block_index()) * 64 + thread_index();
  if (i < a.lines) static_cast<float *>(a.store)[i] =
      multiply_add(static_cast<const float *>(a.load)[i], float(a.scale), 0.0f);
}\n",
    );
    unit
}

#[test]
fn without_hiprtc_the_error_names_it() {
    match compile("", "gfx942") {
        Err(Error::NoDevice { reason, remedy, .. }) => {
            assert!(reason.contains("hipRTC"), "{reason}");
            assert!(remedy.contains("libhiprtc"), "{remedy}");
        }
        other => assert!(compiler_version().is_some(), "{other:?}"),
    }
}

#[test]
fn what_a_version_does_not_know_is_never_asked() {
    assert_eq!(knows("gfx90a", (5, 2, 0)), Ok(()));
    assert_eq!(knows("gfx942:sramecc+:xnack-", (6, 4, 43484)), Ok(()));
    for (architecture, version, remedy) in [
        ("gfx942", (5, 2, 20730), "HIP 6.0"),
        ("gfx1100", (6, 4, 43484), "gfx90a"),
        ("sm_90", (7, 0, 0), "gfx942"),
        ("", (7, 0, 0), "gfx942"),
    ] {
        match knows(architecture, version) {
            Err(Error::Unsupported {
                what,
                backend,
                instead,
            }) => {
                assert!(what.contains(architecture), "{what}");
                assert!(backend.contains(&format!("{}.{}", version.0, version.1)));
                assert!(instead.contains(remedy), "{instead}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn every_architecture_gets_machine_code() {
    if !hiprtc() {
        return;
    }
    for row in ARCHITECTURES {
        match compile(&unit(), row.name) {
            Ok(compiled) => assert_eq!(compiled.code[..4], *b"\x7fELF", "{}", row.name),
            Err(Error::Unsupported { what, .. }) => assert!(what.contains(row.name), "{what}"),
            Err(other) => panic!("{}: {other}", row.name),
        }
    }
}

#[test]
fn a_mistake_is_shown_with_its_place() {
    if !hiprtc() {
        return;
    }
    let source = format!(
        "#line 7 \"pass.hpp\"\nint x = y;\n{}",
        "int z = y;\n".repeat(50)
    );
    match compile(&source, "gfx90a") {
        Err(error @ Error::Device { .. }) => {
            let text = error.to_string();
            assert!(
                text.contains("gfx90a") && text.contains("pass.hpp:7"),
                "{text}"
            );
            assert!(text.lines().count() < 20, "{text}");
            assert!(!error.output_touched());
        }
        other => panic!("{other:?}"),
    }
    // And the next call works.
    compile(&unit(), "gfx90a").unwrap();
    // A zero would end the source early.
    assert!(compile("int x;\0", "gfx90a").is_err());
}

#[test]
fn code_comes_from_the_cache() {
    if !hiprtc() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path().into(), 1 << 20);
    let compiler = Compiler::find("gfx90a").unwrap();
    let first = compiler.code(&unit(), Some(&cache)).unwrap();
    assert_eq!(compiler.code(&unit(), Some(&cache)).unwrap(), first);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
