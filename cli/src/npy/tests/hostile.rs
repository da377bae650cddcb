//! Invalid files: each must give its own error, and none may panic.

use proptest::prelude::*;
use std::io::Read;

use super::*;

/// A header with `shape` as given and `f8` data of no bytes.
fn shaped(shape: &str) -> Vec<u8> {
    array("<f8", false, shape, &[])
}

/// A version 1.0 file that consists of a header only.
fn headed(text: &str) -> Vec<u8> {
    file(1, text, &[])
}

#[test]
fn messages_say_what_was_expected_and_found() {
    let structured = "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}";
    for (bytes, expected) in [
        (
            vec![],
            "truncated: expected at least 8 bytes in the file, got 0",
        ),
        (b"PK\x03\x04 not numpy".to_vec(), "got \"PK\\x03\\x04 n\""),
        (file(4, "{}", &[]), "expected 1.0, 2.0 or 3.0, got 4.0"),
        (b"\x93NUMPY\x01\x01......".to_vec(), "got 1.1"),
        (
            b"\x93NUMPY\x01\x00\xff\xff".to_vec(),
            "at least 65545 bytes in the file, got 10",
        ),
        (
            b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(),
            "too long: expected at most 1048576 bytes, got 4294967295",
        ),
        (headed("{'descr\u{e9}': 1}"), "got byte 0xc3 at offset 7"),
        (
            headed(""),
            "invalid at offset 0: expected `{`, got the end of the header",
        ),
        (headed("[1]"), "expected `{`, got `[1]`"),
        (
            headed("{1: 2}"),
            "expected a quoted key or `}`, got `1: 2}`",
        ),
        (headed("{,}"), "expected a quoted key"),
        (headed("{'descr' '<f8'}"), "expected `:`"),
        (headed("{'descr: 1}\n"), "expected a closing quote"),
        (headed("{'de\\x41': 1}"), "expected a closing quote"),
        (headed("{'descr': 8}"), "expected a quoted dtype, got `8}`"),
        (
            headed("{'fortran_order': 1}"),
            "expected True or False, got `1}`",
        ),
        (
            headed("{'fortran_order': Falsely}"),
            "expected True or False",
        ),
        (headed("{'shape': 3}"), "expected `(`"),
        (
            headed("{'shape': (3)}"),
            "expected `,` after the only length",
        ),
        (
            headed("{'shape': (3 4)}"),
            "expected `,` after the only length, got `4)}`",
        ),
        (headed("{'shape': (3, 4 5)}"), "expected `,` or `)`"),
        (headed("{'shape': (3, 'a')}"), "expected a length"),
        (headed("{'shape': (3.5,)}"), "got `.5,)}`"),
        (
            headed("{'shape': (3,) 'descr': '<f8'}"),
            "expected `,` or `}`",
        ),
        (headed("{} {}"), "expected the end of the header, got `{}`"),
        (headed("{}"), "expected the key 'descr'"),
        (
            headed("{'descr': '<f8'}"),
            "expected the key 'fortran_order'",
        ),
        (
            headed("{'descr': '<f8', 'fortran_order': True}"),
            "expected the key 'shape'",
        ),
        (
            headed("{'descr': '<f8', 'descr': '<f8'}"),
            "expected the key 'descr' once",
        ),
        (
            headed("{'shape': (), 'shape': ()}"),
            "expected the key 'shape' once",
        ),
        (
            headed("{'color': 'red'}"),
            "'fortran_order' or 'shape', got 'color'",
        ),
        (headed(structured), "got a structured type ([('a', '<f8')]"),
        (shaped("(08,)"), "a length without leading zeros, got `08,)"),
        (shaped("(4, 007)"), "a length without leading zeros"),
        (shaped("(2, -1)"), "zero or more, got -1 for axis 1"),
        (
            shaped("(99999999999999999999,)"),
            "got a length of 99999999999999999999 on axis 0",
        ),
        (
            shaped("(4294967296, 4294967296)"),
            "got shape [4294967296, 4294967296]",
        ),
        (
            shaped("(0, 18446744073709551615)"),
            "too large: expected at most",
        ),
        (
            shaped("(1152921504606846975,)"),
            "truncated: expected 9223372036854775800 bytes, got 0",
        ),
        (shaped("(2,)"), "truncated: expected 16 bytes, got 0"),
        (
            array("|u1", false, "(2,)", &[1, 2, 3]),
            "trailing data after the array: expected 2 bytes, got 3",
        ),
    ] {
        let got = message(&bytes);
        assert!(got.contains(expected), "{got:?} lacks {expected:?}");
        assert!(!got.contains(char::is_control), "{got:?}");
    }
}

