//! The properties of a schema in one direction: requests lack the `readOnly` ones, responses the
//! `writeOnly` ones.

use std::collections::{BTreeMap, BTreeSet};

use super::{change::Direction, object::Object};

/// Returns every property, with the pointers of its schemas.
pub(super) fn all<'d>(object: &Object<'d>) -> BTreeMap<&'d str, Vec<String>> {
    let mut properties: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (name, pointer) in object.members("properties") {
        properties.entry(name).or_default().push(pointer);
    }
    properties
}

/// Returns the properties that are sent in this direction.
pub(super) fn sent<'d>(
    object: &Object<'d>,
    direction: Direction,
) -> BTreeMap<&'d str, Vec<String>> {
    let mut properties = all(object);
    properties.retain(|_, pointers| is_sent(object, pointers, direction));
    properties
}

fn is_sent(object: &Object<'_>, pointers: &[String], direction: Direction) -> bool {
    !pointers.iter().any(|pointer| {
        Object::schema(object.document, vec![pointer.clone()]).flag(against(direction))
    })
}

/// The keyword of a property that does not travel in this direction.
pub(super) fn against(direction: Direction) -> &'static str {
    match direction {
        Direction::Request => "readOnly",
        Direction::Response => "writeOnly",
    }
}

/// The names that must be present in this direction.
pub(super) fn required<'d>(object: &Object<'d>, direction: Direction) -> BTreeSet<&'d str> {
    let properties = all(object);
    let mut names: BTreeSet<&str> = object.texts("required").into_iter().collect();
    names.retain(|name| {
        properties.get(name).is_none_or(|pointers| is_sent(object, pointers, direction))
    });
    names
}
