//! Reads a JSON body without conversions: `1.0` is not a whole number, and `null` is not absence.

use std::marker::PhantomData;

use serde_json::Value;

use super::{
    rules::{FromText, Invalid, Text, Violation, Violations, miscounted},
    texts::{boolean_of_text, list_of_text},
};
use crate::{
    Nullable, from_json,
    pointer::join,
    problem::{IssueCode, Location},
};

pub trait FromJson {
    type Value;

    /// Reads `value`, which is at `pointer` in the body, and notes every violation.
    fn from_json(
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<Self::Value, Invalid>;

    /// A value with texts as its leaves, as a form has it, in the types of JSON.
    fn of_text(value: Value) -> Value {
        value
    }
}

/// An array of `MIN` to `MAX` items.
pub struct List<T, const MIN: usize, const MAX: usize>(PhantomData<T>);

impl<T: FromJson> FromJson for Nullable<T> {
    type Value = Nullable<T::Value>;

    fn from_json(
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<Nullable<T::Value>, Invalid> {
        match value {
            Value::Null => Ok(Nullable::Null),
            value => T::from_json(value, pointer, violations).map(Nullable::Value),
        }
    }

    fn of_text(value: Value) -> Value {
        T::of_text(value)
    }
}

impl<T: FromJson> FromJson for Box<T> {
    type Value = Box<T::Value>;

    fn from_json(
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<Self::Value, Invalid> {
        T::from_json(value, pointer, violations).map(Box::new)
    }

    fn of_text(value: Value) -> Value {
        T::of_text(value)
    }
}

impl<T: FromJson, const MIN: usize, const MAX: usize> FromJson for List<T, MIN, MAX> {
    type Value = Vec<T::Value>;

    fn from_json(
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<Self::Value, Invalid> {
        let Value::Array(items) = value else {
            return Err(wrong_type(&value, "an array", pointer, violations));
        };
        let miscounted = miscounted(items.len(), MIN, Some(MAX), "items");
        let miscounted =
            miscounted.map(|violation| violations.add(Location::Body, pointer, violation));
        let items: Vec<_> = items
            .into_iter()
            .enumerate()
            .map(|(index, item)| T::from_json(item, &format!("{pointer}/{index}"), violations))
            .collect();
        match miscounted {
            Some(invalid) => Err(invalid),
            None => items.into_iter().collect(),
        }
    }

    fn of_text(value: Value) -> Value {
        list_of_text(value, T::of_text)
    }
}

from_json!(Value, |value, pointer, violations| {
    check_texts(&value, pointer, violations);
    Ok(value)
});

from_json!(
    bool,
    |value, pointer, violations| {
        value.as_bool().ok_or_else(|| wrong_type(&value, "true or false", pointer, violations))
    },
    boolean_of_text
);

from_json!(String, |value, pointer, violations| read_text(&value, pointer, violations));

/// A scalar that travels as a JSON string. Numbers and booleans are not read as strings.
pub fn read_text<T: FromText>(
    value: &Value,
    pointer: &str,
    violations: &mut Violations,
) -> Result<T, Invalid> {
    match value {
        Value::String(text) => T::from_text(text)
            .map_err(|violation| violations.add(Location::Body, pointer, violation)),
        value => Err(wrong_type(value, "a string", pointer, violations)),
    }
}

/// An object whose member names none of the known variants.
pub fn unknown_variant(
    value: &Value,
    member: &str,
    known: &[&str],
    pointer: &str,
    violations: &mut Violations,
) -> Invalid {
    let known = known.join(", ");
    match value {
        Value::Object(members) => {
            let violation = match members.get(member) {
                None => (IssueCode::Required, format!("is missing; it is one of {known}")),
                Some(_) => (IssueCode::NotInEnum, format!("must be one of {known}")),
            };
            violations.add(Location::Body, join(pointer, member), violation)
        }
        value => wrong_type(value, "an object", pointer, violations),
    }
}

/// PostgreSQL cannot store U+0000, so no text may contain it, at any depth.
fn check_texts(value: &Value, pointer: &str, violations: &mut Violations) {
    match value {
        Value::String(text) => check_text(text, pointer, violations),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                check_texts(item, &format!("{pointer}/{index}"), violations);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                check_field(name, value, pointer, violations);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The name and the value of a field of the object at `pointer`.
pub(crate) fn check_field(name: &str, value: &Value, pointer: &str, violations: &mut Violations) {
    let pointer = join(pointer, name);
    check_text(name, &pointer, violations);
    check_texts(value, &pointer, violations);
}

fn check_text(text: &str, pointer: &str, violations: &mut Violations) {
    if let Some(violation) = Text::ANY.violation(text) {
        violations.add(Location::Body, pointer, violation);
    }
}

pub(crate) fn wrong_type(
    value: &Value,
    expected: &str,
    pointer: &str,
    violations: &mut Violations,
) -> Invalid {
    let violation: Violation = match value {
        Value::Null => {
            (IssueCode::NotNullable, "must not be null; leave it out instead".to_owned())
        }
        _ => (IssueCode::WrongType, format!("must be {expected}")),
    };
    violations.add(Location::Body, pointer, violation)
}
