//! Reads the fields of a JSON object, and checks the rules between them.

use std::{collections::BTreeMap, fmt::Display};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, Value};

use super::{
    body::{FromJson, check_field},
    map::{object, read_map},
    rules::{Invalid, Violation, Violations},
};
use crate::{
    MaybeUndefined, Money, Nullable,
    pointer::join,
    problem::{IssueCode, Location},
};

/// The fields of an object, each taken by its name.
pub struct Fields<'a> {
    fields: Map<String, Value>,
    known: Vec<&'static str>,
    pointer: &'a str,
    violations: &'a mut Violations,
}

/// A field that was read, with the value that a rule compares.
pub trait Given<T> {
    /// The value; none where the field is absent, null or invalid.
    fn given(&self) -> Option<&T>;
}

impl<'a> Fields<'a> {
    /// The fields of `value`, where it is an object.
    pub fn of(
        value: Value,
        pointer: &'a str,
        violations: &'a mut Violations,
    ) -> Result<Self, Invalid> {
        let fields = object(value, pointer, violations)?;
        Ok(Self { fields, known: Vec::new(), pointer, violations })
    }

    /// A field that must be present.
    pub fn required<T: FromJson>(&mut self, name: &'static str) -> Result<T::Value, Invalid> {
        let pointer = join(self.pointer, name);
        match self.take(name) {
            Some(value) => T::from_json(value, &pointer, self.violations),
            None => Err(self.violation(name, (IssueCode::Required, "is missing".to_owned()))),
        }
    }

    /// A field that may be absent.
    pub fn optional<T: FromJson>(
        &mut self,
        name: &'static str,
    ) -> Result<Option<T::Value>, Invalid> {
        let pointer = join(self.pointer, name);
        let value = self.take(name);
        value.map(|value| T::from_json(value, &pointer, self.violations)).transpose()
    }

    /// A field that may be absent or null.
    pub fn nullable<T: FromJson>(
        &mut self,
        name: &'static str,
    ) -> Result<MaybeUndefined<T::Value>, Invalid> {
        let value = self.optional::<Nullable<T>>(name)?;
        Ok(value.map_or(MaybeUndefined::Undefined, MaybeUndefined::from))
    }

    /// A field with a value for where it is absent.
    pub fn defaulted<T: FromJson>(
        &mut self,
        name: &'static str,
        default: fn() -> T::Value,
    ) -> Result<T::Value, Invalid> {
        Ok(self.optional::<T>(name)?.unwrap_or_else(default))
    }

    /// An amount other than zero, where it is given.
    pub fn not_zero(&mut self, name: &str, amount: &impl Given<Money>) {
        if amount.given().is_some_and(|amount| amount.get().is_zero()) {
            self.violation(name, (IssueCode::Zero, "must not be zero".to_owned()));
        }
    }

    /// An amount of zero or more, where it is given.
    pub fn not_negative(&mut self, name: &str, amount: &impl Given<Money>) {
        if amount.given().is_some_and(|amount| amount.get().is_sign_negative()) {
            self.violation(name, (IssueCode::TooSmall, "must be at least 0.00".to_owned()));
        }
    }

    /// An instant later than that of another field, where both are given.
    pub fn later_than<T: PartialOrd>(
        &mut self,
        name: &str,
        instant: &impl Given<T>,
        other_name: &str,
        other: &impl Given<T>,
    ) {
        let (Some(instant), Some(other)) = (instant.given(), other.given()) else {
            return;
        };
        if instant <= other {
            let message = format!("must be later than {other_name}");
            self.violation(name, (IssueCode::TooSmall, message));
        }
    }

    /// An instant at most so many seconds before and after now, where it is given.
    pub fn within_seconds<T: Copy + Into<DateTime<Utc>>>(
        &mut self,
        name: &str,
        instant: &impl Given<T>,
        past: Option<u32>,
        future: Option<u32>,
    ) {
        let Some(instant) = instant.given() else { return };
        let ahead = (*instant).into() - Utc::now();
        let is_beyond = |bound: &u32, distance| distance > TimeDelta::seconds((*bound).into());
        if let Some(past) = past.filter(|past| is_beyond(past, -ahead)) {
            let message = format!("must be at most {} ago", in_words(past));
            self.violation(name, (IssueCode::TooSmall, message));
        }
        if let Some(future) = future.filter(|future| is_beyond(future, ahead)) {
            let message = format!("must be at most {} ahead", in_words(future));
            self.violation(name, (IssueCode::TooLarge, message));
        }
    }

