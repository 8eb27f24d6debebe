//! TOML files that people write: bounded in size, and with errors that name the line. Errors never
//! quote the file, as a key may have been pasted into it.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use regex::Regex;
use serde::de::DeserializeOwned;

/// More than anyone writes by hand, and than the certificates of all public authorities together.
const FILE_LIMIT_BYTES: u64 = 1024 * 1024;

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) what: String,
}

pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let file = File::open(path)?;
    file.take(FILE_LIMIT_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > FILE_LIMIT_BYTES {
        return Err(io::Error::other(format!("it has more than {FILE_LIMIT_BYTES} bytes")));
    }
    Ok(text)
}

/// The value that a text holds.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    toml::from_str(text).map_err(|error| Fault {
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        what: unquoted(error.message().trim()),
    })
}

/// serde quotes a string of the wrong type.
fn unquoted(message: &str) -> String {
    let quoted = Regex::new(r#"string "(?:[^"\\]|\\.)*""#).expect("a sound pattern");
    quoted.replace_all(message, "a text").into_owned()
}

/// The line of this byte, counted from 1.
pub(crate) fn line_of(text: &str, byte: usize) -> usize {
    let before = text.as_bytes().iter().take(byte);
    1 + before.filter(|byte| **byte == b'\n').count()
}
