//! One range of bytes (RFC 9110 §14). Several ranges at once are rejected: no reader of PDFs needs
//! them, and their response would have another form.

use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    /// The whole PDF: 200.
    Whole,
    /// This part, never empty and within the length: 206 with [`content_range`].
    Part(Range<u64>),
    /// 416 with [`unsatisfied_range`].
    Unsatisfiable,
}

/// Returns the strong entity tag of a PDF: its SHA-256 in hexadecimal digits, quoted.
pub(crate) fn entity_tag(sha256: &[u8; 32]) -> String {
    format!("\"{}\"", hex::encode(sha256))
}

/// Decides from all `Range` and `If-Range` headers of a GET, for a PDF of `length` bytes with the
/// tag `entity_tag`.
///
/// A unit other than bytes is ignored. `If-Range` matches the tag only: we send no `Last-Modified`.
pub(crate) fn select<'a>(
    ranges: impl IntoIterator<Item = &'a [u8]>,
    if_range: impl IntoIterator<Item = &'a [u8]>,
    entity_tag: &str,
    length: u64,
) -> Selection {
    if if_range.into_iter().any(|tag| tag.trim_ascii() != entity_tag.as_bytes()) {
        return Selection::Whole;
    }
    let mut of_bytes = ranges.into_iter().filter_map(after_unit);
    match (of_bytes.next(), of_bytes.next()) {
        (None, _) => Selection::Whole,
        (Some(range), None) => {
            part(range, length).map_or(Selection::Unsatisfiable, Selection::Part)
        }
        (Some(_), Some(_)) => Selection::Unsatisfiable,
    }
}

/// `Content-Range` of a 206.
pub(crate) fn content_range(part: &Range<u64>, length: u64) -> String {
    format!("bytes {}-{}/{length}", part.start, part.end.saturating_sub(1))
}

/// `Content-Range` of a 416.
pub(crate) fn unsatisfied_range(length: u64) -> String {
    format!("bytes */{length}")
}

/// Returns the text after `bytes=`, in any case; `None` for another unit.
fn after_unit(header: &[u8]) -> Option<&[u8]> {
    let (unit, rest) = header.trim_ascii().split_at_checked(b"bytes=".len())?;
    unit.eq_ignore_ascii_case(b"bytes=").then_some(rest)
}

fn part(range: &[u8], length: u64) -> Option<Range<u64>> {
    let range = range.trim_ascii();
    let dash = range.iter().position(|byte| *byte == b'-')?;
    let (first, last) = (&range[..dash], &range[dash + 1..]);
    let selected = match (number(first), number(last)) {
        (Some(first), Some(last)) => first..last.saturating_add(1).min(length),
        (Some(first), None) if last.is_empty() => first..length,
        (None, Some(suffix)) if first.is_empty() => length.saturating_sub(suffix)..length,
        _ => return None,
    };
    // Also rejects a last byte before the first.
    (selected.start < selected.end).then_some(selected)
}

/// Reads a number of digits only. One beyond `u64` is beyond the end of every PDF, as the largest
/// `u64` is.
fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0_u64, |number, digit| {
        number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcomes::outcomes;

    /// Each row has the length of a PDF whose tag is `"abc"`, and its `Range` and `If-Range`
    /// headers.
    #[test]
    fn headers_select() {
        let rows = include_str!("range/selections.txt");
        insta::assert_snapshot!(outcomes(rows, |row| {
            let (length, headers) = row.split_once(' ').unwrap();
            let (ranges, tags) = headers.split_once(" if ").unwrap_or((headers, "none"));
            let [ranges, tags] = [ranges, tags].map(|values| {
                values.split(" & ").filter(|value| *value != "none").map(str::as_bytes)
            });
            format!("{:?}", select(ranges, tags, "\"abc\"", length.parse().unwrap()))
        }));
    }

    #[test]
    fn headers_are_written_with_the_last_byte_included() {
        assert_eq!(content_range(&(0..1), 10), "bytes 0-0/10");
        assert_eq!(content_range(&(3..10), 10), "bytes 3-9/10");
        assert_eq!(unsatisfied_range(10), "bytes */10");
        let tag = entity_tag(&[0xAB; 32]);
        assert_eq!(tag, format!("\"{}\"", "ab".repeat(32)));
    }
}
