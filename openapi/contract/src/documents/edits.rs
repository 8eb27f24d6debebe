//! Edits of documents.

use proptest::{
    prelude::{BoxedStrategy, Just, Strategy as _},
    prop_oneof,
    sample::{Index, select},
};
use serde_json::Value;

use super::schemas::{NAMES, RARE_NAMES, any_value, schema};

/// The document with one edit: a member is removed, renamed or another value.
pub(super) fn edited(document: &Value, at: Index, edit: &Edit) -> Value {
    let mut pointers = Vec::new();
    collect(document, String::new(), &mut pointers);
    let pointer = at.get(&pointers);
    let (parent, name) = pointer.rsplit_once('/').expect("the root is not collected");
    let name = name.replace("~1", "/").replace("~0", "~");
    let mut edited = document.clone();
    match edited.pointer_mut(parent).expect("the pointer was collected") {
        Value::Object(members) => {
            let value = members.get(&name).cloned().unwrap_or_default();
            match edit {
                Edit::Remove => drop(members.shift_remove(&name)),
                Edit::Rename(to) => {
                    members.shift_remove(&name);
                    members.insert(to.clone(), value);
                }
                Edit::Replace(by) => drop(members.insert(name, by.clone())),
            }
        }
        Value::Array(items) => {
            let index: usize = name.parse().expect("items have numbers");
            match edit {
                Edit::Remove => drop(items.remove(index)),
                Edit::Rename(_) => items.push(items[index].clone()),
                Edit::Replace(by) => items[index] = by.clone(),
            }
        }
        _ => unreachable!("only these have members"),
    }
    edited
}

#[derive(Clone, Debug)]
pub(super) enum Edit {
    Remove,
    Rename(String),
    Replace(Value),
}

pub(super) fn edit() -> BoxedStrategy<Edit> {
    let names =
        NAMES.into_iter().chain(RARE_NAMES).chain(["minLength", "required", "204", "text/plain"]);
    prop_oneof![
        2 => Just(Edit::Remove),
        1 => select(names.map(str::to_owned).collect::<Vec<_>>()).prop_map(Edit::Rename),
        1 => any_value().prop_map(Edit::Replace),
        2 => schema(1).prop_map(Edit::Replace),
    ]
    .boxed()
}

fn collect(value: &Value, at: String, pointers: &mut Vec<String>) {
    let members: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, it)| (name.clone(), it)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, it)| (index.to_string(), it)).collect()
        }
        _ => Vec::new(),
    };
    for (name, member) in members {
        let pointer = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        pointers.push(pointer.clone());
        collect(member, pointer, pointers);
    }
}
