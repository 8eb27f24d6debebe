//! The name a person sees: `statement-<partner>-<YYYY-MM>.pdf`, safe on every system (S10).
//!
//! It refuses whatever a name could do to a screen, a shell, a header or a file system instead of naming a file.

use chrono::{DateTime, Datelike, Utc};
use unicode_normalization::UnicodeNormalization;

/// Longest name. Most systems take 255 bytes; a browser may add ` (2)`, and a mail program a folder.
pub(super) const FILENAME_LENGTH_BYTES: usize = 120;
/// What a partner is called whose name has nothing left.
const NAMELESS: &str = "partner";
/// Characters of a name that are looked at; partners' names have at most 200.
const LOOKED_AT_CHARACTERS: usize = 1_000;

/// The name of a partner's statement for the month of `period_end`, in UTC.
#[must_use]
pub fn statement_filename(partner: &str, period_end: DateTime<Utc>) -> String {
    let before = "statement-";
    let after = format!("-{:04}-{:02}.pdf", period_end.year(), period_end.month());
    let room = FILENAME_LENGTH_BYTES - before.len() - after.len();
    let word = word(partner, room);
    let word = if word.is_empty() { NAMELESS } else { &word };
    format!("{before}{word}{after}")
}

/// The name as one word of at most `room` bytes, in the composed form (NFC).
fn word(name: &str, room: usize) -> String {
    let mut word = String::new();
    let visible = name.chars().take(LOOKED_AT_CHARACTERS).filter_map(visible);
    for letter in visible.collect::<String>().nfc() {
        let doubled = matches!(letter, '-' | '.') && word.ends_with(['-', '.']);
        if doubled || (word.is_empty() && is_edge(letter)) {
            continue;
        }
        if word.len() + letter.len_utf8() > room {
            break;
        }
        word.push(letter);
    }
    // Windows drops dots and blanks at an end, and a joiner without its second half shows as a box.
    word.trim_end_matches(is_edge).to_owned()
}

/// The letter to write; `None` for what has no look of its own.
fn visible(letter: char) -> Option<char> {
    match letter {
        letter if letter.is_whitespace() => Some('-'),
        letter if letter.is_control() || is_invisible(letter) => None,
        // Separators, what Windows reserves, and `%`, which some programs decode once more.
        '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '%' => Some('-'),
        letter => Some(letter),
    }
}

fn is_edge(letter: char) -> bool {
    matches!(
        letter,
        '-' | '.' | '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}'
    )
}

/// Directions, blanks of no width, fillers, tags, and code points that are no characters. The joiners stay:
/// Persian is misspelt without one, and emoji fall apart without the other.
fn is_invisible(letter: char) -> bool {
    let noncharacter = u32::from(letter) & 0xFFFE == 0xFFFE;
    noncharacter
        || matches!(letter,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}' | '\u{FDD0}'..='\u{FDEF}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests;
