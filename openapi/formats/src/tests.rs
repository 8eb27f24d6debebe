use super::*;

/// Each format, with texts that it accepts and, after a bar, texts that it does not.
const TEXTS: &str = r#"
date: 2026-05-20, 2024-02-29, 2000-02-29 | 2019-13-01, 2026-00-01, 2026-01-00, 2020-02-30
date:  | 2100-02-29, 2026-04-31, 26-05-20, 2026-5-20, 2026-05-20T, +026-05-20, -
date-time: 2026-05-20T09:30:00Z, 2026-05-20t09:30:00.123456789z, 2026-05-20T09:30:00+05:30
date-time: 2016-12-31T23:59:60Z, 2017-01-01T05:29:60+05:30
date-time:  | 2026-05-20T25:00:00Z, 2026-02-30T00:00:00Z, 2026-05-20T09:60:00Z, 2026-05-20T09:30:61Z
date-time:  | 2026-05-20T09:30:60Z, 2026-05-20T09:30:00, 2026-05-20 09:30:00Z, 2026-05-20T09:30Z, T
date-time:  | 2026-05-20T09:30:00.Z, 2026-05-20T09:30:00+24:00, 2026-05-20T09:30:00+0530, 2026-05-20
decimal: 0, -12.50, 99999999999999999999 | -, 1., .5, 1e3, +1, 1,5
email: name@example.com, a.b+c@example, "a b"@example.com, a@[192.0.2.1], a@[IPv6:::1]
email:  | not an email, a@, @example.com, a..b@example.com, .a@example.com, a@-example.com
email:  | a@exa mple, a@b@example.com, a@[192.0.2], "a"b"@example.com, é@example.com
email:  | a, "a\"@example.com
hostname: example.com, a, xn--bcher-kva.example | -a, a-, a..b, a_b, a.b.
ipv4: 192.0.2.1 | 192.0.2, 192.0.2.256, 192.0.02.1, ::1
ipv6: 2001:db8::1, ::ffff:192.0.2.1 | 2001:db8, 192.0.2.1, ::1%eth0
time: 09:30:00Z, 23:59:60Z, 09:30:00.5-05:00 | 09:30:00, 24:00:00Z, 9:30:00Z, 09:30:00Zé
uri: https://example.com/a?b=%20#c, urn:isbn:1, mailto:a@example.com
uri:  | example.com, /a, http://a b, http://a/%2, http://a/%zz, 1a:b, http://a#b#c, http://é
uuid: 0190a4c8-7c1e-7b1a-9d5e-2f6b1c3d4e5f, 0190A4C8-7C1E-7B1A-9D5E-2F6B1C3D4E5F
uuid:  | 0190a4c87c1e7b1a9d5e2f6b1c3d4e5f, 0190a4c8-7c1e-7b1a-9d5e-2f6b1c3d4e5g, {}
"#;

#[test]
fn formats_accept_what_the_table_says() {
    for line in TEXTS.trim().lines() {
        let (name, texts) = line.split_once(": ").unwrap();
        let (accepted, rejected) = texts.split_once(" | ").unwrap_or((texts, ""));
        let format = Format::named(name).unwrap();
        for (texts, expected) in [(accepted, true), (rejected, false)] {
            for text in texts.split(", ").filter(|text| !text.is_empty()) {
                assert_eq!(format.accepts(text), expected, "{name} {text}");
            }
        }
    }
    assert!(ALL.iter().all(|format| !format.accepts("")));
}

#[test]
fn bounds_of_whole_numbers_are_those_of_64_bits_without_a_known_format() {
    assert_eq!(integer_bounds(Some("int32")), (i32::MIN.into(), i32::MAX.into()));
    assert_eq!(integer_bounds(Some("uint64")), (0, i64::MAX));
    assert_eq!(integer_bounds(Some("unix-time")), integer_bounds(None));
}
