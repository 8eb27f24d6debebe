//! Makes characters seen that would otherwise act: a response is a stranger's text, and may hold a terminal's escape sequence.
//!
//! It refuses to drop or to change what is harmless: letters of every script stay as they are.

/// The text with control characters, marks of direction and non-characters written as `\u{1b}`; line feeds stay.
pub(super) fn visible(text: &str) -> String {
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

/// Whether it does something to a terminal, or to the text around it; a line feed does not.
pub(crate) fn acts(character: char) -> bool {
    match character {
        '\n' => false,
        // These reorder what stands around them, so that a text reads otherwise than it is.
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
    fn what_acts_is_shown_and_the_rest_stays() {
        assert_eq!(visible("red \x1b[31m\r\n\0"), "red \\u{1b}[31m\\r\n\\u{0}");
        assert_eq!(visible("\u{202e}fdp.exe"), "\\u{202e}fdp.exe");
        let scripts = "Ромашка 桜 النور 🚀 <b> & \"quoted\"";
        assert_eq!(visible(scripts), scripts);
        assert_eq!(visible_line("one\ntwo"), "one\\ntwo");
    }
}
