use super::*;

#[test]
fn one_block_of_two_may_keep_local_memory() {
    let geometry = |vendor| Geometry {
        wave: 32,
        threads: 1024,
        shared_bytes: 227 << 10,
        registers: 65536,
        multiprocessors: 132,
        blocks: 1 << 30,
        access: 16,
        together: true,
        vendor,
    };
    let bears = |residents, shared_kib: usize, local, vendor| {
        let program = Program {
            entry: "mmafft_pass",
            config: vec![0, 0, 0, residents],
            then: Vec::new(),
            keeps: false,
            threads: 256,
            shared_bytes: shared_kib << 10,
        };
        program.bears(local, &geometry(vendor))
    };
    let nvidia = Vendor::Nvidia;
    assert!(bears(2, 64, LOCAL_BYTES, nvidia) && bears(2, 113, LOCAL_BYTES, nvidia));
    assert!(!bears(2, 64, LOCAL_BYTES + 1, nvidia));
    // There is one anyhow, or more than two.
    assert!(!bears(2, 114, 1, nvidia) && !bears(1, 64, 1, nvidia) && !bears(3, 64, 1, nvidia));
    assert!(bears(3, 64, 0, nvidia) && !bears(2, 16, 1, Vendor::Amd));
}
