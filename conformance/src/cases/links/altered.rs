//! A link with one part changed: a segment of its path, a value, a parameter left out.

/// A day in milliseconds, more in seconds: added to an expiry it makes the link live longer.
const LONGER: u64 = 86_400_000;

/// Returns altered links, each with what was altered.
pub(super) fn links(link: &str) -> Vec<(String, String)> {
    let (address, query) = link.split_once('?').unwrap_or((link, ""));
    let mut changed = Vec::new();
    let (origin, path) = split_origin(address);
    let segments: Vec<&str> = path.split('/').collect();
    for (index, segment) in segments.iter().enumerate() {
        if segment.is_empty() {
            continue;
        }
        let mut others = segments.clone();
        let other = with_letter_changed(segment, segment.len() / 2);
        others[index] = &other;
        changed.push((
            format!("another segment {} of its path", index + 1),
            join(&format!("{origin}{}", others.join("/")), query),
        ));
    }
    if query.is_empty() {
        return changed;
    }
    changed.push(("no query".to_owned(), address.to_owned()));
    let parameters: Vec<&str> = query.split('&').collect();
    for (index, parameter) in parameters.iter().enumerate() {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let mut put = |what: &str, parameter: Option<String>| {
            let mut others: Vec<&str> = parameters.clone();
            match &parameter {
                Some(parameter) => others[index] = parameter,
                None => {
                    others.remove(index);
                }
            }
            let link = join(address, &others.join("&"));
            // In a value of one letter the middle is the last, and cutting leaves nothing.
            if changed.iter().all(|(_, known)| *known != link) {
                changed.push((format!("{what} {name}"), link));
            }
        };
        put("no", None);
        if value.is_empty() {
            continue;
        }
        let middle = with_letter_changed(value, value.len() / 2);
        let last = with_letter_changed(value, value.len() - 1);
        put("an empty", Some(format!("{name}=")));
        put("another letter in", Some(format!("{name}={middle}")));
        put("another last letter of", Some(format!("{name}={last}")));
        put("a cut", Some(format!("{name}={}", &value[..value.len() - 1])));
        if let Ok(number) = value.parse::<u64>() {
            let longer = number.saturating_add(LONGER);
            put("a later", Some(format!("{name}={longer}")));
        }
    }
    changed
}

/// The link with one more parameter: the signature covers the whole link.
pub(super) fn extended(link: &str) -> (String, String) {
    let sign = if link.contains('?') { '&' } else { '?' };
    let what = "one more parameter".to_owned();
    (what, format!("{link}{sign}download=1"))
}

fn join(address: &str, query: &str) -> String {
    if query.is_empty() {
        return address.to_owned();
    }
    format!("{address}?{query}")
}

/// `http://host:1/path` as `http://host:1` and `/path`.
fn split_origin(address: &str) -> (&str, &str) {
    let after_scheme = address.find("://").map_or(0, |at| at + 3);
    let path = address[after_scheme..].find('/');
    address.split_at(path.map_or(address.len(), |at| after_scheme + at))
}

/// The text with another letter or digit at a place, or near it where there is none. In
/// hexadecimal, in either base64 and as plain text it is another value, also at the end, where
/// base64 ignores low bits.
fn with_letter_changed(text: &str, place: usize) -> String {
    let mut bytes = text.as_bytes().to_vec();
    // The digits of a percent-escape are kept.
    let is_free = |at: &usize| {
        let is_escape = |back: usize| at.checked_sub(back).is_some_and(|at| bytes[at] == b'%');
        bytes[*at].is_ascii_alphanumeric() && !is_escape(1) && !is_escape(2)
    };
    let at = (0..=place).rev().find(is_free);
    let Some(at) = at.or_else(|| (place..bytes.len()).find(is_free)) else {
        return format!("{text}x");
    };
    bytes[at] = match bytes[at] {
        digit @ b'0'..=b'4' => digit + 5,
        digit @ b'5'..=b'9' => digit - 5,
        _ => b'5',
    };
    String::from_utf8(bytes).expect("an ASCII letter replaced another")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const LINK: &str =
        "http://h:1/statements/ast_1/%C3%A9x.pdf?v=1&expires=1795306690810&signature=jVjL-k0";

    #[test]
    fn each_part_is_changed_and_none_is_the_link_itself() {
        let links: Vec<String> = links(LINK).into_iter().map(|(_, link)| link).collect();
        let distinct: BTreeSet<&String> = links.iter().collect();
        assert_eq!(distinct.len(), links.len());
        assert!(!distinct.contains(&LINK.to_owned()));
        for expected in [
            "http://h:1/statements/ast_1/%C3%A9x.pdf",
            "http://h:1/statements/as5_1/%C3%A9x.pdf?v=1&expires=1795306690810&signature=jVjL-k0",
            "http://h:1/statements/ast_1/%C3%A9x.pdf?v=1&expires=1795393090810&signature=jVjL-k0",
            "http://h:1/statements/ast_1/%C3%A9x.pdf?v=1&expires=1795306690810&signature=jVjL-k5",
            "http://h:1/statements/ast_1/%C3%A9x.pdf?v=1&expires=1795306690810&signature=jVjL-k",
            "http://h:1/statements/ast_1/%C3%A9x.pdf?v=1&expires=1795306690810",
        ] {
            assert!(distinct.contains(&expected.to_owned()), "{expected}: {links:#?}");
        }
    }

    #[test]
    fn escapes_stay_escapes() {
        assert_eq!(with_letter_changed("%C3%A9x", 6), "%C3%A95");
        assert_eq!(with_letter_changed("%C3%A9", 4), "%C3%A9x");
    }
}
