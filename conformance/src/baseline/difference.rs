//! The differences of two responses, each with its place.

use std::{collections::BTreeMap, sync::LazyLock};

use clap::ValueEnum;
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::snapshot::{
    kind,
    places::{self, Member, Members},
    text::{Body, Snapshot},
};

/// The parts of two responses that are compared.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Compare {
    /// Statuses, error codes, names of headers, members and types: for other data
    Form,
    /// Also the texts of errors, the values of headers, values of which the document lists some,
    /// and which values are the same
    #[default]
    Stable,
    /// Every value: for the same data
    Values,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DifferenceKind {
    /// An operation that is answered with 404 alone.
    OperationGone,
    /// An operation that was answered with 404 alone before.
    OperationAdded,
    /// Another status.
    Status,
    /// Another error code.
    Code,
    /// A response that no longer comes.
    ResponseGone,
    /// A response that did not come before.
    ResponseAdded,
    HeaderGone,
    HeaderAdded,
    /// Another value of a header.
    HeaderValue,
    MemberGone,
    MemberAdded,
    /// A value of another type.
    Type,
    /// A text that no longer has the format of what it names.
    Format,
    /// A value that is null on one side.
    Null,
    /// Another value.
    Value,
    /// A value that names another thing than before.
    Relation,
    /// A list of another length.
    Length,
    /// A list with the same items in another order.
    Order,
    /// A body that is not JSON on both sides.
    Body,
}

impl DifferenceKind {
    /// Returns true if nothing that was there is missing or changed.
    pub(crate) fn is_addition(self) -> bool {
        matches!(
            self,
            Self::OperationAdded | Self::ResponseAdded | Self::HeaderAdded | Self::MemberAdded
        )
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) kind: DifferenceKind,
    /// The name of a header, or the JSON pointer of a value; empty for the whole response.
    pub(super) at: String,
    /// The same with `*` in place of an index.
    pub(super) path: String,
    pub(super) expected: String,
    pub(super) actual: String,
    /// True if the value is the deployment's own rather than its data's.
    pub(super) is_stable: bool,
}

impl Difference {
    /// A difference of what is the deployment's own.
    pub(super) fn stable(kind: DifferenceKind, at: &str, expected: &str, actual: &str) -> Self {
        Self {
            kind,
            at: at.to_owned(),
            path: at.to_owned(),
            expected: expected.to_owned(),
            actual: actual.to_owned(),
            is_stable: true,
        }
    }
}

/// Names of values, such as `[partner.2]`.
static NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\[([a-z-]+)(?:\.\d+)?\]$").expect("a regular expression"));
static NUMBERED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[([a-z-]+)\.\d+\]").expect("a regular expression"));

/// Returns the differences of two responses of one operation; `members` are those of its body.
pub(super) fn differences(
    expected: &Snapshot,
    actual: &Snapshot,
    members: Option<&Members>,
    compare: Compare,
) -> Vec<Difference> {
    let is_error = expected.status() >= 400;
    let mut walk = Walk { compare, members, is_error, found: Vec::new() };
    let codes = [expected, actual].map(|snapshot| snapshot.code().to_owned());
    if expected.status != actual.status {
        // The rest follows from it.
        walk.stable(DifferenceKind::Status, "", &expected.status, &actual.status);
        if codes[0] != codes[1] && codes.iter().all(|code| !code.is_empty()) {
            walk.stable(DifferenceKind::Code, CODE, &codes[0], &codes[1]);
        }
        return walk.found;
    }
    walk.headers(expected, actual);
    // `Shape` compares the form of bodies, all of them together.
    let is_form = compare == Compare::Form;
    match (&expected.body, &actual.body) {
        (Body::Json(_), Body::Json(_)) if is_form => {
            if codes[0] != codes[1] {
                walk.stable(DifferenceKind::Code, CODE, &codes[0], &codes[1]);
            }
        }
        (Body::Json(expected), Body::Json(actual)) => walk.value(expected, actual, "", ""),
        (Body::Text(_), Body::Text(_)) if is_form => {}
        (one, other) if one == other => {}
        (one, other) => {
            let [one, other] = [one, other].map(|body| match body {
                Body::Empty => String::new(),
                Body::Json(json) => format!("{json:#}"),
                Body::Text(text) => text.clone(),
            });
            walk.stable(DifferenceKind::Body, "", &one, &other);
        }
    }
    walk.found
}

