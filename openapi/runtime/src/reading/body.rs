//! Reads a JSON body without conversions: `1.0` is not a whole number, and `null` is not absence.

use std::marker::PhantomData;

use serde_json::Value;

use super::{
    rules::{FromText, Integer, Invalid, Text, Violation, Violations},
    texts::{boolean_of_text, integer_of_text, list_of_text},
};
use crate::{
    Nullable,
    pointer::join,
    problem::{IssueCode, Location},
};

/// A schema that a body can contain.
pub trait FromJson {
    /// The type of its values.
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
        let count = items.len();
        let miscounted = if count < MIN {
            Some((IssueCode::TooShort, format!("must have at least {MIN} items, has {count}")))
        } else if count > MAX {
            Some((IssueCode::TooLong, format!("must have at most {MAX} items, has {count}")))
        } else {
            None
        };
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

impl FromJson for Value {
    type Value = Self;

    fn from_json(
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<Self, Invalid> {
        check_texts(&value, pointer, violations);
        Ok(value)
    }
}

impl FromJson for bool {
    type Value = Self;

    fn from_json(
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<Self, Invalid> {
        value.as_bool().ok_or_else(|| wrong_type(&value, "true or false", pointer, violations))
    }

    fn of_text(value: Value) -> Value {
        boolean_of_text(value)
    }
}

impl FromJson for String {
    type Value = Self;

    fn from_json(
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<Self, Invalid> {
        read_text(&value, pointer, violations)
    }
}

impl FromJson for i64 {
    type Value = Self;

    fn from_json(
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<Self, Invalid> {
        read_integer(&Integer::ANY, &value, pointer, violations)
    }

    fn of_text(value: Value) -> Value {
        integer_of_text(value)
    }
}

impl FromJson for i32 {
    type Value = Self;

    fn from_json(
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<Self, Invalid> {
        let number = read_integer(&Integer::ANY_32, &value, pointer, violations)?;
        Ok(Self::try_from(number).expect("its rule has these bounds"))
    }

    fn of_text(value: Value) -> Value {
        integer_of_text(value)
    }
}

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

/// A whole number within its rule.
pub fn read_integer(
    rule: &Integer,
    value: &Value,
    pointer: &str,
    violations: &mut Violations,
) -> Result<i64, Invalid> {
    let number = match value.as_i64() {
        // Beyond 64 bits it exceeds every bound.
        None if value.is_u64() => Some(i64::MAX),
        number => number,
    };
    let Some(number) = number else {
        return Err(wrong_type(value, "a whole number", pointer, violations));
    };
    match rule.violation(number) {
        None => Ok(number),
        Some(violation) => Err(violations.add(Location::Body, pointer, violation)),
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