    /// A field that must be present where another has this value.
    pub fn required_when<T, V: PartialEq + Display>(
        &mut self,
        name: &str,
        field: &Result<Option<T>, Invalid>,
        other_name: &str,
        other: &impl Given<V>,
        value: V,
    ) {
        if matches!(field, Ok(None)) && other.given() == Some(&value) {
            let message = format!("is missing; {other_name} {value} needs it");
            self.violation(name, (IssueCode::Required, message));
        }
    }

    /// A field that must be present where another is given.
    pub fn required_with<T, U>(
        &mut self,
        name: &str,
        field: &Result<Option<T>, Invalid>,
        other_name: &str,
        other: &impl Given<U>,
    ) {
        if matches!(field, Ok(None)) && other.given().is_some() {
            let message = format!("is missing; {other_name} needs it");
            self.violation(name, (IssueCode::Required, message));
        }
    }

    /// A field that must be absent where another is given.
    pub fn excluded_by<T, U>(
        &mut self,
        name: &str,
        field: &impl Given<T>,
        other_name: &str,
        other: &impl Given<U>,
    ) {
        if field.given().is_some() && other.given().is_some() {
            let message = format!("must not be given together with {other_name}");
            self.violation(name, (IssueCode::Excluded, message));
        }
    }

    /// `readOnly` fields, which a request should not have: their values are not read.
    pub fn ignore(&mut self, names: &[&'static str]) {
        self.known.extend(names);
    }

    /// The other fields, which have one schema.
    pub fn others<T: FromJson>(self) -> Result<BTreeMap<String, T::Value>, Invalid> {
        let mut others = self.fields;
        others.retain(|name, _| !self.known.contains(&name.as_str()));
        read_map::<T>(Value::Object(others), self.pointer, self.violations)
    }

    /// Other fields are violations.
    pub fn close(self) {
        let unknown = self.fields.keys().filter(|name| !self.known.contains(&name.as_str()));
        for name in unknown {
            let message = "is not a field of this request; leave it out".to_owned();
            let violation = (IssueCode::UnknownField, message);
            self.violations.add(Location::Body, join(self.pointer, name), violation);
        }
    }

    /// Other fields are ignored, except that no text may contain U+0000.
    pub fn ignore_others(self) {
        let others = self.fields.iter().filter(|(name, _)| !self.known.contains(&name.as_str()));
        for (name, value) in others {
            check_field(name, value, self.pointer, self.violations);
        }
    }

    fn violation(&mut self, name: &str, violation: Violation) -> Invalid {
        self.violations.add(Location::Body, join(self.pointer, name), violation)
    }

    fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.fields.get_mut(name).map(Value::take)
    }
}

/// The seconds in the largest unit that divides them.
fn in_words(seconds: u32) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];
    let fits = |(size, _): &(u32, &str)| seconds.is_multiple_of(*size) && seconds > 0;
    let (size, unit) = units.into_iter().find(fits).unwrap_or((1, "second"));
    let count = seconds / size;
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}

impl<T> Given<T> for Result<T, Invalid> {
    fn given(&self) -> Option<&T> {
        self.as_ref().ok()
    }
}

impl<T> Given<T> for Result<Option<T>, Invalid> {
    fn given(&self) -> Option<&T> {
        self.as_ref().ok()?.as_ref()
    }
}

impl<T> Given<T> for Result<MaybeUndefined<T>, Invalid> {
    fn given(&self) -> Option<&T> {
        match self {
            Ok(MaybeUndefined::Value(value)) => Some(value),
            _ => None,
        }
    }
}

impl<T> Given<T> for Result<Nullable<T>, Invalid> {
    fn given(&self) -> Option<&T> {
        match self {
            Ok(Nullable::Value(value)) => Some(value),
            _ => None,
        }
    }
}
