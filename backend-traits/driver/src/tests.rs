//! The wrappers on a driver made here: which calls they make, in which order, and that every handle goes back.
//! Made twice, by CUDA's names and by HIP's. The file is long because the driver is made here, call by call, and its state
//! is what the tests look at.

use crate::calls::{
    Access, Answer, Calls, CompilerCalls, GraphCalls, Names, PeerCalls, Pointer, Properties, Status,
};
use crate::{Api, Compiled, Compiler, DeviceDriver, Found, Interface, OpenDevices, PeerMemory};
use mmafft_backend_traits::device::{
    Driver, Geometry, Launch, Lowering, Program, Region, SideWords, TurnWords, Vendor,
};
use mmafft_backend_traits::{Cache, Error, Limits, Result};
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// What the driver has given and not got back, what was called, and what fails.
#[derive(Default)]
struct State {
    handles: HashMap<usize, &'static str>,
    memory: HashMap<u64, Vec<u8>>,
    next: usize,
    called: Vec<&'static str>,
    /// Streams waited for: 0 is the null one.
    waited: Vec<usize>,
    mode: c_int,
    current: c_int,
    recording: bool,
    /// A call that returns this status.
    fails: Option<(&'static str, Status)>,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// Whom the next wait for a stream tells that it has begun, and who says when it ends.
static GATE: Mutex<Option<(Sender<()>, Receiver<()>)>> = Mutex::new(None);

fn state<R>(use_it: impl FnOnce(&mut State) -> R) -> R {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    use_it(state.get_or_insert_default())
}

/// A call of this name, and what it does unless it is to fail.
fn call(name: &'static str, does: impl FnOnce(&mut State)) -> Status {
    state(|state| {
        state.called.push(name);
        match state.fails {
            Some((failing, status)) if failing == name => status,
            _ => {
                does(state);
                0
            }
        }
    })
}

impl State {
    fn give(&mut self, kind: &'static str) -> Pointer {
        self.next += 1;
        let handle = 0x1000 + 16 * self.next;
        self.handles.insert(handle, kind);
        handle as Pointer
    }

    fn take(&mut self, kind: &'static str, handle: Pointer) {
        assert_eq!(self.handles.remove(&(handle as usize)), Some(kind));
    }

    /// The bytes from an address on, which may lie inside of an allocation.
    fn bytes(&mut self, address: u64, count: usize) -> &mut [u8] {
        let mut all = self.memory.iter_mut();
        let (start, bytes) = all
            .find(|(start, bytes)| (**start..**start + bytes.len() as u64).contains(&address))
            .expect("an allocation");
        let from = (address - *start) as usize;
        &mut bytes[from..from + count]
    }
}

// The driver's functions. SAFETY of all: the tests call them through the wrappers alone, whose pointers are of
// values that are there.

unsafe extern "C" fn allocate(address: *mut u64, bytes: usize) -> Status {
    if bytes > 1 << 40 {
        return 2;
    }
    call("allocate", |s| {
        s.next += 1;
        let at = (s.next as u64) << 41;
        s.memory.insert(at, vec![0; bytes]);
        unsafe { *address = at };
    })
}
unsafe extern "C" fn free(address: u64) -> Status {
    call("free", |s| assert!(s.memory.remove(&address).is_some()))
}
unsafe extern "C" fn copy_in(to: u64, from: *const c_void, bytes: usize) -> Status {
    call("copy_in", |s| {
        let from = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), bytes) };
        s.bytes(to, bytes).copy_from_slice(from);
        s.waited.push(0);
    })
}
unsafe extern "C" fn copy_out(to: *mut c_void, from: u64, bytes: usize) -> Status {
    call("copy_out", |s| {
        let to = unsafe { std::slice::from_raw_parts_mut(to.cast::<u8>(), bytes) };
        to.copy_from_slice(s.bytes(from, bytes));
        s.waited.push(0);
    })
}
unsafe extern "C" fn enqueue_copy_in(
    to: u64,
    from: *const c_void,
    bytes: usize,
    stream: Pointer,
) -> Status {
    call("enqueue_copy_in", |s| {
        assert!(!stream.is_null());
        let from = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), bytes) };
        s.bytes(to, bytes).copy_from_slice(from);
    })
}
unsafe extern "C" fn enqueue_copy_out(
    to: *mut c_void,
    from: u64,
    bytes: usize,
    stream: Pointer,
) -> Status {
    call("enqueue_copy_out", |s| {
        assert!(!stream.is_null());
        let to = unsafe { std::slice::from_raw_parts_mut(to.cast::<u8>(), bytes) };
        to.copy_from_slice(s.bytes(from, bytes));
    })
}
unsafe extern "C" fn enqueue_copy(to: u64, from: u64, bytes: usize, _: Pointer) -> Status {
    call("enqueue_copy", |s| {
        let copied = s.bytes(from, bytes).to_vec();
        s.bytes(to, bytes).copy_from_slice(&copied);
    })
}
unsafe extern "C" fn enqueue_clear(to: u64, word: c_uint, words: usize, _: Pointer) -> Status {
    call("enqueue_clear", |s| {
        for bytes in s.bytes(to, 4 * words).chunks_mut(4) {
            bytes.copy_from_slice(&word.to_ne_bytes());
        }
    })
}
unsafe extern "C" fn load_module(module: *mut Pointer, _: *const c_void) -> Status {
    call("load_module", |s| unsafe { *module = s.give("module") })
}
unsafe extern "C" fn unload_module(module: Pointer) -> Status {
    call("unload_module", |s| s.take("module", module))
}
unsafe extern "C" fn module_function(
    function: *mut Pointer,
    module: Pointer,
    _: *const c_char,
) -> Status {
    call("module_function", |_| unsafe { *function = module })
}
/// 512 threads, 1024 bytes of shared memory of its own, no local memory, 40 registers.
unsafe extern "C" fn function_attribute(value: *mut c_int, which: c_int, _: Pointer) -> Status {
    let values = [512, 1024, 0, 0, 40];
    call("function_attribute", |_| unsafe {
        *value = values[which as usize]
    })
}
unsafe extern "C" fn launch(
    _: Pointer,
    blocks: c_uint,
    _: c_uint,
    _: c_uint,
    threads: c_uint,
    _: c_uint,
    _: c_uint,
    shared: c_uint,
    _: Pointer,
    parameters: *mut *mut c_void,
    _: *mut *mut c_void,
) -> Status {
    assert_eq!((blocks, threads, shared), (3, 256, 2048));
    // What is read, and what is written, come first in the arguments.
    let arguments = unsafe { *parameters }.cast::<u64>();
    assert!(unsafe { *arguments } != 0 && unsafe { *arguments.add(1) } != 0);
    call("launch", |_| {})
}
unsafe extern "C" fn create_stream(stream: *mut Pointer, _: c_uint) -> Status {
    call("create_stream", |s| unsafe { *stream = s.give("stream") })
}
unsafe extern "C" fn wait_for_stream(stream: Pointer) -> Status {
    let status = call("wait_for_stream", |s| s.waited.push(stream as usize));
    let gate = GATE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some((begun, end)) = gate {
        // Who is told, or should say so, may have failed.
        let _ = begun.send(()).map(|()| end.recv());
    }
    status
}
unsafe extern "C" fn query_stream(_: Pointer) -> Status {
    call("query_stream", |_| {})
}
unsafe extern "C" fn follow_event(stream: Pointer, event: Pointer, flags: c_uint) -> Status {
    assert_eq!(flags, 0);
    call("follow_event", |s| {
        assert_eq!(s.handles.get(&(stream as usize)), Some(&"stream"));
        assert_eq!(s.handles.get(&(event as usize)), Some(&"event"));
    })
}
unsafe extern "C" fn destroy_stream(stream: Pointer) -> Status {
    call("destroy_stream", |s| s.take("stream", stream))
}
unsafe extern "C" fn create_event(event: *mut Pointer, flags: c_uint) -> Status {
    assert_eq!(flags, 0);
    call("create_event", |s| unsafe { *event = s.give("event") })
}
unsafe extern "C" fn record_event(_: Pointer, _: Pointer) -> Status {
    call("record_event", |_| {})
}
unsafe extern "C" fn wait_for_event(_: Pointer) -> Status {
    call("wait_for_event", |_| {})
}
unsafe extern "C" fn elapsed(milliseconds: *mut f32, start: Pointer, end: Pointer) -> Status {
    assert!((start as usize) < end as usize);
    call("elapsed", |_| unsafe { *milliseconds = 1.5 })
}
unsafe extern "C" fn destroy_event(event: Pointer) -> Status {
    call("destroy_event", |s| s.take("event", event))
}
unsafe extern "C" fn exchange_mode(mode: *mut c_int) -> Status {
    call("exchange_mode", |s| unsafe {
        std::ptr::swap(mode, &mut s.mode)
    })
}
unsafe extern "C" fn begin_capture(_: Pointer, mode: c_int) -> Status {
    assert_eq!(mode, 1);
    call("begin_capture", |s| s.recording = true)
}
unsafe extern "C" fn end_capture(_: Pointer, graph: *mut Pointer) -> Status {
    // Also when it fails.
    state(|s| s.recording = false);
    call("end_capture", |s| unsafe { *graph = s.give("graph") })
}
unsafe extern "C" fn instantiate(executable: *mut Pointer, _: Pointer, _: u64) -> Status {
    call("instantiate", |s| unsafe {
        *executable = s.give("executable")
    })
}
unsafe extern "C" fn launch_graph(_: Pointer, _: Pointer) -> Status {
    call("launch_graph", |_| {})
}
unsafe extern "C" fn destroy_executable(executable: Pointer) -> Status {
    call("destroy_executable", |s| s.take("executable", executable))
}
unsafe extern "C" fn destroy_graph(graph: Pointer) -> Status {
    call("destroy_graph", |s| s.take("graph", graph))
}
/// Granules of 64 bytes, which are not clear; device 9 is by itself.
unsafe extern "C" fn reaches(whether: *mut c_int, device: c_int, other: c_int) -> Status {
    call("reaches", |_| unsafe {
        *whether = c_int::from(device != 9 && other != 9)
    })
}
unsafe extern "C" fn granule(bytes: *mut usize, _: *const Properties, option: c_int) -> Status {
    assert_eq!(option, 0);
    call("granule", |_| unsafe { *bytes = 64 })
}
unsafe extern "C" fn reserve(address: *mut u64, bytes: usize, _: usize, _: u64, _: u64) -> Status {
    assert!(bytes.is_multiple_of(64));
    call("reserve", |s| unsafe {
        *address = s.give("addresses") as u64
    })
}
unsafe extern "C" fn free_addresses(address: u64, _: usize) -> Status {
    call("free_addresses", |s| {
        s.take("addresses", address as Pointer)
    })
}
unsafe extern "C" fn create(
    handle: *mut u64,
    _: usize,
    properties: *const Properties,
    _: u64,
) -> Status {
    assert_eq!(size_of::<Properties>(), 32);
    assert!(!properties.is_null());
    call("create", |s| unsafe { *handle = s.give("physical") as u64 })
}
unsafe extern "C" fn release(handle: u64) -> Status {
    call("release", |s| s.take("physical", handle as Pointer))
}
unsafe extern "C" fn map(address: u64, bytes: usize, _: usize, handle: u64, _: u64) -> Status {
    call("map", |s| {
        assert_eq!(s.handles.get(&(handle as usize)), Some(&"physical"));
        s.memory.insert(address, vec![0xff; bytes]);
    })
}
unsafe extern "C" fn unmap(address: u64, bytes: usize) -> Status {
    call("unmap", |s| {
        assert_eq!(s.memory.remove(&address).map(|m| m.len()), Some(bytes));
    })
}
unsafe extern "C" fn allow(address: u64, bytes: usize, who: *const Access, count: usize) -> Status {
    assert!(!who.is_null() && count == 2);
    call("allow", |s| {
        // All that is mapped there, piece by piece.
        let mut at = address;
        while at < address + bytes as u64 {
            at += s.memory[&at].len() as u64;
        }
        assert_eq!(at, address + bytes as u64);
    })
}

