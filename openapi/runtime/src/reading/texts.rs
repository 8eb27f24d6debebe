//! Values whose leaves are texts, as a form or a query has them, in the types of JSON. `of_text` of
//! [`FromJson`](super::FromJson) does it for one type; what is no value of it stays a text, so that
//! reading it reports what is wrong.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{number::is_whole, rules::FromText};
use crate::json::JSON_DEPTH_LIMIT;

/// Turns the texts in a value into the types of JSON.
pub type OfText = fn(Value) -> Value;

/// How an object or a list is written in a query or a form.
#[derive(Debug, Clone, Copy)]
pub enum Encoding {
    /// `a[b]=1&a[c][0]=2`
    Brackets,
    Json,
    /// The items of a list, or the names and values of an object: `a=b,1,c,2`.
    Separated(char),
    /// Properties as parameters of their own, with these names.
    Exploded(&'static [&'static str]),
}

/// A name and its value, both decoded.
pub(super) type Pair<'a> = (Cow<'a, str>, Cow<'a, str>);

/// A whole number, or the text.
pub fn integer_of_text(value: Value) -> Value {
    if value.as_str().is_some_and(is_whole) { number_of_text(value) } else { value }
}

/// A number, or the text.
pub fn number_of_text(value: Value) -> Value {
    let number =
        value.as_str().and_then(|text| serde_json::from_str::<serde_json::Number>(text).ok());
    number.map_or(value, Value::Number)
}

/// A boolean, or the text.
pub fn boolean_of_text(value: Value) -> Value {
    let boolean = value.as_str().and_then(|text| bool::from_text(text).ok());
    boolean.map_or(value, Value::Bool)
}

/// A list: several values of one name, one value, or values by their numbers.
pub fn list_of_text(value: Value, item: OfText) -> Value {
    let items: Vec<Value> = match value {
        Value::Array(items) => items,
        Value::Object(members) => {
            let numbered: Option<Vec<(usize, Value)>> = members
                .iter()
                .map(|(name, value)| Some((name.parse().ok()?, value.clone())))
                .collect();
            let Some(mut numbered) = numbered else {
                return Value::Object(members);
            };
            numbered.sort_by_key(|(number, _)| *number);
            numbered.into_iter().map(|(_, value)| value).collect()
        }
        one => vec![one],
    };
    Value::Array(items.into_iter().map(item).collect())
}

/// An object with these fields, and others.
pub fn object_of_text(value: Value, fields: &[(&str, OfText)], others: Option<OfText>) -> Value {
    let Value::Object(members) = value else {
        return value;
    };
    let members = members.into_iter().map(|(name, value)| {
        let field = fields.iter().find(|(known, _)| *known == name).map(|(_, field)| *field);
        let value =
            field.or(others).map_or_else(|| value.clone(), |of_text| of_text(value.clone()));
        (name, value)
    });
    Value::Object(members.collect())
}

/// The parts of a name with brackets: `a[b][]` is `a`, `b` and an empty one.
pub(super) fn parts(name: &str) -> Option<(&str, Vec<&str>)> {
    let (base, rest) = name.split_once('[')?;
    let rest = rest.strip_suffix(']')?;
    let parts: Vec<&str> = rest.split("][").collect();
    let is_plain =
        parts.len() < JSON_DEPTH_LIMIT && parts.iter().all(|part| !part.contains(['[', ']']));
    (is_plain && !base.is_empty()).then_some((base, parts))
}

/// Puts a text at its place below `members`.
pub(super) fn insert(members: &mut Map<String, Value>, parts: &[&str], text: &str) {
    let Some((first, rest)) = parts.split_first() else {
        return;
    };
    let name = if first.is_empty() { members.len().to_string() } else { (*first).to_owned() };
    if rest.is_empty() {
        add(members, name, Value::from(text));
        return;
    }
    let inner = members.entry(name).or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(inner) = inner {
        insert(inner, rest, text);
    }
}

/// Adds a value; several ones of a name are a list.
pub(super) fn add(members: &mut Map<String, Value>, name: String, value: Value) {
    match members.get_mut(&name) {
        None => drop(members.insert(name, value)),
        Some(Value::Array(values)) => values.push(value),
        Some(known) => *known = Value::Array(vec![known.take(), value]),
    }
}
