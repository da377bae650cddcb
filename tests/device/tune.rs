//! Which launch shapes, tiles and radices are the fastest: measured, one pass at a time.

use super::{cuda, in_parallel, plan};
use mmafft::backend_traits::{Backend, Bindings, Launch, Pass, Prepared, Step};
use mmafft::{CudaBackend, Plan, Precision, Request, Shape};
use std::sync::Mutex;

const BYTES: usize = 1 << 30;

struct Candidate {
    plan: Plan,
    label: String,
}

fn sequences(
    n: usize,
    most: usize,
    radices: &[usize],
    out: &mut Vec<Vec<usize>>,
    so_far: &mut Vec<usize>,
) {
    if n == 1 {
        out.push(so_far.clone());
        return;
    }
    for &r in radices {
        if r <= most && n.is_multiple_of(r) {
            so_far.push(r);
            sequences(n / r, r, radices, out, so_far);
            so_far.pop();
        }
    }
}

fn steps(axis: usize, radices: &[usize]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut done = 1;
    for &radix in radices {
        if done > 1 {
            steps.push(Step::Twiddle {
                axis,
                length: done * radix,
            });
            steps.push(Step::Exchange);
        }
        steps.push(Step::Dft { axis, radix });
        done *= radix;
    }
    steps
}

fn candidates(made: &Plan, pass: &Pass, number: usize, shared: usize) -> Vec<Candidate> {
    let double = pass.storage.bytes() == 8;
    let [axis] = &pass.axes[..] else {
        return Vec::new();
    };
    let n = axis.length;
    let plain = pass
        .steps
        .iter()
        .all(|s| matches!(s, Step::Dft { .. } | Step::Twiddle { .. } | Step::Exchange));
    let mut all = Vec::new();
    if plain {
        let env = std::env::var("MMAFFT_RADICES").ok();
        let radices: Vec<usize> = match &env {
            Some(list) => list.split(',').map(|r| r.parse().unwrap()).collect(),
            None => vec![16, 13, 11, 9, 8, 7, 5, 4, 3, 2],
        };
        sequences(n, 64, &radices, &mut all, &mut Vec::new());
        let least = all.iter().map(Vec::len).min().unwrap_or(0);
        all.retain(|s| {
            s.len() <= least + 1 && (s.len() == least || s[0] <= 8 || s.iter().all(|r| *r == s[0]))
        });
        all.sort_by_key(|s| (s.len(), s.iter().max().copied()));
        let up: Vec<Vec<usize>> = all
            .iter()
            .filter(|s| s.len() == least)
            .map(|s| s.iter().rev().copied().collect())
            .collect();
        all.extend(up);
        all.sort();
        all.dedup();
        all.sort_by_key(Vec::len);
        all.truncate(8);
    } else {
        all.push(Vec::new());
    }
    let cell = if double { 16 } else { 8 };
    let mut out = Vec::new();
    let lines: Vec<usize> = match std::env::var("MMAFFT_LINES") {
        Ok(l) => l.split(',').map(|x| x.parse().unwrap()).collect(),
        Err(_) => {
            let own = pass.tile.lines;
            let mut l = vec![own, own * 2, (own / 2).max(1)];
            l.sort();
            l.dedup();
            l
        }
    };
    for seq in &all {
        for &lines in &lines {
            let points = n * lines;
            if points * cell * 17 / 32 > shared {
                continue;
            }
            let mut seen = Vec::new();
            for values in [8, 10, 16, 20, 32] {
                if double && values > 20 {
                    continue;
                }
                let threads = points.div_ceil(values).next_multiple_of(32);
                if !(32..=1024).contains(&threads) || seen.contains(&threads) {
                    continue;
                }
                seen.push(threads);
                let words = if double { 4 } else { 2 };
                let by_registers = 65536 / (threads * (values * words + 16));
                let most = by_registers.min(2048 / threads).min(32).max(1);
                let mut rs = vec![most, most.saturating_sub(1), most * 3 / 4, most / 2];
                rs.retain(|r| *r > 0);
                rs.dedup();
                rs.sort();
                rs.dedup();
                let variants: Vec<(usize, bool, bool)> = rs
                    .iter()
                    .flat_map(|&r| {
                        [
                            (r, false, false),
                            (r, true, false),
                            (r, false, true),
                            (r, true, true),
                        ]
                    })
                    .collect();
                let wanted = std::env::var("MMAFFT_VARIANTS").unwrap_or("00,10,01,11".into());
                for (residents, ahead, apart) in variants {
                    if !wanted.contains(&format!("{}{}", ahead as u8, apart as u8)) {
                        continue;
                    }
                    let mut pass = pass.clone();
                    if !seq.is_empty() {
                        pass.steps = steps(axis.axis, seq);
                    }
                    pass.tile.lines = lines;
                    pass.tile.launch = Some(Launch {
                        threads,
                        residents,
                        ahead,
                        apart,
                    });
                    let mut plan = made.clone();
                    plan.passes = vec![pass];
                    let name: Vec<String> = seq.iter().map(usize::to_string).collect();
                    out.push(Candidate {
                        plan,
                        label: format!(
                            "pass{number},{},{lines},{threads},{residents},{}{}",
                            name.join("*"),
                            ahead as u8,
                            apart as u8
                        ),
                    });
                }
            }
        }
    }
    // What the rules say today.
    let mut plan = made.clone();
    plan.passes = vec![pass.clone()];
    out.push(Candidate {
        plan,
        label: format!("pass{number},rule,{},0,0,--", pass.tile.lines),
    });
    out
}