/// The functions above, in the order of the tables' rows.
const CALLS: &[*const ()] = &[
    allocate as *const (),
    free as *const (),
    copy_in as *const (),
    copy_out as *const (),
    enqueue_copy_in as *const (),
    enqueue_copy_out as *const (),
    enqueue_copy as *const (),
    enqueue_clear as *const (),
    load_module as *const (),
    unload_module as *const (),
    module_function as *const (),
    function_attribute as *const (),
    launch as *const (),
    create_stream as *const (),
    wait_for_stream as *const (),
    query_stream as *const (),
    follow_event as *const (),
    destroy_stream as *const (),
    create_event as *const (),
    record_event as *const (),
    wait_for_event as *const (),
    elapsed as *const (),
    destroy_event as *const (),
];
const GRAPH_CALLS: &[*const ()] = &[
    exchange_mode as *const (),
    begin_capture as *const (),
    end_capture as *const (),
    instantiate as *const (),
    launch_graph as *const (),
    destroy_executable as *const (),
    destroy_graph as *const (),
];
const PEER_CALLS: &[*const ()] = &[
    reaches as *const (),
    granule as *const (),
    reserve as *const (),
    free_addresses as *const (),
    create as *const (),
    release as *const (),
    map as *const (),
    unmap as *const (),
    allow as *const (),
];

