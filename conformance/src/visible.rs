//! Escapes characters that would act on a terminal or reorder the text around them: responses are
//! untrusted text.

/// The text with control characters, direction marks and non-characters written as `\u{1b}`; line
/// feeds and letters of every script stay.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if acts(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// The same on one line: a line feed is written as `\n`.
pub(crate) fn visible_line(text: &str) -> String {
    visible(text).replace('\n', "\\n")
}

/// The text, or its first characters with `…` where it is longer.
pub(crate) fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// Whether the character affects a terminal or the text around it; a line feed does not count.
pub(crate) fn acts(character: char) -> bool {
    match character {
        '\n' => false,
        // These reorder the text around them, so that it reads otherwise than it is.
        '\u{200e}'
        | '\u{200f}'
        | '\u{061c}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => true,
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => true,
        other => other.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acting_characters_are_escaped_and_the_rest_stays() {
        assert_eq!(visible("red \x1b[31m\r\n\0"), "red \\u{1b}[31m\\r\n\\u{0}");
        assert_eq!(visible("\u{202e}fdp.exe"), "\\u{202e}fdp.exe");
        let scripts = "Ромашка 桜 النور 🚀 <b> & \"quoted\"";
        assert_eq!(visible(scripts), scripts);
        assert_eq!(visible_line("one\ntwo"), "one\\ntwo");
    }

    #[test]
    fn every_character_that_xml_forbids_is_escaped() {
        let is_allowed = |character: char| {
            matches!(character, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}'
                | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
        };
        for character in '\0'..=char::MAX {
            let written = visible(&character.to_string());
            assert!(written.chars().all(is_allowed), "{character:?}");
        }
    }
}
