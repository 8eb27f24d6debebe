//! Questions about schemas whose answers depend on the schemas that they name.

use std::collections::BTreeSet;

use super::{Field, Kind, Object, Schema, Type};

pub(in crate::codegen) fn kind<'m>(schemas: &'m [Schema], name: &str) -> Option<&'m Kind> {
    schemas.iter().find(|schema| schema.name == name).map(|schema| &schema.kind)
}

pub(in crate::codegen) fn object<'m>(schemas: &'m [Schema], name: &str) -> Option<&'m Object> {
    match kind(schemas, name)? {
        Kind::Object(object) => Some(object),
        _ => None,
    }
}

/// The schemas that these contain, and themselves.
pub(in crate::codegen) fn reached<'m>(
    schemas: &'m [Schema],
    names: impl Iterator<Item = &'m str>,
) -> BTreeSet<&'m str> {
    let mut reached = BTreeSet::new();
    let mut pending: Vec<&str> = names.collect();
    while let Some(name) = pending.pop() {
        if let Some(schema) = schemas.iter().find(|schema| schema.name == name)
            && reached.insert(name)
        {
            pending.extend(schema.same_as.as_deref());
            pending.extend(schema.kind.names());
        }
    }
    reached
}

impl Object {
    /// The object inside of the only field, or of the only item of its list: of an error that wraps
    /// another one.
    pub(in crate::codegen) fn wrapped<'m>(
        &'m self,
        schemas: &'m [Schema],
    ) -> Option<(&'m Field, &'m str, &'m Object)> {
        let [field] = self.fields.as_slice() else { return None };
        let value = match &field.value {
            Type::List { items, min_items: 0 | 1, max_items, .. } if *max_items != Some(0) => items,
            value => value,
        };
        let Type::Named(name) = value else { return None };
        (!field.nullable).then_some((field, name, object(schemas, name)?))
    }
}

impl Type {
    /// Gives the schema that it names another name.
    pub(in crate::codegen) fn rename(&mut self, rename: &impl Fn(&mut String)) {
        match self {
            Self::Named(name) | Self::Boxed(name) => rename(name),
            Self::Nullable(value) | Self::List { items: value, .. } => value.rename(rename),
            _ => {}
        }
    }

    /// Returns true if a value is an object or a list, and no single text, number or boolean.
    pub(in crate::codegen) fn is_structured(&self, schemas: &[Schema]) -> bool {
        match self {
            Self::List { .. } | Self::Any | Self::Boxed(_) | Self::Nullable(_) => true,
            Self::Named(name) => {
                kind(schemas, name).is_some_and(|kind| kind.is_structured(schemas))
            }
            _ => false,
        }
    }
}

impl Kind {
    /// The types that a value of the schema contains.
    pub(in crate::codegen) fn types(&self) -> Vec<&Type> {
        match self {
            Self::Object(object) => {
                object.fields.iter().map(|field| &field.value).chain(&object.others).collect()
            }
            Self::Map(values) => vec![values],
            Self::Alternatives(all) => all.variants.iter().map(|(_, value)| value).collect(),
            _ => Vec::new(),
        }
    }

    /// The schemas that a value of the schema contains.
    pub(in crate::codegen) fn names(&self) -> Vec<&str> {
        match self {
            Self::Union(union) => union.variants.iter().map(|(_, name)| name.as_str()).collect(),
            kind => kind.types().into_iter().filter_map(Type::name).collect(),
        }
    }

    /// Gives every schema that a value of this one contains another name.
    pub(in crate::codegen) fn rename(&mut self, rename: &impl Fn(&mut String)) {
        match self {
            Self::Object(object) => {
                object.fields.iter_mut().for_each(|field| field.value.rename(rename));
                object.others.iter_mut().for_each(|others| others.rename(rename));
            }
            Self::Map(values) => values.rename(rename),
            Self::Alternatives(all) => {
                all.variants.iter_mut().for_each(|(_, value)| value.rename(rename));
            }
            Self::Union(union) => union.variants.iter_mut().for_each(|(_, name)| rename(name)),
            _ => {}
        }
    }

    /// Returns true if a value is an object or a list, and no single text, number or boolean.
    pub(in crate::codegen) fn is_structured(&self, schemas: &[Schema]) -> bool {
        match self {
            Self::Object(_) | Self::ValueMap | Self::Map(_) | Self::TextMap(_) | Self::Union(_) => {
                true
            }
            Self::Alternatives(alternatives) => {
                alternatives.variants.iter().any(|(_, value)| value.is_structured(schemas))
            }
            _ => false,
        }
    }
}
