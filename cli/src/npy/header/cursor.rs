//! A cursor over the header text with one method per literal of the format.

use super::super::error::NpyError;
use crate::excerpt::excerpt;

/// Reads the few Python literals that a header may contain, left to right.
pub(super) struct Cursor<'a> {
    text: &'a str,
    /// Byte offset of the next character; at most `text.len()`.
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Starts at the first byte of `text`, which must be ASCII.
    pub(super) fn new(text: &'a [u8]) -> Result<Self, NpyError> {
        if let Some(offset) = text.iter().position(|byte| !byte.is_ascii()) {
            let byte = text[offset];
            return Err(NpyError::NotAscii { byte, offset });
        }
        // ASCII is UTF-8, so the fallback is never taken.
        let text = std::str::from_utf8(text).unwrap_or_default();
        Ok(Self { text, at: 0 })
    }

    /// Consumes `byte` if it comes next (after white space).
    pub(super) fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Consumes `byte`, which must come next (after white space).
    pub(super) fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), NpyError> {
        if self.accept(byte) {
            return Ok(());
        }
        Err(self.unexpected(expected))
    }

    /// Checks that only white space is left.
    pub(super) fn expect_end(&mut self) -> Result<(), NpyError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("the end of the header")),
        }
    }

    /// A string literal in single or double quotes, without escapes.
    pub(super) fn string(&mut self, expected: &'static str) -> Result<&'a str, NpyError> {
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => char::from(quote),
            _ => return Err(self.unexpected(expected)),
        };
        self.at += 1;
        let body = self.take_while(|byte| byte != quote as u8 && byte != b'\\' && byte != b'\n');
        if self.rest().starts_with(quote) {
            self.at += 1;
            return Ok(body);
        }
        Err(self.unexpected("a closing quote"))
    }

    /// The value of `descr`: a string, or a type that is not a plain number.
    pub(super) fn descr(&mut self) -> Result<&'a str, NpyError> {
        match self.peek() {
            Some(b'[' | b'(') => Err(NpyError::DType {
                got: format!("a structured type ({})", excerpt(self.rest())),
            }),
            _ => self.string("a quoted dtype"),
        }
    }

    /// `True` or `False`.
    pub(super) fn boolean(&mut self) -> Result<bool, NpyError> {
        self.skip_space();
        let start = self.at;
        match self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            "True" => Ok(true),
            "False" => Ok(false),
            _ => {
                self.at = start;
                Err(self.unexpected("True or False"))
            }
        }
    }

    /// A tuple of lengths: `()`, `(3,)`, `(3, 4)`, `(3L, 4L,)`.
    pub(super) fn shape(&mut self) -> Result<Vec<usize>, NpyError> {
        self.expect(b'(', "`(`")?;
        let mut shape = Vec::new();
        while !self.accept(b')') {
            shape.push(self.length(shape.len())?);
            if self.accept(b',') {
                continue;
            }
            // `(3)` is a number in Python, not a tuple.
            if shape.len() == 1 {
                return Err(self.unexpected("`,` after the only length"));
            }
            self.expect(b')', "`,` or `)`")?;
            break;
        }
        Ok(shape)
    }

    /// One length, with the `L` suffix that Python 2 wrote for long integers.
    fn length(&mut self, axis: usize) -> Result<usize, NpyError> {
        let negative = self.accept(b'-');
        self.skip_space();
        let digits = self.take_while(|byte| byte.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.unexpected("a length"));
        }
        // Python has no such numbers: it takes them for octal ones of old, and refuses them.
        if digits.starts_with('0') && digits.bytes().any(|digit| digit != b'0') {
            self.at -= digits.len();
            return Err(self.unexpected("a length without leading zeros"));
        }
        if negative {
            let got = excerpt(digits);
            return Err(NpyError::NegativeLength { axis, got });
        }
        if self.rest().starts_with('L') {
            self.at += 1;
        }
        // Digits only, so the one way to fail is overflow.
        digits.parse().map_err(|_| NpyError::ShapeOverflow {
            limit: isize::MAX as usize,
            got: format!("a length of {} on axis {axis}", excerpt(digits)),
        })
    }

    /// The next byte after white space.
    fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.rest().bytes().next()
    }

    fn skip_space(&mut self) {
        self.take_while(|byte| byte.is_ascii_whitespace());
    }

    /// Consumes the longest run of bytes that satisfy `wanted`.
    fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest
            .bytes()
            .position(|byte| !wanted(byte))
            .unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn unexpected(&self, expected: &'static str) -> NpyError {
        let got = match self.rest() {
            "" => String::from("the end of the header"),
            rest => format!("`{}`", excerpt(rest.trim_end())),
        };
        NpyError::Syntax {
            offset: self.at,
            expected,
            got,
        }
    }
}
