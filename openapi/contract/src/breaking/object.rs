//! An object of a document with its references followed: one place, or for a schema all the places
//! whose keywords hold together (`allOf`, and a union of one schema with null).

use openapi_document::{Direction, Document, Form, Operation, pointer::join};
use serde_json::{Map, Value};

#[derive(Debug, Clone)]
pub(super) struct Part<'d> {
    pub(super) pointer: String,
    pub(super) value: &'d Value,
}

#[derive(Debug, Clone)]
pub(super) struct Object<'d> {
    pub(super) document: &'d Document,
    pub(super) parts: Vec<Part<'d>>,
    /// The places before their references were followed.
    pub(super) roots: Vec<String>,
    pub(super) operation: Option<&'d Operation>,
    /// The union that `alternatives` returns, of those that hold together.
    union: usize,
}

/// One schema of `oneOf` or `anyOf`.
#[derive(Debug, Clone)]
pub(super) struct Alternative {
    /// The component's name or the schema's title.
    pub(super) name: Option<String>,
    /// The values of a discriminator that name it.
    pub(super) values: Vec<String>,
    pub(super) pointer: String,
}

pub(super) const UNIONS: [&str; 2] = ["oneOf", "anyOf"];

impl<'d> Object<'d> {
    pub(super) fn absent(document: &'d Document) -> Self {
        Self { document, parts: Vec::new(), roots: Vec::new(), operation: None, union: 0 }
    }

    /// Returns the object at a pointer, with its reference followed.
    pub(super) fn at(document: &'d Document, pointer: &str) -> Self {
        let mut object = Self::absent(document);
        object.roots.push(pointer.to_owned());
        if let Ok(resolved) = document.resolve(pointer) {
            object.parts.push(Part { pointer: resolved.pointer, value: resolved.value });
        }
        object
    }

    pub(super) fn of_operation(document: &'d Document, operation: &'d Operation) -> Self {
        Self { operation: Some(operation), ..Self::at(document, &operation.pointer) }
    }

    /// Returns the schema for which all the schemas at these pointers hold.
    pub(super) fn schema(document: &'d Document, roots: Vec<String>) -> Self {
        let mut object = Self::absent(document);
        for root in &roots {
            object.flatten(root);
        }
        object.roots = roots;
        object
    }

    fn flatten(&mut self, pointer: &str) {
        let Ok(resolved) = self.document.resolve(pointer) else {
            return;
        };
        if self.parts.iter().any(|part| part.pointer == resolved.pointer) {
            return;
        }
        let (pointer, value) = (resolved.pointer, resolved.value);
        self.parts.push(Part { pointer: pointer.clone(), value });
        let all = value.get("allOf").and_then(Value::as_array).map_or(0, Vec::len);
        for index in 0..all {
            self.flatten(&element(&pointer, "allOf", index));
        }
        for keyword in UNIONS {
            if let [only] = self.branches(&pointer, value, keyword).as_slice() {
                self.flatten(only);
            }
        }
    }

    /// Returns the pointers of a union's schemas other than null, and other than those of `anyOf`
    /// whose values are all valid by another one.
    fn branches(&self, pointer: &str, value: &Value, keyword: &str) -> Vec<String> {
        let branches = value.get(keyword).and_then(Value::as_array).into_iter().flatten();
        let others = branches.enumerate().filter(|(_, one)| !self.document.is_null_alone(one));
        let all: Vec<String> = others.map(|(index, _)| element(pointer, keyword, index)).collect();
        let is_within = |one: &&String| all.iter().any(|other| self.lists_values_of(one, other));
        let is_needed = |one: &&String| keyword != "anyOf" || !is_within(one);
        all.iter().filter(is_needed).cloned().collect()
    }

    /// Returns true if a schema lists its values, and all are valid by another one that does not.
    fn lists_values_of(&self, one: &str, other: &str) -> bool {
        let resolved = |pointer: &str| self.document.resolve(pointer).ok().map(|it| it.value);
        let (Some(own), Some(wide)) = (resolved(one), resolved(other)) else {
            return false;
        };
        let is_scalar = |schema: &Value| {
            let name = schema.get("type").and_then(Value::as_str);
            name.is_some_and(|name| ["string", "number", "integer"].contains(&name))
        };
        let Some(Value::Array(values)) = own.get("enum") else {
            return false;
        };
        // A format that is not checked may exclude any value.
        let is_clear = is_scalar(wide) && wide.get("enum").or(wide.get("format")).is_none();
        is_clear
            && self
                .document
                .validator(other, Direction::Either)
                .is_ok_and(|wide| values.iter().all(|value| wide.is_valid(value)))
    }

    pub(super) fn is_absent(&self) -> bool {
        self.parts.is_empty()
    }

    pub(super) fn key(&self) -> Vec<String> {
        self.parts.iter().map(|part| part.pointer.clone()).collect()
    }

