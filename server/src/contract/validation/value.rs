//! Validates a JSON body by its rule, without conversions: `1.0` is not a whole number.

use payout_openapi::pointer::join;
use serde_json::{Map, Value};

use super::rules::{List, Object, Rule, Violation};
use crate::contract::{
    Money, Timestamp,
    problem::{Issue, IssueCode, Location},
};

/// Adds every violation of `value`, which is at `pointer` in the body.
pub(super) fn check_value(rule: Rule, value: &Value, pointer: &str, issues: &mut Vec<Issue>) {
    let mut note =
        |violation: Option<Violation>| issues.extend(violation.map(|found| issue(pointer, found)));
    match (rule, value) {
        (Rule::Nullable(_), Value::Null) => {}
        (Rule::Nullable(inner), value) => check_value(*inner, value, pointer, issues),
        (Rule::Any, value) => check_any(value, pointer, issues),
        (_, Value::Null) => {
            note(Some((
                IssueCode::NotNullable,
                "must not be null; leave it out instead".to_owned(),
            )));
        }
        (Rule::Boolean, Value::Bool(_)) => {}
        (Rule::Text(text), Value::String(value)) => note(text.violation(value)),
        (Rule::Enum(known), Value::String(value)) => note(enum_violation(known, value)),
        (Rule::Money, Value::String(value)) => note(format_violation(Money::parse(value))),
        (Rule::Timestamp, Value::String(value)) => note(format_violation(Timestamp::parse(value))),
        (Rule::Integer(integer), Value::Number(number)) => match number.as_i64() {
            Some(number) => note(integer.violation(number)),
            None if number.is_u64() => note(integer.violation(i64::MAX)),
            None => note(Some(wrong_type("a whole number"))),
        },
        (Rule::List(list), Value::Array(items)) => check_list(list, items, pointer, issues),
        (Rule::Map(rule), Value::Object(fields)) => check_map(*rule, fields, pointer, issues),
        (Rule::Object(object), Value::Object(fields)) => {
            check_object(object, fields, pointer, issues)
        }
        (rule, _) => note(Some(wrong_type(expected(rule)))),
    }
}

pub(super) fn enum_violation(known: &[&str], value: &str) -> Option<Violation> {
    let message = || format!("must be one of {}", known.join(", "));
    (!known.contains(&value)).then(|| (IssueCode::NotInEnum, message()))
}

/// The parser's error as the violation of a format.
pub(super) fn format_violation<T, E: ToString>(parsed: Result<T, E>) -> Option<Violation> {
    parsed.err().map(|error| (IssueCode::BadFormat, error.to_string()))
}

fn check_list(list: &List, items: &[Value], pointer: &str, issues: &mut Vec<Issue>) {
    let count = items.len();
    if count < list.min_items {
        let message = format!("must have at least {} items, has {count}", list.min_items);
        issues.push(issue(pointer, (IssueCode::TooShort, message)));
    }
    if let Some(max_items) = list.max_items.filter(|max_items| count > *max_items) {
        let message = format!("must have at most {max_items} items, has {count}");
        issues.push(issue(pointer, (IssueCode::TooLong, message)));
    }
    for (index, item) in items.iter().enumerate() {
        check_value(list.items, item, &format!("{pointer}/{index}"), issues);
    }
}

fn check_map(rule: Rule, fields: &Map<String, Value>, pointer: &str, issues: &mut Vec<Issue>) {
    for (name, value) in fields {
        let pointer = join(pointer, name);
        check_name(name, &pointer, issues);
        check_value(rule, value, &pointer, issues);
    }
}

fn check_object(
    object: &Object,
    fields: &Map<String, Value>,
    pointer: &str,
    issues: &mut Vec<Issue>,
) {
    for field in object.fields {
        let pointer = join(pointer, field.name);
        match fields.get(field.name) {
            Some(value) => check_value(field.rule, value, &pointer, issues),
            None if field.required => {
                issues.push(issue(&pointer, (IssueCode::Required, "is missing".to_owned())));
            }
            None => {}
        }
    }
    for (name, value) in fields {
        if object.fields.iter().any(|field| field.name == name) {
            continue;
        }
        let pointer = join(pointer, name);
        if object.closed {
            let message = "is not a field of this request; leave it out".to_owned();
            issues.push(issue(&pointer, (IssueCode::UnknownField, message)));
        } else {
            check_name(name, &pointer, issues);
            check_any(value, &pointer, issues);
        }
    }
}

/// PostgreSQL cannot store U+0000, so no text may contain it, at any depth (R3).
fn check_any(value: &Value, pointer: &str, issues: &mut Vec<Issue>) {
    match value {
        Value::String(text) => check_name(text, pointer, issues),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                check_any(item, &format!("{pointer}/{index}"), issues);
            }
        }
        Value::Object(fields) => check_map(Rule::Any, fields, pointer, issues),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn check_name(text: &str, pointer: &str, issues: &mut Vec<Issue>) {
    let violation = super::Text::ANY.violation(text);
    issues.extend(violation.map(|found| issue(pointer, found)));
}

fn expected(rule: Rule) -> &'static str {
    match rule {
        Rule::Any => "any value",
        Rule::Boolean => "true or false",
        Rule::Text(_) | Rule::Enum(_) | Rule::Money | Rule::Timestamp => "a string",
        Rule::Integer(_) => "a whole number",
        Rule::List(_) => "an array",
        Rule::Map(_) | Rule::Object(_) => "an object",
        Rule::Nullable(inner) => expected(*inner),
    }
}

fn wrong_type(expected: &str) -> Violation {
    (IssueCode::WrongType, format!("must be {expected}"))
}

fn issue(pointer: &str, (code, message): Violation) -> Issue {
    Issue { location: Location::Body, path: pointer.to_owned(), code, message }
}
