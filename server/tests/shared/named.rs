//! Names for what differs from run to run, so that a text can be a snapshot.

use regex::{Captures, Regex};

/// The ids of the data set begin so, and stay.
const OF_DATA_SET: &str = "01JV3N8Q5R";

/// Names for the ids and keys of this run, by their kind and in the order of their appearance:
/// `<org 1>`, `<pcp 1>`.
#[derive(Default)]
pub(crate) struct Names(Vec<(String, String)>);

impl Names {
    /// The text with names in place of ids.
    pub(crate) fn give(&mut self, text: &str) -> String {
        let ids = [
            r"\b(org|key|ptn|pay|pbt|cln|ast)_([0-9A-Z]{26})\b",
            r"\b(pcp)_test_\w{38}\b",
            // Request ids, UUIDs, and the addresses of servers.
            r"\b01[0-9A-Z]{24}\b",
            r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b",
            r"\b127\.0\.0\.1:\d+\b",
        ];
        let ids = Regex::new(&ids.join("|")).expect("a pattern");
        let name = |found: &Captures<'_>| {
            let id = &found[0];
            if found.get(2).is_some_and(|it| it.as_str().starts_with(OF_DATA_SET)) {
                return id.to_owned();
            }
            if let Some((_, name)) = self.0.iter().find(|(known, _)| known == id) {
                return name.clone();
            }
            let kind = found.get(1).or(found.get(3)).map_or("value", |kind| kind.as_str());
            let prefix = format!("<{kind} ");
            let number = self.0.iter().filter(|(_, name)| name.starts_with(&prefix)).count() + 1;
            let name = format!("<{kind} {number}>");
            self.0.push((id.to_owned(), name.clone()));
            name
        };
        ids.replace_all(text, name).into_owned()
    }

    /// The text with ids in place of names.
    pub(crate) fn take(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (id, name)| text.replace(name, id))
    }
}
