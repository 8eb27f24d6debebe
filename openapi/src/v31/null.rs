//! Null as a value of an enum or as an alternative becomes `nullable`.

use serde_json::{Map, Value, json};

use crate::{pointer::join, source::Source};

/// Null among the values of an enum.
pub(super) fn in_enum(members: &mut Map<String, Value>) {
    if let Some(Value::Array(values)) = members.get_mut("enum")
        && values.len() > 1
        && values.contains(&Value::Null)
    {
        values.retain(|value| !value.is_null());
        members.insert("nullable".to_owned(), json!(true));
    }
}

/// Null among alternatives. The only other alternative is merged with the schema.
pub(super) fn in_alternatives(source: &mut Source, at: &str, members: &mut Map<String, Value>) {
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(alternatives)) = members.get_mut(keyword) else {
            continue;
        };
        let Some(null) = alternatives.iter().position(is_null) else {
            continue;
        };
        alternatives.remove(null);
        if alternatives.len() == 1 {
            let only = alternatives.remove(0);
            members.shift_remove(keyword);
            let index = if null == 0 { "1" } else { "0" };
            merge(source, at, members, &join(&join(at, keyword), index), only);
        }
        members.insert("nullable".to_owned(), json!(true));
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| *name == "null" || *name == json!(["null"]))
        || schema.get("const").is_some_and(Value::is_null)
}

/// Adds the keywords of the only alternative; where they are taken, it is a part of `allOf`.
fn merge(source: &mut Source, at: &str, members: &mut Map<String, Value>, from: &str, only: Value) {
    match only {
        Value::Object(keywords) if keywords.keys().all(|name| !members.contains_key(name)) => {
            for name in keywords.keys() {
                source.note_move(join(at, name), &join(from, name));
            }
            members.extend(keywords);
        }
        only => {
            let parts = members.entry("allOf").or_insert_with(|| json!([]));
            if let Value::Array(parts) = parts {
                let part = join(&join(at, "allOf"), &parts.len().to_string());
                source.note_move(part, from);
                parts.push(only);
            }
        }
    }
}
