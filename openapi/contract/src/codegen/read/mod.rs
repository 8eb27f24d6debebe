//! From the document to the model, or to diagnostics: one for each construct that the generators do
//! not support, with its place and a fix, all at once.

mod bodies;
mod codes;
mod compose;
mod conventions;
mod error_schema;
mod formats;
mod null;
mod objects;
mod operations;
mod parameters;
mod patterns;
mod places;
mod property_rules;
mod responses;
mod schemas;
mod union;
mod used;
mod uses;
mod variants;
mod versions;

use std::collections::{BTreeMap, BTreeSet};

use heck::ToUpperCamelCase;
use openapi_document::{Diagnostic, Document, pointer::join};
use serde_json::{Map, Value};

pub(crate) use self::{bodies::json_of, error_schema::details_by_code};
use self::{conventions::Conventions, places::Place, property_rules::Written};
use super::{
    config::Config,
    model::{Model, Schema},
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
    let (mut schemas, pointers) = reader.schemas();
    reader.error_schema = reader.error_schema(&mut schemas);
    let scopes = reader.scopes();
    let tags = reader.tags();
    reader.check_tags(&tags);
    let mut operations = reader.operations(&schemas, &scopes);
    reader.check_alternatives(&schemas, &pointers, &operations);
    let error_codes = reader.error_codes(&operations);
    let versions = reader.versions(released);
    if !reader.diagnostics.is_empty() {
        // An alias is read at each of its uses.
        let mut seen = BTreeSet::new();
        reader.diagnostics.retain(|diagnostic| seen.insert(diagnostic.to_string()));
        return Err(reader.diagnostics);
    }
    variants::separate(&mut schemas, &mut operations, &reader.error_schema);
    let mut config = config.clone();
    config.error.schema = reader.error_schema;
    let media_types = reader.media_types.into_iter().collect();
    Ok(Model { config, media_types, schemas, operations, tags, error_codes, scopes, versions })
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
    /// Each name in Rust has the schema that was written for it; null for a component.
    names: BTreeMap<String, Value>,
    /// Schemas in place with their names and pointers, in the order of their first use.
    added: Vec<(String, String, Option<Schema>)>,
    rules: Vec<Written>,
    /// The schemas of parameters and bodies by their pointers.
    places: BTreeMap<String, Place>,
    /// The name in Rust of the schema of errors.
    error_schema: String,
    /// The media types of responses that handlers write themselves, by their names in Rust.
    media_types: BTreeMap<String, String>,
    diagnostics: Vec<Diagnostic>,
}

impl<'d> Reader<'d> {
    fn new(document: &'d Document, config: &'d Config) -> Self {
        let renamed = null::renamed(document);
        let schemas = document.value().pointer(SCHEMAS).and_then(Value::as_object);
        let (mut aliases, mut names) = (BTreeSet::new(), BTreeMap::new());
        for (component, schema) in schemas.into_iter().flatten() {
            let name = renamed.get(component).unwrap_or(component);
            if is_alias(&null::without_null(document, schema)) {
                aliases.insert(component.clone());
            } else {
                names.insert(name.to_upper_camel_case(), Value::Null);
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
            error_schema: String::new(),
            media_types: BTreeMap::new(),
            diagnostics: Vec::new(),
        }
    }

    fn report(&mut self, at: &str, problem: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.push(diagnostic(self.document, at, problem, help));
    }

    /// Notes a name, and reports it if another one is the same in Rust.
    fn check_name(&mut self, names: &mut Names, at: &str, name: &str) {
        if let Some(problem) = names.collision(name) {
            self.report(at, problem, names.help);
        }
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
fn diagnostic(
    document: &Document,
    at: &str,
    problem: impl Into<String>,
    help: impl Into<String>,
) -> Diagnostic {
    Diagnostic {
        place: document.place(at),
        pointer: document.origin(at),
        problem: problem.into(),
        help: Some(help.into()),
    }
}

/// The text of a member, or an empty one.
fn text(object: &Keywords, member: &str) -> String {
    let text = object.get(member).and_then(Value::as_str);
    text.unwrap_or_default().trim().to_owned()
}

/// Names that must be different ones in Rust.
struct Names {
    rust_name: fn(&str) -> String,
    /// Their kind in messages, such as "the field".
    what: &'static str,
    help: &'static str,
    seen: BTreeMap<String, String>,
}

impl Names {
    fn new(rust_name: fn(&str) -> String, what: &'static str, help: &'static str) -> Self {
        Self { rust_name, what, help, seen: BTreeMap::new() }
    }

    /// Notes a name; the problem, if another one is the same in Rust.
    fn collision(&mut self, name: &str) -> Option<String> {
        let rust = (self.rust_name)(name);
        let first = self.seen.insert(rust.clone(), name.to_owned())?;
        Some(format!("`{first}` and `{name}` would both be {} `{rust}`", self.what))
    }
}

/// The component's name in a reference.
fn component_of(reference: &str, section: &str) -> Option<String> {
    let name = reference.strip_prefix("#/components/")?.strip_prefix(section)?.strip_prefix('/')?;
    (!name.contains('/')).then(|| name.to_owned())
}
