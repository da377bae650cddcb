//! Whether machine code of GFX9 waits for what it loads, by following every path.
//!
//! Loads of memory and stores to it count up `vmcnt`, in order; those of shared memory and
//! scalars count up `lgkmcnt`, scalars out of order. `s_waitcnt vmcnt(n)` waits until at most
//! n are under way. So a register that a load will write becomes safe by a wait for no more
//! than the operations that came after it.

use std::collections::{BTreeMap, HashMap};

/// An instruction: its address, name and operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    pub address: u64,
    pub name: String,
    pub operands: Vec<String>,
    /// Where it may jump to.
    pub target: Option<u64>,
}

/// Reads what `llvm-objdump -d` prints: a tab, the instruction, `//`, its address and words,
/// and `<symbol+0x1c>` after a branch.
pub fn instructions(text: &str) -> Vec<Instruction> {
    let start = |line: &str| u64::from_str_radix(line.split(' ').next()?, 16).ok();
    let mut base = 0;
    let mut all = Vec::new();
    for line in text.lines() {
        if line.ends_with(">:") {
            base = start(line).unwrap_or(base);
        }
        let Some((code, comment)) = line.split_once("//") else {
            continue;
        };
        let address = comment.trim().split(':').next().unwrap_or_default();
        let Ok(address) = u64::from_str_radix(address, 16) else {
            continue;
        };
        let (name, operands) = code.trim().split_once(' ').unwrap_or((code.trim(), ""));
        let offset = comment
            .rsplit_once("+0x")
            .and_then(|(_, hex)| u64::from_str_radix(hex.trim_end_matches('>'), 16).ok());
        let jumps = name.starts_with("s_branch") || name.starts_with("s_cbranch");
        all.push(Instruction {
            address,
            name: name.into(),
            operands: operands.split(',').map(|o| o.trim().into()).collect(),
            target: jumps.then(|| base + offset.unwrap_or(0)),
        });
    }
    all
}

/// A register: its file, `v`, `a` or `s`, and its number.
type Register = (char, u32);

/// The registers that an operand names: `v7`, `v[2:5]`, `-v3`, `|v4|`, `s[0:1]`; several in
/// modifiers do not occur.
fn registers(operand: &str) -> Vec<Register> {
    let word = operand.split(' ').next().unwrap_or_default();
    let word = word.trim_matches(['-', '|']);
    let word = word
        .strip_prefix("abs(")
        .map_or(word, |w| w.trim_end_matches(')'));
    let mut letters = word.chars();
    let Some(file) = letters.next().filter(|c| "vas".contains(*c)) else {
        return Vec::new();
    };
    let rest = letters.as_str();
    let range = match rest.strip_prefix('[') {
        Some(range) => range.trim_end_matches(']').split_once(':'),
        None => Some((rest, rest)),
    };
    let ends = range.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    ends.map_or(Vec::new(), |(a, b): (u32, u32)| {
        (a..=b).map(|number| (file, number)).collect()
    })
}

/// Which counter an operation counts up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Counter {
    Memory,
    Shared,
    Scalar,
}

fn counter(name: &str) -> Option<Counter> {
    match name {
        _ if name.starts_with("global_") || name.starts_with("scratch_") => Some(Counter::Memory),
        _ if name.starts_with("ds_") => Some(Counter::Shared),
        _ if name.starts_with("s_load") || name.starts_with("s_buffer_load") => {
            Some(Counter::Scalar)
        }
        _ => None,
    }
}

/// Whether its first operand is what it writes.
fn is_load(name: &str) -> bool {
    ["load", "read", "bpermute"]
        .iter()
        .any(|word| name.contains(word))
}

/// How many operations of its counter have come after the load of each register that is
/// under way.
type State = BTreeMap<(Counter, Register), u32>;

/// `n` of `vmcnt(n)` in the operands of `s_waitcnt`.
fn waited(instruction: &Instruction, what: &str) -> Option<u32> {
    let text = instruction.operands.join(" ");
    let (_, rest) = text.split_once(what)?;
    rest.trim_start_matches('(').split(')').next()?.parse().ok()
}

