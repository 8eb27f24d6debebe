//! JSON read a second time, for what a schema never sees: keys that stand twice, and how deep values are nested.
//!
//! It refuses text that is no JSON: whoever calls has had it read before.

use std::collections::HashSet;

/// What stands in a JSON text beside its value.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// Whether some object names a key twice, in whichever spelling.
    pub repeats_a_key: bool,
    /// How many objects and arrays stand inside one another at most.
    pub depth: usize,
}

/// Reads a text that is JSON.
pub(super) fn read(json: &[u8]) -> Reading {
    let mut reading = Reading::default();
    // The keys of each object or array that is open; an array has none.
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
                    let keys = open.last_mut().expect("a key stands in an object");
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

/// Behind the quote that ends the text that begins at `start`.
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
