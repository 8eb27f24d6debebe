//! The form of bodies: which members come, and with which types. Values are data, so all bodies of
//! an operation, status and code are compared together: a member that some items lack is no
//! difference, and one that all items lack is.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::difference::{Difference, DifferenceKind, escaped, type_of};
use crate::snapshot::{
    kind,
    places::{self, Members},
};

/// So many objects must lack an optional member that each had before, and the other way round.
const MANY: usize = 3;
/// The type of a value that is not compared.
const ANY: &str = "any";

/// The form of the values at one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    values: usize,
    types: BTreeSet<&'static str>,
    objects: usize,
    members: BTreeMap<String, Shape>,
    items: Option<Box<Shape>>,
}

impl Shape {
    pub(super) fn add(&mut self, value: &Value) {
        self.values += 1;
        let is_any = [kind::VARIES, kind::RANDOM].iter().any(|name| value == name);
        self.types.insert(if is_any { ANY } else { type_of(value) });
        match value {
            Value::Object(members) => {
                self.objects += 1;
                for (name, member) in members {
                    self.members.entry(name.clone()).or_default().add(member);
                }
            }
            Value::Array(items) => {
                let shape = self.items.get_or_insert_default();
                items.iter().for_each(|item| shape.add(item));
            }
            _ => {}
        }
    }

    /// The differences of these bodies and others with the same operation, status and code.
    pub(super) fn differences(
        &self,
        actual: &Self,
        members: Option<&Members>,
        is_error: bool,
    ) -> Vec<Difference> {
        let mut walk = Walk { members, is_error, found: Vec::new() };
        walk.shape(self, actual, "");
        walk.found
    }
}

struct Walk<'a> {
    members: Option<&'a Members>,
    is_error: bool,
    found: Vec<Difference>,
}

impl Walk<'_> {
    fn add(&mut self, kind: DifferenceKind, at: &str, expected: &str, actual: &str) {
        self.found.push(Difference::stable(kind, at, expected, actual));
    }

    fn shape(&mut self, expected: &Shape, actual: &Shape, path: &str) {
        let known = places::find(self.members, path);
        self.types(expected, actual, path);
        if known.is_some_and(|member| member.is_map) && !self.is_error {
            // The names of its members are data.
            return;
        }
        for (name, member) in &expected.members {
            let path = format!("{path}/{}", escaped(name));
            match actual.members.get(name) {
                Some(other) => self.shape(member, other, &path),
                None if actual.objects == 0 || member.types.contains(ANY) => {}
                None if self.is_missing(member, expected, actual, &path) => {
                    self.add(DifferenceKind::MemberGone, &path, &types(member), "no member");
                }
                None => {}
            }
        }
        for (name, member) in &actual.members {
            let path = format!("{path}/{}", escaped(name));
            let is_new = expected.objects > 0 && !expected.members.contains_key(name);
            if is_new && self.is_added(member, expected, actual, &path) {
                self.add(DifferenceKind::MemberAdded, &path, "no member", &types(member));
            }
        }
        if let (Some(expected), Some(actual)) = (&expected.items, &actual.items) {
            self.shape(expected, actual, &format!("{path}/*"));
        }
    }

    /// Adds types that are new; null is data where the document allows it, and so is a value where
    /// only null came before.
    fn types(&mut self, expected: &Shape, actual: &Shape, path: &str) {
        let known = places::find(self.members, path);
        let is_unknown = expected.types.iter().all(|name| ["null", ANY].contains(name));
        let is_nullable = known.is_none_or(|member| member.is_nullable);
        let new = actual.types.difference(&expected.types).copied().filter(|name| match *name {
            "null" => !is_nullable && !expected.types.is_empty(),
            _ => !is_unknown,
        });
        let new: Vec<&str> = new.collect();
        if !new.is_empty() && !expected.types.contains(ANY) {
            self.add(DifferenceKind::Type, path, &types(expected), &new.join(" or "));
        }
    }

    /// Returns true if the absence of a member that came before is no accident of the data.
    fn is_missing(&self, member: &Shape, expected: &Shape, actual: &Shape, path: &str) -> bool {
        let is_required = places::find(self.members, path).is_some_and(|known| known.is_required);
        let was_always = member.values == expected.objects;
        let are_many = expected.objects >= MANY && actual.objects >= MANY;
        is_required || was_always && (self.is_error || are_many)
    }

    /// Returns true if a member that did not come before is no accident of the data.
    fn is_added(&self, member: &Shape, expected: &Shape, actual: &Shape, path: &str) -> bool {
        let is_known = places::find(self.members, path).is_some();
        let is_always = member.values == actual.objects;
        let are_many = expected.objects >= MANY && actual.objects >= MANY;
        !is_known || is_always && (self.is_error || are_many)
    }
}

fn types(shape: &Shape) -> String {
    shape.types.iter().copied().collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests;
