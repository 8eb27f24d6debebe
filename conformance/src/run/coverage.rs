//! Coverage: which operations, statuses, headers and properties of the document were seen in
//! responses.

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::Mutex;
use payout_openapi::{Document, DocumentError, Status};
use serde_json::Value;

use crate::{exchange::Response, report::model::CoverageReport};

/// Statuses that no case provokes, and why. The report complains about one that is seen after all.
const EXEMPT: [(u16, &str); 3] = [
    (500, "a correct deployment never returns it"),
    (503, "only an overloaded deployment, or one without its database, returns it"),
    (408, "it takes a body that stalls for as long as the deployment waits"),
];

#[derive(Debug)]
pub(crate) struct Coverage {
    documented: Vec<Documented>,
    seen: Mutex<BTreeMap<(String, u16), Seen>>,
}

#[derive(Debug)]
struct Documented {
    operation: String,
    status: u16,
    headers: Vec<String>,
    properties: Vec<String>,
}

#[derive(Debug, Default)]
struct Seen {
    responses: usize,
    headers: BTreeSet<String>,
    properties: BTreeSet<String>,
}

impl Coverage {
    /// Of this document, with nothing seen yet.
    pub(crate) fn of(document: &Document) -> Result<Self, DocumentError> {
        let mut documented = Vec::new();
        for operation in document.operations() {
            for response in &operation.responses {
                let Status::Code(status) = response.status else {
                    continue;
                };
                let mut properties = BTreeSet::new();
                for pointer in
                    response.content.iter().filter_map(|media| media.schema_pointer.as_ref())
                {
                    name_properties(document, pointer, "", &mut properties)?;
                }
                let headers = response.headers.iter().map(|header| header.name.to_lowercase());
                documented.push(Documented {
                    operation: operation.id.clone(),
                    status,
                    headers: headers.collect(),
                    properties: properties.into_iter().collect(),
                });
            }
        }
        Ok(Self { documented, seen: Mutex::default() })
    }

    pub(crate) fn note(&self, operation: &str, response: &Response) {
        let mut seen = self.seen.lock();
        let key = (operation.to_owned(), response.status.as_u16());
        let seen = seen.entry(key).or_default();
        seen.responses += 1;
        let headers = response.headers.keys();
        seen.headers.extend(headers.map(|name| name.as_str().to_owned()));
        if let Some(json) = &response.json {
            note_properties(json, "", &mut seen.properties);
        }
    }

    pub(crate) fn report(&self) -> Vec<CoverageReport> {
        let seen = self.seen.lock();
        let none = Seen::default();
        let each = self.documented.iter().map(|named| {
            let key = (named.operation.clone(), named.status);
            let seen = seen.get(&key).unwrap_or(&none);
            let missing = |all: &[String], found: &BTreeSet<String>| -> Vec<String> {
                let missing = all.iter().filter(|name| !found.contains(*name));
                missing.cloned().collect()
            };
            let exempt = EXEMPT.iter().find(|(status, _)| *status == named.status);
            CoverageReport {
                operation: named.operation.clone(),
                status: named.status,
                responses: seen.responses,
                headers_missing: missing(&named.headers, &seen.headers),
                properties_missing: missing(&named.properties, &seen.properties),
                exempt: exempt.map(|(_, reason)| (*reason).to_owned()),
            }
        });
        each.collect()
    }
}

/// The pointers of all properties that a schema names; `*` means any item of an array.
fn name_properties(
    document: &Document,
    schema: &str,
    at: &str,
    names: &mut BTreeSet<String>,
) -> Result<(), DocumentError> {
    let shape = document.shape(schema)?;
    for (name, property) in &shape.properties {
        let pointer = format!("{at}/{name}");
        name_properties(document, property, &pointer, names)?;
        names.insert(pointer);
    }
    shape.items.map_or(Ok(()), |items| name_properties(document, &items, &format!("{at}/*"), names))
}

fn note_properties(value: &Value, at: &str, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let pointer = format!("{at}/{name}");
                note_properties(member, &pointer, names);
                names.insert(pointer);
            }
        }
        Value::Array(items) => {
            for item in items {
                note_properties(item, &format!("{at}/*"), names);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn properties_are_named_through_references_and_lists() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi/api.yaml");
        let coverage = Coverage::of(&Document::load(&path).unwrap()).unwrap();
        let list = coverage
            .documented
            .iter()
            .find(|named| named.operation == "listCommissionLines" && named.status == 200)
            .unwrap();
        for pointer in ["/data", "/data/*/amount", "/pagination/nextCursor"] {
            assert!(list.properties.iter().any(|name| name == pointer), "{pointer}");
        }
        assert!(list.headers.iter().any(|name| name == "x-request-id"));
        assert!(coverage.report().iter().all(|report| report.responses == 0));
    }

    #[test]
    fn no_case_is_about_what_is_exempt_and_each_exempt_status_is_documented() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi/api.yaml");
        let coverage = Coverage::of(&Document::load(&path).unwrap()).unwrap();
        for (status, _) in EXEMPT {
            let mut named = coverage.documented.iter();
            assert!(
                named.any(|named| named.status == status),
                "{status}: not documented, so take it out of the list"
            );
            let end = format!(".{status}");
            for case in crate::families::all_cases() {
                assert!(
                    !case.clause.ends_with(&end),
                    "{} provokes {status}: take it out of the list",
                    case.id
                );
            }
        }
    }
}
