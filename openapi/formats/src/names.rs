//! Addresses, names and numbers.

use std::net::{Ipv4Addr, Ipv6Addr};

/// RFC 5321 § 4.5.3.1 and RFC 1035 § 2.3.4.
const LOCAL_PART_LIMIT: usize = 64;
const HOSTNAME_LIMIT: usize = 253;
const LABEL_LIMIT: usize = 63;

pub(crate) fn is_decimal(text: &str) -> bool {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.split_once('.').map_or_else(
        || is_digits(digits),
        |(whole, fraction)| is_digits(whole) && is_digits(fraction),
    )
}

pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

pub(crate) fn is_hostname(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=LABEL_LIMIT).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    text.len() <= HOSTNAME_LIMIT && text.split('.').all(is_label)
}

/// A mailbox of RFC 5321 § 4.1.2, without a display name.
pub(crate) fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let literal = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_domain = literal.map_or_else(
        || is_hostname(domain),
        |address| match address.strip_prefix("IPv6:") {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => address.parse::<Ipv4Addr>().is_ok(),
        },
    );
    let quoted = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let is_local = quoted.map_or_else(|| local.split('.').all(is_atom), is_quoted);
    local.len() <= LOCAL_PART_LIMIT && is_local && is_domain
}

fn is_atom(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_part)
}

/// The inner part of a quoted text: a backslash is before each quote and each backslash.
fn is_quoted(text: &str) -> bool {
    let mut characters = text.chars();
    while let Some(first) = characters.next() {
        let escaped = if first == '\\' { characters.next() } else { Some(first) };
        let is_printable = escaped.is_some_and(|it| it == ' ' || it.is_ascii_graphic());
        if !is_printable || first == '"' {
            return false;
        }
    }
    true
}

/// A scheme and the characters of RFC 3986; escapes have two digits.
pub(crate) fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(&byte);
    let mut parts = rest.split('%');
    let first = parts.next().unwrap_or_default();
    let is_escape = |part: &str| {
        part.len() >= 2
            && part.bytes().take(2).all(|byte| byte.is_ascii_hexdigit())
            && part.bytes().skip(2).all(is_part)
    };
    is_scheme
        && first.bytes().all(is_part)
        && parts.all(is_escape)
        && rest.matches('#').count() <= 1
}
