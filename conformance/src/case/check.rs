//! Assertions about a response. Each holds, or ends the case with the expected and the actual
//! value. What the invariants check on every response is not repeated here.

use std::fmt::Display;

use serde_json::Value;

use super::{
    CaseContext, CaseOutcome, CaseResult,
    errors::{Error, VALIDATION_FAILED, status_clause},
};
use crate::{
    exchange::{Request, Response},
    visible::cut,
};

/// Characters of a value that a failure shows at most.
const SHOWN: usize = 1_500;

impl Response {
    pub(crate) fn is(&self, status: u16) -> CaseResult<&Self> {
        if self.status.as_u16() == status {
            return Ok(self);
        }
        Err(CaseOutcome::failed(
            "The response has another status.",
            status.to_string(),
            self.status_and_body(),
            Some(self.exchange),
        ))
    }

    /// Requires this value at a JSON pointer.
    pub(crate) fn has(&self, pointer: &str, expected: impl Into<Value>) -> CaseResult<&Self> {
        let expected = expected.into();
        self.that(
            self.at(pointer) == &expected,
            &format!("The body has another value at {pointer}."),
            &expected.to_string(),
            &cut(&self.at(pointer).to_string(), SHOWN),
        )?;
        Ok(self)
    }

    /// Requires that `holds`; else the case fails with these texts.
    pub(crate) fn that(&self, holds: bool, what: &str, expected: &str, actual: &str) -> CaseResult {
        if holds {
            return Ok(());
        }
        Err(CaseOutcome::failed(what, expected, actual, Some(self.exchange)))
    }

    /// Requires that `holds`; else the case fails with these texts and the response.
    pub(crate) fn must(&self, holds: bool, what: &str, expected: &str) -> CaseResult {
        self.that(holds, what, expected, &self.status_and_body())
    }

    pub(crate) fn same<T>(&self, what: &str, expected: &T, actual: &T) -> CaseResult
    where
        T: PartialEq + Display + ?Sized,
    {
        self.that(expected == actual, what, &expected.to_string(), &actual.to_string())
    }

    /// Requires that the request did not succeed, whatever the error.
    pub(crate) fn is_refused(&self, what: &str) -> CaseResult {
        self.that(!self.is_success(), what, "no success", &self.status_line())
    }

    /// Status and body, for messages.
    pub(crate) fn status_and_body(&self) -> String {
        format!("{}\n{}", self.status_line(), self.shown())
    }

    pub(crate) fn shown(&self) -> String {
        cut(&String::from_utf8_lossy(&self.body), SHOWN)
    }
}

impl CaseContext<'_> {
    /// Sends a request, which must get 200.
    pub(crate) async fn ok(&mut self, request: Request) -> CaseResult<Response> {
        let response = self.send(request).await?;
        response.is(200)?;
        Ok(response)
    }

    /// Sends a request, which must get this error.
    pub(crate) async fn expect(&mut self, request: Request, error: Error) -> CaseResult<Response> {
        let response = self.send(request).await?;
        self.is_error(&response, error)?;
        Ok(response)
    }

    /// Sends a request, which must get this error, after a positive control as
    /// [`CaseContext::refused`] sends it.
    pub(crate) async fn rejects(
        &mut self,
        request: Request,
        control: Request,
        error: Error,
    ) -> CaseResult<Response> {
        let response = self.refused(request, control).await?;
        self.is_error(&response, error)?;
        Ok(response)
    }

    /// Requires the error's status and, with decisions, its code; a case by hand also compares the
    /// response with a snapshot. Without decisions a status that rests on one may be another of the
    /// 400s.
    pub(crate) fn is_error(&self, response: &Response, error: Error) -> CaseResult {
        let (status, code) = error;
        if !self.judges(status_clause(error)) {
            return is_rejected(response);
        }
        response.is(status)?;
        if self.with_decisions() {
            response.has("/error/code", code)?;
        }
        if !self.case.is_derived {
            self.snapshot(response);
        }
        Ok(())
    }

    /// Returns true if the case asserts what rests on this clause: a sentence of the specification
    /// always, a decision unless `--decisions off` was given.
    pub(crate) fn judges(&self, clause: &str) -> bool {
        self.with_decisions() || clause.starts_with('§')
    }

    /// Requires that a request which breaks a rule was rejected; with decisions by a 422 with these
    /// issues, in the form of [`CaseContext::has_issues`]. The specification leaves the status
    /// open.
    pub(crate) fn is_violation(&self, response: &Response, issues: &[&str]) -> CaseResult {
        self.is_error(response, VALIDATION_FAILED)?;
        self.has_issues(response, issues)
    }

    /// Requires these issues of a 422, as `in path code`, in any order. Without decisions nothing
    /// is required.
    pub(crate) fn has_issues(&self, response: &Response, expected: &[&str]) -> CaseResult {
        if !self.with_decisions() {
            return Ok(());
        }
        let issues = response.at("/error/details/issues").as_array();
        let part = |issue: &Value, name: &str| issue[name].as_str().unwrap_or("?").to_owned();
        let mut reported: Vec<String> = issues
            .into_iter()
            .flatten()
            .map(|issue| {
                format!("{} {} {}", part(issue, "in"), part(issue, "path"), part(issue, "code"))
            })
            .collect();
        let mut expected: Vec<String> = expected.iter().map(|issue| (*issue).to_owned()).collect();
        reported.sort_unstable();
        expected.sort_unstable();
        response.that(
            reported == expected,
            "details.issues lists other violations.",
            &expected.join("\n"),
            &reported.join("\n"),
        )
    }
}

fn is_rejected(response: &Response) -> CaseResult {
    response.that(
        response.status.is_client_error(),
        "A request that must be rejected was not.",
        "a status of the 400s",
        &response.status_and_body(),
    )
}
