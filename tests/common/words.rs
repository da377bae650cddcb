//! The words of a program by the names that `device/config.hpp` gives them.

use mmafft::backend_traits::device::{Program, SOURCES};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Where the words of `Config` lie.
struct Layout {
    /// First words by name: `values`, `axis.load_stride`, `step.op`; arrays by their first.
    first: HashMap<String, usize>,
    /// Words of one axis, one loop, one step.
    sizes: HashMap<String, usize>,
    /// Words altogether.
    total: usize,
    /// The enumerators that sizes are named by, and those that steps have.
    enums: HashMap<String, i64>,
}

static LAYOUT: LazyLock<Layout> = LazyLock::new(|| {
    let (_, text) = SOURCES
        .iter()
        .find(|(name, _)| *name == "config.hpp")
        .expect("it is there");
    Layout::parse(text)
});

/// The text between `open` and the next `};`.
fn body<'a>(text: &'a str, open: &str) -> &'a str {
    let (_, rest) = text.split_once(open).expect(open);
    rest.split_once("};").expect("an end").0
}

impl Layout {
    fn parse(text: &str) -> Layout {
        let code: Vec<&str> = text
            .lines()
            .map(|l| l.split("//").next().unwrap_or(""))
            .collect();
        let code = code.join("\n");
        let mut enums = HashMap::new();
        for list in code.split("enum ").skip(1) {
            let list = list
                .split_once('{')
                .expect("an enum")
                .1
                .split_once('}')
                .expect("its end")
                .0;
            for (i, word) in list.split(',').enumerate() {
                let (name, value) = match word.split_once('=') {
                    Some((name, value)) => (name, value.trim().parse().expect("a number")),
                    None => (word, i as i64),
                };
                enums.insert(name.trim().to_string(), value);
            }
        }
        let mut layout = Layout {
            first: HashMap::new(),
            sizes: HashMap::new(),
            total: 0,
            enums,
        };
        for (name, key) in [
            ("Loop", "loop"),
            ("Axis", "axis"),
            ("Reals", "reals"),
            ("Step", "step"),
            ("Config", ""),
        ] {
            let size = layout.fields(body(&code, &format!("struct {name} {{")), key);
            layout.sizes.insert(key.to_string(), size);
        }
        layout.total = layout.sizes[""];
        layout
    }

    /// Adds the fields of a struct; returns its words.
    fn fields(&mut self, body: &str, key: &str) -> usize {
        let mut at = 0;
        for declaration in body.split(';').map(str::trim).filter(|d| !d.is_empty()) {
            let (kind, names) = declaration
                .split_once(char::is_whitespace)
                .expect("a field");
            let size = match kind {
                "i64" => 1,
                other => self.sizes[&other.to_lowercase()],
            };
            for name in names.split(',') {
                let (name, count) = match name.trim().split_once('[') {
                    Some((name, count)) => (name, count.trim_end_matches(']')),
                    None => (name.trim(), "1"),
                };
                let number = || self.enums[count] as usize;
                let count = count.parse().unwrap_or_else(|_| number());
                let full = if key.is_empty() {
                    name.into()
                } else {
                    format!("{key}.{name}")
                };
                self.first.insert(full, at);
                at += size * count;
            }
        }
        at
    }
}

/// The words of `Config`, as the header declares them.
pub fn total() -> usize {
    LAYOUT.total
}

/// An enumerator of the header.
pub fn constant(name: &str) -> i64 {
    LAYOUT.enums[name]
}

/// A field of `Config` itself.
pub fn head(program: &Program, name: &str) -> i64 {
    program.config[LAYOUT.first[name]]
}

/// A field of step `number`.
pub fn step(program: &Program, number: usize, name: &str) -> i64 {
    let at = LAYOUT.first["step"] + number * LAYOUT.sizes["step"];
    program.config[at + LAYOUT.first[&format!("step.{name}")]]
}

/// Whether a step's DFTs are dense: several threads share a column. Not every version of the
/// header has such steps.
pub fn dense(program: &Program, number: usize) -> bool {
    LAYOUT.enums.get("ENGINE_DENSE") == Some(&step(program, number, "engine"))
}
