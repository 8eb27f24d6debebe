//! Patterns: OpenAPI writes them as ECMA 262 does, and the server runs them in Rust.

use fancy_regex::Regex;
use jsonschema_regex::to_rust_regex;

/// The groups that ECMA 262 and Rust have in common.
const GROUPS: [&str; 5] = ["(?:", "(?=", "(?!", "(?<=", "(?<!"];

/// A pattern with the same meaning in Rust; none where there is none, or where it is unknown.
pub(super) fn in_rust(pattern: &str) -> Option<String> {
    let groups = || pattern.match_indices("(?").map(|(index, _)| &pattern[index..]);
    let is_known = |rest: &str| GROUPS.iter().any(|group| rest.starts_with(group));
    if !groups().all(is_known) {
        return None;
    }
    // The translation leaves a pattern with look-around as it is, and `\\d` differs.
    let looks_around = groups().any(|rest| !rest.starts_with("(?:"));
    if looks_around && escapes_a_letter(pattern) {
        return None;
    }
    let translated = to_rust_regex(pattern).ok()?.into_owned();
    let refers_back = escapes(&translated).any(|escaped| matches!(escaped, '1'..='9'));
    (!refers_back && Regex::new(&translated).is_ok()).then_some(translated)
}

fn escapes_a_letter(pattern: &str) -> bool {
    escapes(pattern).any(|escaped| escaped.is_ascii_alphanumeric())
}

/// The characters after a backslash.
fn escapes(pattern: &str) -> impl Iterator<Item = char> {
    let mut characters = pattern.chars();
    std::iter::from_fn(move || {
        characters.find(|character| *character == '\\')?;
        characters.next()
    })
}
