//! OpenAPI 3.1 in the form of 3.0, right after the text is read, so that no other module knows 3.1.
//! Members keep their pointers, so they keep their places. What 3.0 cannot express is an error.

mod schema;

use serde_json::{Map, Value, json};

use crate::{
    error::{Diagnostic, DocumentError},
    pointer::join,
    source::Source,
    structure::{Kind, Shape},
};

/// The dialect of 3.1 without `jsonSchemaDialect`.
const BASE_DIALECT: &str = "https://spec.openapis.org/oas/3.1/dialect/base";

/// Rewrites the document; returns what is left out.
pub(crate) fn to_3_0(source: &mut Source) -> Result<Vec<Diagnostic>, DocumentError> {
    let mut value = source.value().clone();
    let mut rewrite = Rewrite { source, notes: Vec::new() };
    rewrite.visit(Kind::Document, "", &mut value)?;
    let notes = rewrite.notes;
    source.replace_value(value);
    Ok(notes)
}

struct Rewrite<'source> {
    source: &'source mut Source,
    notes: Vec<Diagnostic>,
}

impl Rewrite<'_> {
    /// Rewrites one object, then those inside of it.
    fn visit(&mut self, kind: Kind, at: &str, value: &mut Value) -> Result<(), DocumentError> {
        if kind == Kind::Schema {
            self.schema(at, value)?;
        }
        let Some(members) = value.as_object_mut() else {
            return Ok(());
        };
        match kind {
            Kind::Document => self.document(members)?,
            Kind::Components => self.components(at, members),
            Kind::Operation => {
                members.entry("responses").or_insert_with(|| json!({}));
            }
            // A reference has a `summary` and a `description` of its own, which change nothing.
            _ if members.get("$ref").is_some_and(Value::is_string) => return Ok(()),
            _ => {}
        }
        for (name, shape, kind) in kind.members() {
            if let Some(member) = members.get_mut(*name) {
                self.visit_member(*shape, *kind, &join(at, name), member)?;
            }
        }
        Ok(())
    }

    fn visit_member(
        &mut self,
        shape: Shape,
        kind: Kind,
        at: &str,
        member: &mut Value,
    ) -> Result<(), DocumentError> {
        match (shape, member) {
            (Shape::One, member) => self.visit(kind, at, member)?,
            (Shape::List, Value::Array(elements)) => {
                for (index, element) in elements.iter_mut().enumerate() {
                    self.visit(kind, &join(at, &index.to_string()), element)?;
                }
            }
            (Shape::Map | Shape::PatternedMap, Value::Object(members)) => {
                for (name, member) in members.iter_mut() {
                    if !(shape == Shape::PatternedMap && name.starts_with("x-")) {
                        self.visit(kind, &join(at, name), member)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn document(&mut self, members: &mut Map<String, Value>) -> Result<(), DocumentError> {
        if let Some(dialect) = members.shift_remove("jsonSchemaDialect")
            && dialect != BASE_DIALECT
        {
            let problem = format!("the JSON Schema dialect {dialect} is not supported");
            return Err(self
                .source
                .error("/jsonSchemaDialect", problem)
                .with_help("leave it out: the dialect of OpenAPI 3.1 is supported"));
        }
        members.insert("openapi".to_owned(), json!("3.0.3"));
        if members.shift_remove("webhooks").is_some() {
            self.note("/webhooks", "webhooks are not part of OpenAPI 3.0 and are left out");
        }
        members.entry("paths").or_insert_with(|| json!({}));
        if let Some(info) = members.get_mut("info").and_then(Value::as_object_mut) {
            info.shift_remove("summary");
            if let Some(license) = info.get_mut("license").and_then(Value::as_object_mut) {
                license.shift_remove("identifier");
            }
        }
        Ok(())
    }

    /// Leaves out security schemes that 3.0 lacks.
    fn components(&mut self, at: &str, members: &mut Map<String, Value>) {
        let schemes = members.get_mut("securitySchemes").and_then(Value::as_object_mut);
        let Some(schemes) = schemes else {
            return;
        };
        let at = join(at, "securitySchemes");
        schemes.retain(|name, scheme| {
            let is_unknown = scheme.get("type").and_then(Value::as_str) == Some("mutualTLS");
            if is_unknown {
                let problem = "`mutualTLS` is not part of OpenAPI 3.0 and is left out";
                self.note(&join(&at, name), problem);
            }
            !is_unknown
        });
    }

    fn note(&mut self, at: &str, problem: &str) {
        self.notes.push(Diagnostic {
            place: self.source.place(at),
            pointer: at.to_owned(),
            problem: problem.to_owned(),
            help: None,
        });
    }
}
