//! Valid files: every dtype, byte order, memory order and header spelling.

use half::f16;
use num_complex::Complex;

use super::*;

/// Little-endian bytes of a list of numbers.
macro_rules! le {
    ($type:ty: $($x:expr),*) => {
        [$(<$type>::to_le_bytes($x).to_vec()),*].concat()
    };
}

/// Reverses every `width` bytes.
fn swapped(bytes: &[u8], width: usize) -> Vec<u8> {
    bytes
        .chunks(width)
        .flat_map(|c| c.iter().rev().copied())
        .collect()
}

fn complex<T>(parts: [T; 4]) -> Vec<Complex<T>> {
    let [a, b, c, d] = parts;
    vec![Complex::new(a, b), Complex::new(c, d)]
}

/// (code, bytes per number, little-endian data, number of values, values)
fn table() -> Vec<(&'static str, usize, Vec<u8>, usize, Values)> {
    use Values::{Complex as C64, ComplexF32, Real, RealF32};
    let big = i64::MIN as f64;
    vec![
        ("b1", 1, vec![0, 1, 2], 3, RealF32(vec![0.0, 1.0, 1.0])),
        ("i1", 1, vec![0x80, 0x7f], 2, RealF32(vec![-128.0, 127.0])),
        ("u1", 1, vec![0, 255], 2, RealF32(vec![0.0, 255.0])),
        (
            "i2",
            2,
            le!(i16: -32768, 2),
            2,
            RealF32(vec![-32768.0, 2.0]),
        ),
        ("u2", 2, le!(u16: 65535, 2), 2, RealF32(vec![65535.0, 2.0])),
        (
            "i4",
            4,
            le!(i32: i32::MIN, 2),
            2,
            Real(vec![-2147483648.0, 2.0]),
        ),
        (
            "u4",
            4,
            le!(u32: u32::MAX, 2),
            2,
            Real(vec![4294967295.0, 2.0]),
        ),
        ("i8", 8, le!(i64: i64::MIN, 2), 2, Real(vec![big, 2.0])),
        ("u8", 8, le!(u64: 1 << 63, 2), 2, Real(vec![-big, 2.0])),
        (
            "f2",
            2,
            le!(f16: f16::from_f32(1.5), f16::MAX),
            2,
            RealF32(vec![1.5, 65504.0]),
        ),
        ("f4", 4, le!(f32: 0.1, -2.0), 2, RealF32(vec![0.1, -2.0])),
        ("f8", 8, le!(f64: 0.1, -2.0), 2, Real(vec![0.1, -2.0])),
        (
            "c8",
            4,
            le!(f32: 0.1, -2.0, 3.0, 4.0),
            2,
            ComplexF32(complex([0.1, -2.0, 3.0, 4.0])),
        ),
        (
            "c16",
            8,
            le!(f64: 0.1, -2.0, 3.0, 4.0),
            2,
            C64(complex([0.1, -2.0, 3.0, 4.0])),
        ),
    ]
}

#[test]
fn every_dtype_in_both_byte_orders() {
    let native = if cfg!(target_endian = "big") {
        '>'
    } else {
        '<'
    };
    for (code, width, little, count, values) in table() {
        let big = swapped(&little, width);
        let same = if native == '<' { &little } else { &big };
        for (prefix, data) in [
            ("<", &little),
            (">", &big),
            ("=", same),
            ("|", same),
            ("", same),
        ] {
            let bytes = array(
                &format!("{prefix}{code}"),
                false,
                &format!("({count},)"),
                data,
            );
            let parsed = parse(&bytes).unwrap_or_else(|e| panic!("{prefix}{code}: {e}"));
            assert_eq!(parsed.values, values, "{prefix}{code}");
            assert_eq!(parsed.shape, [count]);
            assert_eq!(parsed.dtype.is_complex(), code.starts_with('c'));
        }
    }
}

#[test]
fn dtypes_have_names() {
    let name = |descr| DType::parse(descr).unwrap().to_string();
    assert_eq!(name(">f4"), "float32 (big-endian)");
    assert_eq!(name("<c16"), "complex128 (little-endian)");
    assert_eq!(name("|b1"), "bool");
    assert_eq!(name("<i1"), "int8");
}

/// Bytes of `0, 1, 2, ...` (as C-order positions) stored in Fortran order.
fn fortran(shape: &[usize]) -> Vec<u8> {
    let count: usize = shape.iter().product();
    let mut stored = vec![0.0; count];
    for index in 0..count {
        let (mut rest, mut position) = (index, 0);
        for axis in (0..shape.len()).rev() {
            let stride: usize = shape[..axis].iter().product();
            position += rest % shape[axis] * stride;
            rest /= shape[axis];
        }
        stored[position] = index as f64;
    }
    stored.into_iter().flat_map(f64::to_be_bytes).collect()
}

