//! Expectations about an answer. Each either holds, or ends the case with what should have come and what came.
//!
//! It refuses to look at what the laws judge on every answer already.

use serde_json::Value;

use super::{scene::Scene, stop::Stop};
use crate::exchange::Answer;

/// Text of a value that a failure shows at most.
const SHOWN: usize = 1_500;

impl Answer {
    /// The status is this one.
    ///
    /// # Errors
    /// It is another.
    pub fn is(&self, status: u16) -> Result<&Self, Stop> {
        if self.status.as_u16() == status {
            return Ok(self);
        }
        Err(Stop::failed(
            "The answer has another status.",
            status.to_string(),
            format!("{}\n{}", self.status_line(), self.shown()),
            Some(self.exchange),
        ))
    }

    /// What stands at a JSON pointer equals this.
    ///
    /// # Errors
    /// It does not.
    pub fn has(&self, pointer: &str, expected: impl Into<Value>) -> Result<&Self, Stop> {
        let expected = expected.into();
        self.that(
            self.at(pointer) == &expected,
            &format!("The body has another value at {pointer}."),
            &expected.to_string(),
            &short(&self.at(pointer).to_string()),
        )
    }

    /// Something holds of this answer.
    ///
    /// # Errors
    /// It does not.
    pub fn that(
        &self,
        holds: bool,
        what: &str,
        expected: &str,
        actual: &str,
    ) -> Result<&Self, Stop> {
        if holds {
            return Ok(self);
        }
        Err(Stop::failed(what, expected, actual, Some(self.exchange)))
    }

    /// The body as text, cut.
    #[must_use]
    pub fn shown(&self) -> String {
        short(&String::from_utf8_lossy(&self.body))
    }
}

impl Scene<'_> {
    /// The answer is an error of this status, and as its snapshot shows it. Where decisions are judged by, its code is this
    /// one, too.
    ///
    /// # Errors
    /// It is not.
    pub fn is_error(&self, answer: &Answer, status: u16, code: &str) -> Result<(), Stop> {
        answer.is(status)?;
        if self.with_decisions() {
            answer.has("/error/code", code)?;
        }
        self.snapshot(answer);
        Ok(())
    }

    /// The request broke a rule, and is refused for it. Where decisions are judged by, it is a 422 with these issues, as
    /// [`Scene::has_issues`] wants them; the specification leaves the status open.
    ///
    /// # Errors
    /// It was accepted, or refused otherwise.
    pub fn is_violation(&self, answer: &Answer, issues: &[&str]) -> Result<(), Stop> {
        if self.with_decisions() {
            self.is_error(answer, 422, "VALIDATION_FAILED")?;
            return self.has_issues(answer, issues);
        }
        answer.that(
            answer.status.is_client_error(),
            "What breaks a rule was not refused.",
            "a status of the 400s",
            &format!("{}\n{}", answer.status_line(), answer.shown()),
        )?;
        Ok(())
    }

    /// Of a 422: the issues, as `in path code`, are these, in any order. Only where decisions are judged by.
    ///
    /// # Errors
    /// They are others.
    pub fn has_issues(&self, answer: &Answer, expected: &[&str]) -> Result<(), Stop> {
        if !self.with_decisions() {
            return Ok(());
        }
        let issues = answer.at("/error/details/issues").as_array();
        let part = |issue: &Value, name: &str| issue[name].as_str().unwrap_or("?").to_owned();
        let mut told: Vec<String> = issues
            .into_iter()
            .flatten()
            .map(|issue| {
                format!(
                    "{} {} {}",
                    part(issue, "in"),
                    part(issue, "path"),
                    part(issue, "code")
                )
            })
            .collect();
        let mut expected: Vec<String> = expected.iter().map(|issue| (*issue).to_owned()).collect();
        told.sort_unstable();
        expected.sort_unstable();
        answer.that(
            told == expected,
            "details.issues lists other violations.",
            &expected.join("\n"),
            &told.join("\n"),
        )?;
        Ok(())
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
    }
}
