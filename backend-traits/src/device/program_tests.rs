use super::*;

fn geometry(vendor: Vendor) -> Geometry {
    Geometry {
        wave: 32,
        threads: 1024,
        shared_bytes: 227 << 10,
        registers: 65536,
        multiprocessors: 132,
        blocks: 1 << 30,
        access: 16,
        together: true,
        vendor,
    }
}

/// A program of 256 threads.
fn program(residents: i64, shared_kib: usize) -> Program {
    Program {
        entry: "mmafft_pass",
        config: vec![0, 0, 0, residents],
        then: Vec::new(),
        keeps: false,
        threads: 256,
        shared_bytes: shared_kib << 10,
    }
}

#[test]
fn one_block_of_two_may_keep_local_memory() {
    let bears = |residents, shared_kib: usize, local, vendor| {
        program(residents, shared_kib).bears(local, &geometry(vendor))
    };
    let nvidia = Vendor::Nvidia;
    assert!(bears(2, 64, LOCAL_BYTES, nvidia) && bears(2, 113, LOCAL_BYTES, nvidia));
    assert!(!bears(2, 64, LOCAL_BYTES + 1, nvidia));
    // There is one anyhow, or more than two.
    assert!(!bears(2, 114, 1, nvidia) && !bears(1, 64, 1, nvidia) && !bears(3, 64, 1, nvidia));
    assert!(bears(3, 64, 0, nvidia) && !bears(2, 16, 1, Vendor::Amd));
}

/// Eight blocks leave a thread 32 registers, six 42, four 64.
#[test]
fn a_program_is_relaxed_by_what_it_lacks() {
    let relaxed = |residents, local| {
        let relaxed = program(residents, 16).relaxed(local, &geometry(Vendor::Nvidia));
        relaxed.map(|relaxed| relaxed.residents())
    };
    assert_eq!(relaxed(8, 0), None);
    assert_eq!(relaxed(8, 4), Some(6));
    assert_eq!(relaxed(8, 200), Some(4));
    assert_eq!(relaxed(8, 10_000), Some(1));
    assert_eq!(relaxed(1, 10_000), None);
}

#[test]
fn orders_and_pairings_have_the_numbers_of_the_header() {
    use super::super::config::*;
    use crate::real::{Order, Pairing};
    let orders = [
        (Order::Natural, ORDER_NATURAL),
        (Order::EvenOdd, ORDER_EVEN_ODD),
        (Order::Even, ORDER_EVEN),
        (Order::Odd, ORDER_ODD),
        (Order::Behind, ORDER_BEHIND),
        (Order::Residues, ORDER_RESIDUES),
        (Order::ResiduesOverEight, ORDER_RESIDUES_OVER_EIGHT),
    ];
    let pairings = [
        (Pairing::None, PAIRING_NONE),
        (Pairing::Pairs, PAIRING_PAIRS),
        (Pairing::Alone, PAIRING_ALONE),
        (Pairing::Halves, PAIRING_HALVES),
        (Pairing::Mirrored, PAIRING_MIRRORED),
        (Pairing::Around, PAIRING_AROUND),
        (Pairing::Ends, PAIRING_ENDS),
    ];
    assert!(orders.iter().all(|(order, word)| *order as i64 == *word));
    assert!(pairings
        .iter()
        .all(|(pairing, word)| *pairing as i64 == *word));
}
