//! Compares two schemas wherever their parts are defined, with or without their documentation.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    ptr,
};

use openapi_document::{
    Document, DocumentError, Resolved,
    pointer::{join, percent_decoded},
};
use serde_json::{Map, Value};

use super::change::Direction;

/// Keywords that document a schema and do not constrain its values.
pub(super) const ANNOTATIONS: [&str; 8] =
    ["description", "summary", "title", "example", "examples", "externalDocs", "xml", "$comment"];

/// Keywords whose members are named by the document.
const MAPS: [&str; 5] =
    ["$defs", "dependentRequired", "dependentSchemas", "patternProperties", "properties"];

/// The addresses of two values, and whether their documentation is left out.
type Key = (bool, usize, usize);

/// The equality of parts of two documents.
#[derive(Debug)]
pub(super) struct Equality<'d> {
    pub(super) old: &'d Document,
    pub(super) new: &'d Document,
    /// Many schemas refer to the same ones: each pair of targets is compared once.
    known: RefCell<HashMap<Key, bool>>,
    /// Schemas by their pointers, and whether a change from one to the other is compatible.
    pub(super) compatible: RefCell<HashMap<(Direction, String, String), bool>>,
}

impl<'d> Equality<'d> {
    pub(super) fn new(old: &'d Document, new: &'d Document) -> Self {
        Self { old, new, known: RefCell::default(), compatible: RefCell::default() }
    }

    pub(super) fn are_equal(&self, old: &str, new: &str) -> bool {
        self.compare(old, new, true)
    }

    /// Returns true if two objects are equal, their documentation included.
    pub(super) fn are_identical(&self, old: &str, new: &str) -> bool {
        self.compare(old, new, false)
    }

    /// Returns true if two alternatives are equal, or differ in `nullable` alone: their union says
    /// whether null is valid.
    pub(super) fn are_equal_besides_null(&self, old: &str, new: &str) -> bool {
        if self.are_equal(old, new) {
            return true;
        }
        let (Ok(before), Ok(after)) = (self.old.resolve(old), self.new.resolve(new)) else {
            return false;
        };
        let members = |schema: &Value| -> Vec<String> {
            let names = schema.as_object().map(|schema| names(schema, true)).unwrap_or_default();
            names.into_iter().filter(|name| *name != "nullable").map(str::to_owned).collect()
        };
        let names = members(before.value);
        let is_equal = |name: &String| {
            self.are_equal(&join(&before.pointer, name), &join(&after.pointer, name))
        };
        names == members(after.value) && names.iter().all(is_equal)
    }

    fn compare(&self, old: &str, new: &str, skips_annotations: bool) -> bool {
        let values = (self.old.value().pointer(old), self.new.value().pointer(new));
        let (Some(before), Some(after)) = values else {
            return values.0 == values.1;
        };
        let mut search = Search { equality: self, skips_annotations, assumed: HashSet::new() };
        let is_equal = search.at(Part::at(old, before), Part::at(new, after));
        if is_equal {
            // What was assumed on the way is true now.
            self.known.borrow_mut().extend(search.assumed.into_iter().map(|key| (key, true)));
        }
        is_equal
    }
}

/// A part of a document, with the last two tokens of its pointer.
#[derive(Clone, Copy)]
struct Part<'v> {
    map: &'v str,
    name: &'v str,
    value: &'v Value,
}

type Followed<'d> = Option<Result<Resolved<'d>, DocumentError>>;

impl<'v> Part<'v> {
    fn at(pointer: &'v str, value: &'v Value) -> Self {
        let (owner, name) = pointer.rsplit_once('/').unwrap_or_default();
        Self { map: owner.rsplit('/').next().unwrap_or_default(), name, value }
    }

    fn member(self, name: &'v str, value: &'v Value) -> Self {
        Self { map: self.name, name, value }
    }

