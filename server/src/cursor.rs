//! Cursors: an opaque keyset position, bound to one list and its filters (R8). A cursor is not
//! signed: it grants nothing, because each query is scoped by the key's organisation.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

/// First byte of every cursor; another format has another number.
const VERSION: u8 = 1;
const FINGERPRINT_LENGTH: usize = 8;
/// Bytes before the id: version, fingerprint, milliseconds.
const HEAD_LENGTH: usize = 1 + FINGERPRINT_LENGTH + 8;
/// Our ids have at most 32 bytes.
const ID_LENGTH_LIMIT: usize = 64;
/// The end of year 9999, before which every list begins: no row is later.
const START_MILLISECONDS: i64 = 253_402_300_799_999;

/// Where a page begins: behind the row with this time and id, in descending order (R7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The row's creation time.
    pub created_at: DateTime<Utc>,
    /// The row's id.
    pub id: String,
}

impl Position {
    /// Before the first row.
    #[must_use]
    pub fn start() -> Self {
        let created_at = DateTime::from_timestamp_millis(START_MILLISECONDS)
            .expect("year 9999 is within chrono's range");
        Self { created_at, id: String::new() }
    }
}

/// Names one list with its filters; `limit` may change between pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint([u8; FINGERPRINT_LENGTH]);

impl Fingerprint {
    /// The fingerprint of the operation and its filters, sorted by name.
    #[must_use]
    pub fn of<'a>(operation: &str, filters: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text.as_bytes());
        };
        add(operation);
        for (name, value) in filters {
            add(name);
            add(value);
        }
        let digest = hash.finalize();
        Self(*digest.first_chunk().expect("SHA-256 has 32 bytes"))
    }
}

/// Why a cursor is rejected (400 `INVALID_CURSOR`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CursorError {
    /// Not one of ours.
    #[error(
        "The cursor is malformed. \
         Send the nextCursor of the previous page unchanged, or start again without a cursor."
    )]
    Malformed,
    /// Ours, of another list or with other filters.
    #[error(
        "The cursor belongs to another list or to other filters. \
         Keep the filters from page to page, or start again without a cursor."
    )]
    OtherList,
}

/// Writes the cursor of the page after `position`.
#[must_use]
pub fn encode(fingerprint: Fingerprint, position: &Position) -> String {
    let mut bytes = Vec::with_capacity(HEAD_LENGTH + position.id.len());
    bytes.push(VERSION);
    bytes.extend(fingerprint.0);
    bytes.extend(position.created_at.timestamp_millis().to_be_bytes());
    bytes.extend(position.id.as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads a cursor back.
pub fn decode(cursor: &str, expected: Fingerprint) -> Result<Position, CursorError> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| CursorError::Malformed)?;
    let (head, id) = bytes.split_at_checked(HEAD_LENGTH).ok_or(CursorError::Malformed)?;
    let (version_and_fingerprint, milliseconds) = head.split_at(1 + FINGERPRINT_LENGTH);
    if version_and_fingerprint[0] != VERSION
        || id.is_empty()
        || id.len() > ID_LENGTH_LIMIT
        || !id.is_ascii()
        || id.contains(&0)
    {
        return Err(CursorError::Malformed);
    }
    let milliseconds =
        i64::from_be_bytes(milliseconds.try_into().expect("the head's last 8 bytes"));
    // The years 1970 to 9999, which both Postgres and our timestamps can hold.
    if !(0..=START_MILLISECONDS).contains(&milliseconds) {
        return Err(CursorError::Malformed);
    }
    if version_and_fingerprint[1..] != expected.0 {
        return Err(CursorError::OtherList);
    }
    Ok(Position {
        created_at: DateTime::from_timestamp_millis(milliseconds).ok_or(CursorError::Malformed)?,
        id: String::from_utf8(id.to_vec()).map_err(|_| CursorError::Malformed)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position() -> Position {
        Position {
            created_at: "2026-05-20T09:30:00.123Z".parse().unwrap(),
            id: "cln_01JV3N8Q5RHWXK2M4P6S7T9V0A".into(),
        }
    }

    #[test]
    fn cursor_decodes_with_its_own_filters_only() {
        let list = Fingerprint::of("listCommissionLines", [("status", "PENDING")]);
        let cursor = encode(list, &position());
        assert_eq!(decode(&cursor, list), Ok(position()));
        let others = [
            Fingerprint::of("listCommissionLines", []),
            Fingerprint::of("listCommissionLines", [("status", "VOIDED")]),
            Fingerprint::of("listCommissionLines", [("payoutId", "PENDING")]),
            Fingerprint::of("listPartners", [("status", "PENDING")]),
        ];
        for other in others {
            assert_eq!(decode(&cursor, other), Err(CursorError::OtherList));
        }
    }

    #[test]
    fn names_and_values_of_filters_are_separated() {
        assert_ne!(Fingerprint::of("list", [("a", "bc")]), Fingerprint::of("list", [("ab", "c")]));
    }

    #[test]
    fn truncated_or_altered_cursor_is_rejected() {
        let list = Fingerprint::of("listPartners", []);
        let cursor = encode(list, &position());
        for length in 0..HEAD_LENGTH {
            assert_eq!(decode(&cursor[..length], list), Err(CursorError::Malformed), "{length}");
        }
        for hostile in ["", "!", "AA==", "////", "é", &"A".repeat(10_000), &format!("{cursor}=")] {
            assert!(decode(hostile, list).is_err(), "{hostile:?}");
        }
    }

    #[test]
    fn time_outside_the_years_1970_to_9999_is_rejected() {
        let list = Fingerprint::of("listPartners", []);
        for milliseconds in [i64::MIN, -1, START_MILLISECONDS + 1, i64::MAX] {
            let mut bytes = vec![VERSION];
            bytes.extend(list.0);
            bytes.extend(milliseconds.to_be_bytes());
            bytes.extend(b"ptn_X");
            assert_eq!(decode(&URL_SAFE_NO_PAD.encode(bytes), list), Err(CursorError::Malformed));
        }
    }
}
