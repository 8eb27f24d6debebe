//! From the document to the model, with every refusal.
//!
//! It refuses whatever the generators do not know, each with its place and a way to mend it, all of them at once:
//! nothing wrong is generated silently.

mod codes;
mod operations;
mod parameters;
mod schemas;
mod types;

use payout_openapi::{Document, Refusal, pointer};
use serde_json::{Map, Value};

use super::model::Model;

/// Reads the document.
///
/// # Errors
/// Every construct that the generators do not support.
pub(super) fn read(document: &Document) -> Result<Model, Vec<Refusal>> {
    let mut reader = Reader {
        document,
        refusals: Vec::new(),
    };
    let schemas = reader.schemas();
    let scopes = reader.scopes();
    let tags = reader.tags();
    let operations = reader.operations(&schemas, &scopes, &tags);
    let error_codes = reader.error_codes();
    if !reader.refusals.is_empty() {
        return Err(reader.refusals);
    }
    Ok(Model {
        schemas,
        operations,
        tags,
        error_codes,
        scopes,
    })
}

/// The document, and what was refused so far.
struct Reader<'d> {
    document: &'d Document,
    refusals: Vec<Refusal>,
}

impl<'d> Reader<'d> {
    fn refuse(&mut self, at: &str, problem: impl Into<String>, mend: impl Into<String>) {
        self.refusals.push(Refusal {
            place: self.document.place(at),
            pointer: at.to_owned(),
            problem: problem.into(),
            mend: Some(mend.into()),
        });
    }

    /// What is written at a pointer, references unresolved.
    fn written(&self, at: &str) -> Option<&'d Value> {
        self.document.value().pointer(at)
    }

    /// The members of the object at a pointer; none where there is no object.
    fn members(&self, at: &str) -> impl Iterator<Item = (&'d String, &'d Value)> + use<'d> {
        self.written(at)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
    }

    /// Refuses every keyword of a schema that is not `known`; descriptions, examples and extensions always are.
    fn refuse_other_keywords(&mut self, at: &str, schema: &Map<String, Value>, known: &[&str]) {
        const ALWAYS: [&str; 4] = ["description", "example", "title", "type"];
        for keyword in schema.keys() {
            let is_known = ALWAYS.contains(&keyword.as_str()) || known.contains(&keyword.as_str());
            if is_known || keyword.starts_with("x-") {
                continue;
            }
            let problem =
                format!("`{keyword}` is not supported here: nothing generated would keep it");
            let mend = match known {
                [] => "leave it out".to_owned(),
                known => format!("leave it out; supported here: {}", known.join(", ")),
            };
            self.refuse(&pointer::join(at, keyword), problem, mend);
        }
    }
}

/// The text of a schema's, a parameter's or an operation's member; empty where it has none.
fn text(object: &Map<String, Value>, member: &str) -> String {
    let text = object.get(member).and_then(Value::as_str);
    text.unwrap_or_default().trim().to_owned()
}

/// The name that a reference to a component ends in.
fn component_of(reference: &str, section: &str) -> Option<String> {
    let name = reference
        .strip_prefix("#/components/")?
        .strip_prefix(section)?
        .strip_prefix('/')?;
    (!name.contains('/')).then(|| name.to_owned())
}