fn symbol(name: &str) -> Option<Pointer> {
    let rows = Calls::ROWS.iter().zip(CALLS);
    let all = rows.chain(GraphCalls::ROWS.iter().zip(GRAPH_CALLS));
    let all = all.chain(PeerCalls::ROWS.iter().zip(PEER_CALLS));
    let mut named = all.filter(|(names, _)| names.contains(&name));
    named.next().map(|(_, function)| *function as Pointer)
}

/// A driver with CUDA's names, whose null stream disturbs nobody; or with HIP's, whose does.
#[derive(Debug)]
struct Fake<const HIP: bool>;

struct Echo;

impl Compiler for Echo {
    fn source(program: &Program) -> String {
        program.entry.into()
    }
    fn compile(&self, source: &str) -> Result<Compiled> {
        Ok(Compiled {
            code: source.into(),
            log: String::new(),
        })
    }
    fn told(&self) -> [String; 2] {
        [String::new(), String::new()]
    }
    fn code(&self, source: &str, _: Option<&Cache>) -> Result<Vec<u8>> {
        Ok(self.compile(source)?.code)
    }
    fn version(&self) -> String {
        "1.0".into()
    }
}

const GEOMETRY: Geometry = Geometry {
    wave: 32,
    threads: 1024,
    shared_bytes: 1 << 16,
    registers: 1 << 16,
    multiprocessors: 4,
    blocks: 1000,
    access: 0,
    together: true,
    vendor: Vendor::Nvidia,
};

