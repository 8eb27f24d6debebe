//! Coverage: which operations, statuses, headers and properties of the document were seen in
//! responses.

use std::collections::BTreeSet;

use openapi_document::{Document, DocumentError, Status};
use parking_lot::Mutex;
use serde_json::Value;

use crate::{document::members, exchange::Response, report::model::CoverageReport};

/// Statuses that no case provokes, and why. The report complains about one that is seen after all.
const EXEMPT: [(u16, &str); 3] = [
    (500, "a correct deployment never returns it"),
    (503, "only an overloaded deployment, or one without its database, returns it"),
    (408, "it takes a body that stalls for as long as the deployment waits"),
];

/// The parts of each documented response that were not seen yet.
#[derive(Debug)]
pub(crate) struct Coverage(Mutex<Vec<CoverageReport>>);

impl Coverage {
    /// Begins with everything of this document unseen.
    pub(crate) fn of(document: &Document) -> Result<Self, DocumentError> {
        let mut documented = Vec::new();
        for operation in document.operations() {
            for response in &operation.responses {
                let Status::Code(status) = response.status else {
                    continue;
                };
                let mut properties = BTreeSet::new();
                let media = response.content.iter();
                for pointer in media.filter_map(|media| media.schema_pointer.as_ref()) {
                    let members = members(document, pointer)?.into_iter();
                    // Items are no properties.
                    properties.extend(members.map(|(path, _)| path).filter(|p| !p.ends_with("/*")));
                }
                let headers = response.headers.iter().map(|header| header.name.to_lowercase());
                let exempt = EXEMPT.iter().find(|(exempt, _)| *exempt == status);
                documented.push(CoverageReport {
                    operation: operation.id.clone(),
                    status,
                    responses: 0,
                    headers_missing: headers.collect(),
                    properties_missing: properties.into_iter().collect(),
                    exempt: exempt.map(|(_, reason)| (*reason).to_owned()),
                });
            }
        }
        Ok(Self(Mutex::new(documented)))
    }

    pub(crate) fn note(&self, operation: &str, response: &Response) {
        let mut seen = BTreeSet::new();
        if let Some(json) = &response.json {
            note_properties(json, "", &mut seen);
        }
        let is_it = |documented: &&mut CoverageReport| {
            documented.operation == operation && response.status == documented.status
        };
        if let Some(documented) = self.0.lock().iter_mut().find(is_it) {
            documented.responses += 1;
            documented.headers_missing.retain(|name| !response.headers.contains_key(name));
            documented.properties_missing.retain(|pointer| !seen.contains(pointer));
        }
    }

    pub(crate) fn report(&self) -> Vec<CoverageReport> {
        self.0.lock().clone()
    }
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
    use super::*;
    use crate::document::DOCUMENT;

    #[test]
    fn properties_are_named_through_references_and_lists() {
        let coverage = Coverage::of(&DOCUMENT).unwrap();
        let documented = coverage.report();
        let list = documented
            .iter()
            .find(|named| named.operation == "listCommissionLines" && named.status == 200)
            .unwrap();
        for pointer in ["/data", "/data/*/amount", "/pagination/nextCursor"] {
            assert!(list.properties_missing.iter().any(|name| name == pointer), "{pointer}");
        }
        assert!(list.headers_missing.iter().any(|name| name == "x-request-id"));
        assert!(documented.iter().all(|report| report.responses == 0));
    }

    #[test]
    fn no_case_is_about_what_is_exempt_and_each_exempt_status_is_documented() {
        let coverage = Coverage::of(&DOCUMENT).unwrap();
        for (status, _) in EXEMPT {
            let documented = coverage.report();
            let mut named = documented.iter();
            assert!(
                named.any(|named| named.status == status),
                "{status}: not documented, so take it out of the list"
            );
            let end = format!(".{status}");
            for case in crate::probes::all_cases() {
                assert!(
                    !case.clause.ends_with(&end),
                    "{} provokes {status}: take it out of the list",
                    case.id
                );
            }
        }
    }
}
