//! Writes the structs of `device/config.hpp` as Rust's structs of words, and its enumerators as constants: each is declared
//! once, for both sides.

use std::fmt::Write;

/// The header's structs, and what they are called in Rust.
const STRUCTS: [[&str; 2]; 5] = [
    ["Loop", "LoopWords"],
    ["Axis", "AxisWords"],
    ["Reals", "RealsWords"],
    ["Step", "StepWords"],
    ["Config", "HeadWords"],
];

fn main() {
    const HEADER: &str = "device/config.hpp";
    println!("cargo::rerun-if-changed={HEADER}");
    let header = std::fs::read_to_string(HEADER).expect("the package has its device code");
    let lines = header
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""));
    let code: String = lines.flat_map(|line| [line, "\n"]).collect();
    let mut words = String::new();
    for [name, in_rust] in STRUCTS {
        let (_, rest) = code.split_once(&format!("struct {name} {{")).expect(name);
        let (body, _) = rest.split_once("};").expect(name);
        let numbers = body
            .split(';')
            .filter_map(|field| field.trim().strip_prefix("i64 "));
        let fields = numbers.collect::<Vec<_>>().join(", ");
        writeln!(
            words,
            "words! {{ /** `{name}`. */ {in_rust} {{ {fields} }} }}"
        )
        .expect("text");
    }
    for list in code.split("enum ").skip(1) {
        // Sizes have no name, and are usizes in Rust.
        let (name, rest) = list.split_once('{').expect("an enum");
        let (body, _) = rest.split_once('}').expect("its end");
        let numbered = body
            .split(',')
            .filter(|_| !name.trim().is_empty())
            .enumerate();
        for (number, word) in numbered {
            let word = word.trim();
            writeln!(
                words,
                "#[allow(dead_code)] pub const {word}: i64 = {number};"
            )
            .expect("text");
        }
    }
    let folder = std::env::var("OUT_DIR").expect("cargo says where");
    std::fs::write(format!("{folder}/words.rs"), words).expect("it can be written");
}