impl<const HIP: bool> Interface for Fake<HIP> {
    const BACKEND: &'static str = "fake";
    const NAMES: Names = if HIP { Names::Hip } else { Names::Cuda };
    const STICKY: &'static [Status] = &[700];
    const AFTER_STICKY: &'static str = "nothing can be done";
    const WITHOUT_GRAPHS: [&'static str; 2] = ["this driver", "install another"];
    const NULL_ENDS_RECORDINGS: bool = HIP;
    const TURNS: bool = !HIP;
    const SHARED_UNASKED: usize = 4096;

    type Device = ();
    type Compiler = Echo;
    type Held = c_int;
    type Current = c_int;

    fn open_devices() -> &'static OpenDevices<Self> {
        // No device stays open from one test to the next.
        Box::leak(Box::default())
    }

    fn find(_: usize) -> Result<Found<Self>> {
        // SAFETY: the functions above have these signatures.
        let api = unsafe { Api::load(Fake, symbol) };
        Ok(Found {
            api: Box::leak(Box::new(api.unwrap_or_else(|name| panic!("{name}")))),
            device: (),
            limits: Limits {
                precisions: Vec::new(),
                ..Lowering::limits("fake", ["made up", ""], Vec::new(), GEOMETRY)
            },
            geometry: GEOMETRY,
            compiler: Echo,
        })
    }

    fn hold(_: &'static Api<Self>, ordinal: usize) -> Result<c_int> {
        Ok(ordinal as c_int)
    }

    fn of(held: &c_int) -> c_int {
        *held
    }

    fn number(held: &c_int) -> c_int {
        *held
    }

    fn current(_: &Api<Self>) -> Result<Option<c_int>> {
        Ok(Some(state(|s| s.current)))
    }

    unsafe fn make_current(_: &Api<Self>, current: c_int) -> Result<()> {
        state(|s| s.current = current);
        Ok(())
    }

    unsafe fn ask_shared(api: &Api<Self>, _: Pointer, _: usize) -> Result<()> {
        api.check(Answer::of("ask_shared", call("ask_shared", |_| {})))
    }

    fn words(&self, status: Status) -> String {
        format!("status {status}")
    }
}

