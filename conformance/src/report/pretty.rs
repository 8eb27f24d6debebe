//! Indents JSON without parsing it into values, so that numbers, escapes and duplicate keys stay as
//! they were sent.

use serde::de::IgnoredAny;

/// Deeper than any response of this API; a body of nothing but brackets would otherwise grow by its
/// square.
const DEPTH_LIMIT: usize = 32;

/// The same JSON over several lines; none if the text is not JSON, or nested too deep.
pub(super) fn indented(text: &str) -> Option<String> {
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    let mut shown = String::with_capacity(text.len() * 2);
    let mut depth = 0_usize;
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '"' => copy_string(&mut rest, &mut shown),
            '{' | '[' => {
                shown.push(character);
                while rest.next_if(|next| next.is_ascii_whitespace()).is_some() {}
                if let Some(end) = rest.next_if(|next| matches!(next, '}' | ']')) {
                    shown.push(end);
                } else {
                    depth += 1;
                    if depth > DEPTH_LIMIT {
                        return None;
                    }
                    break_line(&mut shown, depth);
                }
            }
            '}' | ']' => {
                depth -= 1;
                break_line(&mut shown, depth);
                shown.push(character);
            }
            ',' => {
                shown.push(',');
                break_line(&mut shown, depth);
            }
            ':' => shown.push_str(": "),
            space if space.is_ascii_whitespace() => {}
            other => shown.push(other),
        }
    }
    Some(shown)
}

/// Copies from after the opening quote to the closing one.
fn copy_string(rest: &mut impl Iterator<Item = char>, shown: &mut String) {
    shown.push('"');
    while let Some(character) = rest.next() {
        shown.push(character);
        match character {
            '"' => return,
            '\\' => shown.extend(rest.next()),
            _ => {}
        }
    }
}

fn break_line(shown: &mut String, depth: usize) {
    shown.push('\n');
    for _ in 0..depth {
        shown.push_str("  ");
    }
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
