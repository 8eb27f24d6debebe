//! Removes secrets from a report: one walk over all texts of its JSON form, whoever wrote them.

use serde_json::Value;

use super::model::Report;
use crate::secret::Redaction;

/// Members whose values are words of the format, never data.
const WORDS: [&str; 3] = ["verdict", "source", "changes"];

pub(crate) fn redact(report: &Report, redaction: &Redaction) -> Report {
    map_texts(report, &|text| redaction.apply(text))
}

pub(super) fn map_texts(report: &Report, map: &dyn Fn(&str) -> String) -> Report {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        report::{html, json, junit, sample, terminal},
        secret::Secret,
    };

    const CANARY: &str = "pcp_test_c4n4ryc4n4ryc4n4ryc4n4ry";

    /// Every report of one run, by name.
    fn all(report: &Report) -> [(&'static str, String); 4] {
        [
            ("terminal", terminal::text(report)),
            ("json", json::text(report)),
            ("junit", junit::text(report)),
            ("html", html::page(report)),
        ]
    }

    fn poisoned() -> Report {
        map_texts(&sample::report(), &|text| format!("{text}{CANARY}"))
    }

    #[test]
    fn no_report_holds_a_key_wherever_it_stood() {
        let poisoned = poisoned();
        for (name, text) in all(&poisoned) {
            assert!(text.contains(CANARY), "{name}: the test proves nothing");
        }
        let clean = redact(&poisoned, &Redaction::of([Secret::new("KEY_ALL", CANARY)]));
        for (name, text) in all(&clean) {
            assert!(!text.contains(CANARY), "{name}");
            assert!(text.contains("$KEY_ALL"), "{name}");
        }
    }

    #[test]
    fn each_text_of_the_model_is_changed() {
        let mut untouched = Vec::new();
        collect_untouched("", &serde_json::to_value(poisoned()).unwrap(), &mut untouched);
        untouched.retain(|pointer| !WORDS.iter().any(|word| pointer.ends_with(word)));
        assert_eq!(untouched, Vec::<String>::new());
    }

    fn collect_untouched(pointer: &str, value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) if !text.contains(CANARY) => found.push(pointer.to_owned()),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    collect_untouched(&format!("{pointer}/{index}"), item, found);
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    collect_untouched(&format!("{pointer}/{name}"), member, found);
                }
            }
            _ => {}
        }
    }
}
