//! The text to copy from a line of both directions, whose codes are in the order of paper: the line
//! in logical order, as marked content with `ActualText`.
//!
//! Poppler (pdftotext) takes such a text for one in the order of paper, and reverses what is from
//! right to left. So it gets a text of its own, in the page: it ignores those of the resources,
//! where all others find the true one, as the outermost or as the innermost.

use lopdf::{Dictionary, Document, Object, StringFormat, dictionary};
use printpdf::{DictItem, Op};
use unicode_bidi::{BidiClass, bidi_class};

use super::usage::LogicalTexts;

/// Number of nested sequences of marked content around a line.
const DEPTH: usize = 3;
/// Invisible letters of one direction.
const LEFT_TO_RIGHT_MARK: char = '\u{200e}';
const RIGHT_TO_LEFT_MARK: char = '\u{200f}';

/// Begins a line with this text in logical order, which has this number in the resources.
pub(super) fn begin(logical: &str, number: usize) -> [Op; DEPTH] {
    let span = |properties| Op::Unknown {
        key: "BDC".to_owned(),
        value: vec![DictItem::Name("Span".into()), properties],
    };
    let named = || span(DictItem::Name(resource_name(number).into_bytes()));
    let text = DictItem::String { data: encoded(&for_poppler(logical)), literal: true };
    let map = [("ActualText".to_owned(), text)].into();
    [named(), span(DictItem::Dict { map }), named()]
}

pub(super) fn end() -> [Op; DEPTH] {
    [Op::EndMarkedContent, Op::EndMarkedContent, Op::EndMarkedContent]
}

/// Adds the texts to the resources of all pages.
pub(super) fn add_resources(document: &mut Document, texts: &LogicalTexts) -> lopdf::Result<()> {
    if texts.is_empty() {
        return Ok(());
    }
    let properties = texts.iter().map(|(text, number)| {
        let text = Object::String(encoded(text), StringFormat::Literal);
        (resource_name(*number), Object::from(dictionary! { "ActualText" => text }))
    });
    let properties = document.add_object(properties.collect::<Dictionary>());
    for page in document.page_iter().collect::<Vec<_>>() {
        let resources = document.get_dictionary(page)?.get(b"Resources")?.as_reference()?;
        document.get_dictionary_mut(resources)?.set("Properties", properties);
    }
    Ok(())
}

fn resource_name(number: usize) -> String {
    format!("L{number}")
}

/// UTF-16 with a byte order mark.
fn encoded(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(u16::to_be_bytes).collect()
}

/// Returns the text that Poppler turns into this one. It copies up to the first letter from right
/// to left, and from there reverses up to the next letter or digit from left to right.
fn for_poppler(logical: &str) -> String {
    let mut text = String::with_capacity(logical.len() + 8);
    let mut rest = logical;
    while let Some(start) = rest.find(is_right_to_left) {
        let (before, after) = rest.split_at(start);
        let end = after.find(is_left_to_right).unwrap_or(after.len());
        let part = after[..end].trim_end_matches(is_separate);
        text.push_str(before);
        if !part.ends_with(is_right_to_left) {
            // A mark of the last letter would be copied, not reversed.
            text.push(RIGHT_TO_LEFT_MARK);
        }
        text.extend(part.chars().rev());
        // The spaces after it would be reversed too.
        text.push(LEFT_TO_RIGHT_MARK);
        rest = &after[part.len()..];
    }
    text.push_str(rest);
    text
}

fn is_right_to_left(character: char) -> bool {
    matches!(bidi_class(character), BidiClass::R | BidiClass::AL)
}

fn is_left_to_right(character: char) -> bool {
    matches!(bidi_class(character), BidiClass::L | BidiClass::EN | BidiClass::AN)
}

/// Returns true for a character that does not belong to the letter before it.
fn is_separate(character: char) -> bool {
    !is_right_to_left(character) && bidi_class(character) != BidiClass::NSM
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_from_right_to_left_are_reversed_and_end_before_their_spaces() {
        for (logical, expected) in [
            ("Fee 12.50", "Fee 12.50"),
            ("Fee \u{5d0}\u{5d1} \u{5d2}, 2026", "Fee \u{5d2} \u{5d1}\u{5d0}\u{200e}, 2026"),
            ("\u{5d0}\u{5d1} (ACME) \u{5d2}", "\u{5d1}\u{5d0}\u{200e} (ACME) \u{5d2}\u{200e}"),
        ] {
            assert_eq!(for_poppler(logical), expected);
        }
    }

    #[test]
    fn mark_of_the_last_letter_stays_with_it() {
        let expected = "a \u{200f}\u{64b}\u{5d0}\u{200e} b";
        assert_eq!(for_poppler("a \u{5d0}\u{64b} b"), expected);
    }
}
