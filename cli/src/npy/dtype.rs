//! Element types: parsing of `descr` strings and their names.

use std::fmt;

use super::error::NpyError;
use crate::excerpt::excerpt;

/// The number type of an element, without its byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it all
pub enum Kind {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float16,
    Float32,
    Float64,
    Complex64,
    Complex128,
}

/// The order of the bytes within one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl Endian {
    /// The byte order of this machine.
    pub const NATIVE: Self = if cfg!(target_endian = "big") {
        Self::Big
    } else {
        Self::Little
    };
}

/// The element type of an array as stored in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DType {
    /// The number type.
    pub kind: Kind,
    /// The byte order in the file; meaningless for one-byte types.
    pub endian: Endian,
}

impl DType {
    /// Parses a `descr` string such as `<f8`; no prefix means native order.
    pub(super) fn parse(descr: &str) -> Result<Self, NpyError> {
        let (endian, code) = match descr.as_bytes().first() {
            Some(b'<') => (Endian::Little, &descr[1..]),
            Some(b'>') => (Endian::Big, &descr[1..]),
            Some(b'=' | b'|') => (Endian::NATIVE, &descr[1..]),
            _ => (Endian::NATIVE, descr),
        };
        let kind = kind_of(code).ok_or_else(|| NpyError::DType {
            got: format!("{} ('{}')", family(code), excerpt(descr)),
        })?;
        Ok(Self { kind, endian })
    }

    /// Bytes per element.
    pub(super) fn item_size(self) -> usize {
        match self.kind {
            Kind::Bool | Kind::Int8 | Kind::UInt8 => 1,
            Kind::Int16 | Kind::UInt16 | Kind::Float16 => 2,
            Kind::Int32 | Kind::UInt32 | Kind::Float32 => 4,
            Kind::Int64 | Kind::UInt64 | Kind::Float64 | Kind::Complex64 => 8,
            Kind::Complex128 => 16,
        }
    }

    /// Whether single precision holds all of its numbers.
    pub fn is_single(self) -> bool {
        let wide = [Kind::Int32, Kind::Int64, Kind::UInt32, Kind::UInt64];
        !wide.contains(&self.kind) && !matches!(self.kind, Kind::Float64 | Kind::Complex128)
    }

    /// Whether the numbers are those of a usual image's channels.
    pub fn is_byte(self) -> bool {
        self.kind == Kind::UInt8
    }

    /// Whether the elements are complex numbers.
    pub fn is_complex(self) -> bool {
        matches!(self.kind, Kind::Complex64 | Kind::Complex128)
    }

    /// NumPy's name of the type, such as `float32`.
    pub fn name(self) -> &'static str {
        match self.kind {
            Kind::Bool => "bool",
            Kind::Int8 => "int8",
            Kind::Int16 => "int16",
            Kind::Int32 => "int32",
            Kind::Int64 => "int64",
            Kind::UInt8 => "uint8",
            Kind::UInt16 => "uint16",
            Kind::UInt32 => "uint32",
            Kind::UInt64 => "uint64",
            Kind::Float16 => "float16",
            Kind::Float32 => "float32",
            Kind::Float64 => "float64",
            Kind::Complex64 => "complex64",
            Kind::Complex128 => "complex128",
        }
    }
}

/// `float32 (big-endian)`; one-byte types have no byte order to show.
impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self.endian {
            _ if self.item_size() == 1 => Ok(()),
            Endian::Little => f.write_str(" (little-endian)"),
            Endian::Big => f.write_str(" (big-endian)"),
        }
    }
}

/// The number type of a `descr` code without its byte-order prefix.
fn kind_of(code: &str) -> Option<Kind> {
    Some(match code {
        "b1" => Kind::Bool,
        "i1" => Kind::Int8,
        "i2" => Kind::Int16,
        "i4" => Kind::Int32,
        "i8" => Kind::Int64,
        "u1" => Kind::UInt8,
        "u2" => Kind::UInt16,
        "u4" => Kind::UInt32,
        "u8" => Kind::UInt64,
        "f2" => Kind::Float16,
        "f4" => Kind::Float32,
        "f8" => Kind::Float64,
        "c8" => Kind::Complex64,
        "c16" => Kind::Complex128,
        _ => return None,
    })
}

/// Names the family of an unsupported type for the error message.
fn family(code: &str) -> &'static str {
    match (code.as_bytes().first(), code.get(1..).unwrap_or("")) {
        (Some(b'f'), "10" | "12" | "16") => "longdouble",
        (Some(b'c'), "20" | "24" | "32") => "clongdouble",
        (Some(b'O'), _) => "object",
        (Some(b'S' | b'a'), _) => "byte string",
        (Some(b'U'), _) => "unicode string",
        (Some(b'T'), _) => "variable-length string",
        (Some(b'V'), _) => "void (raw bytes)",
        (Some(b'M'), _) => "datetime64",
        (Some(b'm'), _) => "timedelta64",
        _ => "an unknown type",
    }
}
