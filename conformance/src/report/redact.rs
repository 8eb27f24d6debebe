//! Removes secrets from a report or a part of it, by one walk over all texts of its JSON form.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::secret::Redaction;

/// Members whose values are words of the format, never data.
const WORDS: [&str; 6] = ["verdict", "source", "changes", "kind", "stance", "compare"];

pub(crate) fn redact<T: Serialize + DeserializeOwned>(report: &T, redaction: &Redaction) -> T {
    map_texts(report, &|text| redaction.apply(text))
}

pub(super) fn map_texts<T: Serialize + DeserializeOwned>(
    report: &T,
    map: &dyn Fn(&str) -> String,
) -> T {
    let mut value = serde_json::to_value(report).expect("the model is JSON by its types");
    walk(&mut value, map);
    serde_json::from_value(value).expect("a text in place of a text keeps the model's form")
}

fn walk(value: &mut Value, map: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = map(text),
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, map)),
        Value::Object(members) => {
            for (name, member) in members {
                if !WORDS.contains(&name.as_str()) {
                    walk(member, map);
                }
            }
        }
        _ => {}
    }
}
