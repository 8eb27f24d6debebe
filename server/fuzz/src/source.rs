//! Values generated from a fuzzer's bytes. After the last byte come zeros and empty texts, so that
//! every input makes a whole value.

use arbitrary::Unstructured;
use chrono::{DateTime, Utc};

/// The end of year 9999, the latest time of any data.
const LAST_MILLISECONDS: i64 = 253_402_300_799_999;

/// The bytes that are left.
pub(super) struct Source<'a>(Unstructured<'a>);

impl<'a> Source<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self(Unstructured::new(data))
    }

    /// A number below `bound`, which is never 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0.int_in_range(0..=bound - 1).unwrap_or_default()
    }

    /// One of several.
    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub(super) fn byte(&mut self) -> u8 {
        self.0.arbitrary().unwrap_or_default()
    }

    pub(super) fn number(&mut self) -> i64 {
        self.0.arbitrary().unwrap_or_default()
    }

    /// A text of at most `longest` bytes, of any characters; it ends at invalid UTF-8.
    pub(super) fn text(&mut self, longest: usize) -> String {
        let length = self.below(longest + 1).min(self.0.len());
        let bytes = self.0.bytes(length).unwrap_or_default();
        let valid = match str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
        };
        valid.to_owned()
    }

    /// A text of ASCII characters without U+0000, never empty, as in ids.
    pub(super) fn id(&mut self, longest: usize) -> String {
        let length = 1 + self.below(longest);
        (0..length).map(|_| char::from(self.byte() % 127 + 1)).collect()
    }

    /// An instant in milliseconds, of the years 1970 to 9999.
    pub(super) fn time(&mut self) -> DateTime<Utc> {
        let milliseconds = self.0.int_in_range(0..=LAST_MILLISECONDS);
        DateTime::from_timestamp_millis(milliseconds.unwrap_or_default()).expect("years to 9999")
    }

    pub(super) fn sha256(&mut self) -> [u8; 32] {
        self.0.arbitrary().unwrap_or_default()
    }

    /// The text with one ASCII character inserted, removed, replaced, or in the other case. It may
    /// stay the same.
    pub(super) fn altered(&mut self, text: &str) -> String {
        let mut characters: Vec<char> = text.chars().collect();
        let place = self.below(characters.len().max(1));
        let other = char::from(self.byte() % 128);
        match (self.below(4), characters.get_mut(place)) {
            (0, Some(character)) => *character = other,
            (1, Some(_)) => drop(characters.remove(place)),
            (2, Some(character)) if character.is_ascii_lowercase() => {
                character.make_ascii_uppercase();
            }
            (2, Some(character)) => character.make_ascii_lowercase(),
            _ => characters.insert(place, other),
        }
        characters.into_iter().collect()
    }
}
