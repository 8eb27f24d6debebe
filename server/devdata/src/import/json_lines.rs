//! The line on which a JSON pointer's value begins.

use std::{borrow::Cow, collections::HashMap};

use serde_json::value::RawValue;

/// The line, counted from 1, of the value at a pointer (RFC 6901). Member names that JSON escapes
/// are supported.
pub(crate) fn line_of(text: &str, pointer: &str) -> Option<usize> {
    let mut value: &RawValue = serde_json::from_str(text).ok()?;
    for token in pointer.split('/').skip(1) {
        let inside = value.get();
        value = if inside.starts_with('[') {
            let items: Vec<&RawValue> = serde_json::from_str(inside).ok()?;
            items.get(token.parse::<usize>().ok()?)?
        } else {
            let members: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_str(inside).ok()?;
            members.get(&*token.replace("~1", "/").replace("~0", "~"))?
        };
    }
    // A raw value is a slice of the text.
    let position = value.get().as_ptr().addr() - text.as_ptr().addr();
    Some(text[..position].matches('\n').count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_to_their_lines() {
        let text = "{\n \"a\\\"/\": [1, {},\n  {\"b\": \"é\\\\\",\n \"c\": -1.5}],\n \"d\": null}";
        let cases = [
            ("", 1),
            ("/a\"~1", 2),
            ("/a\"~1/1", 2),
            ("/a\"~1/2", 3),
            ("/a\"~1/2/b", 3),
            ("/a\"~1/2/c", 4),
            ("/d", 5),
        ];
        for (pointer, line) in cases {
            assert_eq!(line_of(text, pointer), Some(line), "{pointer}");
        }
        assert_eq!(line_of(text, "/absent"), None);
    }

    #[test]
    fn text_cut_off_anywhere_has_no_lines() {
        let text = "{\"a\": [1, \"b\\\"\", {\"c\": true}]}";
        for length in 0..text.len() {
            assert!(line_of(&text[..length], "/nowhere").is_none());
        }
    }
}
