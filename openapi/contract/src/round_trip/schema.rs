//! Schemas of both documents, compared. References and `allOf` are followed first, so that a schema
//! in place and a reference to the same schema are one.

use std::collections::{BTreeMap, BTreeSet};

use openapi_document::{Document, Resolved};
use serde_json::{Value, json};

use super::{
    compare::Comparison,
    element::Site,
    spelling::{self, at},
};

/// Keywords whose values are schemas, or lists compared one by one.
const NESTED: [&str; 6] = ["additionalProperties", "anyOf", "enum", "items", "not", "oneOf"];

/// A schema with everything that its `allOf` and references add; what is written where it is used
/// comes before what it refers to.
#[derive(Default)]
pub(super) struct Flat<'d> {
    pointer: String,
    pub(super) keywords: BTreeMap<&'d str, Part<'d>>,
    properties: BTreeMap<&'d str, Part<'d>>,
    /// Where each name is required.
    required: BTreeMap<&'d str, String>,
}

/// A value and its place.
#[derive(Clone)]
pub(super) struct Part<'d> {
    pub(super) pointer: String,
    pub(super) value: &'d Value,
}

impl<'d> Flat<'d> {
    pub(super) fn of(document: &'d Document, pointer: &str) -> Self {
        let Resolved { pointer, value } = resolved(document, pointer);
        let mut flat = Self::default();
        let all = list(value.get("allOf")).iter().enumerate();
        let mut parts: Vec<_> = all.map(|(index, _)| ("allOf", index)).collect();
        // The only alternative besides null holds as a part of `allOf` does.
        for keyword in ["anyOf", "oneOf"] {
            let alternatives = list(value.get(keyword));
            let mut others = besides_null(document, alternatives);
            if let (Some(only), None) = (others.next(), others.next())
                && alternatives.len() > 1
            {
                parts.push((keyword, only));
            }
        }
        for (keyword, index) in &parts {
            flat.merge(Self::of(document, &at(&pointer, &[keyword, &index.to_string()])));
        }
        for (name, value) in value.as_object().into_iter().flatten() {
            let part = Part { pointer: at(&pointer, &[name]), value };
            match name.as_str() {
                name if parts.iter().any(|(keyword, _)| *keyword == name) => {}
                "properties" => flat.add_properties(&part),
                "required" => flat.add_required(&part),
                _ => drop(flat.keywords.insert(name, part)),
            }
        }
        flat.pointer = pointer;
        flat
    }

    /// The schema at a pointer of our document, `nullable` only where null is valid.
    fn ours(document: &'d Document, pointer: &str) -> Self {
        let mut flat = Self::emitted(document, pointer);
        if !document.admits_null(resolved(document, pointer).value) {
            flat.keywords.remove("nullable");
        }
        flat
    }

    /// The schema at a pointer of the emitted document, `nullable` in every spelling of null. The
    /// framework writes the keyword beside references, too.
    fn emitted(document: &'d Document, pointer: &str) -> Self {
        static TRUE: Value = Value::Bool(true);
        let mut flat = Self::of(document, pointer);
        let written = resolved(document, pointer).value;
        if document.names_null(written) && document.admits_null(written) {
            let part = Part { pointer: flat.pointer.clone(), value: &TRUE };
            flat.keywords.entry("nullable").or_insert(part);
        }
        flat
    }

    fn merge(&mut self, other: Self) {
        self.keywords.extend(other.keywords);
        self.properties.extend(other.properties);
        self.required.extend(other.required);
    }

    fn add_properties(&mut self, part: &Part<'d>) {
        for (name, value) in part.value.as_object().into_iter().flatten() {
            let property = Part { pointer: at(&part.pointer, &[name]), value };
            self.properties.insert(name, property);
        }
    }

    fn add_required(&mut self, part: &Part<'d>) {
        for (index, name) in list(Some(part.value)).iter().enumerate() {
            let place = at(&part.pointer, &[&index.to_string()]);
            self.required.extend(name.as_str().map(|name| (name, place)));
        }
    }

    /// The keyword as text.
    pub(super) fn text(&self, name: &str) -> Option<&'d str> {
        self.keywords.get(name)?.value.as_str()
    }

    fn place(&self, name: &str) -> String {
        self.keywords.get(name).map_or_else(|| self.pointer.clone(), |part| part.pointer.clone())
    }
}

/// Every reference of a loaded document resolves.
pub(super) fn resolved<'d>(document: &'d Document, pointer: &str) -> Resolved<'d> {
    document.resolve(pointer).expect("references were checked when the document was loaded")
}

/// The indices of the alternatives that are not null alone.
fn besides_null<'d>(
    document: &'d Document,
    alternatives: &'d [Value],
) -> impl Iterator<Item = usize> + 'd {
    let alternatives = alternatives.iter().enumerate();
    alternatives.filter(|(_, one)| !document.is_null_alone(one)).map(|(index, _)| index)
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

