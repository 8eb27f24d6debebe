//! The discriminator of a schema: which values of the member name which form. The forms are the
//! schemas of `oneOf` or `anyOf`; without either, the components that have the schema in `allOf`.
//!
//! A form has every name that `mapping` gives it. Without one it has the values of the member's own
//! `enum`, where that excludes the name of the component, and else the name of the component.

use serde_json::Value;

use super::null::{self, Question};
use crate::{
    pointer::{self, join},
    source::{Resolved, Source},
};

const SCHEMAS: &str = "/components/schemas";

/// A deeper `allOf` is not followed.
const MAX_DEPTH: usize = 32;

/// The forms of a schema, which a member tells apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discriminator {
    /// The name of the member.
    pub property: String,
    /// True if the forms are those of `oneOf` or `anyOf`.
    pub is_union: bool,
    pub forms: Vec<Form>,
    /// Contradictions: without any, each form has a name that no other form has.
    pub faults: Vec<Fault>,
}

/// One form, without null.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Each value of the member that names this form.
    pub names: Vec<String>,
    /// The pointer of the schema as written, such as `…/oneOf/0`.
    pub pointer: String,
}

/// A contradiction in a discriminator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub pointer: String,
    pub problem: String,
    pub fix: String,
}

impl Discriminator {
    /// Reads the discriminator of a schema, of which `at` is the pointer; `None` without one.
    pub(crate) fn of(source: &Source, at: &str, schema: &Value) -> Option<Self> {
        let written = schema.get("discriminator")?;
        let property = written.get("propertyName")?.as_str()?.to_owned();
        let union = ["oneOf", "anyOf"].into_iter().find(|keyword| schema.get(keyword).is_some());
        let forms = match union {
            Some(keyword) => alternatives(source, &join(at, keyword), schema.get(keyword)?),
            None => subtypes(source, at),
        };
        let forms = forms.into_iter().map(|pointer| Form { names: Vec::new(), pointer }).collect();
        let mut found = Self { property, is_union: union.is_some(), forms, faults: Vec::new() };
        found.read_mapping(source, at, written.get("mapping"));
        for index in 0..found.forms.len() {
            found.name(source, index);
        }
        found.check_unique();
        Some(found)
    }

    fn fault(&mut self, pointer: &str, problem: String, fix: impl Into<String>) {
        self.faults.push(Fault { pointer: pointer.to_owned(), problem, fix: fix.into() });
    }

    fn read_mapping(&mut self, source: &Source, at: &str, mapping: Option<&Value>) {
        let mapping_at = join(&join(at, "discriminator"), "mapping");
        for (name, target) in mapping.and_then(Value::as_object).into_iter().flatten() {
            let (here, target) = (join(&mapping_at, name), target.as_str().unwrap_or_default());
            let Some(schema) = schema_of(source, target) else {
                let problem = format!("`{name}` is mapped to `{target}`, which is no schema here");
                let fix = "name a component, such as `#/components/schemas/Name`";
                self.fault(&here, problem, fix);
                continue;
            };
            let leads_there = |form: &&mut Form| targets(source, &form.pointer).contains(&schema);
            if let Some(form) = self.forms.iter_mut().find(leads_there) {
                form.names.push(name.clone());
            } else if self.is_union || schema != at {
                let (whose, fix) = match self.is_union {
                    true => ("is none of the alternatives", "add it to them"),
                    false => ("has not this schema in `allOf`", "add it there"),
                };
                let problem = format!("`{name}` is mapped to `{target}`, which {whose}");
                self.fault(&here, problem, format!("{fix}, or remove the name"));
            }
        }
    }

    /// Gives a form without a mapping its names, and checks them.
    fn name(&mut self, source: &Source, index: usize) {
        let (property, form) = (self.property.clone(), self.forms[index].clone());
        let member = Member::of(source, &form.pointer, &property);
        let excluded = |name: &String| member.values.as_ref().is_some_and(|it| !it.contains(name));
        let mut names = form.names;
        if names.is_empty() {
            let component = component(source, &form.pointer);
            names = match (component.filter(|name| !excluded(name)), &member.values) {
                (Some(component), _) => vec![component],
                (None, Some(values)) if member.is_required => values.clone(),
                _ => Vec::new(),
            };
            self.forms[index].names.clone_from(&names);
        }
        if let Some(name) = names.iter().find(|name| excluded(name)) {
            let problem = format!("`{property}: {name}` names this form, whose `enum` excludes it");
            self.fault(&form.pointer, problem, "let mapping and `enum` have the same values");
        } else if names.is_empty() {
            let problem = format!("no value of `{property}` names this form");
            let fix =
                format!("refer to a component, or let it require `{property}` with an `enum`");
            self.fault(&form.pointer, problem, fix);
        } else if self.is_union && !member.is_required {
            let name = &names[0];
            let problem = format!("this form is not told apart by `{property}: {name}`");
            let fix = format!("let each form be an object that requires `{property}`");
            self.fault(&form.pointer, problem, fix);
        }
    }

