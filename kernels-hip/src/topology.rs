//! The name of a device's architecture.
//!
//! HIP has it in `hipDeviceProp_t` alone, whose layout depends on the version. So it is
//! taken from the kernel driver's list of nodes (KFD topology), which names the exact
//! target; the node is found by the device's PCI address. Where that list cannot be read,
//! the compute capability and the name decide.

use std::fs;
use std::path::Path;

/// Where the kernel driver lists its nodes.
pub const NODES: &str = "/sys/class/kfd/kfd/topology/nodes";

/// A PCI address without its function: domain, bus, device.
type Address = (u32, u32, u32);

/// A GPU in the kernel driver's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    address: Address,
    architecture: String,
}

/// The GPUs that the kernel driver lists; none where it is absent or not readable.
pub fn nodes(folder: &Path) -> Vec<Node> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| fs::read_to_string(entry.path().join("properties")).ok())
        .filter_map(|properties| node(&properties))
        .collect()
}

/// The architecture of the device at this PCI address, or, where no node has the address
/// (old runtimes print another domain), the one that all nodes share.
pub fn by_address<'a>(nodes: &'a [Node], pci_address: &str) -> Option<&'a str> {
    let address = parse_address(pci_address);
    if let Some(node) = nodes.iter().find(|node| Some(node.address) == address) {
        return Some(&node.architecture);
    }
    let (first, rest) = nodes.split_first()?;
    let alike = rest.iter().all(|n| n.architecture == first.architecture);
    alike.then_some(first.architecture.as_str())
}

/// The architecture by compute capability. It lacks the stepping: of 9.0 the name must
/// tell MI100 from the MI200 series, and what is not told apart ends in `x`.
pub fn by_capability(major: usize, minor: usize, name: &str) -> String {
    match (major, minor) {
        (9, 0) if name.contains("MI100") => "gfx908".into(),
        (9, 0) if name.contains("MI2") => "gfx90a".into(),
        // gfx940 and gfx941 were not sold.
        (9, 4) => "gfx942".into(),
        _ => format!("gfx{major}{minor:x}x"),
    }
}

/// Reads a node's `properties`: a line per property, its name, a space, its value. CPUs
/// are nodes too, of target version 0.
fn node(properties: &str) -> Option<Node> {
    let value = |key: &str| -> Option<u32> {
        let mut lines = properties.lines();
        let value = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(' '))?;
        value.trim().parse().ok()
    };
    let target = value("gfx_target_version").filter(|&target| target > 0)?;
    // bus << 8 | device << 3 | function; the bits above, and the function in some kernels,
    // number the partitions of one GPU, which are all of one architecture.
    let location = value("location_id")?;
    Some(Node {
        address: (
            value("domain").unwrap_or(0),
            location >> 8 & 0xff,
            location >> 3 & 0x1f,
        ),
        architecture: architecture(target),
    })
}

/// `gfx90a` for 90010: two decimal digits each of minor version and stepping, written in
/// hexadecimal.
fn architecture(target: u32) -> String {
    let (major, minor, stepping) = (target / 10_000, target / 100 % 100, target % 100);
    format!("gfx{major}{minor:x}{stepping:x}")
}

/// Reads `0000:c1:00.0`.
fn parse_address(text: &str) -> Option<Address> {
    let (address, _function) = text.split_once('.')?;
    let mut fields = address.split(':').map(|f| u32::from_str_radix(f, 16).ok());
    Some((fields.next()??, fields.next()??, fields.next()??))
}

#[cfg(test)]
#[path = "topology_tests.rs"]
mod tests;
