//! Forms and what was submitted with them.

use chrono::{DateTime, Utc};
use openapi_runtime::Issue;
use serde_json::Value;

use super::{definition::Field, schema};
use crate::{
    contract::{Problem, types::ErrorCode, value_sets::FormSubmissionStatus},
    problem::Failure,
};

/// A form in its published version (X15).
#[derive(Clone, Debug)]
pub struct Form {
    pub id: String,
    pub version: i32,
    pub name: String,
    pub kind: String,
    pub fields: Vec<Field>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// What a submission needs of the form and the partner that it names.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) version: i32,
    pub(super) review: bool,
    pub(super) fields: Vec<Field>,
    pub(super) has_partner: bool,
}

/// What was submitted with a form (X15).
#[derive(Clone, Debug)]
pub struct Submission {
    pub id: String,
    pub form_id: String,
    pub form_version: i32,
    pub partner_id: Option<String>,
    pub email: Option<String>,
    /// By the keys of the form's fields: texts, booleans, and lists of texts.
    pub fields: Value,
    pub external_key: Option<String>,
    pub status: String,
    pub submitted_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// The filters of a list of submissions; a submission must match all that are given.
#[derive(Clone, Copy, Debug, Default)]
pub struct SubmissionFilters<'a> {
    pub form_id: Option<&'a str>,
    pub partner_id: Option<&'a str>,
    pub status: Option<&'a str>,
}

impl Named {
    /// The status of a new submission.
    pub(super) fn status(&self) -> FormSubmissionStatus {
        if self.review { FormSubmissionStatus::Pending } else { FormSubmissionStatus::Accepted }
    }

    /// Everything in the values that does not fit the form.
    pub(super) fn issues(&self, values: &Value) -> Vec<Issue> {
        schema::issues(&self.fields, values)
    }

    /// Requires that the values fit the form; the problem lists everything that does not.
    pub(super) fn check(&self, values: &Value) -> Result<(), Failure> {
        let issues = self.issues(values);
        if issues.is_empty() {
            return Ok(());
        }
        let verbs = ["does not fit the form", "do not fit the form"];
        Err(Failure::Rejected(Box::new(Problem::of_issues(
            ErrorCode::FormRejected,
            &issues,
            verbs,
        ))))
    }
}
