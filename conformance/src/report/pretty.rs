//! Indents JSON without parsing it into values, so that numbers, escapes and duplicate keys stay as
//! they were sent.

use std::sync::LazyLock;

use regex::Regex;
use serde::de::IgnoredAny;

/// Deeper than any response of this API; a body of nothing but brackets would otherwise grow by its
/// square.
const DEPTH_LIMIT: usize = 32;

/// A string, a bracket, a comma or a colon, or anything else up to the next of them.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#""(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+"#).expect("a sound pattern")
});

/// Indents JSON; returns `None` if the text is not JSON, or nested too deep.
pub(super) fn indented(text: &str) -> Option<String> {
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    let mut shown = String::with_capacity(text.len() * 2);
    let (mut depth, mut before) = (0_usize, "");
    for token in TOKEN.find_iter(text).map(|token| token.as_str()) {
        let begins = matches!(before, "{" | "[");
        let ends = matches!(token, "}" | "]");
        depth = depth + usize::from(begins) - usize::from(ends);
        if depth > DEPTH_LIMIT {
            return None;
        }
        if begins != ends || before == "," {
            shown.push('\n');
            shown.push_str(&"  ".repeat(depth));
        }
        shown.push_str(token);
        if token == ":" {
            shown.push(' ');
        }
        before = token;
    }
    Some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_parsing_would_lose_stays() {
        let text = r#"{"a":90071992547409.930,"a":1e2, "b" : [ ],"c":["\u00e9\"]",{}]}"#;
        let shown = "{\n  \"a\": 90071992547409.930,\n  \"a\": 1e2,\n  \"b\": [],\n  \"c\": \
            [\n    \"\\u00e9\\\"]\",\n    {}\n  ]\n}";
        assert_eq!(indented(text).unwrap(), shown);
    }

    #[test]
    fn text_that_is_not_json_or_too_deep_is_left_alone() {
        assert_eq!(indented("{\"a\":"), None);
        assert_eq!(indented("<html>"), None);
        let deep = "[".repeat(40_000) + &"]".repeat(40_000);
        assert_eq!(indented(&deep), None);
    }
}