    /// Returns a member of the first part that has it.
    pub(super) fn get(&self, member: &str) -> Option<&'d Value> {
        self.parts.iter().find_map(|part| part.value.get(member))
    }

    pub(super) fn text(&self, member: &str) -> Option<&'d str> {
        self.get(member).and_then(Value::as_str)
    }

    pub(super) fn flag(&self, member: &str) -> bool {
        self.parts.iter().any(|part| part.value.get(member) == Some(&Value::Bool(true)))
    }

    /// Returns the pointer of a member, or of the object if it has no such member.
    pub(super) fn pointer(&self, member: &str) -> String {
        let part = self.parts.iter().find(|part| part.value.get(member).is_some());
        match part.or(self.parts.first()) {
            Some(part) if member.is_empty() => part.pointer.clone(),
            Some(part) => join(&part.pointer, member),
            None => self.roots.first().cloned().unwrap_or_default(),
        }
    }

    /// Returns the values of a member in all parts, with their pointers.
    pub(super) fn all(&self, member: &str) -> Vec<Part<'d>> {
        let of_part = |part: &Part<'d>| {
            let value = part.value.get(member)?;
            Some(Part { pointer: join(&part.pointer, member), value })
        };
        self.parts.iter().filter_map(of_part).collect()
    }

    /// Returns the members of an object that is itself a member, with their pointers.
    pub(super) fn members(&self, map: &str) -> Vec<(&'d str, String)> {
        let mut members = Vec::new();
        for part in self.all(map) {
            let names = part.value.as_object().into_iter().flat_map(Map::keys);
            members.extend(names.map(|name| (name.as_str(), join(&part.pointer, name))));
        }
        members
    }

    pub(super) fn texts(&self, member: &str) -> Vec<&'d str> {
        let lists = self.all(member).into_iter().filter_map(|part| part.value.as_array());
        lists.flatten().filter_map(Value::as_str).collect()
    }

    /// Returns the schemas of `oneOf` or `anyOf`, if there is more than one besides null.
    pub(super) fn alternatives(&self) -> Option<(String, Vec<Alternative>)> {
        let (pointer, branches) = self.unions().nth(self.union)?;
        let (branches, forms) = (branches.into_iter(), self.forms());
        let named = branches.map(|pointer| self.alternative(pointer, &forms)).collect();
        Some((pointer, named))
    }

    /// Returns the unions that hold together, with the pointers of their schemas.
    pub(super) fn unions(&self) -> impl Iterator<Item = (String, Vec<String>)> {
        let keywords = self.parts.iter().flat_map(|part| UNIONS.map(|word| (part, word)));
        let union = |(part, keyword): (&Part<'d>, &str)| {
            (join(&part.pointer, keyword), self.branches(&part.pointer, part.value, keyword))
        };
        keywords.map(union).filter(|(_, branches)| branches.len() > 1)
    }

    /// Returns this object with another one of its unions; without a union if there are fewer.
    pub(super) fn with_union(&self, union: usize) -> Self {
        Self { union, ..self.clone() }
    }

    /// Returns the only schema of `oneOf` or `anyOf` besides null, or else the schema itself.
    pub(super) fn itself(&self) -> Alternative {
        let only = self.parts.iter().flat_map(|part| UNIONS.map(|word| (part, word)));
        let mut only = only.filter_map(|(part, keyword)| {
            let mut branches = self.branches(&part.pointer, part.value, keyword);
            (branches.len() == 1).then(|| branches.remove(0))
        });
        let itself = || self.roots.first().cloned().unwrap_or_default();
        self.alternative(only.next().unwrap_or_else(itself), &self.forms())
    }

    /// Returns the components that extend this schema, if a discriminator tells them apart. A
    /// component that extends it is one of them itself.
    pub(super) fn subtypes(&self) -> Vec<Alternative> {
        let forms = self.forms();
        let is_form = |part: &Part<'_>| forms.iter().any(|form| form.pointer == part.pointer);
        if self.parts.iter().any(is_form) {
            return Vec::new();
        }
        forms.iter().map(|form| self.alternative(form.pointer.clone(), &forms)).collect()
    }

    fn forms(&self) -> Vec<Form> {
        let found = self.parts.iter().filter_map(|it| self.document.discriminator(&it.pointer));
        found.flat_map(|found| found.forms).collect()
    }

    fn alternative(&self, pointer: String, forms: &[Form]) -> Alternative {
        let component = |value: &Value| {
            let name = value.get("$ref")?.as_str()?.rsplit('/').next()?;
            Some(name.to_owned())
        };
        let list = |value: &Value| Some(format!("{}[]", component(value.get("items")?)?));
        let title = |value: &Value| value.get("title")?.as_str().map(str::to_owned);
        let written = self.document.value().pointer(&pointer);
        let name = written
            .and_then(|value| component(value).or_else(|| title(value)).or_else(|| list(value)))
            .or_else(|| Some(pointer.strip_prefix("/components/schemas/")?.to_owned()))
            .filter(|name| !name.contains('/'));
        let target = self.document.resolve(&pointer).map_or(String::new(), |it| it.pointer);
        let form = forms.iter().find(|form| form.pointer == pointer || form.pointer == target);
        Alternative {
            name,
            values: form.map(|form| form.names.clone()).unwrap_or_default(),
            pointer,
        }
    }

    pub(super) fn admits_null(&self) -> bool {
        let written = self.roots.iter().filter_map(|root| self.document.value().pointer(root));
        written.into_iter().all(|schema| self.document.admits_null(schema))
    }

    /// Returns true for a schema of `oneOf` or `anyOf`, which does not say whether null is valid.
    pub(super) fn is_alternative(&self) -> bool {
        self.roots.iter().any(|root| {
            let (list, index) = root.rsplit_once('/').unwrap_or_default();
            let is_index = index.bytes().all(|byte| byte.is_ascii_digit());
            is_index && UNIONS.contains(&list.rsplit('/').next().unwrap_or_default())
        })
    }
}

fn element(pointer: &str, list: &str, index: usize) -> String {
    join(&join(pointer, list), &index.to_string())
}
