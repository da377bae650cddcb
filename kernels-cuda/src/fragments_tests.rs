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
    use Operand::{Bf16, Half, F64};
    assert_eq!(products("sm_70", Half), []);
    assert_eq!(products("sm_75", Half), [(16, 8, 8)]);
    for architecture in ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100", "sm_120"] {
        assert_eq!(products(architecture, Half), [(16, 8, 8), (16, 8, 16)]);
        assert_eq!(products(architecture, Bf16), [(16, 8, 8), (16, 8, 16)]);
    }
    for architecture in ["sm_70", "sm_72", "sm_75"] {
        assert_eq!(products(architecture, Bf16), []);
        assert_eq!(products(architecture, F64), []);
    }
    assert_eq!(products("sm_80", F64), [(8, 8, 4)]);
    let on_hopper = [(8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)];
    assert_eq!(products("sm_90", F64), on_hopper);
}

#[test]
fn unknown_and_old_architectures_have_none() {
    for architecture in ["", "sm_", "sm_61", "gfx942", "sm_x"] {
        assert!(fragments(architecture).is_empty(), "{architecture}");
    }
}

#[test]
fn operands_divide_among_the_lanes() {
    for (_, f) in PRODUCTS {
        for elements in [f.m * f.k, f.k * f.n, f.m * f.n] {
            assert_eq!(elements % f.lanes, 0, "{f:?}");
        }
        assert_eq!(32 % f.lanes, 0, "{f:?}");
    }
}
