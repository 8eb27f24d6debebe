//! Pairs of escapes such as `\ud83d\udc4d`, which JSON has for one character, in double quotes of
//! YAML. Its reader knows no such pair: characters of a private use stand for it meanwhile.

use std::borrow::Cow;

use saphyr_parser::ScalarStyle;

/// Returns the text with an escape of the same length for each surrogate of a pair.
pub(super) fn hidden(text: &str) -> Cow<'_, str> {
    if escapes(text, "dD").next().is_none() {
        return text.into();
    }
    let mut hidden = text.as_bytes().to_vec();
    for at in escapes(text, "dD") {
        for letter in [at + 2, at + 8] {
            hidden[letter] += 1;
        }
    }
    String::from_utf8(hidden).map_or_else(|_| text.into(), Cow::Owned)
}

/// Returns true for a text with such escapes or characters of its own.
pub(super) fn is_ambiguous(text: &str) -> bool {
    text.contains(|it: char| ('\u{e800}'..='\u{efff}').contains(&it))
        || escapes(text, "eE").next().is_some()
}

/// Returns the text of a scalar as it was written, if something stands in it for a pair.
pub(super) fn shown(text: &str, style: ScalarStyle) -> Option<String> {
    if style != ScalarStyle::DoubleQuoted {
        let mut shown = text.as_bytes().to_vec();
        for at in escapes(text, "eE") {
            for letter in [at + 2, at + 8] {
                shown[letter] -= 1;
            }
        }
        return String::from_utf8(shown).ok().filter(|shown| shown != text);
    }
    let units = text.chars().map(|it| match it {
        '\u{e800}'..='\u{efff}' => u32::from(it) - 0x1000,
        it => it.into(),
    });
    let units: Vec<u32> = units.collect();
    if !units.iter().any(|unit| (0xd800..0xe000).contains(unit)) {
        return None;
    }
    let mut shown = String::new();
    let mut rest = &units[..];
    while let [first, after @ ..] = rest {
        let pair = after.first().filter(|_| (0xd800..0xdc00).contains(first));
        let joined = pair.map(|low| 0x1_0000 + ((first - 0xd800) << 10) + low.wrapping_sub(0xdc00));
        rest = if pair.is_some() { &after[1..] } else { after };
        shown.push(char::from_u32(joined.unwrap_or(*first))?);
    }
    Some(shown)
}

/// The indexes of pairs of escapes whose first digits are of `digits`.
fn escapes<'t>(text: &'t str, digits: &'static str) -> impl Iterator<Item = usize> + 't {
    let bytes = text.as_bytes();
    let is_half = move |at: usize, second: &str| {
        let Some(escape) = bytes.get(at..at + 6) else { return false };
        escape.starts_with(b"\\u")
            && digits.as_bytes().contains(&escape[2])
            && second.as_bytes().contains(&escape[3].to_ascii_lowercase())
            && escape[4..].iter().all(u8::is_ascii_hexdigit)
    };
    let candidates = text.match_indices("\\u").map(|(at, _)| at);
    candidates.filter(move |&at| {
        let before = bytes[..at].iter().rev().take_while(|it| **it == b'\\').count();
        before % 2 == 0 && is_half(at, "89ab") && is_half(at + 6, "cdef")
    })
}
