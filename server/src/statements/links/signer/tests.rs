//! Links that work, and links that do not: every byte of a link is altered in turn.

use super::*;
use crate::outcomes::outcomes;

const NEW: &str = "new aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n";
const OLD: &str = "old bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n";
const URL: &str = "https://api.example.com";

fn links(public_url: &str, keys: &str) -> LinkSigner {
    LinkSigner::new(public_url.parse().unwrap(), Keyring::parse(keys).unwrap())
}

/// Returns true if the link opens; asserts that it leads to [`asset`].
fn opens(links: &LinkSigner, path_and_query: &str) -> bool {
    let link = links.open(path_and_query);
    link.is_some_and(|link| {
        assert_eq!(link.asset, asset());
        true
    })
}

fn later() -> DateTime<Utc> {
    "2026-05-20T10:30:00.123Z".parse().unwrap()
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
    assert!(opens(&links, &target(&link)));
}

#[test]
fn every_single_altered_byte_is_invalid() {
    for public_url in [URL, "https://api.example.com/payouts"] {
        let links = links(public_url, &format!("{NEW}{OLD}"));
        let link = target(&links.sign(&asset(), later()));
        assert!(opens(&links, &link));
        for position in 0..link.len() {
            for substitute in 0..=127_u8 {
                let mut bytes = link.clone().into_bytes();
                if bytes[position] == substitute {
                    continue;
                }
                bytes[position] = substitute;
                let altered = String::from_utf8(bytes).unwrap();
                assert!(!opens(&links, &altered), "{altered}");
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
            assert!(!opens(&links, &altered), "{altered}");
        }
        let altered = format!("{}{}", &link[..position], &link[position + 1..]);
        assert!(!opens(&links, &altered), "{altered}");
        assert!(!opens(&links, &link[..position]));
    }
    for added in ["&", "&a=b", "&v=1", "=", "#", "/", "A"] {
        let altered = format!("{link}{added}");
        assert!(!opens(&links, &altered), "{altered}");
    }
}

#[test]
fn rotation_keeps_old_links_until_their_key_is_removed() {
    let before = links(URL, OLD);
    let link = target(&before.sign(&asset(), later()));
    let during = links(URL, &format!("{NEW}{OLD}"));
    assert!(opens(&during, &link));
    assert!(during.sign(&asset(), later()).contains("&key=new&"));
    let after = links(URL, NEW);
    assert!(!opens(&after, &link));
}

#[test]
fn link_of_another_host_or_port_is_invalid() {
    let link = target(&links(URL, NEW).sign(&asset(), later()));
    for other in
        ["https://api.example.org", "https://staging.example.com", "https://api.example.com:8443"]
    {
        assert!(!opens(&links(other, NEW), &link), "{other}");
    }
}

#[test]
fn base_path_may_be_taken_off_by_a_proxy_or_left() {
    for base in ["/payouts", "/a/b", "/statements", "/statements/a"] {
        let links = links(&format!("{URL}{base}"), NEW);
        let whole = target(&links.sign(&asset(), later()));
        let stripped = whole.strip_prefix(base).unwrap();
        assert!(opens(&links, &whole), "{base}");
        assert!(opens(&links, stripped), "{base}");
        for other in
            [format!("{base}{whole}"), format!("/other{stripped}"), format!("{base}/{stripped}")]
        {
            assert!(!opens(&links, &other), "{other}");
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
    assert!(!opens(&links, &mixed));
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
fn url_is_taken_apart_or_rejected() {
    insta::assert_snapshot!(outcomes(include_str!("urls.txt"), |text| {
        text.parse::<PublicUrl>().map_or_else(
            |rejected| rejected,
            |url| format!("{url} is {} and {:?}", url.authority(), url.base_path()),
        )
    }));
}
