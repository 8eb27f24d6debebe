//! Filenames (S10): for any partner name the filename is one plain file's, and the header one plain
//! header. The header is parsed here, and must contain the name again.

use payout_server::statements::links::{content_disposition, statement_filename};
use percent_encoding::percent_decode_str;
use poem::http::HeaderValue;

use super::source::Source;

/// Longest name, in bytes.
const FILENAME_BYTES: usize = 120;
/// `attachment; filename=""; filename*=UTF-8''`
const AROUND_BYTES: usize = 42;

/// Any text: as a filename, and as a partner's name.
pub fn claim(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    is_one_header(&text);
    let mut source = Source::new(data);
    let filename = statement_filename(&text, source.time());
    is_one_file(&filename);
    is_one_header(&filename);
}

fn is_one_header(filename: &str) {
    let header = content_disposition(filename);
    assert!(header.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{filename:?} → {header:?}");
    assert!(HeaderValue::from_str(&header).is_ok(), "{filename:?} → {header:?}");
    // One form writes a byte as %XX; the other uses at most three times a character's bytes.
    assert!(header.len() <= AROUND_BYTES + 6 * filename.len(), "{filename:?} → {header:?}");
    let rest = header.strip_prefix("attachment; filename=\"").expect("it says what to do with it");
    let (ascii, rest) = rest.split_once('"').expect("the quotes end");
    assert!(!ascii.contains(['\\', '%']), "{filename:?} → {header:?}");
    let whole = rest.strip_prefix("; filename*=UTF-8''").expect("the name was sent more than once");
    let is_attribute =
        |character: char| character.is_ascii_alphanumeric() || "!#$&+-.^_`|~%".contains(character);
    assert!(whole.chars().all(is_attribute), "{filename:?} → {header:?}");
    let decoded = percent_decode_str(whole).decode_utf8();
    assert_eq!(decoded.as_deref(), Ok(filename));
}

fn is_one_file(filename: &str) {
    assert!(filename.len() <= FILENAME_BYTES, "{filename:?}");
    let word = filename.strip_prefix("statement-").expect("it says what it is");
    let (word, month) = word.split_at(word.len() - "-2026-05.pdf".len());
    let is_pattern = |(character, pattern): (char, char)| match pattern {
        '0' => character.is_ascii_digit(),
        pattern => character == pattern,
    };
    assert!(month.chars().zip("-0000-00.pdf".chars()).all(is_pattern), "{filename:?}");
    assert!(!word.is_empty(), "{filename:?}");
    assert!(!word.starts_with(['-', '.']) && !word.ends_with(['-', '.']), "{filename:?}");
    let is_harmful = |character: char| {
        character.is_control()
            || character.is_whitespace()
            || "/\\:*?\"<>|%".contains(character)
            // Direction marks can make a name look like another one.
            || matches!(character, '\u{200E}' | '\u{200F}' | '\u{061C}')
            || matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!word.contains(is_harmful), "{filename:?}");
}
