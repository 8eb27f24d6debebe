//! Objects that a member tells apart, in the form that `lower` writes, and objects that contain
//! themselves.

use std::collections::{BTreeMap, BTreeSet};

use openapi_document::pointer::join;
use serde_json::{Map, Value};

use super::{Reader, component_of, schemas::rust_name};
use crate::codegen::model::{Alternatives, Kind, Operation, Schema, Type, Union, object, reached};

/// `oneOf` with a discriminator that maps every value.
pub(super) fn of(schema: &Map<String, Value>) -> Option<Union> {
    let count = schema.get("oneOf")?.as_array()?.len();
    let discriminator = schema.get("discriminator")?;
    let mapping = discriminator.get("mapping")?.as_object()?;
    let variants = mapping.iter().map(|(value, reference)| {
        let component = component_of(reference.as_str()?, "schemas")?;
        Some((value.clone(), rust_name(&component)))
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
        self.report_other_keywords(at, schema, &[keyword]);
        let mut names = BTreeSet::new();
        let mut variants = Vec::new();
        for (index, alternative) in alternatives.iter().enumerate() {
            let at = join(&join(at, keyword), &index.to_string());
            let Some(used) = self.property(&at, alternative) else {
                continue;
            };
            self.report_property_keywords(&at);
            let value = used.in_a_whole();
            let mut name = variant(&value);
            if !names.insert(name.clone()) {
                if is_exclusive {
                    let problem = format!("two alternatives would both be the variant `{name}`");
                    self.report(&at, problem, "write `anyOf`, or leave one of them out");
                }
                name = format!("{name}{}", index + 1);
                names.insert(name.clone());
            }
            variants.push((name, value));
        }
        Some(Alternatives { is_exclusive, variants })
    }

    /// Reports objects that a value of a request can be several of, because one type would lose
    /// the properties of another. In a response the handler chooses one.
    pub(super) fn check_alternatives(
        &mut self,
        schemas: &[Schema],
        pointers: &[String],
        operations: &[Operation],
    ) {
        let bodies = operations.iter().filter_map(|operation| operation.body.as_ref());
        let parameters = operations.iter().flat_map(|operation| &operation.parameters);
        let given = bodies.chain(parameters.map(|parameter| &parameter.value));
        let read = reached(schemas, given.filter_map(Type::name));
        for (schema, at) in schemas.iter().zip(pointers) {
            let Kind::Alternatives(alternatives) = &schema.kind else {
                continue;
            };
            if !read.contains(schema.name.as_str()) {
                continue;
            }
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
                let has_member = object(schemas, name).is_some_and(|object| {
                    object.fields.iter().any(|field| {
                        field.name == union.member && field.required && !field.nullable
                    })
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

    /// Boxes the fields of objects that contain their object again. Only a type that contains
    /// itself without an object in between has no values.
    pub(super) fn box_cycles(&mut self, schemas: &mut [Schema], pointers: &[String]) {
        let contained: BTreeMap<String, BTreeSet<String>> =
            schemas.iter().map(|schema| (schema.name.clone(), contained(schema))).collect();
        let reached = |name: &str, contained: &BTreeMap<String, BTreeSet<String>>| {
            let mut reached: BTreeSet<String> = BTreeSet::new();
            let mut pending: Vec<&str> = vec![name];
            while let Some(name) = pending.pop() {
                for inner in contained.get(name).into_iter().flatten() {
                    if reached.insert(inner.clone()) {
                        pending.push(inner);
                    }
                }
            }
            reached
        };
        let mut without_objects = BTreeMap::new();
        for schema in schemas.iter_mut() {
            let Kind::Object(object) = &mut schema.kind else {
                without_objects.insert(schema.name.clone(), contained[&schema.name].clone());
                continue;
            };
            let named = object.fields.iter_mut().filter_map(|field| match &field.value {
                Type::Named(name) => Some((name.clone(), &mut field.value)),
                _ => None,
            });
            for (name, value) in named {
                if name == schema.name || reached(&name, &contained).contains(&schema.name) {
                    *value = Type::Boxed(name);
                }
            }
        }
        for (schema, at) in schemas.iter_mut().zip(pointers) {
            let is_itself = reached(&schema.name, &without_objects).contains(&schema.name);
            if let Kind::Alternatives(alternatives) = &mut schema.kind
                && is_itself
            {
                let problem = format!("`{}` is an alternative of itself", schema.name);
                self.report(at, problem, "leave that alternative out");
                alternatives.variants.clear();
            }
        }
    }
}

/// The schemas that a value of this one holds without a list or a map in between.
fn contained(schema: &Schema) -> BTreeSet<String> {
    let names: Vec<&str> = match &schema.kind {
        Kind::Object(object) => {
            object.fields.iter().filter_map(|field| held(&field.value)).collect()
        }
        Kind::Union(union) => union.variants.iter().map(|(_, name)| name.as_str()).collect(),
        Kind::Alternatives(alternatives) => {
            alternatives.variants.iter().filter_map(|(_, value)| held(value)).collect()
        }
        _ => Vec::new(),
    };
    names.into_iter().map(str::to_owned).collect()
}

fn held(value: &Type) -> Option<&str> {
    match value {
        Type::Named(name) => Some(name),
        Type::Nullable(value) => held(value),
        _ => None,
    }
}

/// The name of an alternative in Rust.
fn variant(value: &Type) -> String {
    match value {
        Type::Named(name) | Type::Boxed(name) | Type::Content(name) => name.clone(),
        Type::Nullable(value) => variant(value),
        Type::Bytes => "Bytes".to_owned(),
        Type::String => "Text".to_owned(),
        Type::Boolean => "Boolean".to_owned(),
        Type::Integer32 | Type::Integer64 => "Integer".to_owned(),
        Type::Number => "Number".to_owned(),
        Type::Any => "Any".to_owned(),
        Type::List { items, .. } => format!("{}List", variant(items)),
    }
}
