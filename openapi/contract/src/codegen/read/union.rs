//! Unions: objects that a member tells apart. Checks of unions and alternatives, and objects that
//! contain themselves.

use std::collections::{BTreeMap, BTreeSet};

use openapi_document::{Discriminator, Fault, Form, pointer::join};
use serde_json::{Value, json};

use super::{
    Keywords, Reader,
    used::{Site, Use},
};
use crate::codegen::{
    model::{Kind, Operation, Schema, Type, Union, object, reached},
    names::upper_camel,
};

impl Reader<'_> {
    /// Objects with a discriminator, or objects of `oneOf` with a member that is another constant
    /// in each.
    pub(super) fn told_apart(
        &mut self,
        at: &str,
        schema: &Keywords,
        keyword: &str,
        name: &str,
    ) -> Option<Union> {
        let Discriminator { property: member, forms, .. } = self.forms(at, schema, keyword)?;
        let mut variants = Vec::new();
        for Form { names, pointer } in forms {
            let alternative = self.written(&pointer)?;
            let hint = format!("{name}-{}", upper_camel(names.first()?));
            let site = Site::new(&pointer, &hint, Use::Alternative);
            let Type::Named(object) = self.used(site, alternative)?.value else { return None };
            variants.push((names, object));
        }
        Some(Union { member, variants })
    }

    /// The discriminator, or what takes its place.
    fn forms(&mut self, at: &str, schema: &Keywords, keyword: &str) -> Option<Discriminator> {
        if schema.contains_key("discriminator") {
            let found = self.document.discriminator(at).filter(|found| found.is_union)?;
            for Fault { pointer, problem, fix } in &found.faults {
                self.report(pointer, problem.as_str(), fix.as_str());
            }
            return found.faults.is_empty().then_some(found);
        }
        let alternatives = schema.get(keyword)?.as_array()?.iter().enumerate();
        let alternatives = alternatives.filter(|(_, it)| keyword == "oneOf" && !it.is_null());
        let list = join(at, keyword);
        let pointers: Vec<String> =
            alternatives.map(|(index, _)| join(&list, &index.to_string())).collect();
        let property = self.member_with_constants(&pointers)?;
        let form = |pointer: String| {
            Some(Form { names: vec![self.constant_of(&pointer, &property)?], pointer })
        };
        let forms = pointers.into_iter().filter_map(form).collect();
        Some(Discriminator { property, is_union: true, forms, faults: Vec::new() })
    }

    /// The required member that is a constant in every alternative, and never the same one.
    fn member_with_constants(&self, pointers: &[String]) -> Option<String> {
        let first = self.document.resolve(pointers.first()?).ok()?.value;
        let mut names = first.get("properties")?.as_object()?.keys();
        let found = names.find(|name| {
            let constants = pointers.iter().map(|pointer| self.constant_of(pointer, name));
            let constants: Option<Vec<String>> = constants.collect();
            constants.is_some_and(|mut constants| {
                constants.sort();
                constants.windows(2).all(|pair| pair[0] != pair[1])
            })
        });
        found.cloned()
    }

    fn constant_of(&self, pointer: &str, member: &str) -> Option<String> {
        let object = self.document.resolve(pointer).ok()?;
        let is_required = object.value.get("required")?.as_array()?.contains(&json!(member));
        let property = join(&join(&object.pointer, "properties"), member);
        let property = self.document.resolve(&property).ok()?.value;
        match property.get("enum")?.as_array()?.as_slice() {
            [Value::String(constant)] if is_required => Some(constant.clone()),
            _ => None,
        }
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
            for (values, name) in &union.variants {
                let has_member = object(schemas, name).is_some_and(|object| {
                    object.fields.iter().any(|field| {
                        field.name == union.member && field.required && !field.nullable
                    })
                });
                let is_repeated =
                    union.variants.iter().filter(|(_, other)| other == name).count() > 1;
                if !has_member || is_repeated {
                    let (member, value) = (&union.member, &values[0]);
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
pub(super) fn variant(value: &Type) -> String {
    match value {
        Type::Named(name) | Type::Boxed(name) | Type::Content(name) => name.clone(),
        Type::Nullable(value) => variant(value),
        Type::Bytes | Type::File => "Bytes".to_owned(),
        Type::String => "Text".to_owned(),
        Type::Boolean => "Boolean".to_owned(),
        Type::Integer32 | Type::Integer64 => "Integer".to_owned(),
        Type::Number => "Number".to_owned(),
        Type::Any => "Any".to_owned(),
        Type::List { items, .. } => format!("{}List", variant(items)),
    }
}
