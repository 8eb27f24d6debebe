//! Values that a schema accepts and rejects: at its bounds, and just beyond them.

use payout_openapi::Shape;
use serde_json::{Value, json};

/// A value that a schema rejects, with the code of the issue that reports it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wrong {
    /// What is wrong, such as `too-long`.
    pub(super) what: &'static str,
    pub(super) value: Value,
    pub(super) code: &'static str,
}

/// A letter of two bytes and one of four: lengths count characters.
const WIDE: [char; 2] = ['ä', '𝄞'];

/// Values for the body of a request.
pub(super) fn wrong(shape: &Shape) -> Vec<Wrong> {
    let mut wrong = wrong_types(shape);
    if !shape.is_nullable() {
        wrong.push(Wrong { what: "null", value: Value::Null, code: "NOT_NULLABLE" });
    }
    wrong.extend(wrong_texts(shape).into_iter().map(|(what, text, code)| Wrong {
        what,
        value: text.into(),
        code,
    }));
    wrong.extend(beyond(shape).into_iter().map(|(what, number, code)| Wrong {
        what,
        value: number.into(),
        code,
    }));
    for (what, count, code) in [
        (
            "too-short",
            shape.number("minItems").filter(|least| *least > 0).map(|least| least - 1),
            "TOO_SHORT",
        ),
        ("too-long", shape.number("maxItems").map(|most| most + 1), "TOO_LONG"),
    ] {
        if let Some(count) = count.filter(|_| shape.is("array")) {
            let items = vec![json!("x"); usize::try_from(count).unwrap_or_default()];
            wrong.push(Wrong { what, value: items.into(), code });
        }
    }
    wrong
}

fn wrong_types(shape: &Shape) -> Vec<Wrong> {
    let others: &[(&str, Value)] = &[
        ("string", json!("text")),
        ("integer", json!(1)),
        ("number", json!(1.5)),
        ("boolean", json!(true)),
        ("array", json!([])),
        ("object", json!({})),
    ];
    let is_known = others.iter().any(|(name, _)| shape.is(name));
    let is_other = |name: &str| {
        // Whole numbers are numbers.
        !(shape.is(name) || shape.is("number") && name == "integer")
    };
    others
        .iter()
        .filter(|(name, _)| is_known && is_other(name))
        .map(|(_, value)| Wrong { what: "wrong-type", value: value.clone(), code: "WRONG_TYPE" })
        .collect()
}

/// Texts of the right type that break a rule: what is wrong, the text, and the code.
pub(super) fn wrong_texts(shape: &Shape) -> Vec<(&'static str, String, &'static str)> {
    let mut wrong = Vec::new();
    if !shape.is("string") {
        return wrong;
    }
    if let Some(known) = shape.options().first().and_then(Value::as_str) {
        let others =
            ["UNKNOWN".to_owned(), known.to_lowercase(), format!(" {known}"), String::new()];
        let others = others.into_iter().filter(|other| other != known);
        wrong.extend(others.map(|other| ("not-in-enum", other, "NOT_IN_ENUM")));
        return wrong;
    }
    if let Some(least) = shape.number("minLength").filter(|least| *least > 0) {
        wrong.push(("too-short", text(least - 1), "TOO_SHORT"));
    }
    if let Some(most) = shape.number("maxLength") {
        wrong.push(("too-long", text(most + 1), "TOO_LONG"));
        wrong.push(("too-long", "x".repeat(usize(most) + 1), "TOO_LONG"));
    }
    if shape.keyword("pattern").is_some() {
        wrong.push(("bad-format", "\u{7}!".to_owned(), "BAD_FORMAT"));
    } else {
        // No text of the API may contain it (R3).
        wrong.push(("nul", "a\0b".to_owned(), "BAD_FORMAT"));
    }
    wrong
}

/// Numbers beyond the bounds.
pub(super) fn beyond(shape: &Shape) -> Vec<(&'static str, i64, &'static str)> {
    let mut wrong = Vec::new();
    if shape.is("integer") || shape.is("number") {
        let least = shape.number("minimum");
        wrong.extend(least.map(|least| ("too-small", least - 1, "TOO_SMALL")));
        let most = shape.number("maximum");
        wrong.extend(most.map(|most| ("too-large", most + 1, "TOO_LARGE")));
        wrong.extend(most.map(|most| ("too-large", most * 10, "TOO_LARGE")));
    }
    wrong
}

/// Valid values at the bounds; none where only an example is known to be valid.
pub(super) fn accepted(shape: &Shape) -> Vec<Value> {
    let mut accepted = shape.options().to_vec();
    if accepted.is_empty() && shape.is("string") && shape.keyword("pattern").is_none() {
        let least = shape.number("minLength").unwrap_or_default();
        accepted.push(text(least.max(1)).into());
        accepted.extend(shape.number("maxLength").map(|most| text(most).into()));
    }
    if shape.is("integer") {
        accepted.extend(
            ["minimum", "maximum"].iter().filter_map(|name| shape.number(name).map(Value::from)),
        );
    }
    if shape.is("boolean") {
        accepted.extend([json!(true), json!(false)]);
    }
    accepted.extend(shape.is_nullable().then_some(Value::Null));
    accepted
}

/// A text of so many characters, which has more bytes and more UTF-16 units.
fn text(characters: i64) -> String {
    WIDE.into_iter().cycle().take(usize(characters)).collect()
}

fn usize(number: i64) -> usize {
    usize::try_from(number).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use payout_openapi::{Direction, Document};

    use super::*;

    /// Each value for these schemas is what it is said to be, by a validator of JSON Schema.
    #[test]
    fn values_are_as_right_and_as_wrong_as_they_say() {
        let text = include_str!("../../../openapi/api.yaml");
        let document = Document::parse("api.yaml", text).unwrap();
        let mut seen = BTreeSet::new();
        for name in
            ["PartnerName", "NullableDomain", "PortalAccess", "PageLimit", "TierId", "PayoutStage"]
        {
            let pointer = format!("/components/schemas/{name}");
            let shape = document.shape(&pointer).unwrap();
            let validator = document.validator(&pointer, Direction::Request).unwrap();
            for Wrong { what, value, .. } in wrong(&shape) {
                seen.insert(what);
                // JSON Schema knows no rule about U+0000.
                assert_eq!(validator.is_valid(&value), what == "nul", "{name}: {value}");
            }
            let accepted = accepted(&shape);
            assert!(!accepted.is_empty(), "{name}");
            for value in accepted {
                assert!(validator.is_valid(&value), "{name}: {value}");
            }
        }
        let expected = [
            "not-in-enum",
            "nul",
            "null",
            "too-large",
            "too-long",
            "too-short",
            "too-small",
            "wrong-type",
        ];
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), expected);
    }
}
