//! A document as data: its value, the place of each part, and the targets of references. References
//! that lead nowhere or are circular are errors, and those that leave a document without files.

use std::{collections::HashMap, iter, sync::Arc};

use serde_json::Value;

use super::{json, yaml};
use crate::{
    error::DocumentError,
    place::{Place, Position, Positions},
    pointer,
};

/// One document: its value, and the positions in its text.
#[derive(Debug)]
pub(crate) struct Source {
    /// The document's own file, then those that it refers to, and overlays.
    pub(super) files: Vec<Arc<File>>,
    pub(super) value: Value,
    /// Where members were before the value was rewritten, by where they are.
    pub(super) moved: HashMap<String, Origin>,
}

#[derive(Debug)]
pub(super) struct File {
    pub(super) name: Arc<str>,
    pub(super) positions: Positions,
}

/// Where a member was written: the index of its file, and its pointer there.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Origin {
    pub(super) file: usize,
    pub(super) pointer: String,
}

/// A part of a document, after following references.
#[derive(Debug, Clone)]
pub struct Resolved<'document> {
    /// Where the part is defined.
    pub pointer: String,
    /// The part itself; never a reference object.
    pub value: &'document Value,
}

impl<'document> Resolved<'document> {
    pub(crate) fn text(&self, member: &str) -> Option<String> {
        self.value.get(member)?.as_str().map(str::to_owned)
    }

    /// Returns true if a member is `true`.
    pub(crate) fn flag(&self, member: &str) -> bool {
        self.value.get(member).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Name, pointer and value of each member of a map.
    pub(crate) fn members(
        &self,
        map: &str,
    ) -> impl Iterator<Item = (&'document str, String, &'document Value)> + use<'document> {
        let at = pointer::join(&self.pointer, map);
        let members = self.value.get(map).and_then(Value::as_object).into_iter().flatten();
        members.map(move |(name, value)| (name.as_str(), pointer::join(&at, name), value))
    }

    /// The pointers of a list's elements.
    pub(crate) fn elements(&self, list: &str) -> impl Iterator<Item = String> + use<> {
        let at = pointer::join(&self.pointer, list);
        let count = self.value.get(list).and_then(Value::as_array).map_or(0, Vec::len);
        (0..count).map(move |index| pointer::join(&at, &index.to_string()))
    }
}

/// An error of the text, found by one of the readers, which do not know the file.
pub(super) fn fault(position: Position, problem: impl Into<String>) -> DocumentError {
    let Position { line, column } = position;
    DocumentError::invalid(Place { file: "".into(), line, column }, "", problem)
}

impl Source {
    /// Reads `text` as JSON when it is JSON, else as YAML 1.2.
    pub(crate) fn read(name: &str, text: &str) -> Result<Self, DocumentError> {
        let name: Arc<str> = name.into();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // A text that begins with a brace may also be a YAML flow mapping.
        let read = if name.ends_with(".json") {
            json::read(text)
        } else if text.trim_start().starts_with('{') {
            json::read(text).or_else(|fault| yaml::read(text).map_err(|_| fault))
        } else {
            yaml::read(text)
        };
        match read {
            Ok((value, positions)) => {
                let files = vec![Arc::new(File { name, positions })];
                Ok(Self { files, value, moved: HashMap::new() })
            }
            Err(DocumentError::Invalid(mut faults)) => {
                faults.iter_mut().for_each(|fault| fault.place.file = Arc::clone(&name));
                Err(DocumentError::Invalid(faults))
            }
            Err(unreadable) => Err(unreadable),
        }
    }

    pub(crate) fn is_one_file(&self) -> bool {
        self.files.len() == 1
    }

    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// Another value, whose members keep their places.
    pub(crate) fn replace_value(&mut self, value: Value) {
        self.value = value;
    }

    /// Returns the text with another value, whose members keep their places.
    pub(crate) fn rewritten(&self, value: Value) -> Self {
        Self { files: self.files.clone(), value, moved: self.moved.clone() }
    }

