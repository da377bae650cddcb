//! Lane tables, from the vendors' documents.

/// What an operand is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    F16,
    Bf16,
    F32,
    F64,
}

/// For each element of a matrix, row by row, which of a lane's values it is, and of which
/// lane.
#[derive(Debug, Clone)]
pub struct Table {
    pub rows: usize,
    pub columns: usize,
    pub places: Vec<(usize, usize)>,
}

/// D (m×n) = A (m×k) · B (k×n) + D, of each block; the blocks' matrices follow each other.
#[derive(Debug, Clone)]
pub struct Instruction {
    /// The kernel that executes it once.
    pub entry: &'static str,
    pub lanes: usize,
    pub blocks: usize,
    pub operand: Element,
    pub sum: Element,
    pub a: Table,
    pub b: Table,
    pub d: Table,
}

impl Instruction {
    /// (m, n, k)
    pub fn size(&self) -> [usize; 3] {
        let blocks = self.blocks;
        [self.a.rows / blocks, self.b.columns, self.b.rows / blocks]
    }

    /// Where in A, B and D element (i, j) of a block's product has its term l.
    pub fn term(&self, block: usize, i: usize, j: usize, l: usize) -> [usize; 3] {
        let [m, n, k] = self.size();
        let (row, from) = (block * m + i, block * k + l);
        [row * k + l, from * n + j, row * n + j]
    }
}

/// From the (row, column) of value `i` of `lane`, as the PTX ISA gives it.
fn held(
    [rows, columns]: [usize; 2],
    values: usize,
    place: impl Fn(usize, usize) -> (usize, usize),
) -> Table {
    let mut places = vec![(usize::MAX, usize::MAX); rows * columns];
    for lane in 0..32 {
        for i in 0..values {
            let (row, column) = place(i, lane);
            places[row * columns + column] = (i, lane);
        }
    }
    Table {
        rows,
        columns,
        places,
    }
}

/// The PTX ISA's "Matrix Fragments for mma.m16n8k8", "… mma.m16n8k16 with floating point
/// type" and "… mma.m8n8k4 with .f64 floating point type", whose words these are: there,
/// groupID = %laneid >> 2 and threadID_in_group = %laneid % 4.
pub fn nvidia() -> Vec<Instruction> {
    let group = |lane: usize| lane >> 2;
    let thread = |lane: usize| lane % 4;
    // row = groupID for c0, c1 and groupID + 8 for c2, c3;
    // col = threadID_in_group * 2 + (i & 0x1)
    let sum = held([16, 8], 4, |i, lane| {
        let row = if i < 2 { group(lane) } else { group(lane) + 8 };
        (row, thread(lane) * 2 + (i & 1))
    });
    // row = groupID for ai where 0 <= i < 2 or 4 <= i < 6, else groupID + 8;
    // col = threadID_in_group * 2 + (i & 0x1), and 8 more for i >= 4
    let a16 = held([16, 16], 8, |i, lane| {
        let upper = i < 2 || (4..6).contains(&i);
        let row = if upper { group(lane) } else { group(lane) + 8 };
        let column = thread(lane) * 2 + (i & 1);
        (row, if i < 4 { column } else { column + 8 })
    });
    // row = threadID_in_group * 2 + (i & 0x1), and 8 more for i >= 2; col = groupID
    let b16 = held([16, 8], 4, |i, lane| {
        let row = thread(lane) * 2 + (i & 1);
        (if i < 2 { row } else { row + 8 }, group(lane))
    });
    // row = groupID for a0, a1 and groupID + 8 for a2, a3;
    // col = threadID_in_group * 2 + (i & 0x1)
    let a8 = held([16, 8], 4, |i, lane| {
        let row = if i < 2 { group(lane) } else { group(lane) + 8 };
        (row, thread(lane) * 2 + (i & 1))
    });
    // row = threadID_in_group * 2 + i; col = groupID
    let b8 = held([8, 8], 2, |i, lane| (thread(lane) * 2 + i, group(lane)));
    let make = |entry, operand, a: &Table, b: &Table| Instruction {
        entry,
        lanes: 32,
        blocks: 1,
        operand,
        sum: Element::F32,
        a: a.clone(),
        b: b.clone(),
        d: sum.clone(),
    };
    vec![
        make("test_mma_f16_m16n8k16", Element::F16, &a16, &b16),
        make("test_mma_bf16_m16n8k16", Element::Bf16, &a16, &b16),
        make("test_mma_f16_m16n8k8", Element::F16, &a8, &b8),
        make("test_mma_bf16_m16n8k8", Element::Bf16, &a8, &b8),
        Instruction {
            entry: "test_mma_f64_m8n8k4",
            lanes: 32,
            blocks: 1,
            operand: Element::F64,
            sum: Element::F64,
            // row = groupID, col = threadID_in_group
            a: held([8, 4], 1, |_, lane| (group(lane), thread(lane))),
            // row = threadID_in_group, col = groupID
            b: held([4, 8], 1, |_, lane| (thread(lane), group(lane))),
            // row = groupID, col = threadID_in_group * 2 + (i & 0x1)
            d: held([8, 8], 2, |i, lane| {
                (group(lane), thread(lane) * 2 + (i & 1))
            }),
        },
    ]
}

/// AMD's tables, as their calculator prints them.
const MFMA: &str = include_str!("../fixtures/mfma-lanes.txt");

pub fn amd() -> Vec<Instruction> {
    let make = |entry: &'static str, operand, sum| {
        // Of 16 bits there is one table for both kinds: registers of the same form.
        let name = entry.trim_start_matches("test_");
        let name = &name.replace("bf16_4x4x4", "f16_4x4x4");
        Instruction {
            entry,
            lanes: 64,
            blocks: if name.contains("_4x4") { 16 } else { 1 },
            operand,
            sum,
            a: read(name, "A"),
            b: read(name, "B"),
            d: read(name, "D"),
        }
    };
    vec![
        make("test_mfma_f16_16x16x16", Element::F16, Element::F32),
        make("test_mfma_bf16_16x16x16", Element::Bf16, Element::F32),
        make("test_mfma_f16_4x4x4", Element::F16, Element::F32),
        make("test_mfma_bf16_4x4x4", Element::Bf16, Element::F32),
        make("test_mfma_f32_4x4x1", Element::F32, Element::F32),
        make("test_mfma_f32_16x16x4", Element::F32, Element::F32),
        make("test_mfma_f64_16x16x4", Element::F64, Element::F64),
    ]
}

fn read(name: &str, matrix: &str) -> Table {
    let head = format!("{name} {matrix} ");
    let mut lines = MFMA.lines().skip_while(|line| !line.starts_with(&head));
    let size = lines.next().unwrap()[head.len()..].split(' ');
    let size: Vec<usize> = size.map(|n| n.parse().unwrap()).collect();
    let place = |word: &str| {
        let (slot, lane) = word.split_once('/').unwrap();
        (slot.parse().unwrap(), lane.parse().unwrap())
    };
    let rows = lines.take(size[0]);
    let places: Vec<_> = rows.flat_map(|row| row.split(' ')).map(place).collect();
    assert_eq!(places.len(), size[0] * size[1]);
    Table {
        rows: size[0],
        columns: size[1],
        places,
    }
}
