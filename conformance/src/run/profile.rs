//! The part of the document that a target's profiles select: cases, invariants and coverage follow
//! from it.

use openapi_document::{Document, DocumentError, Operation};
use serde_json::Value;

use crate::{case::Case, target::Profiles};

#[derive(Debug)]
pub(crate) struct Selection<'document> {
    whole: &'document Document,
    /// The document with the profiles' operations alone, where it has others, too.
    part: Option<Document>,
    /// The ids of the other operations.
    pub(crate) left_out: Vec<String>,
}

impl Selection<'_> {
    pub(crate) fn document(&self) -> &Document {
        self.part.as_ref().unwrap_or(self.whole)
    }

    /// Returns true if a case is about the profiles.
    pub(crate) fn has(&self, case: &Case) -> bool {
        let mut left_out = self.left_out.iter();
        !left_out.any(|operation| case.operation == Some(operation))
    }
}

pub(crate) fn select<'document>(
    whole: &'document Document,
    profiles: &Profiles,
) -> Result<Selection<'document>, DocumentError> {
    let operations = whole.operations().iter();
    let others: Vec<&Operation> =
        operations.filter(|operation| !profiles.include(operation)).collect();
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
    let name = format!("the document of {}", profiles.names().join(", "));
    let part = Some(Document::parse(&name, &value.to_string())?);
    Ok(Selection { whole, part, left_out })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        document::DOCUMENT, exchange::Request, invariants::Invariants, run::coverage::Coverage,
    };

    #[test]
    fn operation_that_core_leaves_out_has_no_case_no_coverage_and_no_form() {
        let all = select(&DOCUMENT, &Profiles::default()).unwrap();
        let core: Profiles = serde_json::from_str("[]").unwrap();
        let core = select(&DOCUMENT, &core).unwrap();
        assert!(all.left_out.is_empty() && !core.left_out.is_empty());
        assert!(core.has(&Case::NONE));
        let coverage = Coverage::of(core.document()).unwrap().report();
        let invariants = Invariants::new(core.document(), true).unwrap();
        for operation in DOCUMENT.operations() {
            let is_core = operation.profile.as_deref() == Some(Profiles::CORE);
            let case = Case { operation: Some(&operation.id), ..Case::NONE };
            assert_eq!((core.has(&case), all.has(&case)), (is_core, true), "{operation:?}");
            assert_eq!(coverage.iter().any(|seen| seen.operation == operation.id), is_core);
            let method = operation.method.as_str().parse().unwrap();
            let request = Request::new(method, operation.path.replace("{id}", "p"));
            let known = invariants.operation(&request);
            assert_eq!(known == Some(&operation.id), is_core, "{}", operation.id);
        }
    }
}