impl Comparison<'_> {
    /// Compares the schema at a pointer with that of the emitted document, where it has one.
    pub(super) fn schema(&mut self, site: &Site, ours: &str, theirs: Option<&str>) {
        let ours = Flat::ours(self.document, ours);
        // A schema that contains itself.
        if self.open.contains(&ours.pointer) {
            return;
        }
        self.open.push(ours.pointer.clone());
        let theirs = theirs.map(|theirs| Flat::emitted(self.emitted, theirs)).unwrap_or_default();
        self.keywords(site, &ours, &theirs);
        self.properties(site, &ours, &theirs);
        self.values(site, &ours, &theirs);
        self.additional(site, &ours, &theirs);
        for keyword in ["items", "not"] {
            self.inner(site, keyword, ours.keywords.get(keyword), theirs.keywords.get(keyword));
        }
        for keyword in ["anyOf", "oneOf"] {
            self.alternatives(site, keyword, &ours, &theirs);
        }
        self.open.pop();
    }

    fn keywords(&mut self, site: &Site, ours: &Flat<'_>, theirs: &Flat<'_>) {
        let names: BTreeSet<&str> =
            ours.keywords.keys().chain(theirs.keywords.keys()).copied().collect();
        for name in names.into_iter().filter(|name| !NESTED.contains(name)) {
            let (said, emitted) = (spelling::keyword(name, ours), spelling::keyword(name, theirs));
            self.note(site, name, &ours.place(name), said.as_ref(), emitted.as_ref());
        }
    }

    fn properties(&mut self, site: &Site, ours: &Flat<'_>, theirs: &Flat<'_>) {
        for (name, part) in &ours.properties {
            let emitted = theirs.properties.get(name);
            let name_of = |_: &Part<'_>| json!(name);
            let known = emitted.map(name_of);
            self.note(site, "property", &part.pointer, Some(&json!(name)), known.as_ref());
            self.schema(&site.deeper(name), &part.pointer, emitted.map(|part| &*part.pointer));
        }
        for name in theirs.properties.keys().filter(|name| !ours.properties.contains_key(*name)) {
            self.note(site, "property", &ours.pointer, None, Some(&json!(name)));
        }
        let names: BTreeSet<&str> =
            ours.required.keys().chain(theirs.required.keys()).copied().collect();
        for name in names {
            let place = ours.required.get(name).unwrap_or(&ours.pointer);
            let said = ours.required.contains_key(name).then(|| json!(name));
            let emitted = theirs.required.contains_key(name).then(|| json!(name));
            self.note(site, "required", place, said.as_ref(), emitted.as_ref());
        }
    }

    /// The values of an enum, one by one; their order says nothing.
    fn values(&mut self, site: &Site, ours: &Flat<'_>, theirs: &Flat<'_>) {
        let of = |flat: &Flat<'_>| {
            let mut values = list(flat.keywords.get("enum").map(|part| part.value)).to_vec();
            values.retain(|value| !value.is_null());
            values
        };
        let (said, emitted) = (of(ours), of(theirs));
        let place = ours.place("enum");
        for (index, value) in said.iter().enumerate() {
            let place = at(&place, &[&index.to_string()]);
            let same = emitted.contains(value).then_some(value);
            self.note(site, "enum", &place, Some(value), same);
        }
        for value in emitted.iter().filter(|value| !said.contains(value)) {
            self.note(site, "enum", &place, None, Some(value));
        }
    }

    /// `{}` and `true` both allow any further names.
    fn additional(&mut self, site: &Site, ours: &Flat<'_>, theirs: &Flat<'_>) {
        const NAME: &str = "additionalProperties";
        let canonical = |flat: &Flat<'_>| {
            let value = flat.keywords.get(NAME)?.value;
            Some(if *value == json!({}) { json!(true) } else { value.clone() })
        };
        let (said, emitted) = (canonical(ours), canonical(theirs));
        let is_schema = |value: &Option<Value>| value.as_ref().is_some_and(Value::is_object);
        if is_schema(&said) && (emitted.is_none() || is_schema(&emitted)) {
            self.inner(site, NAME, ours.keywords.get(NAME), theirs.keywords.get(NAME));
            return;
        }
        self.note(site, NAME, &ours.place(NAME), said.as_ref(), emitted.as_ref());
    }

    /// A schema in a schema: the keyword itself is an element, too.
    fn inner(
        &mut self,
        site: &Site,
        keyword: &str,
        ours: Option<&Part<'_>>,
        theirs: Option<&Part<'_>>,
    ) {
        let is_there = json!(true);
        let place = ours.map(|part| part.pointer.clone());
        let place = place.or_else(|| self.open.last().cloned()).unwrap_or_default();
        self.note(site, keyword, &place, ours.map(|_| &is_there), theirs.map(|_| &is_there));
        if let Some(part) = ours {
            let name = if keyword == "additionalProperties" { "values" } else { keyword };
            self.schema(&site.deeper(name), &part.pointer, theirs.map(|part| &*part.pointer));
        }
    }

    /// Alternatives correspond by their order, which the generator keeps.
    fn alternatives(&mut self, site: &Site, keyword: &str, ours: &Flat<'_>, theirs: &Flat<'_>) {
        let parts = |document, flat: &Flat<'_>| -> Vec<String> {
            let part = flat.keywords.get(keyword);
            let others = besides_null(document, list(part.map(|part| part.value)));
            let place = flat.place(keyword);
            others.map(|index| at(&place, &[&index.to_string()])).collect()
        };
        let (said, emitted) = (parts(self.document, ours), parts(self.emitted, theirs));
        for index in 0..said.len().max(emitted.len()) {
            let name = json!(index);
            let (one, other) = (said.get(index), emitted.get(index));
            let place = one.unwrap_or(&ours.pointer);
            self.note(site, keyword, place, one.map(|_| &name), other.map(|_| &name));
            if let Some(one) = one {
                let site = site.deeper(&format!("{keyword} {index}"));
                self.schema(&site, one, other.map(String::as_str));
            }
        }
    }
}
