//! Cursors: an opaque keyset position, bound to one list and its filters. A cursor is not
//! signed: it grants nothing, because each query is scoped by the key's organisation.

use std::fmt;

use base64::{Engine, display::Base64Display, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::{problem::IssueCode, string_scalar};

/// First byte of every cursor; another format has another number.
const VERSION: u8 = 1;
const FINGERPRINT_LENGTH: usize = 8;
/// Bytes before the id: version, fingerprint, milliseconds.
const HEAD_LENGTH: usize = 1 + FINGERPRINT_LENGTH + 8;
/// Our ids have at most 32 bytes.
const ID_LENGTH_LIMIT: usize = 64;
/// The end of year 9999, before which every list begins: no row is later.
const START_MILLISECONDS: i64 = 253_402_300_799_999;

/// Where a page begins: behind the row with this time and id, in descending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub created_at: DateTime<Utc>,
    pub id: String,
}

impl Position {
    /// Before the first row.
    pub fn start() -> Self {
        let created_at = DateTime::from_timestamp_millis(START_MILLISECONDS)
            .expect("year 9999 is within chrono's range");
        Self { created_at, id: String::new() }
    }
}

/// Names one list with its filters; `limit` may change between pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListFingerprint([u8; FINGERPRINT_LENGTH]);

impl ListFingerprint {
    /// The fingerprint of a list and its filters, sorted by name.
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

/// The page of one list that begins behind a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub list: ListFingerprint,
    pub position: Position,
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

impl Cursor {
    /// Reads a cursor of this list with these filters, which are sorted by name.
    pub fn read<'a>(
        text: &str,
        operation: &str,
        filters: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, CursorError> {
        let cursor = Self::parse(text).ok_or(CursorError::Malformed)?;
        if cursor.list == ListFingerprint::of(operation, filters) {
            Ok(cursor)
        } else {
            Err(CursorError::OtherList)
        }
    }

    /// Reads a cursor of any list.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (&version, rest) = bytes.split_first()?;
        let (&list, rest) = rest.split_first_chunk()?;
        let (&milliseconds, id) = rest.split_first_chunk()?;
        let milliseconds = i64::from_be_bytes(milliseconds);
        let is_ours = version == VERSION
            // The years 1970 to 9999, which both PostgreSQL and our timestamps can hold.
            && (0..=START_MILLISECONDS).contains(&milliseconds)
            && (1..=ID_LENGTH_LIMIT).contains(&id.len())
            && id.is_ascii()
            && !id.contains(&0);
        is_ours.then_some(())?;
        let created_at = DateTime::from_timestamp_millis(milliseconds)?;
        let id = String::from_utf8(id.to_vec()).ok()?;
        Some(Self { list: ListFingerprint(list), position: Position { created_at, id } })
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { list, position } = self;
        let mut bytes = Vec::with_capacity(HEAD_LENGTH + position.id.len());
        bytes.push(VERSION);
        bytes.extend(list.0);
        bytes.extend(position.created_at.timestamp_millis().to_be_bytes());
        bytes.extend(position.id.as_bytes());
        fmt::Display::fmt(&Base64Display::new(&bytes, &URL_SAFE_NO_PAD), formatter)
    }
}

impl Serialize for Cursor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

string_scalar!(Cursor, |text| {
    let error = || (IssueCode::BadFormat, CursorError::Malformed.to_string());
    Self::parse(text).ok_or_else(error)
});

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "listLoans";

    fn cursor(filters: &[(&str, &str)]) -> Cursor {
        let position = Position {
            created_at: "2026-05-20T09:30:00.123Z".parse().unwrap(),
            id: "loan_01JV3N8Q5RHWXK2M4P6S7T9V0A".into(),
        };
        Cursor { list: ListFingerprint::of(LIST, filters.iter().copied()), position }
    }

    #[test]
    fn cursor_is_read_with_its_own_filters_only() {
        let cursor = cursor(&[("status", "PENDING")]);
        let text = cursor.to_string();
        assert_eq!(Cursor::read(&text, LIST, [("status", "PENDING")]), Ok(cursor));
        let others = [
            Cursor::read(&text, LIST, []),
            Cursor::read(&text, LIST, [("status", "VOIDED")]),
            Cursor::read(&text, LIST, [("shelfId", "PENDING")]),
            Cursor::read(&text, "listBooks", [("status", "PENDING")]),
        ];
        for other in others {
            assert_eq!(other, Err(CursorError::OtherList));
        }
    }

    #[test]
    fn names_and_values_of_filters_are_separated() {
        assert_ne!(cursor(&[("a", "bc")]), cursor(&[("ab", "c")]));
    }

    #[test]
    fn truncated_or_altered_cursor_is_rejected() {
        let text = cursor(&[]).to_string();
        for length in 0..HEAD_LENGTH {
            assert_eq!(Cursor::parse(&text[..length]), None, "{length}");
        }
        for hostile in [&"A".repeat(10_000), &format!("{text}=")] {
            assert_eq!(Cursor::parse(hostile), None, "{hostile:?}");
        }
    }

    #[test]
    fn time_outside_the_years_1970_to_9999_is_rejected() {
        for milliseconds in [i64::MIN, -1, START_MILLISECONDS + 1, i64::MAX] {
            let mut bytes = vec![VERSION];
            bytes.extend([0; FINGERPRINT_LENGTH]);
            bytes.extend(milliseconds.to_be_bytes());
            bytes.extend(b"loan_X");
            assert_eq!(Cursor::parse(&URL_SAFE_NO_PAD.encode(bytes)), None);
        }
    }
}
