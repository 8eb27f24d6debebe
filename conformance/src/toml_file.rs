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

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        #[expect(dead_code, reason = "only its form matters here")]
        number: u32,
    }

    fn fault(text: &str) -> Fault {
        parse::<Sample>(text).unwrap_err()
    }

    #[test]
    fn fault_names_its_line_and_what_is_allowed() {
        let unknown = fault("# a comment\nnumber = 1\nnumbre = 2\n");
        assert_eq!(unknown.line, 3);
        assert!(unknown.what.contains("`number`"), "{unknown:?}");
        assert_eq!(fault("\nnumber = -1").line, 2);
        assert_eq!(fault("\n\nnumber = ").line, 3);
        assert!(fault("").what.contains("number"));
    }

    #[test]
    fn text_of_the_wrong_type_is_not_quoted() {
        let wrong = fault(r#"number = "hunter2 \"swordfish\" tail""#);
        assert!(wrong.what.contains("invalid type: a text, expected u32"), "{wrong:?}");
        for part in ["hunter2", "swordfish", "tail"] {
            assert!(!wrong.what.contains(part), "{wrong:?}");
        }
    }
}
