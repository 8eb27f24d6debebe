//! JSON pointers (RFC 6901) as strings: joining, splitting, and the fragment form of a `$ref`.

use std::borrow::Cow;

use serde_json::Value;

/// `parent` extended by one unescaped `token`.
pub fn join(parent: &str, token: &str) -> String {
    let mut pointer = String::with_capacity(parent.len() + token.len() + 1);
    pointer.push_str(parent);
    push(&mut pointer, token);
    pointer
}

/// Appends one unescaped `token` in place.
pub(crate) fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// The pointer without its last token; `None` for the root.
pub(crate) fn parent(pointer: &str) -> Option<&str> {
    pointer.rfind('/').map(|end| &pointer[..end])
}

/// The tokens of a pointer, unescaped.
pub(crate) fn tokens(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(unescape)
}

/// Returns the value at a pointer. Unlike `Value::pointer`, it copies only tokens with escapes.
pub(crate) fn value_at<'v>(root: &'v Value, pointer: &str) -> Option<&'v Value> {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return None;
    }
    let is_index = |token: &str| token == "0" || !token.starts_with(['0', '+']);
    tokens(pointer).try_fold(root, |value, token| match value {
        Value::Object(members) => members.get(&*token),
        Value::Array(elements) => {
            elements.get(token.parse::<usize>().ok()?).filter(|_| is_index(&token))
        }
        _ => None,
    })
}

/// The pointer in a local reference such as `#/components/schemas/Loan`; `None` for another
/// document or an invalid pointer.
pub(crate) fn of_local_reference(reference: &str) -> Option<String> {
    let fragment = reference.strip_prefix('#')?;
    let pointer = percent_decoded(fragment)?;
    (pointer.is_empty() || pointer.starts_with('/')).then_some(pointer)
}

/// The target of a reference object, which has a textual `$ref`.
pub(crate) fn reference_in(value: &Value) -> Option<&str> {
    value.get("$ref")?.as_str()
}

fn unescape(token: &str) -> Cow<'_, str> {
    if token.contains('~') {
        Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(token)
    }
}

/// Decodes `%XX`; `None` for a broken escape, or where the result is not UTF-8.
pub fn percent_decoded(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        let is_escape = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        bytes.push(u8::from_str_radix(digits, 16).ok().filter(|_| is_escape)?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}
