//! API keys (A1): a text is accepted, unchanged, exactly if its form and checksum are right. The
//! checksum here is a second implementation, bit by bit.

use payout_server::gate::{ApiKey, Environment};
use sha2::{Digest, Sha256};

use super::source::Source;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ENVIRONMENTS: [Environment; 2] = [Environment::Test, Environment::Live];
/// Characters after the prefix: without a cell, and with one.
const LENGTHS: [usize; 2] = [38, 40];

/// Any bytes: as the text of a key, and as the parts of a valid key.
pub fn claim(data: &[u8]) {
    if let Ok(text) = str::from_utf8(data) {
        for environment in ENVIRONMENTS {
            let is_key = is_key(text, environment);
            let read = ApiKey::parse(text, environment);
            assert_eq!(read.is_some(), is_key, "{text:?} of {environment:?}");
            if let Some(key) = read {
                is_kept(&key, text);
            }
        }
    }
    let mut source = Source::new(data);
    let environment = source.pick(&ENVIRONMENTS);
    let length = source.pick(&LENGTHS);
    let mut text = environment.prefix().to_owned();
    text.extend((0..length - 6).map(|_| base62(u32::from(source.byte()))));
    text.push_str(&checksum(&text));
    let key = ApiKey::parse(&text, environment).expect("form and checksum are right");
    is_kept(&key, &text);
    let altered = source.altered(&text);
    let is_same = altered == text;
    assert_eq!(ApiKey::parse(&altered, environment).is_some(), is_same, "{text:?} → {altered:?}");
}

fn is_kept(key: &ApiKey, text: &str) {
    assert_eq!(key.reveal(), text);
    assert!(text.ends_with(key.last_four()) && key.last_four().len() == 4);
    assert_eq!(key.hash().as_bytes(), Sha256::digest(text).as_slice());
}

fn is_key(text: &str, environment: Environment) -> bool {
    let prefix = match environment {
        Environment::Live => "pcp_live_",
        Environment::Test => "pcp_test_",
    };
    let Some(characters) = text.strip_prefix(prefix) else {
        return false;
    };
    let is_base62 = characters.bytes().all(|byte| ALPHABET.contains(&byte));
    is_base62
        && LENGTHS.contains(&characters.len())
        && text.ends_with(&checksum(&text[..text.len() - 6]))
}

/// CRC32 (ISO-HDLC) in 6 digits of base 62, the greatest first.
fn checksum(text: &str) -> String {
    let mut sum = u32::MAX;
    for byte in text.bytes() {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xEDB8_8320 } else { sum >> 1 };
        }
    }
    let digit = |place| base62(!sum / 62_u32.pow(place) % 62);
    (0..=5).rev().map(digit).collect()
}

fn base62(number: u32) -> char {
    char::from(ALPHABET[(number % 62) as usize])
}