#[test]
fn fortran_order_becomes_c_order() {
    for shape in [
        vec![],
        vec![7],
        vec![2, 3],
        vec![70, 33],
        vec![1, 5],
        vec![2, 3, 4],
        vec![40, 3, 35],
        vec![2, 3, 4, 5],
        vec![3, 1, 2, 34],
        vec![2, 1, 3, 2, 1, 4, 2],
        vec![0, 3],
        vec![3, 0, 2],
        vec![3, 2, 0, 0],
    ] {
        let text = format!("{shape:?}").replace('[', "(").replace(']', ",)");
        let text = text.replace("(,)", "()");
        let parsed = parse(&array(">f8", true, &text, &fortran(&shape))).unwrap();
        let count = shape.iter().product();
        let expected: Vec<f64> = (0..count).map(|i: usize| i as f64).collect();
        assert_eq!(parsed.values, Values::Real(expected), "{shape:?}");
        assert_eq!(parsed.shape, shape);
    }
}

#[test]
fn numbers_across_block_boundaries_keep_their_order() {
    let count = 100_003;
    let data: Vec<u8> = (0..count).flat_map(|i: u32| i.to_be_bytes()).collect();
    let parsed = parse(&array(">u4", false, &format!("({count},)"), &data)).unwrap();
    let expected = (0..count).map(f64::from).collect();
    assert_eq!(parsed.values, Values::Real(expected));
}

#[test]
fn header_spellings_of_numpy() {
    let data = [1.0f64, 2.0].map(f64::to_le_bytes).concat();
    for text in [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }   \n",
        "{\"descr\": \"<f8\", \"fortran_order\": False, \"shape\": (1, 2)}",
        "{'shape':(1L,2L,),'fortran_order':False,'descr':'<f8'}\n",
        "  {\n'descr' : '<f8' ,\t'shape' : ( 1 , 2 ) ,\r\n'fortran_order' : False , } \n \n",
    ] {
        for version in 1..=3 {
            let parsed = parse(&file(version, text, &data)).unwrap();
            assert_eq!(parsed.shape, [1, 2], "{text}");
            assert_eq!(parsed.values, Values::Real(vec![1.0, 2.0]));
        }
    }
}

#[test]
fn scalars_and_empty_arrays() {
    let scalar = parse(&array("<f4", false, "()", &2.5f32.to_le_bytes())).unwrap();
    assert_eq!(scalar.shape, [0usize; 0]);
    assert_eq!(scalar.values, Values::RealF32(vec![2.5]));
    let empty = parse(&array("<c8", false, "(4, 0)", &[])).unwrap();
    assert_eq!(empty.values.len(), 0);
}

/// Every number type that is read into takes every dtype.
#[test]
fn values_as_other_numbers() {
    fn points<T: Number>(descr: &str, data: &[u8]) -> Vec<Complex<f64>> {
        let file = array(descr, false, "(1,)", data);
        let reader = Reader::new(Source::new(&file[..], file.len() as u64)).unwrap();
        let read: Vec<T> = reader.read(&[1]).unwrap();
        read.into_iter().map(T::value).collect()
    }
    let real = |x: f64| vec![Complex::from(x)];
    let tenth = 0.1f64.to_le_bytes();
    assert_eq!(points::<f64>("<f8", &tenth), real(0.1));
    assert_eq!(points::<Complex<f32>>("<f8", &tenth), real(0.1f32.into()));
    assert_eq!(
        points::<f16>("<f8", &tenth),
        real(f16::from_f64(0.1).into())
    );
    assert_eq!(points::<Complex<f64>>("|u1", &[200]), real(200.0));
    let data = [0.5f32, -1.0].map(f32::to_le_bytes).concat();
    assert_eq!(
        points::<Complex<f64>>("<c8", &data),
        [Complex::new(0.5, -1.0)]
    );
    assert_eq!(points::<f32>("<c8", &data), real(0.5));
}

/// As NumPy pads and crops, in either order.
#[test]
fn axes_are_padded_and_cropped() {
    let shape = [3usize, 4, 2];
    for wanted in [
        [3usize, 4, 2],
        [5, 4, 2],
        [2, 6, 1],
        [3, 3, 3],
        [1, 1, 1],
        [4, 5, 6],
    ] {
        let mut expected = vec![0.0; wanted.iter().product()];
        for i in 0..24 {
            let at = [i / 8, i / 2 % 4, i % 2];
            if at.iter().zip(&wanted).all(|(a, n)| a < n) {
                expected[(at[0] * wanted[1] + at[1]) * wanted[2] + at[2]] = i as f64;
            }
        }
        let c: Vec<u8> = (0..24).flat_map(|i| f64::from(i).to_be_bytes()).collect();
        for (order, data) in [(false, c), (true, fortran(&shape))] {
            let file = array(">f8", order, "(3, 4, 2)", &data);
            let reader = Reader::new(Source::new(&file[..], file.len() as u64)).unwrap();
            let read: Vec<f64> = reader.read(&wanted).unwrap();
            assert_eq!(read, expected, "{wanted:?}, {order}");
        }
    }
}