/// One test at a time has the driver, new; afterwards everything has gone back.
fn with_driver<const HIP: bool>(test: impl FnOnce(DeviceDriver<Fake<HIP>>)) {
    static ONE: OnceLock<Mutex<()>> = OnceLock::new();
    let one: &Mutex<()> = ONE.get_or_init(Mutex::default);
    let _one: MutexGuard<()> = one.lock().unwrap_or_else(PoisonError::into_inner);
    state(|s| {
        *s = State {
            current: 7,
            ..State::default()
        }
    });
    test(DeviceDriver::open(3).unwrap());
    state(|s| {
        assert!(s.handles.is_empty(), "{:?}", s.handles);
        assert!(s.memory.is_empty());
        assert_eq!((s.mode, s.current), (0, 7), "the thread is as it was");
        assert!(!s.recording);
    });
}

fn on_both(run: impl Fn(&dyn AnyDriver)) {
    with_driver::<false>(|driver| run(&driver));
    with_driver::<true>(|driver| run(&driver));
}

/// What the tests do with either driver.
trait AnyDriver {
    fn round_trip(&self);
    fn events(&self);
    fn launches(&self);
    fn records(&self, launch: &dyn Fn() -> Result<()>) -> Result<()>;
    fn shares(&self);
}

impl<const HIP: bool> AnyDriver for DeviceDriver<Fake<HIP>> {
    fn round_trip(&self) {
        let mut a = self.allocate(100).unwrap();
        let b = self.allocate(100).unwrap();
        let bytes: Vec<u8> = (0..50).collect();
        self.write(&mut a, 20, &bytes).unwrap();
        let stream = self.stream().unwrap();
        self.copy(&stream, &a, &b, 60).unwrap();
        let mut got = [0; 100];
        self.read(&b, 0, &mut got).unwrap();
        assert_eq!(got[20..60], bytes[..40]);
        assert_eq!((got[19], got[60]), (0, 0));
        assert!(matches!(
            self.read(&b, 60, &mut got).unwrap_err(),
            Error::BufferTooShort {
                expected: 160,
                got: 100,
                ..
            }
        ));
        // On a stream apart nothing else is waited for.
        let apart = self.stream_apart().unwrap();
        state(|s| s.waited.clear());
        self.write_by(&apart, &mut a, &bytes).unwrap();
        let mut first = [0; 50];
        self.read_by(&apart, &a, &mut first).unwrap();
        assert_eq!(first, bytes[..]);
        state(|s| assert!(s.waited.iter().all(|&one| one == apart.handle() as usize)));
        assert_eq!(self.within(|| state(|s| s.current)).unwrap(), 3);
        let zeros = self.zeros(30).unwrap();
        let mut got = [1; 30];
        self.read(&zeros, 0, &mut got).unwrap();
        assert_eq!(got, [0; 30]);
        assert!(state(|s| s.called.contains(&"enqueue_clear")));
        assert_eq!(self.zeros(0).unwrap().bytes(), 0);
        let empty = self.allocate(0).unwrap();
        assert_eq!((empty.pointer(), empty.bytes()), (0, 0));
        let error = self.allocate(1 << 50).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
        self.synchronize().unwrap();
        state(|s| assert!(s.waited.contains(&0) && s.waited.contains(&(stream.handle() as usize))));
    }

    fn shares(&self) {
        let (same, other) = (self.clone(), DeviceDriver::open(4).unwrap());
        let all = [self.clone(), other.clone(), same];
        // Of five granules two are the first's, one the second's and what is left the last one's.
        let shared = PeerMemory::allocate(&all, 300, &|granule| {
            assert_eq!(granule, 64);
            vec![0, 0, 1]
        });
        let shared = shared.unwrap();
        assert_eq!(shared.bytes(), 320);
        let pieces = state(|s| {
            let mut pieces: Vec<(u64, usize)> =
                s.memory.iter().map(|m| (*m.0, m.1.len())).collect();
            pieces.sort_unstable();
            assert!(s.memory.values().flatten().all(|&byte| byte == 0), "clear");
            pieces
        });
        let at = shared.pointer();
        assert_eq!(pieces, [(at, 128), (at + 128, 64), (at + 192, 128)]);
        // An event of one device is followed on another's stream, and nobody waits.
        let (event, stream) = (self.event().unwrap(), other.stream().unwrap());
        event.record(self.default_stream()).unwrap();
        state(|s| s.waited.clear());
        stream.follow(&event).unwrap();
        assert!(stream.is_done().unwrap() && state(|s| s.waited.is_empty()));
        let alone = [self.clone(), DeviceDriver::open(9).unwrap()];
        let error = PeerMemory::allocate(&alone, 10, &|_| vec![0]).unwrap_err();
        let said = error.to_string();
        assert!(
            said.contains("device 9") && said.contains("device 3"),
            "{said}"
        );
        // Where one piece finds no room, those before it go back.
        for (failing, status) in [("create", 2), ("map", 700), ("allow", 700)] {
            state(|s| s.fails = Some((failing, status)));
            let failed = PeerMemory::allocate(&all, 300, &|_| vec![0, 1]).unwrap_err();
            state(|s| s.fails = None);
            let no_room = matches!(failed, Error::OutOfMemory { .. });
            assert_eq!(no_room, failing == "create", "{failed}");
        }
    }

