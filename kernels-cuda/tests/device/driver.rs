//! What a driver does on a real device: memory, launches, streams, events, and errors that
//! leave the device usable. Both vendors' crates run this; `super` says whose it is.

use super::{device, Device, Kernel, Memory, PeerMemory, Stream, PRIMITIVES, WORDS};
use mmafft_backend_traits::device::{Driver, Launch, Region, SOURCES};
use mmafft_backend_traits::{Error, Result};
use std::time::{Duration, Instant};

pub const THREADS: usize = 256;

/// `store[i] = load[i] · scale + extra[i] + tables[i] + matrices[i]`, an absent one being 0,
/// through shared memory. `spin` takes its time first, `fault` fails.
pub const KERNELS: &str = r#"
using namespace mmafft;
__device__ float at(const void *p, u64 i) { return p ? static_cast<const float *>(p)[i] : 0; }
MMAFFT_DEVICE void sum(Arguments a) {
  float *shared = reinterpret_cast<float *>(shared_memory);
  for (u64 first = u64(block_index()) * 256; first < a.lines; first += u64(block_count()) * 256) {
    u64 i = first + thread_index();
    if (i < a.lines)
      shared[thread_index()] = at(a.load, i) * float(a.scale) + at(a.extra, i) +
                               at(a.tables, i) + at(a.matrices, i);
    barrier();
    if (i < a.lines) static_cast<float *>(a.store)[i] = shared[thread_index()];
    barrier();
  }
}
MMAFFT_KERNEL void combine(Arguments a) { sum(a); }
MMAFFT_KERNEL void spin(Arguments a) {
  long long start = CLOCK();
  while (CLOCK() - start < TICKS) {}
  sum(a);
}
MMAFFT_KERNEL void fault(Arguments a) { TRAP(); }
"#;

/// A translation unit with the crate's primitives before the kernels.
pub fn unit(kernels: &str) -> String {
    let files = SOURCES[..1].iter().chain(PRIMITIVES);
    let lines = files.flat_map(|(_, text)| text.lines());
    let lines = lines.filter(|l| !l.starts_with("#include \"") && !l.starts_with("#pragma once"));
    lines.collect::<Vec<_>>().join("\n") + WORDS + kernels
}

pub fn kernel(driver: &Device, entry: &str, shared_bytes: usize) -> Result<Kernel> {
    driver.kernel_from_source(&unit(KERNELS), entry, THREADS, shared_bytes)
}

pub fn whole(memory: &Memory) -> Region<'_, Memory> {
    Region::from(memory, 0)
}

pub fn launch<'a>(load: &'a Memory, store: &'a Memory, scale: f64) -> Launch<'a, Memory> {
    Launch {
        load: whole(load),
        store: whole(store),
        extra: None,
        tables: None,
        matrices: None,
        lines: (store.bytes() / 4) as u64,
        scale,
        blocks: 64,
    }
}

pub fn upload(driver: &Device, values: &[f32]) -> Memory {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_ne_bytes()).collect();
    let mut memory = driver.allocate(bytes.len()).unwrap();
    driver.write(&mut memory, 0, &bytes).unwrap();
    memory
}

pub fn download(driver: &Device, memory: &Memory) -> Vec<f32> {
    let mut bytes = vec![0; memory.bytes()];
    driver.read(memory, 0, &mut bytes).unwrap();
    let values = bytes.chunks_exact(4);
    values
        .map(|b| f32::from_ne_bytes(b.try_into().unwrap()))
        .collect()
}

pub fn ramp(n: usize) -> Vec<f32> {
    (0..n).map(|i| i as f32).collect()
}