    fn check_unique(&mut self) {
        let mut repeated = Vec::new();
        for (index, form) in self.forms.iter().enumerate() {
            let earlier = || self.forms[..index].iter().flat_map(|other| &other.names);
            let name = form.names.iter().find(|name| earlier().any(|other| other == *name));
            repeated.extend(name.map(|name| (form.pointer.clone(), name.clone())));
        }
        for (pointer, name) in repeated {
            let problem = format!("`{}: {name}` names two forms", self.property);
            self.fault(&pointer, problem, "give each its own name in `mapping`");
        }
    }
}

fn alternatives(source: &Source, list: &str, written: &Value) -> Vec<String> {
    let all = written.as_array().into_iter().flatten().enumerate();
    let others = all.filter(|(_, one)| !null::answer(source, Question::Alone, one));
    others.map(|(index, _)| join(list, &index.to_string())).collect()
}

/// The components that have this one in `allOf`, directly or by another one.
fn subtypes(source: &Source, base: &str) -> Vec<String> {
    let all = source.value().pointer(SCHEMAS).and_then(Value::as_object);
    let mut known = vec![base.to_owned()];
    let mut index = 0;
    while let Some(base) = known.get(index).cloned() {
        for (name, schema) in all.into_iter().flatten() {
            let parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
            let references = parts.filter_map(pointer::reference_in);
            let mut targets = references.filter_map(pointer::of_local_reference);
            let pointer = join(SCHEMAS, name);
            if !known.contains(&pointer) && targets.any(|target| target == base) {
                known.push(pointer);
            }
        }
        index += 1;
    }
    known.split_off(1)
}

/// The pointer of the schema that a mapping names, by a reference or by the component's name.
fn schema_of(source: &Source, target: &str) -> Option<String> {
    let component = join(SCHEMAS, target);
    if source.value().pointer(&component).is_some() {
        return Some(component);
    }
    let pointer = pointer::of_local_reference(target)?;
    source.value().pointer(&pointer).filter(|schema| schema.is_object()).map(|_| pointer)
}

/// A schema as written, and what it refers to.
fn targets(source: &Source, pointer: &str) -> Vec<String> {
    let written = source.value().pointer(pointer).and_then(pointer::reference_in);
    let direct = written.and_then(pointer::of_local_reference);
    let resolved = source.resolve(pointer).ok().map(|resolved| resolved.pointer);
    [Some(pointer.to_owned()), direct, resolved].into_iter().flatten().collect()
}

/// The name of the component that a form is, or refers to.
fn component(source: &Source, pointer: &str) -> Option<String> {
    let written = source.value().pointer(pointer).and_then(pointer::reference_in);
    let target = written.and_then(pointer::of_local_reference);
    let target = target.unwrap_or_else(|| pointer.to_owned());
    let name = target.strip_prefix(SCHEMAS)?.strip_prefix('/')?;
    (!name.contains('/')).then(|| name.replace("~1", "/").replace("~0", "~"))
}

/// What a form says of the member.
#[derive(Default)]
struct Member {
    is_required: bool,
    /// The texts of its `enum`, if there is one.
    values: Option<Vec<String>>,
}

impl Member {
    fn of(source: &Source, form: &str, property: &str) -> Self {
        let mut member = Self::default();
        member.read(source, form, property, MAX_DEPTH);
        member
    }

    /// Reads a schema and the parts that its `allOf` combines.
    fn read(&mut self, source: &Source, pointer: &str, property: &str, depth: usize) {
        let (Ok(resolved), 1..) = (source.resolve(pointer), depth) else { return };
        let Resolved { pointer, value } = &resolved;
        let required = value.get("required").and_then(Value::as_array).into_iter().flatten();
        self.is_required |= required.into_iter().any(|name| name == property);
        let at = join(&join(pointer, "properties"), property);
        let own = source.resolve(&at).ok();
        if let Some(values) = own.and_then(|it| it.value.get("enum")?.as_array()) {
            let texts = values.iter().filter_map(Value::as_str).map(str::to_owned);
            let others = self.values.take();
            let is_known = |text: &String| others.as_ref().is_none_or(|all| all.contains(text));
            self.values = Some(texts.filter(is_known).collect());
        }
        for part in resolved.elements("allOf") {
            self.read(source, &part, property, depth - 1);
        }
    }
}
