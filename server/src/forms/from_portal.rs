//! Submissions of the portal's visitors (X17), checked by the form as it is published now.

use openapi_runtime::Issue;
use serde_json::Value;

use super::{
    definition::Field,
    store::{self, NewSubmission},
};
use crate::{gate::Caller, postgres::TenantTransaction, problem::Failure};

/// A submission of a partner's visitor. The page that had the form chose its id.
pub(crate) struct FromPortal<'a> {
    pub(crate) id: &'a str,
    pub(crate) form_id: &'a str,
    pub(crate) partner_id: &'a str,
    pub(crate) email: &'a str,
}

/// The outcome of a submission.
pub(crate) enum Submitted {
    /// In this transaction, or before: one with this id is there once.
    Stored,
    /// What was filled in does not fit the form.
    Rejected { values: Value, issues: Vec<Issue> },
}

/// Submits what `values` reads for the form's fields; `None` where the form is not published.
pub(crate) async fn submit_from_portal(
    transaction: &mut TenantTransaction,
    caller: &Caller,
    new: FromPortal<'_>,
    values: impl FnOnce(&[Field]) -> Value,
) -> Result<Option<Submitted>, Failure> {
    let named = store::find_named(transaction, new.form_id, None).await?;
    let Some(named) = named else { return Ok(None) };
    let values = values(&named.fields);
    let issues = named.issues(&values);
    if !issues.is_empty() {
        return Ok(Some(Submitted::Rejected { values, issues }));
    }
    let submission = NewSubmission {
        id: new.id,
        form_id: new.form_id,
        form_version: named.version,
        partner_id: Some(new.partner_id),
        email: Some(new.email),
        fields: &values,
        external_key: None,
        status: named.status(),
        submitted_at: None,
    };
    store::create_submission(transaction, caller, &submission).await?;
    Ok(Some(Submitted::Stored))
}
