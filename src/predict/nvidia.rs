//! NVIDIA's devices by their data sheets.

use super::{Sheet, Speed};

/// One of each generation with tensor cores. Rates are peak rates of NVIDIA's data sheets, without sparsity, divided by
/// clock and multiprocessors; of devices without such a data sheet there is no speed.
pub const NVIDIA: &[Sheet] = &[
    Sheet {
        architecture: "sm_70",
        short: "v100",
        name: "Tesla V100-SXM2-16GB",
        units: 80,
        shared_bytes: 96 << 10,
        memory_bytes: 16 << 30,
        l2_bytes: 6 << 20,
        speed: Some(Speed {
            hertz: 1.53e9,
            memory: 9.0e11,
            matrix: [1024.0, 0.0, 0.0, 0.0],
            small: [0.0; 4],
            vector: [128.0, 64.0],
        }),
    },
    Sheet {
        architecture: "sm_72",
        short: "xavier",
        name: "Jetson AGX Xavier",
        units: 8,
        shared_bytes: 96 << 10,
        memory_bytes: 32 << 30,
        l2_bytes: 512 << 10,
        speed: None,
    },
    Sheet {
        architecture: "sm_75",
        short: "t4",
        name: "Tesla T4",
        units: 40,
        shared_bytes: 64 << 10,
        memory_bytes: 16 << 30,
        l2_bytes: 4 << 20,
        speed: Some(Speed {
            hertz: 1.59e9,
            memory: 3.2e11,
            matrix: [1024.0, 0.0, 0.0, 0.0],
            small: [0.0; 4],
            vector: [128.0, 4.0],
        }),
    },
    Sheet {
        architecture: "sm_80",
        short: "a100",
        name: "NVIDIA A100-SXM4-80GB",
        units: 108,
        shared_bytes: 163 << 10,
        memory_bytes: 80 << 30,
        l2_bytes: 40 << 20,
        speed: Some(Speed {
            hertz: 1.41e9,
            memory: 2.039e12,
            matrix: [2048.0, 2048.0, 0.0, 128.0],
            small: [0.0; 4],
            vector: [128.0, 64.0],
        }),
    },
    Sheet {
        architecture: "sm_86",
        short: "a40",
        name: "NVIDIA A40",
        units: 84,
        shared_bytes: 99 << 10,
        memory_bytes: 48 << 30,
        l2_bytes: 6 << 20,
        speed: Some(Speed {
            hertz: 1.74e9,
            memory: 6.96e11,
            matrix: [1024.0, 1024.0, 0.0, 4.0],
            small: [0.0; 4],
            vector: [256.0, 4.0],
        }),
    },
    Sheet {
        architecture: "sm_87",
        short: "orin",
        name: "Jetson AGX Orin",
        units: 16,
        shared_bytes: 163 << 10,
        memory_bytes: 64 << 30,
        l2_bytes: 4 << 20,
        speed: None,
    },
    Sheet {
        architecture: "sm_89",
        short: "l40s",
        name: "NVIDIA L40S",
        units: 142,
        shared_bytes: 99 << 10,
        memory_bytes: 48 << 30,
        l2_bytes: 96 << 20,
        speed: Some(Speed {
            hertz: 2.52e9,
            memory: 8.64e11,
            matrix: [1024.0, 1024.0, 0.0, 4.0],
            small: [0.0; 4],
            vector: [256.0, 4.0],
        }),
    },
    Sheet {
        architecture: "sm_90",
        short: "h100",
        name: "NVIDIA H100 80GB HBM3",
        units: 132,
        shared_bytes: 227 << 10,
        memory_bytes: 80 << 30,
        l2_bytes: 50 << 20,
        speed: Some(Speed {
            hertz: 1.98e9,
            memory: 3.35e12,
            matrix: [3786.0, 3786.0, 0.0, 256.0],
            small: [0.0; 4],
            vector: [256.0, 128.0],
        }),
    },
    Sheet {
        architecture: "sm_90",
        short: "h200",
        name: "NVIDIA H200",
        units: 132,
        shared_bytes: 227 << 10,
        memory_bytes: 141 << 30,
        l2_bytes: 50 << 20,
        speed: Some(Speed {
            hertz: 1.98e9,
            memory: 4.8e12,
            matrix: [3786.0, 3786.0, 0.0, 256.0],
            small: [0.0; 4],
            vector: [256.0, 128.0],
        }),
    },
    Sheet {
        architecture: "sm_100",
        short: "b200",
        name: "NVIDIA B200",
        units: 148,
        shared_bytes: 227 << 10,
        memory_bytes: 180 << 30,
        l2_bytes: 126 << 20,
        speed: None,
    },
    Sheet {
        architecture: "sm_120",
        short: "rtx5090",
        name: "NVIDIA GeForce RTX 5090",
        units: 170,
        shared_bytes: 99 << 10,
        memory_bytes: 32 << 30,
        l2_bytes: 96 << 20,
        speed: Some(Speed {
            hertz: 2.407e9,
            memory: 1.792e12,
            matrix: [512.0, 512.0, 0.0, 4.0],
            small: [0.0; 4],
            vector: [256.0, 4.0],
        }),
    },
    Sheet {
        architecture: "sm_121",
        short: "gb10",
        name: "NVIDIA GB10",
        units: 48,
        shared_bytes: 99 << 10,
        memory_bytes: 128 << 30,
        l2_bytes: 24 << 20,
        speed: None,
    },
];

/// Whether blocks of an architecture can run as a cluster.
#[cfg_attr(
    not(feature = "cuda"),
    allow(dead_code, reason = "for NVIDIA's limits")
)]
pub(super) fn has_clusters(architecture: &str) -> bool {
    let capability = architecture.strip_prefix("sm_").unwrap_or_default();
    capability.parse().is_ok_and(|number: u32| number >= 90)
}
