//! The values of `format`. Lint, the validator and generated servers read them here, so that they
//! agree about every value. A format of texts that is not in [`ALL`] is only a hint.

mod dates;
mod names;
#[cfg(test)]
mod tests;

use std::{
    net::{Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// A format of texts.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// As documents name it.
    pub name: &'static str,
    /// What a text of the format is, for messages: "must be …".
    pub description: &'static str,
    accepts: fn(&str) -> bool,
}

/// Every format of texts that is checked, sorted by name.
pub const ALL: [Format; 10] = [
    Format::new("date", "a date of the calendar, such as 2026-05-20", dates::is_date),
    Format::new(
        "date-time",
        "an instant of RFC 3339, such as 2026-05-20T09:30:00Z",
        dates::is_date_time,
    ),
    Format::new("decimal", "a decimal number in digits, such as -12.50", names::is_decimal),
    Format::new("email", "an email address, such as name@example.com", names::is_email),
    Format::new("hostname", "the name of a host, such as www.example.com", names::is_hostname),
    Format::new("ipv4", "an IPv4 address, such as 192.0.2.1", is::<Ipv4Addr>),
    Format::new("ipv6", "an IPv6 address, such as 2001:db8::1", is::<Ipv6Addr>),
    Format::new("time", "a time with `Z` or an offset, such as 09:30:00Z", dates::is_time),
    Format::new("uri", "a URI with its scheme, such as https://example.com/a", names::is_uri),
    Format::new("uuid", "a UUID of 32 hexadecimal digits in five groups", names::is_uuid),
];

fn is<T: FromStr>(text: &str) -> bool {
    text.parse::<T>().is_ok()
}

impl Format {
    const fn new(name: &'static str, description: &'static str, accepts: fn(&str) -> bool) -> Self {
        Self { name, description, accepts }
    }

    pub fn named(name: &str) -> Option<Self> {
        ALL.into_iter().find(|format| format.name == name)
    }

    pub fn accepts(&self, text: &str) -> bool {
        (self.accepts)(text)
    }
}

/// The least and the greatest whole number of a format; without one, or with an unknown one, those
/// that a generated server can read.
pub fn integer_bounds(format: Option<&str>) -> (i64, i64) {
    match format {
        Some("int8") => (i8::MIN.into(), i8::MAX.into()),
        Some("int16") => (i16::MIN.into(), i16::MAX.into()),
        Some("int32") => (i32::MIN.into(), i32::MAX.into()),
        Some("uint8") => (0, u8::MAX.into()),
        Some("uint16") => (0, u16::MAX.into()),
        Some("uint32") => (0, u32::MAX.into()),
        Some("uint" | "uint64") => (0, i64::MAX),
        _ => (i64::MIN, i64::MAX),
    }
}
