//! Invariants: what holds for every response of every case, whatever the case is about.

mod attribution;
pub(crate) mod form;
pub(crate) mod leaks;
pub(crate) mod meters;
mod spec_only;

use chrono::{DateTime, Utc};
use openapi_document::{Document, DocumentError};

use crate::{
    clause::is_judged_by_every_response,
    exchange::{Request, Response},
};
use form::Form;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) clause: &'static str,
    pub(crate) what: String,
}

impl Violation {
    pub(crate) fn new(clause: &'static str, what: impl Into<String>) -> Self {
        debug_assert!(is_judged_by_every_response(clause), "{clause} is not in the list");
        Self { clause, what: what.into() }
    }
}

#[derive(Debug)]
pub(crate) struct Invariants {
    form: Form,
    with_decisions: bool,
}

impl Invariants {
    /// The invariants of this document; without decisions, those of the specification alone.
    pub(crate) fn new(document: &Document, with_decisions: bool) -> Result<Self, DocumentError> {
        let form = if with_decisions {
            Form::of(document)?
        } else {
            Form::of(&spec_only::without_decisions(document)?)?
        };
        Ok(Self { form, with_decisions })
    }

    pub(crate) fn operation(&self, request: &Request) -> Option<&str> {
        self.form.operation(request)
    }

    pub(crate) fn profile(&self, operation: &str) -> Option<&str> {
        self.form.profile(operation)
    }

    pub(crate) fn judge(
        &self,
        request: &Request,
        response: &Response,
        now: DateTime<Utc>,
    ) -> Vec<Violation> {
        let mut violations = self.form.judge(request, response);
        violations.extend(meters::judge(response, now, self.with_decisions));
        violations.extend(leaks::judge(request, response));
        if response.status == 422 && !response.at("/error/details").is_object() {
            violations.push(Violation::new("X10", "A 422 has no details."));
        }
        violations.retain(|violation| self.with_decisions || violation.clause.starts_with('§'));
        violations
    }
}
