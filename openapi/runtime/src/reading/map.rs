//! Reads JSON objects with any names: maps of JSON values, and maps of texts with limits.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    body::{FromJson, check_field, wrong_type},
    rules::{Invalid, Text, Violation, Violations},
};
use crate::{
    pointer::join,
    problem::{IssueCode, Location},
};

/// The rule of a map of texts.
#[derive(Debug, Clone, Copy)]
pub struct TextMap {
    /// The maximum number of names.
    pub max_names: Option<usize>,
    /// The rule of a name.
    pub names: Text,
    /// The rule of a value.
    pub values: Text,
}

impl TextMap {
    /// Any texts without U+0000.
    pub const ANY: Self = Self { max_names: None, names: Text::ANY, values: Text::ANY };

    /// Allows at most `count` names.
    pub const fn at_most(self, count: usize) -> Self {
        Self { max_names: Some(count), ..self }
    }

    /// Sets the rule of each name.
    pub const fn names(self, names: Text) -> Self {
        Self { names, ..self }
    }

    /// Sets the rule of each value.
    pub const fn values(self, values: Text) -> Self {
        Self { values, ..self }
    }

    /// Reads a map, and notes every violation in it.
    pub fn read(
        &self,
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<BTreeMap<String, String>, Invalid> {
        let Value::Object(fields) = value else {
            return Err(wrong_type(&value, "an object", pointer, violations));
        };
        let miscounted = self.miscounted(fields.len());
        let mut invalid =
            miscounted.map(|violation| violations.add(Location::Body, pointer, violation));
        let mut texts = BTreeMap::new();
        for (name, value) in fields {
            let pointer = join(pointer, &name);
            if let Some((code, message)) = self.names.violation(&name) {
                let violation = (code, format!("the name {message}"));
                invalid = Some(violations.add(Location::Body, &*pointer, violation));
            }
            match self.value(value, &pointer, violations) {
                Ok(text) => drop(texts.insert(name, text)),
                Err(noted) => invalid = Some(noted),
            }
        }
        invalid.map_or(Ok(texts), Err)
    }

    fn value(
        &self,
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<String, Invalid> {
        let Value::String(text) = value else {
            return Err(wrong_type(&value, "a string", pointer, violations));
        };
        match self.values.violation(&text) {
            None => Ok(text),
            Some(violation) => Err(violations.add(Location::Body, pointer, violation)),
        }
    }

    fn miscounted(&self, count: usize) -> Option<Violation> {
        let max_names = self.max_names.filter(|max_names| count > *max_names)?;
        let message = format!("must have at most {max_names} names, has {count}");
        Some((IssueCode::TooLong, message))
    }
}

/// Reads an object with any names and values.
pub fn read_value_map(
    value: Value,
    pointer: &str,
    violations: &mut Violations,
) -> Result<Map<String, Value>, Invalid> {
    let Value::Object(fields) = value else {
        return Err(wrong_type(&value, "an object", pointer, violations));
    };
    for (name, value) in &fields {
        check_field(name, value, pointer, violations);
    }
    Ok(fields)
}

/// Reads an object with any names, whose values have one schema.
pub fn read_map<T: FromJson>(
    value: Value,
    pointer: &str,
    violations: &mut Violations,
) -> Result<BTreeMap<String, T::Value>, Invalid> {
    let Value::Object(fields) = value else {
        return Err(wrong_type(&value, "an object", pointer, violations));
    };
    let read: Vec<_> = fields
        .into_iter()
        .map(|(name, value)| {
            let pointer = join(pointer, &name);
            let value = T::from_json(value, &pointer, violations);
            match Text::ANY.violation(&name) {
                Some(violation) => Err(violations.add(Location::Body, &*pointer, violation)),
                None => value.map(|value| (name, value)),
            }
        })
        .collect();
    read.into_iter().collect()
}
