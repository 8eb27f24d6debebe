//! A filename as the header `Content-Disposition` (RFC 6266, RFC 8187).
//!
//! It refuses to let a name end its quotes or its line: the header holds whatever the name is.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

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

/// The value that makes a browser save the file under this name: the ASCII form for old programs, then the true one.
#[must_use]
pub fn content_disposition(filename: &str) -> String {
    let ascii = ascii(filename);
    let whole = utf8_percent_encode(filename, ENCODED);
    format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{whole}")
}

/// Accents dropped, and one `_` for each run of what ASCII lacks or a quoted string could not hold.
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
mod tests {
    use super::*;

    #[test]
    fn header_names_the_file_twice() {
        for (filename, ascii, whole) in [
            (
                "statement-Acme-2026-05.pdf",
                "statement-Acme-2026-05.pdf",
                "statement-Acme-2026-05.pdf",
            ),
            (
                "statement-Café-2026-05.pdf",
                "statement-Cafe-2026-05.pdf",
                "statement-Caf%C3%A9-2026-05.pdf",
            ),
            (
                "statement-Łódź-2026-05.pdf",
                "statement-_odz-2026-05.pdf",
                "statement-%C5%81%C3%B3d%C5%BA-2026-05.pdf",
            ),
            (
                "statement-上海-2026-05.pdf",
                "statement-_-2026-05.pdf",
                "statement-%E4%B8%8A%E6%B5%B7-2026-05.pdf",
            ),
            (
                "statement-👩‍🚀-1.pdf",
                "statement-_-1.pdf",
                "statement-%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80-1.pdf",
            ),
            (
                "O'Neil & Co.pdf",
                "O'Neil & Co.pdf",
                "O%27Neil%20&%20Co.pdf",
            ),
            (
                "a(b),c;d=e.pdf",
                "a(b),c;d=e.pdf",
                "a%28b%29%2Cc%3Bd%3De.pdf",
            ),
            ("ﬁn½.pdf", "fin1_2.pdf", "%EF%AC%81n%C2%BD.pdf"),
            ("", "", ""),
        ] {
            assert_eq!(
                content_disposition(filename),
                format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{whole}")
            );
        }
    }

    #[test]
    fn no_name_ends_the_quotes_or_the_line() {
        for hostile in [
            "a\"b",
            "a\\\"b",
            "a\r\nset-cookie: b",
            "a\0b",
            "a\u{7f}b",
            "a%22b",
            "a\u{202e}fdp",
            "\u{85}",
            "\"; filename=\"b",
        ] {
            let header = content_disposition(hostile);
            assert!(
                header.bytes().all(|byte| (b' '..=b'~').contains(&byte)),
                "{header:?}"
            );
            assert_eq!(header.matches('"').count(), 2, "{header:?}");
            assert!(!header.contains('\\'), "{header:?}");
            let (ascii, whole) = header.split_once("; filename*=UTF-8''").unwrap();
            assert!(!ascii.contains('%'), "{header:?}");
            assert!(!whole.contains([' ', ';', ',', '"', '\'']), "{header:?}");
            let decoded = percent_encoding::percent_decode_str(whole)
                .decode_utf8()
                .unwrap();
            assert_eq!(decoded, hostile);
        }
    }
}
