//! Links that work, and links that do not: every byte of a link is altered in turn.

use super::*;

const NEW: &str = "new aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n";
const OLD: &str = "old bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n";
const URL: &str = "https://api.example.com";

fn links(public_url: &str, keys: &str) -> LinkSigner {
    LinkSigner::new(public_url.parse().unwrap(), Keyring::parse(keys).unwrap())
}

/// The response to a request with a link to [`asset`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Valid,
    Expired,
    Invalid,
}

use Outcome::{Expired, Invalid, Valid};

fn check(links: &LinkSigner, path_and_query: &str, now: DateTime<Utc>) -> Outcome {
    match links.open(path_and_query) {
        None => Invalid,
        Some(link) if link.is_expired(now) => Expired,
        Some(link) => {
            assert_eq!(link.asset, asset());
            Valid
        }
    }
}

fn at(time: &str) -> DateTime<Utc> {
    time.parse().unwrap()
}

fn now() -> DateTime<Utc> {
    at("2026-05-20T09:30:00.123Z")
}

fn later() -> DateTime<Utc> {
    at("2026-05-20T10:30:00.123Z")
}

fn asset() -> LinkedAsset {
    LinkedAsset {
        organization: "org_01JV3N8Q5RHWXK2M4P6S7T9V0A".into(),
        asset: "ast_01JV3N8Q5RHWXK2M4P6S7T9V0B".into(),
        sha256: [7; 32],
        filename: "statement-Café-上海 1-2026-05.pdf".into(),
    }
}

/// Returns the part of a link that a server below `URL` sees.
fn target(link: &str) -> String {
    link.strip_prefix(URL).unwrap().to_owned()
}

#[test]
fn link_has_the_decided_shape_and_leads_back() {
    let links = links(URL, NEW);
    let link = links.sign(&asset(), later());
    let (before, signature) = link.rsplit_once('=').unwrap();
    assert_eq!(
        before,
        "https://api.example.com/statements/org_01JV3N8Q5RHWXK2M4P6S7T9V0A/\
         ast_01JV3N8Q5RHWXK2M4P6S7T9V0B/statement-Caf%C3%A9-%E4%B8%8A%E6%B5%B7%201-2026-05.pdf\
         ?v=1&expires=1779273000123&sha256=BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc\
         &key=new&signature"
    );
    assert_eq!(signature.len(), 43);
    assert_eq!(url::Url::parse(&link).unwrap().as_str(), link);
    assert_eq!(check(&links, &target(&link), now()), Valid);
}

#[test]
fn every_single_altered_byte_is_invalid() {
    for public_url in [URL, "https://api.example.com/payouts"] {
        let links = links(public_url, &format!("{NEW}{OLD}"));
        let link = target(&links.sign(&asset(), later()));
        assert_eq!(check(&links, &link, now()), Valid);
        for position in 0..link.len() {
            for substitute in 0..=127_u8 {
                let mut bytes = link.clone().into_bytes();
                if bytes[position] == substitute {
                    continue;
                }
                bytes[position] = substitute;
                let altered = String::from_utf8(bytes).unwrap();
                assert_eq!(check(&links, &altered, now()), Invalid, "{altered}");
            }
        }
    }
}

#[test]
fn every_added_removed_or_doubled_byte_is_invalid() {
    let links = links(URL, NEW);
    let link = target(&links.sign(&asset(), later()));
    for position in 0..link.len() {
        for added in [
            "/",
            "&",
            "0",
            "%",
            ".",
            "=",
            "?",
            "#",
            "A",
            " ",
            "é",
            "\0",
            &link[position..=position],
        ] {
            let altered = format!("{}{added}{}", &link[..position], &link[position..]);
            assert_eq!(check(&links, &altered, now()), Invalid, "{altered}");
        }
        let altered = format!("{}{}", &link[..position], &link[position + 1..]);
        assert_eq!(check(&links, &altered, now()), Invalid, "{altered}");
        assert_eq!(check(&links, &link[..position], now()), Invalid);
    }
    for added in ["&", "&a=b", "&v=1", "=", "#", "/", "A"] {
        let altered = format!("{link}{added}");
        assert_eq!(check(&links, &altered, now()), Invalid, "{altered}");
    }
}

