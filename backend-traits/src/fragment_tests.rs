use super::*;

fn unit_matrix_keeps<V: HalfValue, const S: usize>() {
    let mut unit = vec![V::default(); S * S];
    let mut data = vec![V::default(); S * S];
    for i in 0..S {
        unit[i * S + i] = V::round(1.0);
        for j in 0..S {
            data[i * S + j] = V::round((i * S + j) as f32);
        }
    }
    let mut c = SoftFragment::<V, S>::zero();
    let (a, b) = (
        SoftFragment::<V, S>::load_a(&unit, S),
        SoftFragment::<V, S>::load_b(&data, S),
    );
    SoftFragment::<V, S>::multiply_add(&a, &b, &mut c);
    let mut out = vec![0.0; S * S];
    SoftFragment::<V, S>::store(&c, &mut out, S);
    for (i, &x) in out.iter().enumerate() {
        assert_eq!(x, V::round(i as f32).widen());
    }
}

#[test]
fn products_with_the_unit_matrix() {
    unit_matrix_keeps::<f16, 4>();
    unit_matrix_keeps::<f16, 16>();
    unit_matrix_keeps::<bf16, 4>();
    unit_matrix_keeps::<bf16, 16>();
}