pub fn bytes_come_back() {
    let driver = device();
    let bytes: Vec<u8> = (0..100_003u32).map(|i| (i * 7) as u8).collect();
    let mut memory = driver.allocate(bytes.len()).unwrap();
    assert_eq!(memory.bytes(), bytes.len());
    assert_eq!(memory.pointer() % 256, 0);
    driver.write(&mut memory, 0, &bytes).unwrap();
    driver.write(&mut memory, 11, &[1, 2, 3]).unwrap();
    let mut back = vec![0; bytes.len()];
    driver.read(&memory, 0, &mut back).unwrap();
    assert_eq!(back[11..14], [1, 2, 3]);
    assert_eq!((&back[..11], &back[14..]), (&bytes[..11], &bytes[14..]));
    driver.read(&memory, 12, &mut back[..2]).unwrap();
    assert_eq!(back[..2], [2, 3]);

    // Past the end is an error, and no bytes are none.
    for offset in [bytes.len() - 2, usize::MAX] {
        let error = driver.write(&mut memory, offset, &[0; 3]).unwrap_err();
        assert!(matches!(error, Error::BufferTooShort { .. }), "{error}");
    }
    driver.write(&mut memory, bytes.len(), &[]).unwrap();
    let mut empty = driver.allocate(0).unwrap();
    driver.write(&mut empty, 0, &[]).unwrap();
    driver.read(&empty, 0, &mut []).unwrap();
    assert_eq!((empty.bytes(), empty.pointer()), (0, 0));
}

pub fn every_argument_arrives() {
    let driver = device();
    let n = 100_000;
    let load = upload(driver, &ramp(n));
    let [extra, tables, matrices] = [1e6, 2e6, 4e6].map(|v| upload(driver, &vec![v; n + 1]));
    let store = upload(driver, &vec![-1.0; n]);
    let kernel = kernel(driver, "combine", THREADS * 4).unwrap();
    let mut all = launch(&load, &store, 0.5);
    driver
        .launch(driver.default_stream(), &kernel, &all)
        .unwrap();
    let half: Vec<f32> = ramp(n).iter().map(|v| v * 0.5).collect();
    assert_eq!(download(driver, &store), half);

    let shifted = |memory| Some(Region::from(memory, 4));
    all.extra = shifted(&extra);
    all.tables = shifted(&tables);
    all.matrices = shifted(&matrices);
    all.lines -= 1;
    driver
        .launch(driver.default_stream(), &kernel, &all)
        .unwrap();
    let mut sums: Vec<f32> = half.iter().map(|v| v + 1e6 + 2e6 + 4e6).collect();
    sums[n - 1] = half[n - 1];
    assert_eq!(download(driver, &store), sums);

    // No blocks are no launch.
    all.blocks = 0;
    driver
        .launch(driver.default_stream(), &kernel, &all)
        .unwrap();
    driver.synchronize().unwrap();
    assert!(kernel.registers() > 0);
    assert_eq!(kernel.local_bytes(), 0);
}

pub fn blocks_may_use_all_shared_memory_and_no_more() {
    let driver = device();
    let most = driver.geometry().shared_bytes;
    let load = upload(driver, &ramp(1000));
    let store = upload(driver, &[0.0; 1000]);
    let large = kernel(driver, "combine", most).unwrap();
    driver
        .launch(driver.default_stream(), &large, &launch(&load, &store, 1.0))
        .unwrap();
    assert_eq!(download(driver, &store), ramp(1000));
    let error = kernel(driver, "combine", most + 1024).unwrap_err();
    assert!(error.to_string().contains("shared memory"), "{error}");
    let error = kernel(driver, "nowhere", 0).unwrap_err();
    assert!(error.to_string().contains("ModuleGetFunction"), "{error}");
    driver.synchronize().unwrap();
}

pub fn reading_waits_for_streams() {
    let driver = device();
    let streams = [driver.stream().unwrap(), driver.stream().unwrap()];
    let spin = kernel(driver, "spin", THREADS * 4).unwrap();
    let load = upload(driver, &ramp(1000));
    let stores = [0, 1].map(|_| upload(driver, &[0.0; 1000]));
    for (stream, store) in streams.iter().zip(&stores) {
        driver
            .launch(stream, &spin, &launch(&load, store, 3.0))
            .unwrap();
    }
    let thrice: Vec<f32> = ramp(1000).iter().map(|v| v * 3.0).collect();
    assert_eq!(download(driver, &stores[1]), thrice);
    streams[0].synchronize().unwrap();
    assert_eq!(download(driver, &stores[0]), thrice);

    // Freeing waits too: the kernel still reads `load` and writes `store`.
    let [store, _] = stores;
    driver
        .launch(&streams[0], &spin, &launch(&load, &store, 5.0))
        .unwrap();
    drop((load, store, spin, streams));
    driver.synchronize().unwrap();
}