    /// Returns true for a member whose value is data, where `$ref` is a name like any other.
    fn is_data(self) -> bool {
        ["default", "enum", "example", "value"].contains(&self.name)
            && !["examples", "properties", "responses"].contains(&self.map)
    }

    /// Returns the only schema of `allOf` if it says all, such as `X` of `{ allOf: [X] }`.
    fn unwrapped(self) -> Self {
        match self.value.as_object() {
            Some(schema) if !MAPS.contains(&self.name) && names(schema, true) == ["allOf"] => {
                match schema["allOf"].as_array().map(Vec::as_slice) {
                    Some([only]) => Self { map: "allOf", name: "", value: only },
                    _ => self,
                }
            }
            _ => self,
        }
    }

    /// Follows a reference; `None` for what is none.
    fn followed(self, document: &Document) -> Followed<'_> {
        let reference = self.value.get("$ref")?.as_str()?;
        let target = reference.strip_prefix('#').and_then(percent_decoded);
        // A text that is no pointer is an error.
        Some(document.resolve(target.as_deref().unwrap_or(reference)))
    }

    fn or_followed(self, followed: &'v Followed<'_>) -> Self {
        match followed {
            Some(Ok(found)) => Self::at(&found.pointer, found.value),
            _ => self,
        }
    }
}

struct Search<'s, 'd> {
    equality: &'s Equality<'d>,
    skips_annotations: bool,
    /// Pairs under comparison, so that circular schemas end.
    assumed: HashSet<Key>,
}

impl Search<'_, '_> {
    fn at(&mut self, old: Part<'_>, new: Part<'_>) -> bool {
        let equality = self.equality;
        let (old, new) = match self.skips_annotations && !old.is_data() {
            true => (old.unwrapped(), new.unwrapped()),
            false => (old, new),
        };
        let (before, after) = (old.followed(equality.old), new.followed(equality.new));
        let is_error = |followed: &Followed<'_>| matches!(followed, Some(Err(_)));
        if old.is_data() || is_error(&before) || is_error(&after) {
            return old.value == new.value;
        }
        let is_written = before.is_none() && after.is_none();
        let (old, new) = (old.or_followed(&before), new.or_followed(&after));
        if is_written {
            return self.inside(old, new);
        }
        let [before, after] = [old, new].map(|part| ptr::from_ref(part.value).addr());
        let key = (self.skips_annotations, before, after);
        if let Some(answer) = equality.known.borrow().get(&key) {
            return *answer;
        }
        if !self.assumed.insert(key) {
            return true;
        }
        let is_equal = self.inside(old, new);
        if !is_equal {
            equality.known.borrow_mut().insert(key, false);
        }
        is_equal
    }

    fn inside(&mut self, old: Part<'_>, new: Part<'_>) -> bool {
        match (old.value, new.value) {
            (Value::Object(before), Value::Object(after)) => {
                // Properties may have the names of keywords.
                let is_schema = self.skips_annotations && !MAPS.contains(&old.name);
                let names = names(before, is_schema);
                names == self::names(after, is_schema)
                    && names.iter().all(|name| {
                        self.at(old.member(name, &before[*name]), new.member(name, &after[*name]))
                    })
            }
            (Value::Array(before), Value::Array(after))
                if old.map == "dependentRequired" || old.name == "required" =>
            {
                before.len() == after.len() && before.iter().all(|name| after.contains(name))
            }
            (Value::Array(before), Value::Array(after)) => {
                let mut pairs = before.iter().zip(after);
                before.len() == after.len()
                    && pairs.all(|(one, other)| self.at(old.member("", one), new.member("", other)))
            }
            (before, after) => before == after,
        }
    }
}

fn names(object: &Map<String, Value>, is_schema: bool) -> Vec<&str> {
    let constrains =
        |name: &&str| !is_schema || !(ANNOTATIONS.contains(name) || name.starts_with("x-"));
    let mut names: Vec<&str> = object.keys().map(String::as_str).filter(constrains).collect();
    names.sort_unstable();
    names
}
