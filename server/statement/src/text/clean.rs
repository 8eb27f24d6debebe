//! Which characters of foreign text are printed. Characters that force a direction are dropped:
//! with them, a description could show other figures than it holds. So are control characters;
//! white space of every kind becomes a space or a line break.

/// Most blank lines kept between two paragraphs of a note.
const BLANK_LINES_LIMIT: usize = 2;

/// Returns the text as one line: line breaks and tabs become single spaces.
pub(crate) fn one_line(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for character in text.chars().filter(|character| !is_dropped(*character)) {
        let is_space = character == ' ' || is_line_break(character) || character == '\t';
        if !is_space {
            cleaned.push(character);
        } else if !cleaned.is_empty() && !cleaned.ends_with(' ') {
            cleaned.push(' ');
        }
    }
    cleaned.truncate(cleaned.trim_end_matches(' ').len());
    cleaned
}

/// Returns the text as paragraphs: its line breaks are kept, blank lines at both ends are not.
pub(crate) fn paragraphs(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n");
    let mut cleaned: Vec<String> = Vec::new();
    let mut blank = 0;
    for line in text.split(is_line_break).map(one_line) {
        if line.is_empty() {
            blank += 1;
            continue;
        }
        if !cleaned.is_empty() {
            cleaned.extend((0..blank.min(BLANK_LINES_LIMIT)).map(|_| String::new()));
        }
        blank = 0;
        cleaned.push(line);
    }
    cleaned
}

/// Returns true if a character shapes its neighbours without being drawn itself; it needs no face.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{034f}' | '\u{061c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2060}'
        | '\u{2066}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

fn is_line_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_dropped(character: char) -> bool {
    let is_control = character.is_control() && character != '\t' && !is_line_break(character);
    is_control
        || matches!(character,
            // Soft hyphen; embeddings and overrides; invisible operators and deprecated ones; byte
            // order mark; interlinear notes; tags.
            '\u{ad}' | '\u{202a}'..='\u{202e}' | '\u{2061}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
        || u32::from(character) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_and_line_breaks_of_a_description_become_one_space() {
        assert_eq!(one_line(" a\tb\r\nc\u{2028}\u{85} d \n"), "a b c d");
        assert_eq!(one_line("\n\t "), "");
    }

    #[test]
    fn controls_and_overrides_vanish_and_what_shapes_text_stays() {
        assert_eq!(one_line("a\u{0}b\u{1b}[c\u{202e}d\u{feff}\u{ad}e\u{7f}"), "ab[cde");
        for kept in ["\u{200d}", "\u{200c}", "\u{200f}", "\u{2067}", "\u{fe0f}"] {
            let text = format!("a{kept}b");
            assert_eq!(one_line(&text), text);
            assert!(kept.chars().all(is_invisible));
        }
    }

    #[test]
    fn line_breaks_of_a_note_are_kept_and_blank_lines_bounded() {
        let text = "\n\nfirst\r\nsecond\n\nthird\n\n\n\n\nfourth\n";
        assert_eq!(paragraphs(text), ["first", "second", "", "third", "", "", "fourth"]);
        assert!(paragraphs(&"\n".repeat(2_000)).is_empty());
    }
}