#[test]
fn another_spelling_of_the_same_link_is_invalid() {
    let links = links(URL, NEW);
    let link = target(&links.sign(&asset(), later()));
    for (ours, theirs) in [
        ("%C3", "%c3"),
        ("org_", "%6Frg_"),
        ("%20", "+"),
        ("%20", " "),
        ("Caf%C3%A9", "Café"),
        ("Caf%C3%A9", "Cafe%CC%81"),
        ("expires=", "expires=0"),
        ("expires=", "expires=+"),
        ("/statements/", "//statements/"),
        ("/statements/", "/./statements/"),
        ("/statements/", "/a/../statements/"),
        ("/statements/", "/Statements/"),
        ("/statements/", "https://api.example.com/statements/"),
        ("v=1&", ""),
        ("v=1&", "v=1&v=1&"),
        ("v=1&", "v=2&"),
        ("&key=new", ""),
        ("key=new", "key=old"),
        ("?", "?&"),
        ("?", "%3F"),
        ("&", "&amp;"),
        ("&", ";"),
    ] {
        let altered = link.replacen(ours, theirs, 1);
        assert_ne!(altered, link, "{ours}");
        assert_eq!(check(&links, &altered, now()), Invalid, "{altered}");
    }
    let (path, query) = link.split_once('?').unwrap();
    let reversed: Vec<&str> = query.rsplit('&').collect();
    let altered = format!("{path}?{}", reversed.join("&"));
    assert_eq!(check(&links, &altered, now()), Invalid);
}

#[test]
fn last_character_of_a_signature_has_one_spelling() {
    let links = links(URL, NEW);
    let link = target(&links.sign(&asset(), later()));
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let works = |last: &char| {
        let altered = format!("{}{last}", &link[..link.len() - 1]);
        check(&links, &altered, now()) != Invalid
    };
    assert_eq!(alphabet.chars().filter(works).count(), 1);
}

#[test]
fn link_expires_exactly_at_its_millisecond() {
    let links = links(URL, NEW);
    for lifetime_seconds in [1, 3_600, 7 * 86_400] {
        let expires_at = now() + chrono::Duration::seconds(lifetime_seconds);
        let link = target(&links.sign(&asset(), expires_at));
        let millisecond = chrono::Duration::milliseconds(1);
        assert_eq!(check(&links, &link, now()), Valid);
        assert_eq!(check(&links, &link, expires_at - millisecond), Valid);
        assert_eq!(check(&links, &link, expires_at), Expired);
        assert_eq!(check(&links, &link, expires_at + millisecond), Expired);
    }
}

#[test]
fn altered_link_is_invalid_also_after_its_time() {
    let links = links(URL, NEW);
    let link = target(&links.sign(&asset(), later()));
    let longer = link.replace("expires=1779273000123", "expires=1779999999999");
    assert_ne!(longer, link);
    for time in [now(), later(), at("9999-01-01T00:00:00Z")] {
        assert_eq!(check(&links, &longer, time), Invalid);
    }
}

#[test]
fn rotation_keeps_old_links_until_their_key_is_removed() {
    let before = links(URL, OLD);
    let link = target(&before.sign(&asset(), later()));
    let during = links(URL, &format!("{NEW}{OLD}"));
    assert_eq!(check(&during, &link, now()), Valid);
    assert!(during.sign(&asset(), later()).contains("&key=new&"));
    let after = links(URL, NEW);
    assert_eq!(check(&after, &link, now()), Invalid);
}

#[test]
fn key_of_the_same_name_with_another_secret_verifies_nothing() {
    let link = target(&links(URL, NEW).sign(&asset(), later()));
    let other = links(URL, &OLD.replace("old", "new"));
    assert_eq!(check(&other, &link, now()), Invalid);
}

#[test]
fn link_of_another_host_or_port_is_invalid() {
    let link = target(&links(URL, NEW).sign(&asset(), later()));
    for other in
        ["https://api.example.org", "https://staging.example.com", "https://api.example.com:8443"]
    {
        assert_eq!(check(&links(other, NEW), &link, now()), Invalid, "{other}");
    }
}

