//! Escapes characters of a log line that are invisible, or that show it otherwise than it is: a
//! client must not turn the text of a terminal around by what it sends.

use std::{borrow::Cow, fmt::Write as _};

/// Returns the lines with such characters written as `\u202e`. They are JSON, where these
/// characters stand in texts only; it escapes those below U+0020 itself.
pub(super) fn escaped(lines: &str) -> Cow<'_, str> {
    if lines.bytes().all(|byte| byte < 0x7f) {
        return Cow::Borrowed(lines);
    }
    let mut escaped = String::with_capacity(lines.len());
    for character in lines.chars() {
        if is_misleading(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(escaped, "\\u{unit:04x}").expect("a string takes any text");
            }
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// Control characters, bidirectional controls, separators of lines, and what has no width.
fn is_misleading(character: char) -> bool {
    matches!(
        character,
        '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bidirectional_and_invisible_characters_are_escaped_and_read_as_they_were() {
        let controls = "\u{7f}\u{85}\u{9b}\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\
                        \u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\u{2028}\u{feff}\u{e0041}";
        let line = serde_json::to_string(controls).unwrap();
        let written = escaped(&line);
        assert!(written.is_ascii() && !written.contains('\u{7f}'), "{written}");
        assert!(written.contains(r"\u202e") && written.contains(r"\udb40\udc41"), "{written}");
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), controls);
    }

    #[test]
    fn other_text_stays_as_it_is() {
        let line = "{\"path\":\"/Müller/日本/🎉\"}\n";
        assert_eq!(escaped(line), line);
        assert!(matches!(escaped("{\"path\":\"/plain\"}\n"), Cow::Borrowed(_)));
    }
}
