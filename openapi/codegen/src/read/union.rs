//! Objects that a member tells apart, in the form that `lower` writes, and objects that contain
//! themselves.

use heck::ToUpperCamelCase;
use openapi_document::pointer::join;
use serde_json::{Map, Value};

use super::{Names, Reader, component_of, schemas::rust_name};
use crate::model::{Alternatives, Kind, Schema, Type, Union};

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
    /// `oneOf` and `anyOf` without such a member.
    pub(super) fn alternatives(
        &mut self,
        at: &str,
        schema: &Map<String, Value>,
    ) -> Option<Alternatives> {
        let is_exclusive = schema.contains_key("oneOf");
        let keyword = if is_exclusive { "oneOf" } else { "anyOf" };
        let alternatives = schema.get(keyword)?.as_array()?;
        self.report_other_keywords(at, schema, &[keyword, "nullable"]);
        let mut names = Names::new(|name| name.to_upper_camel_case());
        let mut variants = Vec::new();
        for (index, alternative) in alternatives.iter().enumerate() {
            let at = join(&join(at, keyword), &index.to_string());
            let Some(used) = self.property(&at, alternative) else {
                continue;
            };
            self.report_property_keywords(&at);
            if used.nullable {
                let help = "write `nullable` beside the alternatives";
                self.report(&at, "a nullable alternative is not supported", help);
            }
            let name = variant(&used.value);
            if names.collision(&name).is_some() {
                let problem = format!("two alternatives would both be the variant `{name}`");
                self.report(&at, problem, "name one of them under `components/schemas`");
            }
            variants.push((name, used.value));
        }
        Some(Alternatives { is_exclusive, variants })
    }

    /// Reports objects that a value can be several of, because one type would lose the properties
    /// of another.
    pub(super) fn check_alternatives(&mut self, schemas: &[Schema], pointers: &[String]) {
        for (schema, at) in schemas.iter().zip(pointers) {
            let Kind::Alternatives(alternatives) = &schema.kind else {
                continue;
            };
            let variants = alternatives.variants.iter();
            let structured = variants.filter(|(_, value)| value.is_structured(schemas)).count();
            if !alternatives.is_exclusive && structured > 1 {
                let problem = "`anyOf` of several objects is not supported: one type for a value \
                               that is two of them would lose properties";
                self.report(&join(at, "anyOf"), problem, "write `oneOf`, or one object");
            }
        }
    }

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
        Kind::Alternatives(alternatives) => {
            let types = alternatives.variants.iter().filter_map(|(_, value)| match value {
                Type::Named(name) => Some(name.as_str()),
                _ => None,
            });
            types.collect()
        }
        _ => Vec::new(),
    }
}

/// The name of an alternative in Rust.
fn variant(value: &Type) -> String {
    match value {
        Type::Named(name) => name.clone(),
        Type::String => "Text".to_owned(),
        Type::Boolean => "Boolean".to_owned(),
        Type::Integer32 | Type::Integer64 => "Integer".to_owned(),
        Type::Number => "Number".to_owned(),
        Type::Any => "Any".to_owned(),
        Type::List { items, .. } => format!("{}List", variant(items)),
    }
}
