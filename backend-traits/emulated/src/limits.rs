//! What planner and lowering must know of the emulated devices.

use mmafft_backend_traits::device::{Geometry, Lowering, Vendor};
use mmafft_backend_traits::{FragmentShape, Limits, Operand};

/// The products that the emulators have, the preferred of an operand last.
const NVIDIA: &[FragmentShape] = &[
    product([16, 8, 8], 32, Operand::Half),
    product([16, 8, 16], 32, Operand::Half),
    product([16, 8, 8], 32, Operand::Bf16),
    product([16, 8, 16], 32, Operand::Bf16),
    product([8, 8, 4], 32, Operand::F64),
];
const AMD: &[FragmentShape] = &[
    product([4, 4, 4], 4, Operand::Half),
    product([16, 16, 16], 64, Operand::Half),
    product([4, 4, 4], 4, Operand::Bf16),
    product([16, 16, 16], 64, Operand::Bf16),
    product([4, 4, 1], 4, Operand::F32),
    product([16, 16, 4], 64, Operand::F32),
    product([16, 16, 4], 64, Operand::F64),
];

const fn product([m, n, k]: [usize; 3], lanes: usize, operand: Operand) -> FragmentShape {
    FragmentShape {
        m,
        n,
        k,
        lanes,
        operand,
    }
}

/// The name on the command line.
pub(crate) fn backend(vendor: Vendor) -> &'static str {
    match vendor {
        Vendor::Nvidia => "emulated-nvidia",
        Vendor::Amd => "emulated-amd",
    }
}

pub(crate) fn limits(vendor: Vendor) -> Limits {
    let (device, fragments) = match vendor {
        Vendor::Nvidia => ("emulated, 32 lanes, mma.sync", NVIDIA),
        Vendor::Amd => ("emulated, 64 lanes, MFMA", AMD),
    };
    let (architecture, cluster_blocks) = match vendor {
        Vendor::Nvidia => ("sm_90", 8),
        Vendor::Amd => ("gfx942", 0),
    };
    let (names, fragments) = ([device, architecture], fragments.to_vec());
    Limits {
        cluster_blocks,
        ..Lowering::limits(backend(vendor), names, fragments, geometry(vendor))
    }
}

/// The shared memory of an H100 and of an MI300.
pub(crate) fn geometry(vendor: Vendor) -> Geometry {
    let (wave, shared_bytes) = match vendor {
        Vendor::Nvidia => (32, 227 << 10),
        Vendor::Amd => (64, 64 << 10),
    };
    Geometry {
        wave,
        threads: 1024,
        shared_bytes,
        registers: 1 << 16,
        multiprocessors: 4,
        blocks: u64::from(u32::MAX >> 1),
        access: match vendor {
            Vendor::Nvidia => 0,
            Vendor::Amd => 16,
        },
        together: true,
        vendor,
    }
}
