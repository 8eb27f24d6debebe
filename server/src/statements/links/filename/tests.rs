//! Names of partners and their filenames. Each vector is a way in which some system went wrong.

use super::*;

fn named(partner: &str) -> String {
    statement_filename(partner, "2026-05-31T23:59:59.999Z".parse().unwrap())
}

/// Partner, and its word in the filename.
const VECTORS: &[(&str, &str)] = &[
    // Plain.
    ("Acme", "Acme"),
    ("Acme GmbH", "Acme-GmbH"),
    ("  Acme  ", "Acme"),
    ("Acme\u{a0}GmbH", "Acme-GmbH"),
    ("Acme -- GmbH", "Acme-GmbH"),
    ("O'Neil & Sons, Ltd.", "O'Neil-&-Sons,-Ltd"),
    ("A+B=C; D~E!", "A+B=C;-D~E!"),
    // Letters of the world, composed.
    ("Cafe\u{301}", "Café"),
    ("A\u{30a}ngstro\u{308}m", "Ångström"),
    ("İstanbul ı", "İstanbul-ı"),
    ("Компания «Ромашка»", "Компания-«Ромашка»"),
    ("株式会社ガ", "株式会社ガ"),
    ("カ\u{3099}", "ガ"),
    ("\u{1112}\u{1161}\u{11ab}", "한"),
    ("می\u{200c}خواهم", "می\u{200c}خواهم"),
    ("हिन्दी क्\u{200d}ष", "हिन्दी-क्\u{200d}ष"),
    ("e\u{315}\u{300}\u{5ae}x", "\u{e8}\u{5ae}\u{315}x"),
    // Emoji.
    ("🚀 Rocket", "🚀-Rocket"),
    ("👩\u{200d}🚀", "👩\u{200d}🚀"),
    ("❤\u{fe0f}a", "❤\u{fe0f}a"),
    ("a\u{200d}", "a"),
    ("\u{200d}a", "a"),
    ("\u{fe0f}", "partner"),
    // Paths.
    ("..", "partner"),
    ("../../etc/passwd", "etc-passwd"),
    ("..\\..\\windows", "windows"),
    ("a..b", "a.b"),
    ("a.-.b", "a.b"),
    (".hidden", "hidden"),
    ("a:stream", "a-stream"),
    // Reserved by Windows, harmless behind `statement-`.
    ("COM1.txt", "COM1.txt"),
    ("trailing. ", "trailing"),
    ("trailing...", "trailing"),
    ("a*b?c\"d<e>f|g", "a-b-c-d-e-f-g"),
    // Headers and addresses.
    ("a\r\nset-cookie: b", "a-set-cookie-b"),
    ("a\"; filename=\"b", "a-;-filename=-b"),
    ("100%", "100"),
    ("%2e%2e%2f", "2e-2e-2f"),
    ("a\\\"b", "a-b"),
    // Invisible.
    ("a\0b", "ab"),
    ("a\u{1b}[31mb", "a[31mb"),
    ("a\u{7f}\u{85}\u{9f}b", "a-b"),
    ("a\tb\u{2028}c\u{2029}d", "a-b-c-d"),
    ("invoice\u{202e}fdp.exe", "invoicefdp.exe"),
    ("\u{2066}a\u{2069}\u{200e}\u{200f}\u{61c}", "a"),
    ("\u{feff}a\u{200b}b\u{2060}c\u{ad}d", "abcd"),
    ("\u{3164}\u{115f}\u{1160}\u{ffa0}\u{2800}", "partner"),
    ("a\u{e0041}\u{e007f}b\u{fffe}\u{1ffff}\u{fdd0}", "ab"),
    ("e\u{34f}\u{301}", "é"),
    // Nothing.
    ("", "partner"),
    (" \t\n", "partner"),
];

#[test]
fn names_become_the_words_of_the_table() {
    for (partner, word) in VECTORS {
        assert_eq!(named(partner), format!("statement-{word}-2026-05.pdf"), "{partner:?}");
    }
}

#[test]
fn name_made_once_more_stays() {
    for (_, word) in VECTORS {
        assert_eq!(named(word), format!("statement-{word}-2026-05.pdf"));
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
    for (filename, ascii, whole) in [
        ("statement-Acme-2026-05.pdf", "statement-Acme-2026-05.pdf", "statement-Acme-2026-05.pdf"),
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
        ("O'Neil & Co.pdf", "O'Neil & Co.pdf", "O%27Neil%20&%20Co.pdf"),
        ("a(b),c;d=e.pdf", "a(b),c;d=e.pdf", "a%28b%29%2Cc%3Bd%3De.pdf"),
        ("ﬁn½.pdf", "fin1_2.pdf", "%EF%AC%81n%C2%BD.pdf"),
        ("", "", ""),
    ] {
        assert_eq!(
            content_disposition(filename),
            format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{whole}")
        );
    }
}
