//! A second JSON reader, for what a schema never sees: duplicate keys and nesting depth. The text
//! must be valid JSON.

use std::collections::HashSet;

/// Properties of a JSON text that its parsed value lacks.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// True if some object has a key twice, in any spelling.
    pub repeats_a_key: bool,
    /// The nesting depth of objects and arrays.
    pub depth: usize,
}

/// Reads a valid JSON text.
pub(super) fn read(json: &[u8]) -> Reading {
    let mut reading = Reading::default();
    // The keys of each open object; `None` for an array.
    let mut open: Vec<HashSet<String>> = Vec::new();
    let mut place = 0;
    while let Some(byte) = json.get(place) {
        match byte {
            b'{' | b'[' => open.push(HashSet::new()),
            b'}' | b']' => drop(open.pop()),
            b'"' => {
                let end = end_of_text(json, place);
                if next_is_colon(&json[end..]) {
                    let key = serde_json::from_slice(&json[place..end]).expect("a text of JSON");
                    let keys = open.last_mut().expect("a key is in an object");
                    reading.repeats_a_key |= !keys.insert(key);
                }
                place = end - 1;
            }
            _ => {}
        }
        reading.depth = reading.depth.max(open.len());
        place += 1;
    }
    reading
}

/// The position behind the closing quote of the text that begins at `start`.
fn end_of_text(json: &[u8], start: usize) -> usize {
    let mut place = start + 1;
    while json[place] != b'"' {
        place += if json[place] == b'\\' { 2 } else { 1 };
    }
    place + 1
}

fn next_is_colon(rest: &[u8]) -> bool {
    rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}
