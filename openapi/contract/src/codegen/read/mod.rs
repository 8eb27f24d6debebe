//! From the document to the model, or to diagnostics: one for each construct that the generators do
//! not support, with its place and a fix, all at once.

mod bodies;
mod codes;
mod compose;
mod conventions;
mod error_forms;
mod error_schema;
mod formats;
mod null;
mod objects;
mod operations;
mod parameters;
mod patterns;
mod places;
mod property_rules;
mod representations;
mod responses;
mod schemas;
mod shared;
mod union;
mod used;
mod uses;
mod variants;
mod versions;

use std::collections::{BTreeMap, BTreeSet};

use openapi_document::{
    Diagnostic, Document,
    pointer::{join, percent_decoded},
};
use proc_macro2::Ident;
use serde_json::{Map, Value};

pub(crate) use self::{bodies::json_of, error_schema::details_by_code};
use self::{conventions::Conventions, places::Place, property_rules::Written};
pub(super) use self::{
    error_forms::{is_whole_number, max_length},
    schemas::name_of,
};
use super::{
    config::Config,
    model::{ErrorForm, Model, Schema},
    names::upper_camel,
};

const SCHEMAS: &str = "/components/schemas";

/// A schema by its keywords.
type Keywords = Map<String, Value>;

/// Reads the document; the errors are the constructs that the generators do not support.
pub(super) fn read(
    document: &Document,
    released: &[String],
    config: &Config,
) -> Result<Model, Vec<Diagnostic>> {
    let mut reader = Reader::new(document, config);
    let model = reader.model(released);
    if reader.diagnostics.is_empty() { Ok(model) } else { Err(once_each(reader.diagnostics)) }
}

/// The names of the document that would be the same in the generated server or client, each with
/// both places; whatever else is not supported is ignored.
pub fn name_collisions(document: &Document, config: &Config) -> Vec<Diagnostic> {
    let mut reader = Reader::new(document, config);
    reader.model(&[]);
    once_each(reader.collisions)
}

/// An alias is read at each of its uses.
pub(super) fn once_each(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = BTreeSet::new();
    diagnostics.retain(|diagnostic| seen.insert(diagnostic.to_string()));
    diagnostics
}

struct Reader<'d> {
    document: &'d Document,
    config: &'d Config,
    conventions: Conventions,
    /// Components that are written out where they are used.
    aliases: BTreeSet<String>,
    /// The names of components whose uses are nullable.
    renamed: BTreeMap<String, String>,
    /// The aliases that are being written out.
    expanding: Vec<String>,
    /// Each name in Rust has the schema that was written for it, and its pointer.
    names: BTreeMap<String, (Keywords, String)>,
    /// Schemas in place with their names and pointers, in the order of their first use.
    added: Vec<(String, String, Option<Schema>)>,
    rules: Vec<Written>,
    /// The schemas of parameters and bodies by their pointers.
    places: BTreeMap<String, Place>,
    /// How errors are written; the first is the usual form.
    error_forms: Vec<ErrorForm>,
    /// The media types of responses that handlers write themselves, by their names in Rust.
    media_types: BTreeMap<String, String>,
    diagnostics: Vec<Diagnostic>,
    /// The diagnostics about names that would be the same in Rust.
    collisions: Vec<Diagnostic>,
    /// What the generated code does without.
    notes: Vec<Diagnostic>,
}

impl<'d> Reader<'d> {
    fn new(document: &'d Document, config: &'d Config) -> Self {
        let renamed = null::renamed(document);
        let schemas = document.value().pointer(SCHEMAS).and_then(Value::as_object);
        let (mut aliases, mut names) = (BTreeSet::new(), BTreeMap::new());
        for (component, schema) in schemas.into_iter().flatten() {
            let at = join(SCHEMAS, component);
            let name = renamed.get(component).unwrap_or(component);
            let name = config.names.get(&at).unwrap_or(name);
            let schema = null::without_null(document, schema);
            if is_alias(&schema) {
                aliases.insert(component.clone());
            } else {
                let known = (null::meaning(schema), at);
                names.insert(upper_camel(name), known);
            }
        }
        Self {
            document,
            config,
            conventions: Conventions::of(document),
            names,
            aliases,
            renamed,
            expanding: Vec::new(),
            added: Vec::new(),
            rules: Vec::new(),
            places: BTreeMap::new(),
            error_forms: Vec::new(),
            media_types: BTreeMap::new(),
            diagnostics: Vec::new(),
            collisions: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The model, which is complete unless something was reported.
    fn model(&mut self, released: &[String]) -> Model {
        let (mut schemas, pointers) = self.schemas();
        let usual = self.usual_error(&mut schemas);
        self.error_forms.push(usual);
        let scopes = self.scopes();
        let tags = self.tags();
        self.check_tags(&tags);
        let mut operations = self.operations(&schemas, &scopes);
        self.check_alternatives(&schemas, &pointers, &operations);
        let error_codes = self.error_codes(&operations);
        self.check_error_members(&schemas);
        let versions = self.versions(released);
        let mut config = self.config.clone();
        self.error_schema().clone_into(&mut config.error.schema);
        let media_types = std::mem::take(&mut self.media_types).into_iter().collect();
        let error_forms = std::mem::take(&mut self.error_forms);
        if self.diagnostics.is_empty() {
            variants::separate(&mut schemas, &mut operations, &error_forms);
            shared::share(&config, &mut schemas);
        }
        Model {
            config,
            media_types,
            schemas,
            operations,
            tags,
            error_codes,
            error_forms,
            scopes,
            versions,
            notes: once_each(std::mem::take(&mut self.notes)),
        }
    }

    fn report(&mut self, at: &str, problem: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.push(diagnostic(self.document, at, problem, Some(help.into())));
    }

    /// Notes a name, and reports it if another one is the same in Rust.
    fn check_name(&mut self, names: &mut Names, at: &str, name: &str) {
        if let Some((rust, (first, first_at))) = names.collision(at, name) {
            let (what, place) = (names.what, self.document.place(&first_at));
            let problem =
                format!("`{name}` would be {what} `{rust}`, and so would `{first}` at {place}");
            self.report_collision(at, problem, names.help);
        }
    }

    fn report_collision(&mut self, at: &str, problem: String, help: impl Into<String>) {
        let found = diagnostic(self.document, at, problem, Some(help.into()));
        self.collisions.push(found.clone());
        self.diagnostics.push(found);
    }

    /// The value at a pointer, references unresolved.
    fn written(&self, at: &str) -> Option<&'d Value> {
        self.document.value().pointer(at)
    }

    /// A component by its name, without null.
    fn component(&self, name: &str) -> Option<Keywords> {
        let written = self.written(&join(SCHEMAS, name));
        let written = written.or_else(|| self.written(&join(SCHEMAS, &format!("Nullable{name}"))));
        written.map(|schema| null::without_null(self.document, schema))
    }

    /// The members of the object at a pointer, if there is one.
    fn members(&self, at: &str) -> impl Iterator<Item = (&'d String, &'d Value)> + use<'d> {
        self.written(at).and_then(Value::as_object).into_iter().flatten()
    }

