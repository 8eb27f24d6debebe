//! JSON text: serde_json reads the value, then a scan of the valid text records the positions and
//! reports duplicate keys, which serde_json accepts.

use serde_json::Value;

use super::Fault;
use crate::{
    place::{Position, Positions},
    pointer,
};

pub(super) fn read(text: &str) -> Result<(Value, Positions), Fault> {
    let value: Value = serde_json::from_str(text).map_err(|error| fault(&error))?;
    let mut scan = Scan {
        bytes: text.as_bytes(),
        offset: 0,
        here: Position::START,
        pointer: String::new(),
        positions: Positions::default(),
    };
    scan.value()?;
    Ok((value, scan.positions))
}

fn fault(error: &serde_json::Error) -> Fault {
    let message = error.to_string();
    let problem = message.rsplit_once(" at line ").map_or(message.as_str(), |(problem, _)| problem);
    let position = Position::new(error.line(), error.column().max(1));
    Fault::new(position, format!("invalid JSON: {problem}"))
}

/// Scans text that serde_json has accepted, so the grammar is not checked again and the recursion
/// has serde_json's limit of 128 levels.
struct Scan<'text> {
    bytes: &'text [u8],
    offset: usize,
    here: Position,
    pointer: String,
    positions: Positions,
}

impl Scan<'_> {
    fn value(&mut self) -> Result<(), Fault> {
        self.skip_blanks();
        match self.peek() {
            b'{' => self.object(),
            b'[' => self.array(),
            b'"' => {
                self.string();
                Ok(())
            }
            _ => {
                self.skip_while(|byte| {
                    !matches!(byte, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t')
                });
                Ok(())
            }
        }
    }

    fn object(&mut self) -> Result<(), Fault> {
        let own_length = self.pointer.len();
        self.step();
        loop {
            self.skip_punctuation();
            if self.peek() == b'}' {
                self.step();
                return Ok(());
            }
            let position = self.here;
            let key = self.string();
            pointer::push(&mut self.pointer, &key);
            self.positions
                .note(&self.pointer, position)
                .map_err(|first| Fault::duplicate_key(position, &key, first))?;
            self.skip_punctuation();
            self.value()?;
            self.pointer.truncate(own_length);
        }
    }

    fn array(&mut self) -> Result<(), Fault> {
        let own_length = self.pointer.len();
        self.step();
        for index in 0_usize.. {
            self.skip_punctuation();
            if self.peek() == b']' {
                break;
            }
            pointer::push(&mut self.pointer, &index.to_string());
            self.positions.note(&self.pointer, self.here).expect("indexes are unique");
            self.value()?;
            self.pointer.truncate(own_length);
        }
        self.step();
        Ok(())
    }

    /// Skips a string and returns its text, unescaped.
    fn string(&mut self) -> String {
        let start = self.offset;
        self.step();
        while self.peek() != b'"' {
            if self.peek() == b'\\' {
                self.step();
            }
            self.step();
        }
        self.step();
        serde_json::from_slice(&self.bytes[start..self.offset])
            .expect("serde_json has accepted this string")
    }

    fn skip_blanks(&mut self) {
        self.skip_while(|byte| byte.is_ascii_whitespace());
    }

    fn skip_punctuation(&mut self) {
        self.skip_while(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b':'));
    }

    fn skip_while(&mut self, accept: impl Fn(u8) -> bool) {
        while self.offset < self.bytes.len() && accept(self.bytes[self.offset]) {
            self.step();
        }
    }

    fn peek(&self) -> u8 {
        self.bytes[self.offset]
    }

    fn step(&mut self) {
        let byte = self.bytes[self.offset];
        self.offset += 1;
        if byte == b'\n' {
            self.here.line += 1;
            self.here.column = 1;
        } else if byte & 0b1100_0000 != 0b1000_0000 {
            // Columns count characters: continuation bytes of UTF-8 are skipped.
            self.here.column += 1;
        }
    }
}
