//! The name a person sees, `statement-<partner>-<YYYY-MM>.pdf`, safe on every system (S10), and its
//! header `Content-Disposition`. Whatever the partner's name is, it cannot end the header's quotes
//! or line, leave its folder, or reorder the letters on a screen.

use chrono::{DateTime, Datelike, Utc};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Longest name. Most systems allow 255 bytes; a browser may add ` (2)`, a mail program a folder.
const FILENAME_LENGTH_BYTES: usize = 120;
/// Replaces a name of which nothing is left.
const NAMELESS: &str = "partner";
/// Characters of a name that are read; partners' names have at most 200.
const READ_CHARACTERS: usize = 1_000;

/// Returns the name of a partner's statement for the month of `period_end`, in UTC.
pub fn statement_filename(partner: &str, period_end: DateTime<Utc>) -> String {
    let before = "statement-";
    let after = format!("-{:04}-{:02}.pdf", period_end.year(), period_end.month());
    let room = FILENAME_LENGTH_BYTES - before.len() - after.len();
    let word = word(partner, room);
    let word = if word.is_empty() { NAMELESS } else { &word };
    format!("{before}{word}{after}")
}

/// Writes the name as one word of at most `room` bytes, in the composed form (NFC).
fn word(name: &str, room: usize) -> String {
    let mut word = String::new();
    let visible = name.chars().take(READ_CHARACTERS).filter_map(visible);
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
    // Windows drops dots and spaces at the end, and a joiner at the end is drawn as a box.
    word.trim_end_matches(is_edge).to_owned()
}

/// Returns the letter to write; `None` for what is not drawn.
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
    matches!(letter, '-' | '.' | '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}')
}

/// Directions, spaces of no width, fillers, tags, and noncharacters. The joiners are kept: Persian
/// is misspelt without one, and emoji fall apart without the other.
fn is_invisible(letter: char) -> bool {
    let noncharacter = u32::from(letter) & 0xFFFE == 0xFFFE;
    noncharacter
        || matches!(letter,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}'
            | '\u{17B5}' | '\u{180B}'..='\u{180F}' | '\u{200B}' | '\u{200E}' | '\u{200F}'
            | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}'
            | '\u{FDD0}'..='\u{FDEF}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}')
}

/// Everything but the `attr-char` of RFC 8187.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// Returns the header `Content-Disposition` (RFC 6266, RFC 8187) that makes a browser save the file
/// under this name: an ASCII form for old programs, then the name itself.
pub fn content_disposition(filename: &str) -> String {
    let ascii = ascii(filename);
    let whole = utf8_percent_encode(filename, ENCODED);
    format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{whole}")
}

/// Removes accents, and writes one `_` for each run of characters that ASCII lacks or a quoted
/// string cannot contain.
fn ascii(filename: &str) -> String {
    let mut ascii = String::with_capacity(filename.len());
    for letter in filename.nfkd().filter(|letter| !is_combining_mark(*letter)) {
        match letter {
            ' '..='~' if !matches!(letter, '"' | '\\' | '%') => ascii.push(letter),
            _ if ascii.ends_with('_') => {}
            _ => ascii.push('_'),
        }
    }
    ascii
}

#[cfg(test)]
mod tests;
