use super::*;
use mmafft_backend_traits::{Error, Operand};

fn invented(architecture: &str) -> Device {
    Device {
        ordinal: 0,
        name: "Invented MI300X".into(),
        architecture: architecture.into(),
        multiprocessors: 304,
        shared_bytes_per_block: 65_536,
        l2_bytes: 4 << 20,
        memory_bytes: 192 << 30,
        wave: 64,
    }
}

#[test]
fn devices_are_described_or_their_absence_explained() {
    match devices() {
        Ok(devices) => {
            for (i, device) in devices.iter().enumerate() {
                assert_eq!(device.ordinal, i);
                assert!(device.wave == 32 || device.wave == 64);
                assert!(device.multiprocessors > 0 && device.memory_bytes > 1 << 28);
                assert!(device.architecture.starts_with("gfx"));
            }
            assert!(versions().driver.is_some());
        }
        Err(Error::NoDevice {
            backend,
            reason,
            remedy,
        }) => {
            assert_eq!(backend, "hip");
            let named = [
                "libamdhip64",
                "function hip",
                "hipInit",
                "hipGetDeviceCount",
            ];
            assert!(named.iter().any(|what| reason.contains(what)), "{reason}");
            assert!(!remedy.is_empty());
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn limits_follow_the_device() {
    let limits = invented("gfx942").limits();
    assert_eq!((limits.backend, limits.workers), ("hip", 304));
    assert_eq!(limits.device, "Invented MI300X");
    assert_eq!(limits.tile_bytes, 65_536);
    assert_eq!(
        limits.longest_line(mmafft_backend_traits::ScalarType::F32),
        4096
    );
    assert_eq!(
        (limits.vector_bytes, limits.target.line_library()),
        (16, None)
    );
    assert_eq!(limits.fragments, fragments("gfx942"));
    assert!(limits.fragments.iter().any(|f| f.operand == Operand::F32));
    assert_eq!(limits.precisions.len(), PRECISIONS.len());
}

/// Nothing but the products and the registers follows from the name.
#[test]
fn every_architecture_and_an_invented_one() {
    for (architecture, registers) in [
        ("gfx908", 1 << 16),
        ("gfx90a", 1 << 17),
        ("gfx942:sramecc+:xnack-", 1 << 17),
    ] {
        for (units, shared) in [(104, 64 << 10), (17, 160 << 10)] {
            let device = Device {
                multiprocessors: units,
                shared_bytes_per_block: shared,
                ..invented(architecture)
            };
            let (limits, geometry) = (device.limits(), device.geometry());
            assert_eq!((limits.workers, limits.tile_bytes), (units, shared));
            assert_eq!(limits.fragments, fragments(architecture));
            assert_eq!((geometry.wave, geometry.shared_bytes), (64, shared));
            assert_eq!(geometry.registers, registers, "{architecture}");
            let double = limits.fragments.iter().any(|f| f.operand == Operand::F64);
            assert_eq!(double, architecture != "gfx908");
        }
    }
    let unknown = invented("gfx1234");
    assert!(unknown.limits().fragments.is_empty() && unknown.check().is_err());
    assert_eq!(unknown.geometry().registers, 1 << 16);
}

#[test]
fn a_device_without_matrix_cores_is_named_and_computes_nothing() {
    let other = invented("gfx1030");
    let message = other.check().unwrap_err().to_string();
    assert!(message.contains("gfx1030") && message.contains("gfx942"));
    assert!(other.limits().precisions.is_empty());
    assert_eq!(invented("gfx908").check(), Ok(()));
}