    fn events(&self) {
        let stream = self.stream().unwrap();
        let [from, to] = [self.event().unwrap(), self.event().unwrap()];
        from.record(&stream).unwrap();
        to.record(&stream).unwrap();
        assert_eq!(to.elapsed_ms(&from).unwrap(), 1.5);
        state(|s| {
            let awaited = s.called.iter().filter(|c| **c == "wait_for_event").count();
            assert_eq!(awaited, 2);
        });
    }

    fn launches(&self) {
        let kernel = self.kernel_from_source("code", "entry", 256, 2048).unwrap();
        assert_eq!((kernel.registers(), kernel.local_bytes()), (40, 0));
        let memory = self.allocate(64).unwrap();
        let region = |offset| Region::from(&memory, offset);
        let launch = |blocks| Launch {
            load: region(0),
            store: region(8),
            extra: None,
            tables: None,
            matrices: None,
            lines: 1,
            scale: 1.0,
            blocks,
        };
        let stream = self.default_stream();
        self.launch(stream, &kernel, &launch(3)).unwrap();
        self.launch(stream, &kernel, &launch(0)).unwrap();
        let error = self.launch(stream, &kernel, &launch(1001)).unwrap_err();
        assert!(
            error.to_string().contains("1001 blocks: at most 1000"),
            "{error}"
        );
        state(|s| assert_eq!(s.called.iter().filter(|c| **c == "launch").count(), 1));

        // Two passes in turns: their counters are cleared before.
        let mut counters = self.allocate(64).unwrap();
        self.write(&mut counters, 0, &[1; 64]).unwrap();
        let passes = [2, 1].map(|tiles| SideWords {
            tiles,
            ..Default::default()
        });
        let words = TurnWords {
            turns: 1,
            passes,
            ..Default::default()
        };
        let both = [&launch(1), &launch(1)];
        let at = Region::from(&counters, 8);
        self.launch_in_turns(stream, &kernel, both, &words, at)
            .unwrap();
        let mut bytes = [0; 64];
        self.read(&counters, 0, &mut bytes).unwrap();
        assert_eq!((words.blocks(), words.counter_bytes()), (3, 12));
        assert_eq!([&bytes[..8], &bytes[20..]].concat(), [1; 52]);
        assert_eq!(bytes[8..20], [0; 12]);
        state(|s| assert_eq!(s.called.iter().filter(|c| **c == "launch").count(), 2));

        // What a kernel may have: 512 threads, and of 65536 bytes all but its own 1024.
        let refused = |threads, shared| self.kernel_from_source("code", "entry", threads, shared);
        for (threads, shared, words) in [
            (513, 0, "blocks of 1 to 512 threads"),
            (0, 0, "blocks of 1 to 512 threads"),
            (256, 64513, "at most 64512 bytes"),
        ] {
            let error = refused(threads, shared).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let asked = || state(|s| s.called.contains(&"ask_shared"));
        refused(256, 4096).unwrap();
        assert!(!asked());
        refused(256, 64512).unwrap();
        assert!(asked());
    }

    fn records(&self, launch: &dyn Fn() -> Result<()>) -> Result<()> {
        let mut memory = self.allocate(8)?;
        let graph = self.capture(Box::new(()), |_| {
            // As another thread does.
            state(|s| s.waited.clear());
            self.write(&mut memory, 0, &[1; 8])?;
            self.synchronize()?;
            state(|s| assert_eq!(s.waited.contains(&0), !HIP));
            launch()
        })?;
        graph.launch(self.default_stream())?;
        state(|s| s.waited.clear());
        self.synchronize()?;
        state(|s| assert!(s.waited.contains(&0)));
        Ok(())
    }
}

#[test]
fn bytes_go_to_the_device_and_back() {
    on_both(|driver| driver.round_trip());
}

#[test]
fn events_take_the_time() {
    on_both(|driver| driver.events());
}

#[test]
fn a_launch_is_as_it_was_asked_for() {
    on_both(|driver| driver.launches());
}

#[test]
fn a_graph_is_recorded_and_what_was_recorded_goes_back() {
    on_both(|driver| {
        driver.records(&|| Ok(())).unwrap();
        state(|s| assert!(s.called.contains(&"launch_graph")));
    });
}

#[test]
fn a_recording_ends_when_its_launches_fail_or_panic() {
    on_both(|driver| {
        let failed = Error::Device {
            backend: "fake".into(),
            message: "a launch of the test's own".into(),
            output_touched: false,
        };
        assert_eq!(driver.records(&|| Err(failed.clone())), Err(failed.clone()));
        let panics = std::panic::AssertUnwindSafe(|| driver.records(&|| panic!("on purpose")));
        assert!(std::panic::catch_unwind(panics).is_err());
    });
}

#[test]
fn a_dropped_stream_is_waited_for_also_while_another_thread_waits() {
    with_driver::<false>(|driver| {
        let stream = driver.stream().unwrap();
        let handle = stream.handle() as usize;
        let ((begun, begins), (ends, end)) = (channel(), channel());
        *GATE.lock().unwrap() = Some((begun, end));
        std::thread::scope(|scope| {
            // Dropped if this fails, so that the other thread goes on.
            let ends = ends;
            let waiting = scope.spawn(|| driver.synchronize());
            begins.recv().unwrap();
            state(|s| s.waited.clear());
            drop(stream);
            state(|s| {
                assert_eq!(s.waited, [handle]);
                assert!(s.handles.contains_key(&handle), "it is waited for");
            });
            ends.send(()).unwrap();
            waiting.join().unwrap().unwrap();
        });
    });
}

/// Whatever call fails, the error names it as its header does, and everything goes back.
#[test]
fn every_call_that_fails_is_named() {
    for (name, header) in [
        ("create_stream", "cuStreamCreate"),
        ("allocate", "cuMemAlloc"),
        ("copy_in", "cuMemcpyHtoD"),
        ("begin_capture", "cuStreamBeginCapture"),
        ("end_capture", "cuStreamEndCapture"),
        ("instantiate", "cuGraphInstantiateWithFlags"),
        ("launch_graph", "cuGraphLaunch"),
        ("wait_for_stream", "cuStreamSynchronize"),
        ("exchange_mode", "cuThreadExchangeStreamCaptureMode"),
    ] {
        with_driver::<false>(|driver| {
            state(|s| s.fails = Some((name, 700)));
            let error = driver.records(&|| Ok(())).unwrap_err();
            state(|s| s.fails = None);
            let Error::Device {
                message,
                output_touched,
                ..
            } = &error
            else {
                panic!("{error}");
            };
            assert!(
                message.starts_with(&format!("{header}: status 700.")),
                "{message}"
            );
            assert!(
                message.ends_with("nothing can be done") && *output_touched,
                "{message}"
            );
        });
    }
}

#[test]
fn several_devices_share_memory() {
    on_both(|driver| driver.shares());
}

#[test]
fn a_function_that_is_missing_is_named() {
    let without = |missing: &'static str| {
        // SAFETY: the functions above have these signatures.
        unsafe {
            Api::load(Fake::<true>, move |name| {
                symbol(name).filter(|_| name != missing)
            })
        }
    };
    assert_eq!(without("hipMalloc").err(), Some("hipMalloc"));
    let error = without("hipGraphLaunch")
        .ok()
        .unwrap()
        .graphs()
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains("hipGraphLaunch") && error.contains("launch without a graph"),
        "{error}"
    );
}

#[test]
fn rows_have_a_name_of_each_vendor() {
    let tables = [Calls::ROWS, GraphCalls::ROWS, PeerCalls::ROWS];
    let rows = [&tables.concat(), CompilerCalls::ROWS].concat();
    for [cuda, hip] in &rows {
        assert!(
            cuda.starts_with("cu") || cuda.starts_with("nvrtc"),
            "{cuda}"
        );
        assert!(hip.starts_with("hip"), "{hip}");
    }
    let mut names: Vec<&str> = rows.concat();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 2 * rows.len());
    assert_eq!(
        tables.map(<[_]>::len),
        [CALLS.len(), GRAPH_CALLS.len(), PEER_CALLS.len()]
    );
}
