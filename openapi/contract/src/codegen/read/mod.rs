//! From the document to the model, or to diagnostics: one for each construct that the generators do
//! not support, with its place and a fix, all at once.

mod bodies;
mod codes;
mod conventions;
mod error_schema;
mod lower;
mod null;
mod objects;
mod operations;
mod parameters;
mod patterns;
mod property_rules;
mod responses;
mod schemas;
mod types;
mod union;
mod versions;

use std::collections::BTreeMap;

use openapi_document::{Diagnostic, Document, pointer};
use serde_json::{Map, Value};

use self::conventions::Conventions;
pub(crate) use self::{bodies::json_of, error_schema::details_by_code};
use super::{config::Config, model::Model};

/// Rewrites and reads the document; the errors are the constructs that the generators do not
/// support.
pub(super) fn read(
    document: &Document,
    released: &[String],
    config: &Config,
) -> Result<Model, Vec<Diagnostic>> {
    let (document, mut diagnostics) = null::at_uses(document).map_err(|found| vec![found])?;
    let (lowered, others) = lower::lower(&document, config).map_err(|found| vec![found])?;
    diagnostics.extend(others);
    match read_lowered(&lowered, released, config) {
        Ok(model) if diagnostics.is_empty() => Ok(model),
        Ok(_) => Err(diagnostics),
        Err(others) => {
            diagnostics.extend(others);
            Err(diagnostics)
        }
    }
}

/// Reads a document that `lower` has rewritten.
fn read_lowered(
    document: &Document,
    released: &[String],
    config: &Config,
) -> Result<Model, Vec<Diagnostic>> {
    let conventions = Conventions::of(document);
    let mut reader = Reader {
        document,
        config,
        conventions,
        error_schema: String::new(),
        media_types: BTreeMap::new(),
        diagnostics: Vec::new(),
    };
    let (mut schemas, pointers) = reader.schemas();
    reader.error_schema = reader.error_schema(&mut schemas);
    let scopes = reader.scopes();
    let tags = reader.tags();
    reader.check_tags(&tags);
    let operations = reader.operations(&schemas, &scopes);
    reader.check_alternatives(&schemas, &pointers, &operations);
    let error_codes = reader.error_codes(&operations);
    let versions = reader.versions(released);
    if !reader.diagnostics.is_empty() {
        return Err(reader.diagnostics);
    }
    let mut config = config.clone();
    config.error.schema = reader.error_schema;
    let media_types = reader.media_types.into_iter().collect();
    Ok(Model { config, media_types, schemas, operations, tags, error_codes, scopes, versions })
}

struct Reader<'d> {
    document: &'d Document,
    config: &'d Config,
    conventions: Conventions,
    /// The name in Rust of the schema of errors.
    error_schema: String,
    /// The media types of responses that handlers write themselves, by their names in Rust.
    media_types: BTreeMap<String, String>,
    diagnostics: Vec<Diagnostic>,
}

impl<'d> Reader<'d> {
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

    /// The members of the object at a pointer, if there is one.
    fn members(&self, at: &str) -> impl Iterator<Item = (&'d String, &'d Value)> + use<'d> {
        self.written(at).and_then(Value::as_object).into_iter().flatten()
    }

    /// Reports the keywords of a schema other than `known`, descriptions, examples and extensions.
    fn report_other_keywords(&mut self, at: &str, schema: &Map<String, Value>, known: &[&str]) {
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
            self.report(&pointer::join(at, keyword), problem, help);
        }
    }
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
fn text(object: &Map<String, Value>, member: &str) -> String {
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
