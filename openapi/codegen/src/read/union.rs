//! Objects that a member tells apart, in the form that `lower` writes, and objects that contain
//! themselves.

use openapi_document::pointer::join;
use serde_json::{Map, Value};

use super::{Reader, component_of, schemas::rust_name};
use crate::model::{Kind, Schema, Type, Union};

/// `oneOf` with a discriminator that maps every value.
pub(super) fn of(schema: &Map<String, Value>) -> Option<Union> {
    let count = schema.get("oneOf")?.as_array()?.len();
    let discriminator = schema.get("discriminator")?;
    let mapping = discriminator.get("mapping")?.as_object()?;
    let variants = mapping.iter().map(|(value, reference)| {
        let component = component_of(reference.as_str()?, "schemas")?;
        Some((value.clone(), rust_name(&component, &Map::new())))
    });
    let variants: Vec<_> = variants.collect::<Option<_>>()?;
    let member = discriminator.get("propertyName")?.as_str()?.to_owned();
    (variants.len() == count).then_some(Union { member, variants })
}

impl Reader<'_> {
    /// Reports alternatives that are no objects with the member that tells them apart.
    pub(super) fn check_unions(&mut self, schemas: &[Schema], pointers: &[String]) {
        for (schema, at) in schemas.iter().zip(pointers) {
            let Kind::Union(union) = &schema.kind else {
                continue;
            };
            for (value, name) in &union.variants {
                let object = schemas.iter().find(|known| known.name == *name);
                let has_member = object.is_some_and(|object| match &object.kind {
                    Kind::Object(object) => object.fields.iter().any(|field| {
                        field.name == union.member && field.required && !field.nullable
                    }),
                    _ => false,
                });
                let is_repeated =
                    union.variants.iter().filter(|(_, other)| other == name).count() > 1;
                if !has_member || is_repeated {
                    let member = &union.member;
                    let problem = format!("`{name}` is not told apart by `{member}: {value}`");
                    let help = format!("let each be an object of its own that requires `{member}`");
                    self.report(&join(at, "oneOf"), problem, help);
                }
            }
        }
    }

    /// Reports objects that contain themselves other than in a list or a map: Rust has no such
    /// type.
    pub(super) fn check_size(&mut self, schemas: &[Schema], pointers: &[String]) {
        for (schema, at) in schemas.iter().zip(pointers) {
            let mut seen = vec![schema.name.as_str()];
            let mut pending = contained(schema);
            while let Some(name) = pending.pop() {
                if name == schema.name {
                    let problem = format!("`{name}` contains itself");
                    self.report(at, problem, "let it contain a list of itself, or an id");
                    break;
                }
                if !seen.contains(&name) {
                    seen.push(name);
                    let inner = schemas.iter().find(|known| known.name == name);
                    pending.extend(inner.map(contained).unwrap_or_default());
                }
            }
        }
    }
}

/// The schemas that a value of this one holds without a list or a map in between.
fn contained(schema: &Schema) -> Vec<&str> {
    match &schema.kind {
        Kind::Object(object) => {
            let named = object.fields.iter().filter_map(|field| match &field.value {
                Type::Named(name) => Some(name.as_str()),
                _ => None,
            });
            named.collect()
        }
        Kind::Union(union) => union.variants.iter().map(|(_, name)| name.as_str()).collect(),
        _ => Vec::new(),
    }
}
