//! Lists in a query: a parameter for each element, or one parameter with a separator; and lists
//! without equal elements.

use std::{collections::HashMap, hash::Hash, marker::PhantomData};

use serde_json::Value;

use super::{
    body::FromJson,
    reader::Reader,
    rules::{FromText, Invalid, Violation, Violations, miscounted},
};
use crate::{
    ErrorCode,
    problem::{IssueCode, Location},
};

/// How a list is written in a query, and how long it may be.
#[derive(Debug, Clone, Copy)]
pub struct QueryList {
    /// Between two elements; without one, each element is a parameter of its own.
    pub separator: Option<char>,
    pub required: bool,
    pub min_items: usize,
    pub max_items: Option<usize>,
    /// True if no element may occur twice.
    pub unique: bool,
}

/// A list without equal elements.
pub struct Unique<T>(PhantomData<T>);

impl<T: FromJson> FromJson for Unique<T> {
    type Value = T::Value;

    fn from_json(
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<Self::Value, Invalid> {
        let repeated = value.as_array().and_then(|items| repetition(items.iter()));
        let repeated = repeated.map(|again| violations.add(Location::Body, pointer, again));
        let read = T::from_json(value, pointer, violations);
        repeated.map_or(read, Err)
    }

    fn of_text(value: Value) -> Value {
        T::of_text(value)
    }
}

impl<C: ErrorCode> Reader<'_, C> {
    /// A list in the query; `None` where it is absent.
    pub fn query_list<T: FromText>(
        &mut self,
        name: &str,
        list: QueryList,
    ) -> Result<Option<Vec<T>>, Invalid> {
        let values = self.values(name);
        let texts: Vec<&str> = match (list.separator, values.as_slice()) {
            (_, []) if list.required => return Err(self.missing(Location::Query, name)),
            (_, []) => return Ok(None),
            (None, values) => values.iter().map(AsRef::as_ref).collect(),
            (Some(separator), [value]) => value.split(separator).collect(),
            (Some(_), values) => {
                let repeated = super::reader::repeated(values.len());
                return Err(self.violation(Location::Query, name, repeated));
            }
        };
        let miscounted = miscounted(texts.len(), list.min_items, list.max_items, "items");
        let repeated = || repetition(texts.iter()).filter(|_| list.unique);
        if let Some(violation) = miscounted.or_else(repeated) {
            return Err(self.violation(Location::Query, name, violation));
        }
        let elements: Result<Vec<T>, Violation> = texts.into_iter().map(T::from_text).collect();
        elements.map(Some).map_err(|violation| self.violation(Location::Query, name, violation))
    }
}

/// An element that is there twice.
fn repetition<T: Eq + Hash>(items: impl Iterator<Item = T>) -> Option<Violation> {
    let mut seen = HashMap::new();
    for (index, item) in items.enumerate() {
        if let Some(first) = seen.insert(item, index) {
            let message = format!("must not repeat an item; item {index} is item {first} again");
            return Some((IssueCode::BadFormat, message));
        }
    }
    None
}
