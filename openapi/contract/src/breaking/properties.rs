//! The properties of a schema in one direction: requests lack the `readOnly` ones, responses the
//! `writeOnly` ones.

use std::collections::{BTreeMap, BTreeSet};

use super::{change::Direction, object::Object};

/// Each property has the pointers of its schemas, one at least.
#[derive(Debug)]
pub(super) struct Properties<'d> {
    pub(super) all: BTreeMap<&'d str, Vec<String>>,
    /// Those that are sent in the direction.
    pub(super) sent: BTreeMap<&'d str, Vec<String>>,
    /// The names that must be present in the direction.
    pub(super) required: BTreeSet<&'d str>,
}

impl<'d> Properties<'d> {
    pub(super) fn of(object: &Object<'d>, direction: Direction) -> Self {
        let mut all: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (name, pointer) in object.members("properties") {
            all.entry(name).or_default().push(pointer);
        }
        let against = match direction {
            Direction::Request => "readOnly",
            Direction::Response => "writeOnly",
        };
        let is_unsent =
            |pointer: &String| Object::schema(object.document, vec![pointer.clone()]).flag(against);
        let mut sent = all.clone();
        sent.retain(|_, pointers| !pointers.iter().any(is_unsent));
        let mut required: BTreeSet<&str> = object.texts("required").into_iter().collect();
        required.retain(|name| !all.contains_key(name) || sent.contains_key(name));
        Self { all, sent, required }
    }
}
