//! Cursors (R8): each position has one encoding, accepted only by the same list with the same
//! filters. The decoder here is a second one, written bit by bit.

use openapi_runtime::{Cursor, CursorError, ListFingerprint, Position};

use super::source::Source;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// The first millisecond of year 10000.
const END_MILLISECONDS: i64 = 253_402_300_800_000;

/// Any bytes: as the text of a cursor, and as a position of a list.
pub fn claim(data: &[u8]) {
    if let Ok(text) = str::from_utf8(data) {
        is_read_in_one_way(text);
    }
    let mut source = Source::new(data);
    let [list, other] = [List::made_of(&mut source), List::made_of(&mut source)];
    let created_at = source.time();
    let position = Position { created_at, id: source.id(64) };
    let cursor = Cursor { list: ListFingerprint::of(&list.operation, list.filters()), position };
    let text = cursor.to_string();
    let read = |list: &List| Cursor::read(&text, &list.operation, list.filters());
    assert_eq!(read(&list).as_ref(), Ok(&cursor), "{text}");
    assert_eq!(read(&other) == Err(CursorError::OtherList), list != other, "{text}");
    is_read_in_one_way(&source.altered(&text));
}

/// The reader here and the server's accept the same texts, and writing the result gives the same
/// text.
fn is_read_in_one_way(text: &str) {
    let read = Cursor::parse(text);
    assert_eq!(read.is_some(), is_well_formed(text), "{text:?}: {read:?}");
    if let Some(cursor) = read {
        assert_eq!(cursor.to_string(), text);
    }
}

/// One byte 1, eight of fingerprint, eight of milliseconds, 1 to 64 of an id in ASCII.
fn is_well_formed(text: &str) -> bool {
    let Some(bytes) = base64url(text) else {
        return false;
    };
    let [1, rest @ ..] = bytes.as_slice() else {
        return false;
    };
    let Some((milliseconds, id)) = rest.get(8..).and_then(<[u8]>::split_first_chunk) else {
        return false;
    };
    let is_in_our_years = (0..END_MILLISECONDS).contains(&i64::from_be_bytes(*milliseconds));
    is_in_our_years && (1..=64).contains(&id.len()) && id.iter().all(|byte| (1..128).contains(byte))
}

/// Decodes base64url without padding, and with zeros in the unused bits.
fn base64url(text: &str) -> Option<Vec<u8>> {
    let mut bits = Vec::new();
    for character in text.bytes() {
        let sextet = ALPHABET.iter().position(|known| *known == character)?;
        bits.extend((0..6).rev().map(|place| sextet >> place & 1 == 1));
    }
    let octets = bits.chunks_exact(8);
    let left_over = octets.remainder();
    let byte = |bits: &[bool]| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
    (left_over.len() < 6 && !left_over.contains(&true)).then(|| octets.map(byte).collect())
}

/// An operation and its filters.
#[derive(Debug, PartialEq)]
struct List {
    operation: String,
    filters: Vec<(String, String)>,
}

impl List {
    fn made_of(source: &mut Source) -> Self {
        let operation = source.text(4);
        let count = source.below(4);
        let filters = (0..count).map(|_| (source.text(4), source.text(4)));
        Self { operation, filters: filters.collect() }
    }

    fn filters(&self) -> impl Iterator<Item = (&str, &str)> {
        self.filters.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}
