//! Compares two schemas wherever their parts are defined, with or without their documentation.

use std::collections::HashSet;

use openapi_document::{Document, pointer::join};
use serde_json::{Map, Value};

/// Keywords that document a schema and do not constrain its values.
pub(super) const ANNOTATIONS: [&str; 8] =
    ["description", "summary", "title", "example", "examples", "externalDocs", "xml", "$comment"];

pub(super) type Side<'d> = (&'d Document, &'d str);

pub(super) fn are_equal(old: Side<'_>, new: Side<'_>) -> bool {
    compare(old, new, true)
}

/// Returns true if two alternatives are equal, or differ in `nullable` alone: their union says
/// whether null is valid.
pub(super) fn are_equal_besides_null(old: Side<'_>, new: Side<'_>) -> bool {
    let (Ok(before), Ok(after)) = (old.0.resolve(old.1), new.0.resolve(new.1)) else {
        return false;
    };
    let members = |schema: &Value| -> Vec<String> {
        let names = schema.as_object().map(|schema| names(schema, true)).unwrap_or_default();
        names.into_iter().filter(|name| *name != "nullable").map(str::to_owned).collect()
    };
    let names = members(before.value);
    let is_equal = |name: &String| {
        let (before, after) = (join(&before.pointer, name), join(&after.pointer, name));
        are_equal((old.0, &before), (new.0, &after))
    };
    names == members(after.value) && names.iter().all(is_equal)
}

/// Returns true if two objects are equal, their documentation included.
pub(super) fn are_identical(old: Side<'_>, new: Side<'_>) -> bool {
    compare(old, new, false)
}

fn compare(old: Side<'_>, new: Side<'_>, skips_annotations: bool) -> bool {
    let assumed = HashSet::new();
    Comparison { old: old.0, new: new.0, skips_annotations, assumed }.at(old.1, new.1)
}

struct Comparison<'d> {
    old: &'d Document,
    new: &'d Document,
    skips_annotations: bool,
    /// Pairs under comparison, so that circular schemas end.
    assumed: HashSet<(String, String)>,
}

impl Comparison<'_> {
    fn at(&mut self, old: &str, new: &str) -> bool {
        let (Ok(before), Ok(after)) = (self.old.resolve(old), self.new.resolve(new)) else {
            return is_written_alike((self.old, old), (self.new, new));
        };
        if is_data(old) {
            return is_written_alike((self.old, old), (self.new, new));
        }
        let pair = (before.pointer, after.pointer);
        if !self.assumed.insert(pair.clone()) {
            return true;
        }
        match (before.value, after.value) {
            (Value::Object(before), Value::Object(after)) => {
                // Properties may have the names of keywords.
                let is_schema = self.skips_annotations && !pair.0.ends_with("/properties");
                let names = names(before, is_schema);
                names == self::names(after, is_schema)
                    && names.iter().all(|name| self.at(&join(&pair.0, name), &join(&pair.1, name)))
            }
            (Value::Array(before), Value::Array(after)) => {
                let element = |pointer: &str, index: usize| join(pointer, &index.to_string());
                before.len() == after.len()
                    && (0..before.len())
                        .all(|index| self.at(&element(&pair.0, index), &element(&pair.1, index)))
            }
            (before, after) => before == after,
        }
    }
}

/// Returns true for a member whose value is data, where `$ref` is a name like any other.
fn is_data(pointer: &str) -> bool {
    let (owner, name) = pointer.rsplit_once('/').unwrap_or_default();
    let map = owner.rsplit('/').next().unwrap_or_default();
    ["default", "enum", "example", "value"].contains(&name)
        && !["examples", "properties", "responses"].contains(&map)
}

fn is_written_alike(old: Side<'_>, new: Side<'_>) -> bool {
    old.0.value().pointer(old.1) == new.0.value().pointer(new.1)
}

fn names(object: &Map<String, Value>, is_schema: bool) -> Vec<&str> {
    let constrains =
        |name: &&str| !is_schema || !(ANNOTATIONS.contains(name) || name.starts_with("x-"));
    let mut names: Vec<&str> = object.keys().map(String::as_str).filter(constrains).collect();
    names.sort_unstable();
    names
}