#[test]
fn tune() {
    let Ok(cases) = std::env::var("MMAFFT_TUNE") else {
        return;
    };
    let Some(backend) = cuda("tune") else { return };
    let mut memory = backend.allocate(BYTES).expect("memory");
    let mut random = 1u32;
    let noise: Vec<u8> = (0..1 << 22)
        .flat_map(|_| {
            random = random.wrapping_mul(1664525).wrapping_add(1013904223);
            ((random >> 8) as f32 / 16777216.0 - 0.5).to_ne_bytes()
        })
        .collect();
    for at in (0..BYTES).step_by(noise.len()) {
        backend.write(&mut memory, at, &noise).expect("it fits");
    }
    let mut scratch = backend.allocate(BYTES + (1 << 28)).expect("memory");
    let stream = backend.driver().stream().expect("a stream");
    let (start, end) = (
        backend.driver().event().expect("an event"),
        backend.driver().event().expect("an event"),
    );
    println!("precision,shape,pass,radices,lines,threads,residents,ahead_apart,ms,fraction");
    for case in cases.split(' ') {
        let (precision, shapes) = case.split_once(':').expect("precision:shapes");
        let precision = *[
            Precision::F32,
            Precision::F64,
            Precision::F16,
            Precision::SplitF16,
        ]
        .iter()
        .find(|p| p.row().name == precision)
        .expect("a precision");
        for shape in shapes.split(',') {
            let dims: Vec<usize> = shape
                .split('x')
                .map(|d| d.parse().expect("a number"))
                .collect();
            let points: usize = dims.iter().product();
            let bytes = 2 * precision.row().storage.bytes() * points;
            let batch = (BYTES / bytes).max(1);
            let request = Request::forward(Shape::new(&dims))
                .batch(batch)
                .precision(precision);
            let made = plan(&backend, &request);
            let shared = backend.limits().tile_bytes;
            for (i, pass) in made.passes.iter().enumerate() {
                let all = candidates(&made, pass, i + 1, shared);
                let prepared: Vec<Mutex<Option<_>>> =
                    all.iter().map(|_| Mutex::new(None)).collect();
                in_parallel(all.len(), |i| {
                    *prepared[i].lock().unwrap() = backend.prepare(&all[i].plan).ok();
                });
                let mut rows = Vec::new();
                for (candidate, prepared) in all.iter().zip(&prepared) {
                    let guard = prepared.lock().unwrap();
                    let Some(prepared) = &*guard else { continue };
                    let ms = time(
                        &backend,
                        prepared,
                        &mut memory,
                        &mut scratch,
                        &stream,
                        &start,
                        &end,
                    );
                    rows.push((ms, candidate.label.clone()));
                }
                let rule = rows.last().cloned();
                rows.sort_by(|a, b| a.0.total_cmp(&b.0));
                for (ms, label) in rows.iter().take(8).chain(&rule) {
                    let total = 2.0 * (batch * bytes) as f64;
                    println!(
                        "{},{shape},{label},{ms:.4},{:.3}",
                        precision.row().name,
                        total / (ms * 1e-3) / 4.24e12
                    );
                }
            }
        }
    }
}

fn time(
    backend: &CudaBackend,
    prepared: &<CudaBackend as Backend>::Prepared,
    memory: &mut <CudaBackend as Backend>::Buffer,
    scratch: &mut <CudaBackend as Backend>::Buffer,
    stream: &mmafft::cuda::CudaStream,
    start: &mmafft::cuda::CudaEvent,
    end: &mmafft::cuda::CudaEvent,
) -> f64 {
    let _ = prepared.scratch_bytes();
    let mut times: Vec<f64> = (0..5)
        .map(|_| {
            start.record(stream).expect("recorded");
            let bindings = Bindings {
                input: None,
                output: &mut *memory,
                scratch: &mut *scratch,
            };
            backend
                .launch_on(stream, prepared, bindings)
                .expect("it runs");
            end.record(stream).expect("recorded");
            end.synchronize().expect("it ran");
            end.elapsed_ms(start).expect("both ran").into()
        })
        .collect();
    times.remove(0);
    times.sort_by(f64::total_cmp);
    times[1]
}
