use super::*;
use mmafft_backend_traits::device::SOURCES;
use mmafft_backend_traits::Cache;

/// Whether NVRTC is there; tests/device says that tests here need it.
fn nvrtc() -> bool {
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
fn without_nvrtc_the_error_names_it() {
    match compile("", "sm_90") {
        Err(Error::NoDevice { reason, remedy, .. }) => {
            assert!(reason.contains("NVRTC"), "{reason}");
            assert!(remedy.contains("nvidia-cuda-nvrtc") && remedy.contains("LD_LIBRARY_PATH"));
        }
        other => assert!(compiler_version().is_some(), "{other:?}"),
    }
}

#[test]
fn every_architecture_gets_machine_code() {
    if !nvrtc() {
        return;
    }
    for number in Nvrtc::all().iter().flat_map(|nvrtc| &nvrtc.architectures) {
        if *number < 70 {
            continue;
        }
        let compiled = compile(&unit(), &format!("sm_{number}")).unwrap();
        assert_eq!(compiled.code[..4], *b"\x7fELF", "sm_{number}");
        assert!(compiled.log.contains("registers"), "{}", compiled.log);
        assert!(
            compiled.log.contains("0 bytes spill stores"),
            "{}",
            compiled.log
        );
    }
}

#[test]
fn a_mistake_is_shown_with_its_place() {
    if !nvrtc() {
        return;
    }
    let source = format!(
        "#line 7 \"pass.hpp\"\nint x = y;\n{}",
        "int z = y;\n".repeat(50)
    );
    match compile(&source, "sm_90") {
        Err(error @ Error::Device { .. }) => {
            let text = error.to_string();
            assert!(
                text.contains("sm_90") && text.contains("pass.hpp(7): error"),
                "{text}"
            );
            assert!(text.lines().count() < 20, "{text}");
            assert!(!error.output_touched());
        }
        other => panic!("{other:?}"),
    }
    // And the next call works.
    compile(&unit(), "sm_90").unwrap();
    // A zero would end the source early.
    assert!(compile("int x;\0", "sm_90").is_err());
}

#[test]
fn an_architecture_that_nvrtc_does_not_know_is_named_beside_it() {
    if !nvrtc() {
        return;
    }
    for (architecture, remedy) in [("sm_20", "12.9"), ("sm_999", "newer"), ("gfx942", "sm_90")] {
        match compile("", architecture) {
            Err(Error::Unsupported {
                what,
                backend,
                instead,
            }) => {
                assert!(what.contains(architecture), "{what}");
                assert!(backend.contains(&compiler_version().unwrap()), "{backend}");
                assert!(instead.contains(remedy), "{instead}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_driver_older_than_nvrtc_is_named_beside_it() {
    if !nvrtc() {
        return;
    }
    match Compiler::find("sm_90", Some((10, 2))).err() {
        Some(Error::Unsupported {
            what,
            backend,
            instead,
        }) => {
            assert!(
                what.contains("10.2") && backend.contains("NVRTC"),
                "{what}, {backend}"
            );
            assert!(instead.contains("newer NVIDIA driver"), "{instead}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn code_comes_from_the_cache_and_from_nvrtc_when_that_is_damaged() {
    if !nvrtc() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path().into(), 1 << 20);
    let compiler = Compiler::find("sm_90", None).unwrap();
    let first = compiler.code(&unit(), Some(&cache)).unwrap();
    let file = std::fs::read_dir(folder.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let kept = std::fs::read(&file).unwrap();
    assert!(kept.ends_with(&first));
    assert_eq!(compiler.code(&unit(), Some(&cache)).unwrap(), first);

    std::fs::write(&file, &kept[..kept.len() / 2]).unwrap();
    assert_eq!(compiler.code(&unit(), Some(&cache)).unwrap(), first);
    assert_eq!(std::fs::read(&file).unwrap(), kept);
    // Another architecture has a key of its own.
    let other = Compiler::find("sm_80", None).unwrap();
    assert_ne!(other.code(&unit(), Some(&cache)).unwrap(), first);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}
