//! Launching the test kernels.
#![allow(dead_code)]

use mmafft_backend_traits::device::Program;
use mmafft_backend_traits::device::{Driver, Launch, Region};
use mmafft_backend_traits::{Error, Result};
use mmafft_emulated::{config_words, EmulatedDriver, Kernel, Memory, Order};

/// The orders that tests go through.
pub const ORDERS: [Order; 5] = [
    Order::Forward,
    Order::Reverse,
    Order::Shuffled(1),
    Order::Shuffled(2),
    Order::Shuffled(0xfeed),
];

pub fn program(entry: &'static str, threads: usize, shared_bytes: usize) -> Program {
    Program {
        entry,
        config: vec![0; config_words()],
        then: Vec::new(),
        keeps: false,
        threads,
        shared_bytes,
    }
}

pub fn kernel(driver: &EmulatedDriver, entry: &'static str, threads: usize) -> Kernel {
    let program = program(entry, threads, threads * 8);
    driver.kernel(&program).unwrap()
}

/// A kernel for clusters of so many blocks.
pub fn cluster_kernel(
    driver: &EmulatedDriver,
    entry: &'static str,
    threads: usize,
    blocks: i64,
) -> Kernel {
    let mut program = program(entry, threads, threads * 8);
    // `blocks` is the twelfth word of the configuration.
    program.config[11] = blocks;
    driver.kernel(&program).unwrap()
}

pub fn upload(driver: &EmulatedDriver, bytes: &[u8]) -> Memory {
    let mut memory = driver.allocate(bytes.len()).unwrap();
    driver.write(&mut memory, 0, bytes).unwrap();
    memory
}

pub fn download(driver: &EmulatedDriver, memory: &Memory, bytes: usize) -> Vec<u8> {
    let mut read = vec![0; bytes];
    driver.read(memory, 0, &mut read).unwrap();
    read
}

pub fn region(memory: &Memory) -> Region<'_, Memory> {
    Region::from(memory, 0)
}

pub fn arguments<'a>(
    load: &'a Memory,
    store: &'a Memory,
    lines: u64,
    blocks: u64,
) -> Launch<'a, Memory> {
    Launch {
        load: region(load),
        store: region(store),
        extra: None,
        tables: None,
        matrices: None,
        lines,
        scale: 1.0,
        blocks,
    }
}

/// Uploads, launches and downloads `result` bytes.
pub fn run(
    driver: &EmulatedDriver,
    kernel: &Kernel,
    input: &[u8],
    result: usize,
    lines: u64,
    blocks: u64,
) -> Result<Vec<u8>> {
    let load = upload(driver, input);
    let store = driver.allocate(result)?;
    driver.launch(&(), kernel, &arguments(&load, &store, lines, blocks))?;
    Ok(download(driver, &store, result))
}

/// The words of a launch that failed on the way.
pub fn message<T: std::fmt::Debug>(result: Result<T>) -> String {
    match result.unwrap_err() {
        Error::Device {
            message,
            output_touched: true,
            ..
        } => message,
        other => panic!("{other:?}"),
    }
}

pub fn f32_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

pub fn f32_values(bytes: &[u8]) -> Vec<f32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|word| f32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

pub fn u32_values(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}
