//! Links to PDFs (S9): a signed link opens in its one spelling, and not with any byte altered. Any
//! link that opens is signed again here, and must be the same.

use std::sync::LazyLock;

use chrono::{DateTime, TimeDelta, Utc};
use payout_server::keyring::Keyring;
use payout_server::statements::links::{
    GenuineLink, LINK_LENGTH_LIMIT_BYTES, LinkSigner, LinkedAsset,
};

use super::source::Source;

/// A public URL with a path, which a proxy may keep or strip.
const PUBLIC_URL: &str = "https://payouts.example/base";
const BASE_PATH: &str = "/base";
const HOST: &str = "https://payouts.example";

/// The servers after a rotation: the new key signs, both verify; and a server from before it.
static SERVERS: LazyLock<[LinkSigner; 2]> =
    LazyLock::new(|| [signed_by(["2026-06", "2026-05"]), signed_by(["2026-05", "2026-06"])]);
/// A server with the same key ids and other secrets.
static STRANGER: LazyLock<LinkSigner> = LazyLock::new(|| links("2026-06 ffff\n2026-05 eeee\n"));

/// Any bytes: as a path with query, and as an asset to sign a link to.
pub fn claim(data: &[u8]) {
    if let Ok(text) = str::from_utf8(data) {
        opens_where_we_signed_it(text);
    }
    let mut source = Source::new(data);
    let [server, other] = &*SERVERS;
    let asset = LinkedAsset {
        organization: source.text(40),
        asset: source.text(40),
        filename: source.text(120),
        sha256: source.sha256(),
    };
    let expires_at = source.time();
    let url = server.sign(&asset, expires_at);
    let whole = url.strip_prefix(HOST).expect("a link begins with the public URL");
    let below = whole.strip_prefix(BASE_PATH).expect("and with its path");
    for link in [whole, below] {
        for server in [server, other] {
            let genuine = server.open(link).expect("a link opens on every server that has its key");
            assert_eq!(genuine.asset, asset);
            expires_at_this_millisecond(&genuine, expires_at);
        }
        assert_eq!(STRANGER.open(link), None, "another secret signed {link}");
    }
    let altered = source.altered(whole);
    let is_same = altered == whole || altered == below;
    assert_eq!(server.open(&altered).is_some(), is_same, "{altered}");
    opens_where_we_signed_it(&altered);
}

fn opens_where_we_signed_it(path_and_query: &str) {
    let Some(genuine) = SERVERS[0].open(path_and_query) else {
        return;
    };
    assert!(path_and_query.len() <= LINK_LENGTH_LIMIT_BYTES);
    let below = path_and_query.strip_prefix(BASE_PATH).unwrap_or(path_and_query);
    let expires_at = expiry(path_and_query);
    let mut signed = SERVERS.iter().map(|server| server.sign(&genuine.asset, expires_at));
    let is_ours = signed.any(|url| url == format!("{PUBLIC_URL}{below}"));
    assert!(is_ours, "{path_and_query} opened, and none of our keys signs it so");
    expires_at_this_millisecond(&genuine, expires_at);
}

fn expires_at_this_millisecond(genuine: &GenuineLink, expires_at: DateTime<Utc>) {
    assert!(genuine.is_expired(expires_at));
    assert!(!genuine.is_expired(expires_at - TimeDelta::milliseconds(1)));
}

fn expiry(link: &str) -> DateTime<Utc> {
    let (_, behind) = link.split_once("&expires=").expect("a genuine link says when it ends");
    let (digits, _) = behind.split_once('&').expect("and goes on");
    let milliseconds = digits.parse().expect("a number");
    DateTime::from_timestamp_millis(milliseconds).expect("a signed expiry is a valid date")
}

fn signed_by(keys: [&str; 2]) -> LinkSigner {
    links(&keys.map(|id| format!("{id} {}\n", &id[5..].repeat(2))).concat())
}

/// Keys whose secrets repeat four digits.
fn links(keys: &str) -> LinkSigner {
    let whole = keys.lines().map(|line| {
        let (id, digits) = line.split_once(' ').expect("an id and digits");
        format!("{id} {}\n", digits.repeat(16))
    });
    let keys = Keyring::parse(&whole.collect::<String>()).expect("two keys");
    LinkSigner::new(PUBLIC_URL.parse().expect("an address"), keys)
}
