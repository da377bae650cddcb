use super::*;
use mmafft_backend_traits::{Error, Operand};

fn invented(architecture: &str) -> Device {
    Device {
        ordinal: 0,
        name: "Invented H200".into(),
        architecture: architecture.into(),
        multiprocessors: 132,
        shared_bytes_per_block: 232_448,
        l2_bytes: 60 << 20,
        memory_bytes: 140 << 30,
        wave: 32,
        clusters: true,
    }
}

#[test]
fn devices_are_described_or_their_absence_explained() {
    match devices() {
        Ok(devices) => {
            for (i, device) in devices.iter().enumerate() {
                assert_eq!((device.ordinal, device.wave), (i, 32));
                assert!(device.multiprocessors > 0 && device.memory_bytes > 1 << 28);
                assert!(device.shared_bytes_per_block >= 48 << 10);
            }
            assert!(versions().driver.is_some());
        }
        Err(Error::NoDevice {
            backend,
            reason,
            remedy,
        }) => {
            assert_eq!(backend, "cuda");
            let named = ["libcuda", "function cu", "cuInit", "cuDeviceGetCount"];
            assert!(named.iter().any(|what| reason.contains(what)), "{reason}");
            assert!(!remedy.is_empty());
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn limits_follow_the_device() {
    let limits = invented("sm_90").limits();
    assert_eq!((limits.backend, limits.workers), ("cuda", 132));
    assert_eq!(limits.device, "Invented H200");
    assert_eq!(limits.tile_bytes, 232_448);
    assert_eq!(
        limits.longest_line(mmafft_backend_traits::ScalarType::F32),
        16384
    );
    assert_eq!(
        (limits.vector_bytes, limits.target.line_library()),
        (16, None)
    );
    assert_eq!(limits.fragments, fragments("sm_90"));
    assert!(limits.fragments.iter().any(|f| f.operand == Operand::F64));
    assert_eq!(limits.precisions.len(), PRECISIONS.len());
}

#[test]
fn a_device_without_tensor_cores_is_named_and_computes_nothing() {
    let old = invented("sm_61");
    let message = old.check().unwrap_err().to_string();
    assert!(message.contains("sm_61") && message.contains("sm_70"));
    assert!(old.limits().precisions.is_empty());
    assert_eq!(invented("sm_70").check(), Ok(()));
}
