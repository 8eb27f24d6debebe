//! Laws: what holds for every answer of every case, whatever the case is about.
//!
//! They refuse exceptions: an answer that a case expects to be wrong does not exist.
//!
//! | file | owns |
//! |---|---|
//! | [`form`] | status, content type and body, by the document |
//! | [`meters`] | rate headers, credit headers, `retry-after` |
//! | [`leaks`] | what no answer may show |
//! | [`silent`] | the document without what decisions add |

pub mod form;
pub mod leaks;
pub mod meters;
pub mod silent;

use chrono::{DateTime, Utc};
use payout_openapi::{Document, DocumentError};

use crate::exchange::{Answer, Call};
use form::Form;

/// A law that an answer broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The id of the clause that says the law.
    pub clause: &'static str,
    /// What is wrong.
    pub what: String,
}

/// What is known beside call and answer.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances {
    /// When the answer came, by the suite's clock.
    pub now: DateTime<Utc>,
    /// Whether decisions are judged by.
    pub with_decisions: bool,
}

/// The laws of one document.
#[derive(Debug)]
pub struct Laws {
    form: Form,
    with_decisions: bool,
}

impl Laws {
    /// The laws that this document says; without decisions, those of the specification alone.
    ///
    /// # Errors
    /// The document's schemas cannot be used.
    pub fn new(document: &Document, with_decisions: bool) -> Result<Self, DocumentError> {
        let form = if with_decisions {
            Form::of(document)?
        } else {
            Form::of(&silent::without_decisions(document)?)?
        };
        Ok(Self {
            form,
            with_decisions,
        })
    }

    /// The operation that a call belongs to.
    #[must_use]
    pub fn operation(&self, call: &Call) -> Option<&str> {
        self.form.operation(call)
    }

    /// Everything that is wrong with an answer.
    #[must_use]
    pub fn judge(&self, call: &Call, answer: &Answer, now: DateTime<Utc>) -> Vec<Breach> {
        let circumstances = Circumstances {
            now,
            with_decisions: self.with_decisions,
        };
        let mut breaches = self.form.judge(call, answer);
        breaches.extend(meters::judge(answer, circumstances));
        breaches.extend(leaks::judge(call, answer));
        breaches
    }
}

/// A breach of a clause.
pub(crate) fn breach(clause: &'static str, what: impl Into<String>) -> Breach {
    Breach {
        clause,
        what: what.into(),
    }
}
