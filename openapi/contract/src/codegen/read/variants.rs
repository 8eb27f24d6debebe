//! Schemas that are another type in requests than in responses: a request has no `readOnly`
//! properties, a response no `writeOnly` ones, and the files of a form are bytes. A schema with one
//! use is changed in place; of one with both, requests get a type of their own.

use std::collections::{BTreeMap, BTreeSet};

use crate::codegen::model::{
    BodyFormat, ErrorForm, Field, Kind, Object, Operation, Part, Rule, Schema, Type, reached,
};

/// Separates requests from responses, to which the errors belong.
pub(super) fn separate(
    schemas: &mut Vec<Schema>,
    operations: &mut [Operation],
    errors: &[ErrorForm],
) {
    let marked = |is_marked: fn(&Field) -> bool| containing(schemas, is_marked);
    let (read_only, write_only) = (marked(|it| it.read_only), marked(|it| it.write_only));
    if !read_only.is_empty() || !write_only.is_empty() {
        let names = |types: Vec<&Type>| -> BTreeSet<String> {
            let names = types.into_iter().filter_map(Type::name);
            reached(schemas, names).into_iter().map(str::to_owned).collect()
        };
        let requests = names(operations.iter().flat_map(sent).collect());
        let errors = errors.iter().filter_map(|error| match error {
            ErrorForm::Json { schema, .. } => Some(Type::Named(schema.clone())),
            ErrorForm::Text(_) | ErrorForm::Empty => None,
        });
        let errors: Vec<Type> = errors.collect();
        let received = operations.iter().flat_map(received);
        let responses = names(received.chain(&errors).collect());
        let is_split = |name: &&String| {
            responses.contains(*name) && (read_only.contains(*name) || write_only.contains(*name))
        };
        let mut renamed = BTreeMap::new();
        for name in requests.iter().filter(is_split) {
            let copy = copy(schemas, name, "Request");
            renamed.insert(name.clone(), copy.name.clone());
            insert_after(schemas, name, copy);
        }
        let rename = |name: &mut String| {
            if let Some(other) = renamed.get(name) {
                name.clone_from(other);
            }
        };
        let is_copy = |name: &String| renamed.values().any(|copy| copy == name);
        for schema in schemas.iter_mut() {
            if is_copy(&schema.name)
                || requests.contains(&schema.name) && !responses.contains(&schema.name)
            {
                schema.kind.rename(&rename);
                drop_fields(&mut schema.kind, |field| field.read_only);
            } else if responses.contains(&schema.name) {
                drop_fields(&mut schema.kind, |field| field.write_only);
            }
        }
        for operation in operations.iter_mut() {
            let parameters = operation.parameters.iter_mut().map(|parameter| &mut parameter.value);
            parameters.chain(&mut operation.body).for_each(|value| value.rename(&rename));
        }
    }
    separate_files(schemas, operations);
}

/// Makes the files of forms bytes.
fn separate_files(schemas: &mut Vec<Schema>, operations: &mut [Operation]) {
    for index in 0..operations.len() {
        let files = files(&operations[index].body_formats);
        let Some(Type::Named(name)) = operations[index].body.clone() else { continue };
        if files.is_empty() {
            continue;
        }
        let others = operations.iter().enumerate().flat_map(|(at, other)| {
            let sent = sent(other).filter(move |_| at != index);
            sent.chain(received(other))
        });
        let is_used = others.filter_map(Type::name).any(|other| other == name)
            || schemas.iter().any(|schema| schema.kind.names().contains(&name.as_str()));
        let mut form = name.clone();
        if is_used {
            let copy = copy(schemas, &name, "Form");
            form.clone_from(&copy.name);
            insert_after(schemas, &name, copy);
            operations[index].body = Some(Type::Named(form.clone()));
        }
        let schema = schemas.iter_mut().find(|schema| schema.name == form);
        if let Some(Kind::Object(object)) = schema.map(|schema| &mut schema.kind) {
            for field in object.fields.iter_mut().filter(|field| files.contains(&field.name)) {
                match &mut field.value {
                    Type::List { items, .. } => **items = Type::File,
                    value => *value = Type::File,
                }
            }
        }
    }
}

fn files(formats: &[BodyFormat]) -> BTreeSet<String> {
    let parts = formats.iter().flat_map(|format| &format.parts);
    let files = parts.filter(|(_, part)| matches!(part, Part::File { .. }));
    files.map(|(name, _)| name.clone()).collect()
}

fn sent(operation: &Operation) -> impl Iterator<Item = &Type> {
    operation.parameters.iter().map(|parameter| &parameter.value).chain(&operation.body)
}

fn received(operation: &Operation) -> impl Iterator<Item = &Type> {
    let representations = operation.replies().flat_map(|reply| &reply.representations);
    representations.map(|representation| &representation.value)
}

/// The schemas with such a property, and those that contain one of them.
fn containing(schemas: &[Schema], is_marked: fn(&Field) -> bool) -> BTreeSet<String> {
    let has_field = |schema: &&Schema| match &schema.kind {
        Kind::Object(object) => object.fields.iter().any(is_marked),
        _ => false,
    };
    let mut found: BTreeSet<String> =
        schemas.iter().filter(has_field).map(|schema| schema.name.clone()).collect();
    loop {
        let count = found.len();
        for schema in schemas {
            if schema.kind.names().iter().any(|name| found.contains(*name)) {
                found.insert(schema.name.clone());
            }
        }
        if found.len() == count {
            return found;
        }
    }
}

fn drop_fields(kind: &mut Kind, is_dropped: fn(&Field) -> bool) {
    let Kind::Object(Object { fields, rules, ignored, .. }) = kind else { return };
    ignored.extend(fields.iter().filter(|it| is_dropped(it)).map(|field| field.name.clone()));
    fields.retain(|field| !is_dropped(field));
    rules.retain(|rule| !fields_of(rule).iter().any(|name| ignored.contains(name)));
}

fn fields_of(rule: &Rule) -> Vec<&String> {
    match rule {
        Rule::NotZero { field } | Rule::NotNegative { field } | Rule::Within { field, .. } => {
            vec![field]
        }
        Rule::LaterThan { field, other }
        | Rule::RequiredWhen { field, other, .. }
        | Rule::ExcludedBy { field, other } => vec![field, other],
    }
}

/// A copy of a schema with a name of its own.
fn copy(schemas: &[Schema], name: &str, suffix: &str) -> Schema {
    let original = schemas.iter().find(|schema| schema.name == name);
    let mut copy = original.expect("the schema was reached").clone();
    copy.name = format!("{name}{suffix}");
    copy
}

fn insert_after(schemas: &mut Vec<Schema>, name: &str, copy: Schema) {
    let index = schemas.iter().position(|schema| schema.name == name);
    schemas.insert(index.map_or(schemas.len(), |index| index + 1), copy);
}
