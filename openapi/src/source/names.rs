//! The names of components of other files: their own names,
//! unless another component has the name. They do not depend on the order of references.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{files::Reference, tree::Origin};
use crate::{
    pointer::{self, join},
    structure::Kind,
};

/// Names by the part that a reference leads to.
type Names = BTreeMap<Origin, String>;

/// Returns the name of each component, and the name that it has in its file.
pub(super) fn names(references: &[Reference], root: &Value, paths: &[String]) -> (Names, Names) {
    let (mut names, mut taken) = (Names::new(), BTreeSet::new());
    let components = root.get("components").and_then(Value::as_object).into_iter().flatten();
    for (section, members) in components {
        let members = members.as_object().into_iter().flatten();
        taken.extend(members.map(|(name, _)| (section.clone(), name.clone())));
    }
    let foreign = references.iter().filter(|reference| reference.target.file != 0);
    let foreign: BTreeMap<_, _> = foreign
        .filter(|reference| reference.kind != Kind::PathItem)
        .filter_map(|reference| Some((&reference.target, section(reference.kind)?)))
        .collect();
    // A component that is nothing but a reference becomes what it refers to.
    for Reference { kind, at, target } in references.iter().filter(|one| one.at.file == 0) {
        let component = section(*kind).map(|section| join("/components", section));
        let name = component.as_ref().and_then(|all| at.pointer.strip_prefix(all.as_str()));
        let name = name.and_then(|name| name.strip_prefix('/')?.strip_suffix("/$ref"));
        let is_alone = |name: &&str| {
            let component = root.pointer(at.pointer.strip_suffix("/$ref").unwrap_or_default());
            !name.contains('/')
                && component.is_some_and(|it| it.as_object().map(Map::len) == Some(1))
        };
        if let Some(name) = name.filter(is_alone).filter(|_| foreign.contains_key(target)) {
            let name = pointer::tokens(&format!("/{name}")).collect();
            names.entry(target.clone()).or_insert(name);
        }
    }
    let wanted: Names =
        foreign.keys().map(|target| ((*target).clone(), own_name(target, paths))).collect();
    let mut uses: BTreeMap<_, usize> = BTreeMap::new();
    for (target, section) in &foreign {
        *uses.entry((*section, wanted[*target].as_str())).or_default() += 1;
    }
    for (target, section) in &foreign {
        let own = &wanted[*target];
        let is_taken = |name: &String| taken.contains(&((*section).to_owned(), name.clone()));
        let mut name = own.clone();
        if is_taken(&name) || uses[&(*section, own.as_str())] > 1 {
            name = format!("{own}_{}", plain(without_extension(&paths[target.file])));
        }
        while !names.contains_key(*target) && is_taken(&name) {
            name.push('_');
        }
        let name = names.entry((*target).clone()).or_insert(name);
        taken.insert(((*section).to_owned(), name.clone()));
    }
    (names, wanted)
}

/// The last part of the pointer; of a whole file, its name.
fn own_name(target: &Origin, paths: &[String]) -> String {
    let file = paths[target.file].rsplit('/').next().unwrap_or_default();
    let last = pointer::tokens(&target.pointer).last();
    plain(last.as_deref().unwrap_or(without_extension(file)))
}

fn without_extension(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(path, _)| path)
}

/// Only characters that a name of a component may have.
fn plain(text: &str) -> String {
    let is_plain = |it: &char| it.is_ascii_alphanumeric() || ['-', '_', '.'].contains(it);
    text.chars().map(|it| if is_plain(&it) { it } else { '_' }).collect()
}

/// The section of `components` for objects of a kind.
pub(super) fn section(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Schema => "schemas",
        Kind::Response => "responses",
        Kind::Parameter => "parameters",
        Kind::Example => "examples",
        Kind::RequestBody => "requestBodies",
        Kind::Header => "headers",
        Kind::SecurityScheme => "securitySchemes",
        Kind::PathItem => "pathItems",
        _ => return None,
    })
}