fn step(state: &mut State, instruction: &Instruction) -> Result<(), String> {
    if instruction.name == "s_waitcnt" {
        let (memory, others) = (waited(instruction, "vmcnt"), waited(instruction, "lgkmcnt"));
        // Scalars may come in any order: then only a wait for all says anything.
        let scalars = state.keys().any(|(c, _)| *c == Counter::Scalar);
        state.retain(|(counter, _), after| {
            let most = match counter {
                Counter::Memory => memory,
                Counter::Shared if !scalars => others,
                _ => others.filter(|&n| n == 0),
            };
            most.is_none_or(|n| *after < n)
        });
        return Ok(());
    }
    let used: Vec<Register> = instruction
        .operands
        .iter()
        .flat_map(|o| registers(o))
        .collect();
    // What a load writes may be under way from a load before it, for other lanes or not: the
    // same counter's come in order.
    let own = counter(&instruction.name).filter(|c| *c != Counter::Scalar);
    let written = registers(&instruction.operands[0]);
    for register in &used {
        for counter in [Counter::Memory, Counter::Shared, Counter::Scalar] {
            let again = own == Some(counter)
                && is_load(&instruction.name)
                && written.contains(register)
                && !instruction.operands[1..]
                    .iter()
                    .any(|o| registers(o).contains(register));
            if !again && state.contains_key(&(counter, *register)) {
                return Err(format!(
                    "{:#x}: {} {} uses {register:?}, whose load is not waited for",
                    instruction.address,
                    instruction.name,
                    instruction.operands.join(", ")
                ));
            }
        }
    }
    if let Some(counter) = counter(&instruction.name) {
        let others = |c: Counter| (c == Counter::Memory) == (counter == Counter::Memory);
        for ((of, _), after) in state.iter_mut() {
            if others(*of) {
                // The counters of hardware end at 63.
                *after = (*after + 1).min(63);
            }
        }
        if is_load(&instruction.name) {
            for register in written {
                state.insert((counter, register), 0);
            }
        }
    }
    Ok(())
}

/// The first use of a register whose load may still be under way, on any path.
pub fn check(code: &[Instruction]) -> Result<(), String> {
    let at: HashMap<u64, usize> = code
        .iter()
        .enumerate()
        .map(|(i, c)| (c.address, i))
        .collect();
    let mut before: Vec<Option<State>> = vec![None; code.len()];
    let mut work = vec![(0, State::new())];
    while let Some((mut i, state)) = work.pop() {
        let mut state = state;
        while let Some(instruction) = code.get(i) {
            // What is under way on one of the paths is under way, the latest counting.
            if let Some(known) = &before[i] {
                let mut merged = known.clone();
                for (key, after) in &state {
                    let entry = merged.entry(*key).or_insert(*after);
                    *entry = (*entry).min(*after);
                }
                if merged == *known {
                    break;
                }
                state = merged;
            }
            before[i] = Some(state.clone());
            step(&mut state, instruction)?;
            if let Some(target) = instruction.target {
                let target = at
                    .get(&target)
                    .ok_or_else(|| format!("{:#x}: a jump to nowhere", instruction.address))?;
                work.push((*target, state.clone()));
            }
            if instruction.name == "s_branch" || instruction.name == "s_endpgm" {
                break;
            }
            i += 1;
        }
    }
    Ok(())
}

/// As objdump prints it; `%` stands for the loop's wait.
const LOOP: &str = "
0000000000001900 <kernel>:
	s_load_dwordx2 s[0:1], s[4:5], 0x0   // 000000001900: C0060002 00000000
	s_waitcnt lgkmcnt(0)                 // 000000001908: BF8CC07F
	global_load_dwordx4 v[0:3], v9, s[0:1]   // 00000000190C: DC5C8000
	global_load_dwordx2 v[4:5], v9, s[0:1]   // 000000001914: DC548000
	%                                    // 00000000191C: BF8C0F71
	v_add_f32_e32 v0, v0, v3             // 000000001920: 02000700
	s_cbranch_scc1 65530                 // 000000001924: BF85FFFA <kernel+0xc>
	s_endpgm                             // 000000001928: BF810000
";

pub fn missing_waits_are_found() {
    let run = |wait: &str| check(&instructions(&LOOP.replace('%', wait)));
    assert_eq!(
        run("s_waitcnt vmcnt(1)").map_err(|e| e.contains("v4")),
        Ok(())
    );
    assert_eq!(run("s_waitcnt vmcnt(0)"), Ok(()));
    let said = run("s_nop 0").unwrap_err();
    assert!(
        said.contains("0x1920") && said.contains("v_add_f32_e32"),
        "{said}"
    );
    assert!(run("s_waitcnt vmcnt(2)").is_err());
    assert!(run("s_waitcnt lgkmcnt(0)").is_err());
    assert_eq!(registers("v[2:4]").len(), 3);
    assert_eq!(registers("-v7"), [('v', 7)]);
    assert!(registers("vcc").is_empty() && registers("0x20").is_empty());
}
