use super::*;

fn gpu(target: u32, location: u32) -> Node {
    let properties =
        format!("simd_count 1216\ngfx_target_version {target}\nlocation_id {location}\ndomain 0\n");
    node(&properties).unwrap()
}

#[test]
fn target_versions_are_named_as_compilers_name_them() {
    for (target, name) in [
        (90_008, "gfx908"),
        (90_010, "gfx90a"),
        (90_402, "gfx942"),
        (90_500, "gfx950"),
        (100_300, "gfx1030"),
        (110_001, "gfx1101"),
    ] {
        assert_eq!(architecture(target), name);
    }
}

#[test]
fn a_node_is_found_by_its_address() {
    let nodes = [gpu(90_402, 0xc100), gpu(100_300, 0x0308)];
    assert_eq!(by_address(&nodes, "0000:c1:00.0"), Some("gfx942"));
    assert_eq!(by_address(&nodes, "0000:03:01.0"), Some("gfx1030"));
    assert_eq!(by_address(&nodes, "0000:05:00.0"), None);
    assert_eq!(by_address(&nodes, ""), None);
    assert_eq!(by_address(&nodes[..1], ""), Some("gfx942"));
    assert_eq!(by_address(&[], "0000:c1:00.0"), None);
}

#[test]
fn partitions_have_the_address_of_their_gpu() {
    assert_eq!(gpu(90_402, 3 << 28 | 0xc100), gpu(90_402, 0xc100));
    assert_eq!(gpu(90_402, 0xc103), gpu(90_402, 0xc100));
}

#[test]
fn cpus_and_damaged_nodes_are_left_out() {
    assert_eq!(
        node("cpu_cores_count 64\ngfx_target_version 0\nlocation_id 0\n"),
        None
    );
    assert_eq!(node("gfx_target_version many\nlocation_id 1\n"), None);
    assert_eq!(node(""), None);
    assert!(nodes(Path::new("/mmafft/is/not/here")).is_empty());
}

#[test]
fn without_the_list_the_capability_and_the_name_decide() {
    assert_eq!(by_capability(9, 0, "AMD Instinct MI100"), "gfx908");
    assert_eq!(by_capability(9, 0, "AMD Instinct MI250X"), "gfx90a");
    assert_eq!(by_capability(9, 4, "AMD Instinct MI300X"), "gfx942");
    assert_eq!(by_capability(9, 0, "Vega"), "gfx90x");
    assert_eq!(by_capability(10, 3, "Radeon"), "gfx103x");
}
