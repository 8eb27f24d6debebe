//! Invariants: what holds for every response of every case, whatever the case is about.

mod attribution;
pub(crate) mod form;
pub(crate) mod leaks;
pub(crate) mod meters;
pub(crate) mod spec_only;

use chrono::{DateTime, Utc};
use payout_openapi::{Document, DocumentError};

use crate::exchange::{Request, Response};
use form::Form;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) clause: &'static str,
    pub(crate) what: String,
}

impl Violation {
    pub(crate) fn new(clause: &'static str, what: impl Into<String>) -> Self {
        Self { clause, what: what.into() }
    }
}

/// What is known besides request and response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circumstances {
    /// When the response came, by the suite's clock.
    pub(crate) now: DateTime<Utc>,
    pub(crate) with_decisions: bool,
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

    pub(crate) fn judge(
        &self,
        request: &Request,
        response: &Response,
        now: DateTime<Utc>,
    ) -> Vec<Violation> {
        let circumstances = Circumstances { now, with_decisions: self.with_decisions };
        let mut violations = self.form.judge(request, response);
        violations.extend(meters::judge(response, circumstances));
        violations.extend(leaks::judge(request, response));
        violations
    }
}
