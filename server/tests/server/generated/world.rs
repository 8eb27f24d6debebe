//! What requests name: keys, all ids of the data set, and cursors that the server issued.

use std::collections::BTreeMap;

use payout_devdata::DATASET;
use serde_json::Value;

use crate::{
    matrices::document::DOCUMENT,
    support::{Key, TestServer},
};

/// The keys, ids and cursors of the server's database.
pub(super) struct World {
    /// The text of each key that requests use.
    pub keys: BTreeMap<(&'static str, &'static str), String>,
    /// A cursor of each list without filters.
    pub cursors: BTreeMap<String, String>,
    ids: Vec<String>,
}

/// Every key of the data set with different rights.
pub(super) const KEYS: [(&str, &str); 14] = [
    ("main", "all"),
    ("main", "partners-read"),
    ("main", "partners-write"),
    ("main", "commissions-read"),
    ("main", "commissions-write"),
    ("main", "affiliate-write"),
    ("main", "portal-sessions-write"),
    ("main", "expired"),
    ("main", "revoked"),
    ("other", "all"),
    ("no_billing", "all"),
    ("unlimited", "all"),
    ("exhausted", "all"),
    ("tight", "all"),
];

impl World {
    /// From a server without requests so far.
    pub(super) async fn of(server: &TestServer) -> Self {
        let keys = KEYS.map(|(organization, name)| {
            let text = server.key(Key(organization, name)).to_owned();
            ((organization, name), text)
        });
        let mut cursors = BTreeMap::new();
        let lists = DOCUMENT.operations().iter().filter(|operation| {
            let mut parameters = operation.parameters.iter();
            parameters.any(|parameter| parameter.name == "cursor")
        });
        for list in lists {
            let path = format!("{}?limit=1", list.path);
            let page = server.get(Key::MAIN, &path).expect(200).await;
            cursors.insert(list.id.clone(), page.next_cursor().unwrap().to_owned());
        }
        let mut ids = Vec::new();
        collect_ids(&serde_json::from_str(DATASET).unwrap(), &mut ids);
        Self { keys: keys.into(), cursors, ids }
    }

    /// The ids with this prefix, of every organisation.
    pub(super) fn ids(&self, prefix: &str) -> Vec<&str> {
        let ids = self.ids.iter().map(String::as_str);
        ids.filter(|id| id.starts_with(prefix)).collect()
    }
}

fn collect_ids(value: &Value, ids: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_ids(item, ids)),
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(id)
                        if matches!(name.as_str(), "id" | "externalId" | "batchId") =>
                    {
                        ids.push(id.clone())
                    }
                    member => collect_ids(member, ids),
                }
            }
        }
        _ => {}
    }
}
