//! Equal schemas in place share a type: the first has it, and the others are names of it.

use std::collections::{BTreeMap, BTreeSet};

use super::SCHEMAS;
use crate::codegen::{
    config::Config,
    model::{Kind, Schema},
};

/// Gives equal schemas in place one type, also where they contain such schemas.
pub(super) fn share(config: &Config, schemas: &mut [Schema]) {
    let shared = shared(config, schemas);
    let mut same = BTreeMap::new();
    loop {
        let count = same.len();
        let mut first_of = BTreeMap::new();
        for Schema { name, kind, transitions, counts, .. } in
            schemas.iter().filter(|schema| shared.contains(&schema.name))
        {
            let mut kind = kind.clone();
            kind.rename(&|name| {
                if let Some(first) = same.get(name) {
                    name.clone_from(first);
                }
            });
            let meaning = format!("{kind:?} {transitions:?} {counts:?}");
            let first = first_of.entry(meaning).or_insert(name);
            if *first != name {
                same.insert(name.clone(), first.clone());
            }
        }
        if same.len() == count {
            break;
        }
    }
    for schema in schemas {
        schema.same_as = same.remove(&schema.name);
    }
}

/// The schemas in place. An alternative of a union is none of them, because a variant has its name,
/// and neither is a schema that the configuration gives a type to.
fn shared(config: &Config, schemas: &[Schema]) -> BTreeSet<String> {
    let unions = schemas.iter().filter(|schema| matches!(schema.kind, Kind::Union(_)));
    let alternatives: BTreeSet<&str> = unions.flat_map(|union| union.kind.names()).collect();
    let types = config.client.as_ref().map(|client| &client.types);
    let is_shared = |Schema { name, pointer, kind, .. }: &&Schema| {
        let is_component = pointer.rsplit_once('/').is_some_and(|(section, _)| section == SCHEMAS);
        let has_own_type = matches!(kind, Kind::Scalar(..))
            || *name == config.error.schema
            || types.is_some_and(|types| types.contains_key(name));
        !is_component && !has_own_type && !alternatives.contains(name.as_str())
    };
    schemas.iter().filter(is_shared).map(|schema| schema.name.clone()).collect()
}
