//! JSON text: serde_json reads the value, and a scan of the same text finds the positions and the
//! duplicate keys, which serde_json accepts.

use serde_json::{Number, Value};

use super::tree::fault;
use crate::{
    error::DocumentError,
    place::{Position, Positions},
    pointer,
};

pub(super) fn read(text: &str) -> Result<(Value, Positions), DocumentError> {
    let mut value: Value = serde_json::from_str(text).map_err(|error| invalid(&error))?;
    round_numbers(&mut value);
    let mut scan = Scan { text: text.as_bytes(), at: 0, known: (0, 1, 1), ..Scan::default() };
    scan.skip_blanks();
    let start = scan.position();
    scan.note("", start)?;
    scan.value()?;
    Ok((value, scan.positions))
}

/// A whole number of more than 64 bits is one with a fraction, as in YAML. The types of a document
/// have no other.
fn round_numbers(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(round_numbers),
        Value::Object(members) => members.values_mut().for_each(round_numbers),
        Value::Number(number) if !number.is_i64() && !number.is_u64() && !number.is_f64() => {
            if let Some(rounded) = number.as_f64().and_then(Number::from_f64) {
                *number = rounded;
            }
        }
        _ => {}
    }
}

fn invalid(error: &serde_json::Error) -> DocumentError {
    let message = error.to_string();
    let problem = message.rsplit_once(" at line ").map_or(message.as_str(), |(problem, _)| problem);
    let position = Position::new(error.line(), error.column().max(1));
    fault(position, format!("invalid JSON: {problem}"))
}

/// Where a text of valid JSON is read.
#[derive(Default)]
struct Scan<'t> {
    text: &'t [u8],
    at: usize,
    /// The last index with a known line and column, so that no character is counted twice.
    known: (usize, usize, usize),
    pointer: String,
    positions: Positions,
}

impl Scan<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_ascii_whitespace() {
            self.at += 1;
        }
    }

    fn position(&mut self) -> Position {
        let (from, mut line, mut column) = self.known;
        for byte in &self.text[from..self.at] {
            match byte {
                b'\n' => (line, column) = (line + 1, 1),
                // Another byte than the first one of a character.
                0x80..=0xbf => {}
                _ => column += 1,
            }
        }
        self.known = (self.at, line, column);
        Position::new(line, column)
    }

    /// Notes the position of the member `key` at the pointer.
    fn note(&mut self, key: &str, here: Position) -> Result<(), DocumentError> {
        self.positions.note(&self.pointer, here).map_err(|first| {
            let problem = format!("duplicate key `{key}`, first in line {}", first.line);
            fault(here, problem).with_help("remove one of the two")
        })
    }

    /// Skips a value, and notes what is in it.
    fn value(&mut self) -> Result<(), DocumentError> {
        match self.peek() {
            b'{' | b'[' => self.contents()?,
            b'"' => self.skip_string(),
            _ => {
                while !matches!(self.peek(), b',' | b']' | b'}' | 0) {
                    self.at += 1;
                }
            }
        }
        self.skip_blanks();
        Ok(())
    }

    fn contents(&mut self) -> Result<(), DocumentError> {
        let is_object = self.peek() == b'{';
        let length = self.pointer.len();
        for index in 0.. {
            self.at += 1;
            self.skip_blanks();
            if matches!(self.peek(), b'}' | b']') {
                break;
            }
            let here = self.position();
            let key = if is_object { self.key() } else { index.to_string() };
            pointer::push(&mut self.pointer, &key);
            self.note(&key, here)?;
            if is_object {
                self.skip_blanks();
                self.at += 1;
                self.skip_blanks();
            }
            self.value()?;
            self.pointer.truncate(length);
            if self.peek() != b',' {
                break;
            }
        }
        self.at += 1;
        Ok(())
    }

    fn key(&mut self) -> String {
        let start = self.at;
        self.skip_string();
        serde_json::from_slice(&self.text[start..self.at]).unwrap_or_default()
    }

    fn skip_string(&mut self) {
        self.at += 1;
        while self.peek() != b'"' {
            self.at += if self.peek() == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
    }
}
