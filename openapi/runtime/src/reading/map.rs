//! Reads JSON objects with any names: maps of JSON values, and maps of texts with limits.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    body::{FromJson, check_field, wrong_type},
    rules::{Invalid, Text, Violations, miscounted},
};
use crate::{pointer::join, problem::Location};

/// The rule of a map of texts.
#[derive(Debug, Clone, Copy)]
pub struct TextMap {
    pub min_names: usize,
    pub max_names: Option<usize>,
    pub names: Text,
    pub values: Text,
}

impl TextMap {
    /// Any texts without U+0000.
    pub const ANY: Self =
        Self { min_names: 0, max_names: None, names: Text::ANY, values: Text::ANY };

    pub const fn at_least(self, count: usize) -> Self {
        Self { min_names: count, ..self }
    }

    pub const fn at_most(self, count: usize) -> Self {
        Self { max_names: Some(count), ..self }
    }

    pub const fn names(self, names: Text) -> Self {
        Self { names, ..self }
    }

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
        let fields = object(value, pointer, violations)?;
        let miscounted = miscounted(fields.len(), self.min_names, self.max_names, "names");
        let mut invalid =
            miscounted.map(|violation| violations.add(Location::Body, pointer, violation));
        let mut texts = BTreeMap::new();
        for (name, value) in fields {
            let pointer = join(pointer, &name);
            if let Some((code, message)) = self.names.violation(&name) {
                let violation = (code, format!("the name {message}"));
                invalid = Some(violations.add(Location::Body, &*pointer, violation));
            }
            match value {
                Value::String(text) => match self.values.violation(&text) {
                    None => drop(texts.insert(name, text)),
                    Some(violation) => {
                        invalid = Some(violations.add(Location::Body, pointer, violation));
                    }
                },
                value => invalid = Some(wrong_type(&value, "a string", &pointer, violations)),
            }
        }
        invalid.map_or(Ok(texts), Err)
    }
}

/// The fields of a value that is an object.
pub(super) fn object(
    value: Value,
    pointer: &str,
    violations: &mut Violations,
) -> Result<Map<String, Value>, Invalid> {
    match value {
        Value::Object(fields) => Ok(fields),
        value => Err(wrong_type(&value, "an object", pointer, violations)),
    }
}

/// Checks `minProperties` and `maxProperties`, where the value is an object.
pub fn count(
    value: &Value,
    min: usize,
    max: Option<usize>,
    pointer: &str,
    violations: &mut Violations,
) {
    let count = value.as_object().map(Map::len);
    if let Some(violation) = count.and_then(|count| miscounted(count, min, max, "properties")) {
        violations.add(Location::Body, pointer, violation);
    }
}

/// Reads an object with any names and values.
pub fn read_value_map(
    value: Value,
    pointer: &str,
    violations: &mut Violations,
) -> Result<Map<String, Value>, Invalid> {
    let fields = object(value, pointer, violations)?;
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
    let fields = object(value, pointer, violations)?;
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