pub fn synchronizing_waits_for_every_stream() {
    let driver = device();
    let streams = [driver.stream().unwrap(), driver.stream().unwrap()];
    // SAFETY: the legacy stream is always there.
    let legacy = unsafe { Stream::from_raw(driver, 0) };
    let spin = kernel(driver, "spin", THREADS * 4).unwrap();
    let memory = upload(driver, &ramp(1000));
    for stream in [&streams[0], &streams[1], driver.default_stream(), &legacy] {
        let start = Instant::now();
        driver
            .launch(stream, &spin, &launch(&memory, &memory, 1.0))
            .unwrap();
        driver.synchronize().unwrap();
        // What TICKS stands for is more.
        let waited = start.elapsed();
        assert!(waited >= Duration::from_millis(10), "{waited:?}");
    }
    // A stream that is dropped is waited for then, and a kernel is not unloaded before.
    let [first, second] = streams;
    let start = Instant::now();
    driver
        .launch(&first, &spin, &launch(&memory, &memory, 1.0))
        .unwrap();
    drop(first);
    assert!(start.elapsed() >= Duration::from_millis(10));
    let start = Instant::now();
    driver
        .launch(&second, &spin, &launch(&memory, &memory, 1.0))
        .unwrap();
    drop(spin);
    assert!(start.elapsed() >= Duration::from_millis(10));
    assert_eq!(download(driver, &memory), ramp(1000));
}

pub fn memory_and_streams_of_others_serve() {
    let driver = device();
    let owner = upload(driver, &ramp(1000));
    let stream = driver.stream().unwrap();
    let combine = kernel(driver, "combine", THREADS * 4).unwrap();
    {
        // SAFETY: `owner` and `stream` outlive what is made of them.
        let (memory, foreign, legacy) = unsafe {
            (
                Memory::from_raw(owner.pointer(), owner.bytes()),
                Stream::from_raw(driver, stream.handle()),
                Stream::from_raw(driver, 0),
            )
        };
        driver
            .launch(&foreign, &combine, &launch(&memory, &memory, 2.0))
            .unwrap();
        driver
            .launch(&legacy, &combine, &launch(&memory, &memory, 2.0))
            .unwrap();
        foreign.synchronize().unwrap();
        legacy.synchronize().unwrap();
    }
    let fourfold: Vec<f32> = ramp(1000).iter().map(|v| v * 4.0).collect();
    assert_eq!(download(driver, &owner), fourfold);
}

/// Memory that is mapped for several devices, here for one that comes twice and for all that there are.
pub fn memory_over_devices_is_as_any() {
    let first = device().clone();
    let mut devices = vec![first.clone(), first];
    devices.extend((1..4).map_while(|ordinal| Device::open(ordinal).ok()));
    let n = 3 << 20;
    let last = devices.len() - 1;
    let shared = PeerMemory::allocate(&devices, 4 * n, &|granule| {
        (0..(4 * n).div_ceil(granule))
            .map(|i| i % (last + 1))
            .collect()
    });
    let shared = match shared {
        // Devices that do not reach each other say so.
        Err(Error::Unsupported { what, .. }) => return println!("left out: {what}"),
        shared => shared.unwrap(),
    };
    assert!(shared.bytes() >= 4 * n);
    for driver in &devices {
        // SAFETY: the memory lives until the end, and one device at a time works on it.
        let view = unsafe { Memory::from_raw(shared.pointer(), 4 * n) };
        let kernel = kernel(driver, "combine", THREADS * 4).unwrap();
        let load = upload(driver, &ramp(n));
        let stream = driver.default_stream();
        driver
            .launch(stream, &kernel, &launch(&load, &view, 2.0))
            .unwrap();
        stream.synchronize().unwrap();
        assert!(stream.is_done().unwrap());
        let back = upload(driver, &vec![0.0; n]);
        // Another device follows, and copies what this one stored.
        let other = &devices[last];
        let event = driver.event().unwrap();
        event.record(stream).unwrap();
        other.default_stream().follow(&event).unwrap();
        other.default_stream().synchronize().unwrap();
        driver.copy(stream, &view, &back, 4 * n).unwrap();
        let doubled: Vec<f32> = ramp(n).iter().map(|v| v * 2.0).collect();
        assert_eq!(download(driver, &back), doubled);
    }
}

