//! Which required values are arguments, and which have setters. The order of `required` and
//! `parameters` in the document decides nothing: a caller must not send the start of a period as
//! its end because the document was sorted.

use std::collections::BTreeMap;

use openapi_document::Location;

use super::Api;
use crate::codegen::model::{Object, Operation, Type};

/// The names of required values, as the document spells them.
#[derive(Debug, Default)]
pub(super) struct Required<'a> {
    /// The arguments: parameters in the order of the path, then ids, then other values by name.
    pub(super) positional: Vec<&'a str>,
    /// Those of one type with another, by name: a caller could confuse them.
    pub(super) named: Vec<&'a str>,
}

impl<'a> Api<'a> {
    pub(super) fn required_of_body(&self, object: &'a Object) -> Required<'a> {
        let required = object.fields.iter().filter(|field| field.required);
        self.divided(required.map(|field| (field.name.as_str(), &field.value)))
    }

    /// The required parameters of a call, without the body, which is the last argument.
    pub(super) fn required_of_call(&self, operation: &'a Operation) -> Required<'a> {
        let required =
            self.arguments_of(operation).into_iter().filter(|parameter| parameter.required);
        let (mut in_path, others): (Vec<_>, Vec<_>) =
            required.partition(|parameter| parameter.location == Location::Path);
        in_path.sort_by_key(|parameter| operation.path.find(&format!("{{{}}}", parameter.name)));
        let others = others.iter().map(|parameter| (parameter.name.as_str(), &parameter.value));
        let mut required = self.divided(others);
        required.positional.splice(0..0, in_path.iter().map(|parameter| parameter.name.as_str()));
        required
    }

    fn divided<'v>(&self, values: impl Iterator<Item = (&'v str, &'v Type)>) -> Required<'v> {
        let mut by_type: BTreeMap<(bool, String), Vec<&str>> = BTreeMap::new();
        for (name, value) in values {
            let is_id = matches!(value, Type::Named(name) if self.is_id(name));
            let mut value = value.clone();
            value.rename(&|name| {
                if let Some(same) = &self.model.schema(name).same_as {
                    name.clone_from(same);
                }
            });
            by_type.entry((is_id, self.rust_type(&value).to_string())).or_default().push(name);
        }
        let (mut named, mut positional) = (Vec::new(), Vec::new());
        for ((is_id, _), names) in by_type {
            match names.as_slice() {
                [only] => positional.push((!is_id, *only)),
                _ => named.extend(names),
            }
        }
        positional.sort_unstable();
        named.sort_unstable();
        Required { positional: positional.into_iter().map(|(_, name)| name).collect(), named }
    }
}