#[test]
fn unsupported_dtypes_are_named() {
    for (descr, name) in [
        ("|O", "object ('|O')"),
        ("|S5", "byte string ('|S5')"),
        ("<U10", "unicode string ('<U10')"),
        ("|V16", "void (raw bytes)"),
        ("<M8[ns]", "datetime64"),
        ("<m8[s]", "timedelta64"),
        ("<f16", "longdouble ('<f16')"),
        ("<c32", "clongdouble"),
        ("<f3", "an unknown type ('<f3')"),
        ("", "an unknown type"),
        ("<", "an unknown type"),
    ] {
        let got = message(&array(descr, false, "(1,)", &[0; 16]));
        assert!(got.contains(name), "{got}");
        assert!(got.contains("expected bool, int8"), "{got}");
    }
}

#[test]
fn long_names_are_cut_in_messages() {
    let text = format!("{{'{}': 1}}", "x".repeat(60_000));
    assert!(message(&headed(&text)).len() < 200);
    let digits = "9".repeat(60_000);
    assert!(message(&shaped(&format!("({digits},)"))).len() < 200);
    assert!(message(&shaped(&format!("(-{digits},)"))).len() < 200);
}

/// Of a file as of a stream, and in the same words.
#[test]
fn every_truncation_is_an_error() {
    for version in 1..=3 {
        let text = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}\n";
        let bytes = file(version, text, &[0; 24]);
        assert!(parse(&bytes).is_ok());
        for len in 0..bytes.len() {
            let said = message(&bytes[..len]);
            assert!(said.contains("truncated"), "{said}");
            let stream = Reader::new(Source::unbounded(&bytes[..len])).and_then(Array::of);
            assert_eq!(stream.unwrap_err().to_string(), said);
        }
    }
}

#[test]
fn a_missing_file_is_named() {
    let error = read(Path::new("/nonexistent/x.npy")).unwrap_err();
    assert!(error.to_string().contains("`/nonexistent/x.npy`"));
}

/// A sparse file may be larger than memory: its length backs the header, but
/// the values cannot be held.
#[test]
fn running_out_of_memory_is_an_error() {
    let count = 1u64 << 60;
    let head = array("|u1", false, &format!("({count},)"), &[]);
    let total = head.len() as u64 + count;
    let endless = head.as_slice().chain(std::io::repeat(0));
    let result = Reader::new(Source::new(endless, total)).and_then(Array::of);
    assert!(matches!(result, Err(NpyError::OutOfMemory { .. })));
}

/// A file that shrinks while it is read.
#[test]
fn early_end_of_the_stream_is_an_error() {
    let bytes = array("<f8", false, "(2,)", &[0; 8]);
    let result = Reader::new(Source::new(bytes.as_slice(), bytes.len() as u64 + 8));
    let result = result.and_then(Array::of);
    assert!(matches!(
        result,
        Err(NpyError::TruncatedData {
            expected: 16,
            got: 8
        })
    ));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn arbitrary_headers_never_panic(text in "[{}()\\[\\]',:\"<>=|fciub0-9L \\-\nTrueFalsdhpotn_]{0,120}") {
        let _ = parse(&file(1, &text, &[0; 8]));
    }

    #[test]
    fn changed_bytes_never_panic(
        fortran: bool,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = array(">c8", fortran, "(2, 1, 3, 2)", &[7; 96]);
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = parse(&bytes);
    }
}
