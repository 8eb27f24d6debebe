//! Names of partners and their filenames.

use std::collections::BTreeMap;

use super::*;

fn named(partner: &str) -> String {
    statement_filename(partner, "2026-05-31T23:59:59.999Z".parse().unwrap())
}

/// `names.toml`.
#[derive(serde::Deserialize)]
struct Names {
    /// Partner, and its word in the filename.
    words: BTreeMap<String, String>,
    headers: BTreeMap<String, [String; 2]>,
}

fn names() -> Names {
    toml::from_str(include_str!("names.toml")).unwrap()
}

#[test]
fn names_become_the_words_of_the_table() {
    for (partner, word) in names().words {
        assert_eq!(named(&partner), format!("statement-{word}-2026-05.pdf"), "{partner:?}");
    }
}

#[test]
fn name_made_once_more_stays() {
    for word in names().words.into_values() {
        assert_eq!(named(&word), format!("statement-{word}-2026-05.pdf"));
    }
}

#[test]
fn long_name_is_cut_between_characters() {
    let room = FILENAME_LENGTH_BYTES - "statement-".len() - "-2026-05.pdf".len();
    for (letter, fit) in [("a", room), ("é", room / 2), ("上", room / 3), ("🚀", room / 4)] {
        for length in [200, 10_000] {
            let name = named(&letter.repeat(length));
            assert_eq!(name, format!("statement-{}-2026-05.pdf", letter.repeat(fit)));
            assert!(name.len() <= FILENAME_LENGTH_BYTES);
        }
    }
}

#[test]
fn cut_leaves_no_joiner_dot_or_dash_at_the_end() {
    for end in ["\u{200d}", ".", "-", " ", "\u{fe0f}"] {
        let room = FILENAME_LENGTH_BYTES - "statement-".len() - "-2026-05.pdf".len();
        for before in room - 4..=room {
            let kept = "a".repeat(before);
            let name = named(&format!("{kept}{end}{}", "b".repeat(200)));
            assert!(name.len() <= FILENAME_LENGTH_BYTES);
            let word =
                name.strip_prefix("statement-").and_then(|rest| rest.strip_suffix("-2026-05.pdf"));
            let last = word.and_then(|word| word.chars().next_back());
            assert!(matches!(last, Some('a' | 'b')), "{name:?}");
        }
    }
}

#[test]
fn ten_thousand_marks_on_one_letter_are_bounded() {
    let name = named(&format!("a{}", "\u{301}".repeat(10_000)));
    assert!(name.len() <= FILENAME_LENGTH_BYTES);
    assert!(name.starts_with("statement-á"));
}

#[test]
fn every_name_is_safe_on_every_system() {
    let forbidden = ['/', '\\', ':', '*', '?', '"', '<', '>', '|', '%'];
    let letters: Vec<char> = (0..=0x10_FFFF).filter_map(char::from_u32).collect();
    // As many as surely fit, with a letter between them so that none is an end.
    for some in letters.chunks(16) {
        let name = named(&some.iter().flat_map(|letter| ['a', *letter]).collect::<String>());
        let hostile = |letter: char| {
            forbidden.contains(&letter) || letter.is_control() || letter.is_whitespace()
        };
        assert!(!name.contains(hostile) && !name.contains(".."), "{name:?}");
    }
}

#[test]
fn month_is_the_one_of_utc() {
    for (period_end, month) in [
        ("2026-05-31T23:59:59.999Z", "2026-05"),
        ("2026-06-01T01:30:00+02:00", "2026-05"),
        ("2026-12-31T23:59:59Z", "2026-12"),
        ("0999-01-01T00:00:00Z", "0999-01"),
    ] {
        let name = statement_filename("A", period_end.parse().unwrap());
        assert_eq!(name, format!("statement-A-{month}.pdf"));
    }
}

#[test]
fn header_names_the_file_twice() {
    for (filename, [ascii, whole]) in names().headers {
        assert_eq!(
            content_disposition(&filename),
            format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{whole}")
        );
    }
}
