//! The part of the document that a target's profile selects: cases, invariants and coverage follow
//! from it.

use payout_openapi::{Document, DocumentError, Operation};
use serde_json::Value;

use crate::target::Profile;

/// The document with the operations of a profile alone, and the ids of those left out.
pub(crate) fn select(
    document: Document,
    profile: Profile,
) -> Result<(Document, Vec<String>), DocumentError> {
    let operations = document.operations().iter();
    let others: Vec<&Operation> =
        operations.filter(|operation| !profile.includes(operation)).collect();
    if others.is_empty() {
        return Ok((document, Vec::new()));
    }
    let mut value = document.value().clone();
    for operation in &others {
        let (path, method) = operation.pointer.rsplit_once('/').unwrap_or_default();
        if let Some(Value::Object(methods)) = value.pointer_mut(path) {
            methods.remove(method);
        }
    }
    let ids = others.iter().map(|operation| operation.id.clone()).collect();
    let name = format!("the document of the profile {}", profile.name());
    Ok((Document::parse(&name, &value.to_string())?, ids))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{exchange::Request, invariants::Invariants, run::coverage::Coverage};

    const DOCUMENT: &str = r#"
openapi: 3.0.3
info: { title: t, version: "1" }
paths:
  /api/v1/payouts:
    get:
      operationId: listPayouts
      x-profile: extended
      responses: { "200": { description: All. } }
  /api/v1/payouts/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
    get:
      operationId: getPayout
      x-profile: core
      responses: { "200": { description: One. } }
    patch:
      operationId: updatePayout
      x-profile: extended
      responses: { "200": { description: Changed. } }
"#;

    fn selected(profile: Profile) -> (Vec<String>, Vec<String>) {
        let document = Document::parse("d.yaml", DOCUMENT).unwrap();
        let (document, left_out) = select(document, profile).unwrap();
        let ids = document.operations().iter().map(|operation| operation.id.clone()).collect();
        (ids, left_out)
    }

    #[test]
    fn core_leaves_out_every_other_operation_and_extended_none() {
        assert_eq!(
            selected(Profile::Core),
            (
                vec!["getPayout".to_owned()],
                vec!["listPayouts".to_owned(), "updatePayout".to_owned()]
            )
        );
        let (ids, left_out) = selected(Profile::Extended);
        assert_eq!((ids.len(), left_out.len()), (3, 0));
    }

    #[test]
    fn operation_that_is_left_out_is_neither_covered_nor_known() {
        let document = Document::parse("d.yaml", DOCUMENT).unwrap();
        let (document, _) = select(document, Profile::Core).unwrap();
        let coverage = Coverage::of(&document).unwrap().report();
        let covered: Vec<&str> = coverage.iter().map(|each| each.operation.as_str()).collect();
        assert_eq!(covered, ["getPayout"]);
        let invariants = Invariants::new(&document, true).unwrap();
        assert_eq!(invariants.operation(&Request::get("/api/v1/payouts/p")), Some("getPayout"));
        assert_eq!(invariants.operation(&Request::get("/api/v1/payouts")), None);
    }
}
