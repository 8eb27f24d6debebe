//! The part of the document that a target's profile selects: cases, invariants and coverage follow
//! from it.

use openapi_document::{Document, DocumentError, Operation};
use serde_json::Value;

use crate::{case::Case, target::Profile};

/// The cases and the document of a profile.
#[derive(Debug)]
pub(crate) struct Selection<'document> {
    whole: &'document Document,
    /// The document with the profile's operations alone, where it has others, too.
    part: Option<Document>,
    /// The ids of the other operations.
    pub(crate) left_out: Vec<String>,
}

impl Selection<'_> {
    pub(crate) fn document(&self) -> &Document {
        self.part.as_ref().unwrap_or(self.whole)
    }

    /// Returns true if a case is about the profile.
    pub(crate) fn has(&self, case: &Case) -> bool {
        let mut left_out = self.left_out.iter();
        !left_out.any(|operation| case.operation == Some(operation))
    }
}

pub(crate) fn select(whole: &Document, profile: Profile) -> Result<Selection<'_>, DocumentError> {
    let operations = whole.operations().iter();
    let others: Vec<&Operation> =
        operations.filter(|operation| !profile.includes(operation)).collect();
    if others.is_empty() {
        return Ok(Selection { whole, part: None, left_out: Vec::new() });
    }
    let mut value = whole.value().clone();
    for operation in &others {
        let (path, method) = operation.pointer.rsplit_once('/').unwrap_or_default();
        if let Some(Value::Object(methods)) = value.pointer_mut(path) {
            methods.remove(method);
        }
    }
    let left_out = others.iter().map(|operation| operation.id.clone()).collect();
    let name = format!("the document of the profile {}", profile.name());
    let part = Some(Document::parse(&name, &value.to_string())?);
    Ok(Selection { whole, part, left_out })
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

    fn document() -> Document {
        Document::parse("d.yaml", DOCUMENT).unwrap()
    }

    #[test]
    fn core_leaves_out_every_other_operation_and_extended_none() {
        let document = document();
        let core = select(&document, Profile::Core).unwrap();
        assert_eq!(core.left_out, ["listPayouts", "updatePayout"]);
        let ids: Vec<&str> = core.document().operations().iter().map(|each| &*each.id).collect();
        assert_eq!(ids, ["getPayout"]);
        let extended = select(&document, Profile::Extended).unwrap();
        assert_eq!((extended.document().operations().len(), extended.left_out.len()), (3, 0));
    }

    #[test]
    fn operation_that_is_left_out_has_no_case_no_coverage_and_no_form() {
        let document = document();
        let core = select(&document, Profile::Core).unwrap();
        let any = Case::new("", "", "", &|_| Box::pin(async { Ok(()) }));
        let on = |operation| Case { operation: Some(operation), ..any };
        for (case, is_in_core) in
            [(any, true), (on("getPayout"), true), (on("updatePayout"), false)]
        {
            assert_eq!(core.has(&case), is_in_core, "{:?}", case.operation);
            let extended = select(&document, Profile::Extended).unwrap();
            assert!(extended.has(&case), "{:?}", case.operation);
        }
        let coverage = Coverage::of(core.document()).unwrap().report();
        let covered: Vec<&str> = coverage.iter().map(|each| &*each.operation).collect();
        assert_eq!(covered, ["getPayout"]);
        let invariants = Invariants::new(core.document(), true).unwrap();
        assert_eq!(invariants.operation(&Request::get("/api/v1/payouts/p")), Some("getPayout"));
        assert_eq!(invariants.operation(&Request::get("/api/v1/payouts")), None);
        assert_eq!(invariants.profile("getPayout"), Some("core"));
    }
}