    /// The member at `to` was at `from`, which may have moved before.
    pub(crate) fn note_move(&mut self, to: String, from: &str) {
        let from = self.written_at(from);
        if self.written_at(&to) != from {
            self.moved.insert(to, from);
        }
    }

    pub(super) fn written_at(&self, pointer: &str) -> Origin {
        let mut ancestors = iter::successors(Some(pointer), |known| pointer::parent(known));
        let moved = ancestors.find_map(|to| self.moved.get(to).map(|from| (to, from)));
        match moved {
            Some((to, Origin { file, pointer: from })) => {
                Origin { file: *file, pointer: format!("{from}{}", &pointer[to.len()..]) }
            }
            None => Origin { file: 0, pointer: pointer.to_owned() },
        }
    }

    /// Where the member at a pointer is in the text; in another file than the document's own with
    /// the name of that file.
    pub(crate) fn origin(&self, pointer: &str) -> String {
        let Origin { file, pointer } = self.written_at(pointer);
        if file == 0 { pointer } else { format!("{}#{pointer}", self.files[file].name) }
    }

    pub(crate) fn place(&self, pointer: &str) -> Place {
        let Origin { file, pointer } = self.written_at(pointer);
        let File { name, positions } = &*self.files[file];
        let Position { line, column } = positions.nearest(&pointer);
        Place { file: Arc::clone(name), line, column }
    }

    pub(crate) fn error(&self, pointer: &str, problem: impl Into<String>) -> DocumentError {
        DocumentError::invalid(self.place(pointer), &self.origin(pointer), problem)
    }

    /// Looks `pointer` up and follows references.
    pub(crate) fn resolve(&self, pointer: &str) -> Result<Resolved<'_>, DocumentError> {
        let Some(mut value) = pointer::value_at(&self.value, pointer) else {
            return Err(self.error(pointer, "there is nothing at this JSON pointer"));
        };
        let mut chain = vec![pointer.to_owned()];
        while let Some(reference) = pointer::reference_in(value) {
            let here = chain.last().expect("the chain starts with the pointer");
            let (target, found) = self.follow(here, reference)?;
            if chain.contains(&target) {
                let circle = [chain.join(" -> "), target].join(" -> ");
                let problem = format!("the reference leads back to itself: {circle}");
                return Err(self.error(pointer, problem));
            }
            value = found;
            chain.push(target);
        }
        let pointer = chain.pop().expect("the chain starts with the pointer");
        Ok(Resolved { pointer, value })
    }

    /// The target of the `reference` at `at`.
    pub(crate) fn follow(
        &self,
        at: &str,
        reference: &str,
    ) -> Result<(String, &Value), DocumentError> {
        if !reference.starts_with('#') {
            let problem = format!("`$ref: {reference}` leaves this document");
            return Err(self
                .error(at, problem)
                .with_help("read the document as a file, so that the files beside it are known"));
        }
        let Some(target) = pointer::of_local_reference(reference) else {
            let problem = format!("`$ref: {reference}` is not a JSON pointer");
            return Err(self.error(at, problem).with_help("write it as `#/components/…`"));
        };
        match pointer::value_at(&self.value, &target) {
            Some(value) => Ok((target, value)),
            None => {
                let problem = format!("`$ref: {reference}` leads nowhere");
                Err(self.error(at, problem).with_help(self.nearby(&target)))
            }
        }
    }

    /// Help for a dangling reference: the names that exist there, if they are few.
    pub(super) fn nearby(&self, target: &str) -> String {
        let siblings = pointer::parent(target)
            .and_then(|parent| self.value.pointer(parent))
            .and_then(Value::as_object);
        match siblings {
            Some(siblings) if (1..=12).contains(&siblings.len()) => {
                let names: Vec<&str> = siblings.keys().map(String::as_str).collect();
                format!("known names: {}", names.join(", "))
            }
            _ => format!("define {target} or correct the name"),
        }
    }
}