pub fn events_take_the_time() {
    let driver = device();
    let (start, end) = (driver.event().unwrap(), driver.event().unwrap());
    let error = end.elapsed_ms(&start).unwrap_err();
    assert!(!error.output_touched(), "{error}");
    let memory = upload(driver, &ramp(1000));
    let spin = kernel(driver, "spin", THREADS * 4).unwrap();
    let stream = driver.stream().unwrap();
    start.record(&stream).unwrap();
    driver
        .launch(&stream, &spin, &launch(&memory, &memory, 1.0))
        .unwrap();
    end.record(&stream).unwrap();
    let elapsed = end.elapsed_ms(&start).unwrap();
    assert!((5.0..5000.0).contains(&elapsed), "{elapsed} ms");
}

pub fn one_driver_serves_many_threads_and_openings() {
    let driver = device();
    std::thread::scope(|scope| {
        for factor in 1..=8 {
            scope.spawn(move || {
                let driver = Device::open(driver.device().ordinal).unwrap();
                let combine = kernel(&driver, "combine", THREADS * 4).unwrap();
                let stream = driver.stream().unwrap();
                let memory = upload(&driver, &ramp(5000));
                let scale = f64::from(factor);
                driver
                    .launch(&stream, &combine, &launch(&memory, &memory, scale))
                    .unwrap();
                let expected: Vec<f32> = ramp(5000).iter().map(|v| v * factor as f32).collect();
                assert_eq!(download(&driver, &memory), expected);
            });
        }
    });
}

pub fn too_much_memory_is_an_error_and_the_next_call_works() {
    let driver = device();
    for bytes in [1usize << 46, usize::MAX / 2] {
        match driver.allocate(bytes) {
            Err(Error::OutOfMemory { bytes: told, .. }) => assert_eq!(told, bytes),
            other => panic!("{:?}", other.map(|memory| memory.bytes())),
        }
    }
    assert_eq!(download(driver, &upload(driver, &ramp(10))), ramp(10));
}

pub fn too_large_a_block_is_an_error_with_a_remedy_and_the_next_call_works() {
    let driver = device();
    let most = driver.geometry();
    let load = |threads, shared_bytes| {
        driver.kernel_from_source(&unit(KERNELS), "combine", threads, shared_bytes)
    };
    let refused = [
        (most.threads + 1, THREADS * 4, "threads", "1 to 1024"),
        (0, THREADS * 4, "threads", "1 to 1024"),
        (usize::MAX, THREADS * 4, "threads", "1 to 1024"),
        (
            THREADS,
            most.shared_bytes + 1,
            "shared memory",
            &format!("at most {} bytes", most.shared_bytes),
        ),
        (THREADS, usize::MAX, "shared memory", "at most"),
    ];
    let memory = upload(driver, &ramp(1000));
    for (threads, shared_bytes, named, remedy) in refused {
        match load(threads, shared_bytes) {
            Err(Error::Unsupported { what, instead, .. }) => {
                assert!(what.contains("combine") && what.contains(named), "{what}");
                assert!(instead.contains(remedy), "{instead}");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(download(driver, &memory), ramp(1000));
    }
    // More blocks than fit a launch, and as many threads as fit a block.
    let whole = load(most.threads, THREADS * 4).unwrap();
    let mut much = launch(&memory, &memory, 2.0);
    much.blocks = most.blocks + 1;
    let error = driver
        .launch(driver.default_stream(), &whole, &much)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains(&format!("at most {}", most.blocks))
            && !error.output_touched(),
        "{error}"
    );
    let combine = load(THREADS, THREADS * 4).unwrap();
    driver
        .launch(
            driver.default_stream(),
            &combine,
            &launch(&memory, &memory, 2.0),
        )
        .unwrap();
    assert_eq!(download(driver, &memory)[..3], [0.0, 2.0, 4.0]);
}
