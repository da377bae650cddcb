use super::*;

/// (m, n, k) of an architecture's products of one operand.
fn products(architecture: &str, operand: Operand) -> Vec<(usize, usize, usize)> {
    let all = fragments(architecture).into_iter();
    all.filter(|f| f.operand == operand)
        .map(|f| (f.m, f.n, f.k))
        .collect()
}

#[test]
fn each_generation_adds_products() {
    use Operand::{Bf16, Half, F32, F64};
    for architecture in CDNA {
        assert_eq!(products(architecture, Half), [(4, 4, 4), (16, 16, 16)]);
        assert_eq!(products(architecture, F32), [(4, 4, 1), (16, 16, 4)]);
    }
    assert_eq!(products("gfx908", Bf16), [(4, 4, 2), (16, 16, 8)]);
    assert_eq!(products("gfx908", F64), []);
    for architecture in ["gfx90a", "gfx942", "gfx942:sramecc+:xnack-"] {
        assert_eq!(products(architecture, Bf16), [(4, 4, 4), (16, 16, 16)]);
        assert_eq!(products(architecture, F64), [(16, 16, 4)]);
    }
}

#[test]
fn architectures_without_mfma_have_none() {
    for architecture in ["", "gfx906", "gfx90x", "gfx1030", "gfx1100", "sm_90"] {
        assert!(fragments(architecture).is_empty(), "{architecture}");
    }
}

#[test]
fn operands_divide_among_the_lanes() {
    for (_, f) in PRODUCTS {
        for elements in [f.m * f.k, f.k * f.n, f.m * f.n] {
            assert_eq!(elements % f.lanes, 0, "{f:?}");
        }
        assert_eq!(64 % f.lanes, 0, "{f:?}");
    }
}