#[test]
fn base_path_may_be_taken_off_by_a_proxy_or_left() {
    for base in ["/payouts", "/a/b", "/statements", "/statements/a"] {
        let links = links(&format!("{URL}{base}"), NEW);
        let whole = target(&links.sign(&asset(), later()));
        let stripped = whole.strip_prefix(base).unwrap();
        assert_eq!(check(&links, &whole, now()), Valid, "{base}");
        assert_eq!(check(&links, stripped, now()), Valid, "{base}");
        for other in
            [format!("{base}{whole}"), format!("/other{stripped}"), format!("{base}/{stripped}")]
        {
            assert_eq!(check(&links, &other, now()), Invalid, "{other}");
        }
    }
}

#[test]
fn parts_do_not_run_together() {
    let links = links(URL, NEW);
    let moved = LinkedAsset {
        organization: format!("{}a", asset().organization),
        asset: asset().asset[1..].to_owned(),
        ..asset()
    };
    let (one, two) = (links.sign(&asset(), later()), links.sign(&moved, later()));
    let signature = |link: &str| link.rsplit_once('=').unwrap().1.to_owned();
    let mixed = target(&two).replace(&signature(&two), &signature(&one));
    assert_eq!(check(&links, &mixed, now()), Invalid);
}

#[test]
fn hostile_text_is_invalid_and_none_panics() {
    let links = links("https://api.example.com/payouts", NEW);
    let valid = target(&links.sign(&asset(), later()));
    let long = format!("{valid}{}", "a".repeat(LINK_LENGTH_LIMIT_BYTES));
    for hostile in [
        "",
        "/",
        "?",
        "/statements/",
        "/statements/?",
        "/statements///?&&&&",
        "/payouts",
        "/payouts/statements/a/b/c",
        "/statements/a/b/c?v=1&expires=&sha256=&key=&signature=",
        "/statements/a/b/%FF?v=1&expires=1&sha256=A&key=new&signature=A",
        "/statements/a/b/c?v=1&expires=99999999999999999999&sha256=&key=new&signature=",
        "é",
        "\0",
        &long,
        &"&".repeat(10_000),
        &"/".repeat(10_000),
    ] {
        assert_eq!(check(&links, hostile, now()), Invalid, "{hostile:?}");
    }
}

#[test]
fn genuine_link_is_opened_up_to_the_greatest_length_alone() {
    let links = links(URL, NEW);
    let named = |length: usize| LinkedAsset { filename: "a".repeat(length), ..asset() };
    let rest = target(&links.sign(&named(1), later())).len() - 1;
    let longest = LINK_LENGTH_LIMIT_BYTES - rest;
    for (length, opened) in [(longest, true), (longest + 1, false)] {
        let link = target(&links.sign(&named(length), later()));
        assert_eq!(links.open(&link).is_some(), opened, "{length}");
    }
}

#[test]
fn debug_shows_no_secret() {
    let shown = format!("{:?}", links(URL, NEW));
    assert!(!shown.contains("aaaa") && !shown.contains("170"), "{shown}");
}

#[test]
fn url_is_taken_apart() {
    for (text, whole, authority, path) in [
        ("https://API.example.com", "https://api.example.com", "api.example.com", ""),
        ("https://api.example.com:443/", "https://api.example.com", "api.example.com", ""),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080", "127.0.0.1:8080", ""),
        ("https://example.com/a/b/", "https://example.com/a/b", "example.com", "/a/b"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a", "[::1]:8080", "/a"),
    ] {
        let url: PublicUrl = text.parse().unwrap();
        assert_eq!((url.as_str(), url.authority(), url.base_path()), (whole, authority, path));
    }
}

#[test]
fn url_that_no_link_can_carry_is_rejected() {
    for text in [
        "",
        "example.com",
        "ftp://example.com",
        "data:x",
        "https://a:b@example.com",
        "https://a@example.com",
        "https://example.com/?a=b",
        "https://example.com/#a",
    ] {
        let rejected = text.parse::<PublicUrl>().unwrap_err();
        assert!(rejected.contains("write it as"), "{text:?}: {rejected}");
    }
}