const CODE: &str = "/error/code";

struct Walk<'a> {
    compare: Compare,
    members: Option<&'a Members>,
    is_error: bool,
    found: Vec<Difference>,
}

impl Walk<'_> {
    fn stable(&mut self, kind: DifferenceKind, at: &str, expected: &str, actual: &str) {
        self.found.push(Difference::stable(kind, at, expected, actual));
    }

    fn headers(&mut self, expected: &Snapshot, actual: &Snapshot) {
        let is_form = self.compare == Compare::Form;
        let [expected, actual] = [expected, actual].map(|snapshot| {
            let mut values: BTreeMap<&str, String> = BTreeMap::new();
            for (name, value) in &snapshot.headers {
                let values = values.entry(name).or_default();
                let comma = if values.is_empty() { "" } else { ", " };
                values.push_str(&format!("{comma}{value}"));
            }
            values
        });
        for (name, value) in &expected {
            match actual.get(name) {
                _ if value == kind::VARIES => {}
                None => self.stable(DifferenceKind::HeaderGone, name, value, ""),
                Some(other) if other == value || other == kind::VARIES => {}
                Some(other) if is_form && !is_other_media_type(name, value, other) => {}
                Some(other) => self.stable(DifferenceKind::HeaderValue, name, value, other),
            }
        }
        for (name, value) in actual {
            if !expected.contains_key(name) && value != kind::VARIES {
                self.stable(DifferenceKind::HeaderAdded, name, "", &value);
            }
        }
    }

    fn value(&mut self, expected: &Value, actual: &Value, at: &str, path: &str) {
        if expected == actual || [expected, actual].iter().any(|value| **value == kind::VARIES) {
            return;
        }
        let place = Place { at, path, member: places::find(self.members, path) };
        match (expected, actual) {
            (Value::Object(_), Value::Object(_)) => self.object(expected, actual, place),
            (Value::Array(expected), Value::Array(actual)) => self.list(expected, actual, place),
            _ if is_random(expected, actual) => {}
            _ if type_of(expected) != type_of(actual) => {
                let has_null = expected.is_null() || actual.is_null();
                let is_nullable = place.member.is_none_or(|member| member.is_nullable);
                if !has_null || !is_nullable {
                    self.add(DifferenceKind::Type, place, expected, actual);
                } else if self.holds(place.member) {
                    self.add(DifferenceKind::Null, place, expected, actual);
                }
            }
            (Value::String(one), Value::String(other)) => self.text(one, other, place),
            _ if self.holds(place.member) => {
                self.add(DifferenceKind::Value, place, expected, actual);
            }
            _ => {}
        }
    }

    fn object(&mut self, expected: &Value, actual: &Value, place: Place<'_>) {
        let is_map = place.member.is_some_and(|member| member.is_map);
        if is_map && !self.is_error && self.compare != Compare::Values {
            return;
        }
        let [old, new] = [expected, actual].map(|value| value.as_object().into_iter().flatten());
        for (name, member) in old {
            let (at, path) = place.within(name, name);
            match actual.get(name) {
                Some(other) => self.value(member, other, &at, &path),
                None if member == kind::VARIES => {}
                None => {
                    let place = Place { at: &at, path: &path, member: None };
                    self.add(DifferenceKind::MemberGone, place, member, &Value::Null);
                }
            }
        }
        for (name, member) in new {
            if expected.get(name).is_none() && member != kind::VARIES {
                let (at, path) = place.within(name, name);
                let place = Place { at: &at, path: &path, member: None };
                self.add(DifferenceKind::MemberAdded, place, &Value::Null, member);
            }
        }
    }

    fn list(&mut self, expected: &[Value], actual: &[Value], place: Place<'_>) {
        if is_reordered(expected, actual) {
            let [expected, actual] = [expected, actual].map(|items| Value::from(items.to_vec()));
            return self.add(DifferenceKind::Order, place, &expected, &actual);
        }
        if expected.len() != actual.len() && self.holds(place.member) {
            let [expected, actual] = [expected, actual].map(|items| items.len().into());
            self.add(DifferenceKind::Length, place, &expected, &actual);
        }
        for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
            let (at, path) = place.within(&index.to_string(), "*");
            self.value(expected, actual, &at, &path);
        }
    }

    fn text(&mut self, expected: &str, actual: &str, place: Place<'_>) {
        let names = [expected, actual].map(|text| NAME.is_match(text));
        let names_something = place.member.is_some_and(|member| member.identity.is_some());
        let kind = match names {
            [true, true] => Some(DifferenceKind::Relation),
            [true, false] if names_something || expected == kind::TIME => {
                Some(DifferenceKind::Format)
            }
            _ if place.path == CODE => Some(DifferenceKind::Code),
            _ => self.holds(place.member).then_some(DifferenceKind::Value),
        };
        if let Some(kind) = kind {
            self.add(kind, place, &expected.into(), &actual.into());
        }
    }

    /// Returns true if a value is compared.
    fn holds(&self, member: Option<&Member>) -> bool {
        self.compare == Compare::Values
            || self.is_error
            || member.is_some_and(|member| member.is_enum)
    }

    fn add(&mut self, kind: DifferenceKind, place: Place<'_>, expected: &Value, actual: &Value) {
        let is_enum = place.member.is_some_and(|member| member.is_enum);
        let is_structure = !matches!(
            kind,
            DifferenceKind::Value | DifferenceKind::Null | DifferenceKind::Relation
        );
        self.found.push(Difference {
            kind,
            at: place.at.to_owned(),
            path: place.path.to_owned(),
            expected: shown(expected),
            actual: shown(actual),
            is_stable: self.is_error || is_enum || is_structure,
        });
    }
}

