//! Values that a schema accepts and rejects: at its bounds, and just beyond them.

use regex::Regex;

use super::prelude::*;

/// A value that a schema rejects, with the code of the issue that reports it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wrong {
    /// The rule that it breaks, such as `too-long`.
    pub(super) what: &'static str,
    /// The JSON pointer to the wrong part of the value, such as `/0`.
    pub(super) at: &'static str,
    pub(super) value: Value,
    pub(super) code: &'static str,
}

impl Wrong {
    fn new(what: &'static str, value: impl Into<Value>, code: &'static str) -> Self {
        Self { what, at: "", value: value.into(), code }
    }
}

/// A letter of two bytes and one of four: lengths count characters.
const WIDE: [char; 2] = ['ä', '𝄞'];
/// Valid where the pattern allows them: what a float cannot hold, and less than nothing.
const HARD: [&str; 2] = ["90071992547409.93", "-0.01"];
/// Times as typed clients of other languages write them.
const TIMES: [&str; 4] = [
    "2026-05-20T09:30:00Z",
    "2026-05-20T09:30:00+00:00",
    "2026-05-20T11:30:00.5+02:00",
    "2026-05-20T09:30:00.1234567Z",
];
const NO_TIMES: [&str; 5] = [
    "2026-05-20",
    "2026-05-20T09:30:00",
    "2026-02-30T09:30:00Z",
    "2026-05-20T09:30:00+0200",
    "2026-05-20T09:30:00Z ",
];

pub(super) fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Groups the values by the rule that they break.
pub(super) fn by_kind(wrong: &[Wrong]) -> impl Iterator<Item = (&'static str, Vec<Wrong>)> {
    wrong.chunk_by(|one, other| one.what == other.what).map(|kind| (kind[0].what, kind.to_vec()))
}

pub(super) fn wrong_in_query(shape: &Shape) -> Vec<Wrong> {
    let mut wrong = beyond(shape);
    if !is_opaque(shape) {
        wrong.extend(wrong_texts(shape));
    }
    wrong
}

pub(super) fn wrong(shape: &Shape) -> Vec<Wrong> {
    let mut wrong = wrong_types(shape);
    if !shape.is_nullable() {
        wrong.push(Wrong::new("null", Value::Null, "NOT_NULLABLE"));
    }
    wrong.extend(wrong_texts(shape));
    if shape.keyword("x-not-zero").is_some() {
        wrong.push(Wrong::new("zero", "0.00", "ZERO"));
    }
    if shape.keyword("x-not-negative").is_some() {
        wrong.push(Wrong::new("negative", "-0.01", "TOO_SMALL"));
    }
    wrong.extend(beyond(shape));
    wrong.extend(wrong_maps(shape));
    let item = items(shape);
    if shape.is("array") {
        let list = |count| list_of(item.as_ref(), count);
        let least = shape.number("minItems").filter(|least| *least > 0);
        wrong.extend(least.map(|least| Wrong::new("too-short", list(least - 1), "TOO_SHORT")));
        let most = shape.number("maxItems");
        wrong.extend(most.map(|most| Wrong::new("too-long", list(most + 1), "TOO_LONG")));
    }
    // Of a list of one item; what is wrong in the item's own items is left out.
    let of_item = item.as_ref().map(self::wrong).unwrap_or_default();
    wrong.extend(of_item.into_iter().filter(|wrong| wrong.at.is_empty()).map(|wrong| Wrong {
        what: format!("item-{}", wrong.what).leak(),
        at: "/0",
        value: json!([wrong.value]),
        code: wrong.code,
    }));
    wrong
}

/// Objects of any names, with a name or a value that breaks its rule.
fn wrong_maps(shape: &Shape) -> Vec<Wrong> {
    let Some(values) = map_values(shape) else { return Vec::new() };
    if values["type"] != "string" {
        let wrong = |value, code| Wrong {
            at: "/a",
            ..Wrong::new("wrong-value", json!({ "a": value }), code)
        };
        return vec![wrong(json!(1), "WRONG_TYPE"), wrong(Value::Null, "NOT_NULLABLE")];
    }
    let names = shape.keyword("x-property-names").cloned().unwrap_or_default();
    let [value, name] = [values, &names].map(|rules| longest(rules) + 1).map(text);
    let entries = [
        ("wrong-value", "a", json!(1), "WRONG_TYPE"),
        ("wrong-value", "a", Value::Null, "NOT_NULLABLE"),
        ("wrong-value", "a", json!("a\0b"), "BAD_FORMAT"),
        ("wrong-value", "a", json!(value), "TOO_LONG"),
        ("wrong-name", "", json!("x"), "TOO_SHORT"),
        ("wrong-name", &name, json!("x"), "TOO_LONG"),
    ];
    let entries = entries.map(|(what, name, value, code)| Wrong {
        what,
        at: format!("/{name}").leak(),
        value: json!({ name: value }),
        code,
    });
    let most = shape.number("maxProperties");
    let many = most.map(|most| Wrong::new("too-long", map_of(most + 1), "TOO_LONG"));
    entries.into_iter().chain(many).collect()
}

fn longest(rules: &Value) -> i64 {
    rules["maxLength"].as_i64().unwrap_or_default()
}

/// The rules of the values of an object of any names.
fn map_values(shape: &Shape) -> Option<&Value> {
    shape.keyword("additionalProperties").filter(|values| values.is_object())
}

fn map_of(count: i64) -> Value {
    (0..count).map(|number| (format!("name {number}"), json!("x"))).collect()
}