    /// Reports the keywords of a schema other than `known`, descriptions, examples and extensions.
    fn report_other_keywords(&mut self, at: &str, schema: &Keywords, known: &[&str]) {
        const ALWAYS: [&str; 4] = ["description", "example", "title", "type"];
        for keyword in schema.keys() {
            let is_known = ALWAYS.contains(&keyword.as_str()) || known.contains(&keyword.as_str());
            if is_known || keyword.starts_with("x-") {
                continue;
            }
            let problem =
                format!("`{keyword}` is not supported here: the generated code would lose it");
            let help = match known {
                [] => "leave it out".to_owned(),
                known => format!("leave it out; supported here: {}", known.join(", ")),
            };
            self.report(&join(at, keyword), problem, help);
        }
    }
}

/// Returns true for a component without a type of its own.
fn is_alias(schema: &Keywords) -> bool {
    if schema.contains_key("$ref") || compose::only_part(schema).is_some() {
        return true;
    }
    let is_composed = compose::keyword(schema).is_some();
    match schema.get("type").and_then(Value::as_str) {
        Some("array") => !is_composed,
        Some("boolean") => !is_composed && !formats::is_constant(schema),
        Some("number") => !is_composed && !formats::is_bounded(schema),
        None => {
            !is_composed
                && !schema.contains_key("properties")
                && !schema.contains_key("enum")
                && !schema.contains_key("additionalProperties")
                && !schema.contains_key("not")
        }
        _ => false,
    }
}

/// The component that a reference leads to.
fn component(schema: &Keywords) -> Option<String> {
    component_of(schema.get("$ref")?.as_str()?, "schemas")
}

/// A problem at a pointer of a rewritten document, with its place in the one that was written.
pub(crate) fn diagnostic(
    document: &Document,
    at: &str,
    problem: impl Into<String>,
    help: Option<String>,
) -> Diagnostic {
    Diagnostic {
        place: document.place(at),
        pointer: document.origin(at),
        problem: problem.into(),
        help,
    }
}

/// The text of a member, or an empty one.
fn text(object: &Keywords, member: &str) -> String {
    let text = object.get(member).and_then(Value::as_str);
    text.unwrap_or_default().trim().to_owned()
}

/// Names that must be different ones in Rust, in each of several ways to write them.
struct Names {
    rust_names: &'static [fn(&str) -> Ident],
    /// Their kind in messages, such as "the field".
    what: &'static str,
    help: &'static str,
    /// The name and the pointer of each name in Rust.
    seen: BTreeMap<(usize, Ident), (String, String)>,
}

impl Names {
    fn new(
        rust_names: &'static [fn(&str) -> Ident],
        what: &'static str,
        help: &'static str,
    ) -> Self {
        Self { rust_names, what, help, seen: BTreeMap::new() }
    }

    /// Notes a name; the first one with its pointer, if both are the same in Rust.
    fn collision(&mut self, at: &str, name: &str) -> Option<(Ident, (String, String))> {
        let noted = |(index, rust_name): (usize, &fn(&str) -> Ident)| {
            let rust = rust_name(name);
            let noted = (name.to_owned(), at.to_owned());
            Some((rust.clone(), self.seen.insert((index, rust), noted)?))
        };
        let found: Vec<_> = self.rust_names.iter().enumerate().filter_map(noted).collect();
        found.into_iter().next()
    }
}

/// The component's name in a reference.
fn component_of(reference: &str, section: &str) -> Option<String> {
    let pointer = percent_decoded(reference.strip_prefix('#')?)?;
    let name = pointer.strip_prefix("/components/")?.strip_prefix(section)?.strip_prefix('/')?;
    (!name.contains('/')).then(|| name.replace("~1", "/").replace("~0", "~"))
}