fn is_other_media_type(name: &str, expected: &str, actual: &str) -> bool {
    let media_type =
        |value: &str| value.split(';').next().unwrap_or_default().trim().to_lowercase();
    name == "content-type" && media_type(expected) != media_type(actual)
}

#[derive(Clone, Copy)]
struct Place<'a> {
    at: &'a str,
    path: &'a str,
    member: Option<&'a Member>,
}

impl Place<'_> {
    /// Pointer and path of a member or an item.
    fn within(self, token: &str, part: &str) -> (String, String) {
        (format!("{}/{}", self.at, escaped(token)), format!("{}/{part}", self.path))
    }
}

/// A member's name as a part of a JSON pointer.
pub(super) fn escaped(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// A value in a sentence: a text without quotes, all else as JSON.
fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns true if a text or null is random on one side, and a text or null on the other.
fn is_random(expected: &Value, actual: &Value) -> bool {
    let both = [expected, actual];
    both.iter().any(|value| **value == kind::RANDOM)
        && both.iter().all(|value| value.is_string() || value.is_null())
}

/// The type of a value; of a name that of the value that it stands for.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(text) if text == kind::SECONDS || text == kind::COUNT => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns true if both have the same items, but for the numbers of names, in another order.
fn is_reordered(expected: &[Value], actual: &[Value]) -> bool {
    let [mut old, mut new] = [expected, actual].map(|items| {
        let texts =
            items.iter().map(|item| NUMBERED.replace_all(&item.to_string(), "[$1]").into_owned());
        texts.collect::<Vec<_>>()
    });
    if old == new {
        return false;
    }
    old.sort_unstable();
    new.sort_unstable();
    old == new
}

#[cfg(test)]
mod tests;
