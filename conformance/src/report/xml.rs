//! Text and attributes of XML 1.0.
//!
//! It refuses characters that XML 1.0 forbids, also as references: they are written out, as in `\u{1b}`.

use super::visible::visible;

/// Between two tags.
pub(super) fn text(text: &str) -> String {
    escape(text, false)
}

/// Between the double quotes of an attribute: a line feed is a reference, for a reader makes a space of the bare one.
pub(super) fn attribute(text: &str) -> String {
    escape(text, true)
}

fn escape(text: &str, in_attribute: bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    // All that XML forbids acts, so nothing of it is left behind `visible`.
    for character in visible(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            // Only `]]>` must not stand in a text, but one rule is easier to see through.
            '>' => escaped.push_str("&gt;"),
            '"' if in_attribute => escaped.push_str("&quot;"),
            '\n' if in_attribute => escaped.push_str("&#10;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The production `Char` of XML 1.0.
    fn is_allowed(character: char) -> bool {
        matches!(character, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
    }

    #[test]
    fn no_character_of_all_is_written_that_xml_forbids() {
        for character in '\0'..=char::MAX {
            let written = text(&character.to_string());
            assert!(!written.is_empty(), "{character:?}");
            assert!(written.chars().all(is_allowed), "{character:?}");
        }
    }

    #[test]
    fn markup_is_text() {
        assert_eq!(
            text("a < b && \"c\" ]]>"),
            "a &lt; b &amp;&amp; \"c\" ]]&gt;"
        );
        assert_eq!(attribute("\"a\"\n<b>"), "&quot;a&quot;&#10;&lt;b&gt;");
        assert_eq!(text("\x1b[31m\u{ffff}"), "\\u{1b}[31m\\u{ffff}");
    }
}
