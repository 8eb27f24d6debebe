//! HTML: escaping, and what stands in many places.
//!
//! It refuses text that is not escaped: whatever takes a text here escapes it.

use std::fmt::Write as _;

use crate::report::{
    compare::{self, Side},
    model::Verdict,
    visible::visible,
};

/// A text between tags, or between the double quotes of an attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in visible(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The verdict as a word on its colour.
pub(super) fn badge(verdict: Verdict) -> String {
    let name = verdict.name();
    format!("<span class=\"badge {name}\">{name}</span>")
}

/// A command, with a button that copies it.
pub(super) fn command(text: &str) -> String {
    format!(
        "<div class=\"copyable\"><pre><code>{}</code></pre><button type=\"button\" class=\"copy\" hidden>Copy</button></div>\n",
        escaped(text)
    )
}

/// Preformatted text. The line feed behind the tag is none of the text's: a browser drops one there.
pub(super) fn preformatted(text: &str) -> String {
    format!("<pre>\n{}</pre>\n", escaped(text))
}

/// Expected against actual, with the sign of the side before each line that only one of them has.
pub(super) fn comparison(expected: Option<&str>, actual: Option<&str>) -> String {
    let lines = compare::lines(expected, actual);
    if lines.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "<h4>Expected against actual</h4>\n<p class=\"soft\">− should have come, + came</p>\n<pre class=\"comparison\">",
    );
    for line in lines {
        let (class, sign) = match line.side {
            Side::Expected => ("expected", '−'),
            Side::Actual => ("actual", '+'),
            // All lines are asked for here, so that none is left out.
            Side::Both | Side::LeftOut(_) => ("both", ' '),
        };
        let _ = write!(
            out,
            "<span class=\"{class}\">{sign} {}\n</span>",
            escaped(&line.text)
        );
    }
    out.push_str("</pre>\n");
    out
}

/// Terms and what is to be said of each, which is markup already.
pub(super) fn facts(facts: &[(&str, String)]) -> String {
    let mut out = String::from("<dl class=\"facts\">\n");
    for (term, markup) in facts {
        let _ = writeln!(out, "<dt>{}</dt><dd>{markup}</dd>", escaped(term));
    }
    out.push_str("</dl>\n");
    out
}

/// What a link to a case points at; an id may hold what an address may not.
pub(super) fn anchor(case: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || ".-_".contains(character);
    let id: String = case
        .chars()
        .map(|character| if plain(character) { character } else { '_' })
        .collect();
    format!("case-{id}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_can_leave_neither_element_nor_attribute() {
        assert_eq!(
            escaped("<a href=\"x\" b='y'>&\0\r\n"),
            "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;\\u{0}\\r\n"
        );
        assert_eq!(anchor("a.b \"<"), "case-a.b___");
    }

    #[test]
    fn each_line_of_one_side_has_its_sign() {
        let shown = comparison(Some("a\n<b>"), Some("a\nc"));
        assert!(shown.contains("<span class=\"both\">  a\n</span><span class=\"expected\">− &lt;b&gt;\n</span><span class=\"actual\">+ c\n</span>"));
        assert_eq!(comparison(None, None), "");
    }
}