fn items(shape: &Shape) -> Option<Shape> {
    DOCUMENT.shape(shape.items.as_ref()?).ok()
}

fn list_of(item: Option<&Shape>, count: i64) -> Value {
    let item = item.and_then(|item| accepted(item).into_iter().next());
    vec![item.unwrap_or_else(|| json!("x")); usize(count)].into()
}

fn wrong_types(shape: &Shape) -> Vec<Wrong> {
    let others: &[(&str, Value)] = &[
        ("string", json!("text")),
        // What a lenient reader takes for a value of another type.
        ("string", json!("1")),
        ("string", json!("true")),
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
        .map(|(_, value)| Wrong::new("wrong-type", value.clone(), "WRONG_TYPE"))
        .collect()
}

fn wrong_texts(shape: &Shape) -> Vec<Wrong> {
    if !shape.is("string") {
        return Vec::new();
    }
    if let Some(known) = shape.options().first().and_then(Value::as_str) {
        let others =
            ["UNKNOWN".to_owned(), known.to_lowercase(), format!(" {known}"), String::new()];
        let others = others.into_iter().filter(|other| other != known);
        return others.map(|other| Wrong::new("not-in-enum", other, "NOT_IN_ENUM")).collect();
    }
    let mut wrong = Vec::new();
    if let Some(least) = shape.number("minLength").filter(|least| *least > 0) {
        wrong.push(Wrong::new("too-short", text(least - 1), "TOO_SHORT"));
    }
    if let Some(most) = shape.number("maxLength") {
        wrong.push(Wrong::new("too-long", text(most + 1), "TOO_LONG"));
        wrong.push(Wrong::new("too-long", "x".repeat(usize(most) + 1), "TOO_LONG"));
    }
    if let Some(pattern) = pattern(shape) {
        let texts = std::iter::once("\u{7}!".to_owned()).chain(near(shape, &pattern));
        wrong.extend(texts.map(|text| Wrong::new("bad-format", text, "BAD_FORMAT")));
    } else if is_time(shape) {
        wrong.extend(NO_TIMES.map(|text| Wrong::new("bad-format", text, "BAD_FORMAT")));
    } else {
        // No text of the API may contain it (R3).
        wrong.push(Wrong::new("nul", "a\0b", "BAD_FORMAT"));
    }
    wrong
}

fn is_time(shape: &Shape) -> bool {
    shape.keyword("format").is_some_and(|format| format == "date-time")
}

fn pattern(shape: &Shape) -> Option<Regex> {
    Regex::new(shape.keyword("pattern")?.as_str()?).ok()
}

fn example(shape: &Shape) -> Option<&str> {
    shape.keyword("example").and_then(Value::as_str)
}

/// The example with more or less at its ends, where that breaks the pattern: cut before each
/// letter or sign, and so a time without its seconds, an amount without its cents.
fn near(shape: &Shape, pattern: &Regex) -> Vec<String> {
    let Some(valid) = example(shape).filter(|valid| pattern.is_match(valid)) else {
        return Vec::new();
    };
    let signs = valid.char_indices().filter(|(_, letter)| !letter.is_ascii_digit());
    let cut = signs.map(|(index, _)| valid[..index].to_owned());
    let last = valid.chars().last().unwrap_or_default();
    let negative_zero = pattern.is_match("0.00").then(|| "-0.00".to_owned());
    let longer = [format!("{valid}{last}"), format!("{valid} "), format!(" {valid}")];
    let longer = longer.into_iter().chain(negative_zero);
    cut.chain(longer).filter(|text| !pattern.is_match(text)).collect()
}

fn beyond(shape: &Shape) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    if shape.is("integer") || shape.is("number") {
        let least = shape.number("minimum");
        wrong.extend(least.map(|least| Wrong::new("too-small", least - 1, "TOO_SMALL")));
        for beyond in shape.number("maximum").into_iter().flat_map(|most| [most + 1, most * 10]) {
            wrong.push(Wrong::new("too-large", beyond, "TOO_LARGE"));
        }
    }
    wrong
}

/// Valid values: at the bounds or, of a text with a pattern, the example and hard ones.
pub(super) fn accepted(shape: &Shape) -> Vec<Value> {
    let mut accepted = shape.options().to_vec();
    if let Some(pattern) = pattern(shape) {
        let texts = example(shape).into_iter().chain(HARD);
        let is_amount = shape.keyword("x-not-negative").is_some();
        let is_rejected = |text: &&str| is_amount && text.starts_with('-');
        let texts = texts.filter(|text| pattern.is_match(text) && !is_rejected(text));
        accepted.extend(texts.map(Value::from));
    }
    if shape.is("array") {
        let item = items(shape);
        let counts = [shape.number("minItems").or(Some(0)), shape.number("maxItems")];
        accepted.extend(counts.into_iter().flatten().map(|count| list_of(item.as_ref(), count)));
    }
    // Which times are near enough to the request depends on when it is sent.
    let is_any_time = is_time(shape) && shape.keyword("x-within-seconds").is_none();
    if is_any_time && shape.keyword("pattern").is_none() {
        accepted.extend(TIMES.map(Value::from));
    }
    if accepted.is_empty()
        && shape.is("string")
        && !is_time(shape)
        && shape.keyword("pattern").is_none()
    {
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
    if let Some(values) = map_values(shape).filter(|values| values["type"] == "string") {
        let names = shape.keyword("x-property-names").cloned().unwrap_or_default();
        let [value, name] = [values, &names].map(longest).map(text);
        accepted
            .extend([json!({ name: value }), map_of(shape.number("maxProperties").unwrap_or(1))]);
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
