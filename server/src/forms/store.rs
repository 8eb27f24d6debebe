//! Forms and submissions in Postgres. Every statement names its organisation, in addition to
//! row-level security.

use serde_json::Value;
use sqlx::{PgConnection, types::Json};

use super::{
    definition::Field,
    model::{Form, Named, Submission, SubmissionFilters},
};
use crate::{
    contract::value_sets::FormSubmissionStatus,
    gate::Caller,
    id::OrganizationId,
    page::List,
    postgres::{SingleStatement, TenantTransaction},
};

/// The fields of a form, as a column has them.
#[derive(sqlx::Type)]
#[sqlx(transparent)]
pub(crate) struct Fields(Json<Vec<Field>>);

impl From<Fields> for Vec<Field> {
    fn from(Fields(Json(fields)): Fields) -> Self {
        fields
    }
}

/// Selects published forms; `$tail` has the conditions.
macro_rules! select_forms {
    ($tail:tt, $organization:expr $(, $argument:expr)*) => {
        sqlx::query_as!(
            Form,
            r#"WITH scope AS MATERIALIZED (
                SELECT set_config('app.organization_id', $1, true) AS organization_id
            )
            SELECT found.* FROM scope CROSS JOIN LATERAL (
                SELECT form.id, version, name, kind, fields AS "fields: Fields",
                       form.created_at, updated_at
                  FROM forms AS form CROSS JOIN LATERAL (
                       SELECT version, name, kind, fields FROM form_versions
                        WHERE form_versions.organization_id = scope.organization_id
                          AND form_id = form.id AND version = published_version
                        LIMIT 1) AS published
                 WHERE form.organization_id = scope.organization_id
                   AND published_version IS NOT NULL "#
                + $tail
                + ") AS found",
            $organization
            $(, $argument)*
        )
    };
}

pub(crate) struct GetForm<'a> {
    pub(crate) organization: &'a OrganizationId,
    pub(crate) id: &'a str,
}

impl SingleStatement for GetForm<'_> {
    type Output = Option<Form>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Option<Form>, sqlx::Error> {
        select_forms!("AND form.id = $2 LIMIT 1", self.organization.as_str(), self.id)
            .fetch_optional(connection)
            .await
    }
}

impl SingleStatement for List<'_, ()> {
    type Output = Vec<Form>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Vec<Form>, sqlx::Error> {
        select_forms!(
            "AND (form.created_at, form.id) < ($2, $3)
             ORDER BY form.created_at DESC, form.id DESC LIMIT $4",
            self.organization.as_str(),
            self.position.created_at,
            self.position.id,
            self.limit
        )
        .fetch_all(connection)
        .await
    }
}

/// Selects submissions.
macro_rules! select_submissions {
    ($head:tt, [$($tail:tt)+], $($argument:expr),+) => {
        sqlx::query_as!(
            Submission,
            $head
                + "SELECT id, form_id, form_version, partner_id, email, fields, external_key,
                          status, submitted_at, created_at, updated_at "
                + $($tail)+,
            $($argument),+
        )
    };
}

impl SingleStatement for List<'_, SubmissionFilters<'_>> {
    type Output = Vec<Submission>;

    /// One static statement per set of filters that has an index; the other filters are compared
    /// row by row.
    async fn run(&self, connection: &mut PgConnection) -> Result<Vec<Submission>, sqlx::Error> {
        let Self { organization, filters, position, limit } = self;
        macro_rules! submissions {
            ($index:tt) => {
                select_submissions!(
                    "WITH scope AS MATERIALIZED (
                        SELECT set_config('app.organization_id', $1, true) AS organization_id
                    )
                    SELECT found.* FROM scope CROSS JOIN LATERAL (",
                    ["FROM form_submissions AS submission
                       WHERE submission.organization_id = scope.organization_id
                         AND (created_at, id) < ($2, $3)
                         AND ($5::text IS NULL OR partner_id = $5)
                         AND ($6::text IS NULL OR form_id = $6)
                         AND ($7::text IS NULL OR status = $7) "
                        + $index
                        + " ORDER BY created_at DESC, id DESC LIMIT $4) AS found"],
                    organization.as_str(),
                    position.created_at,
                    position.id,
                    limit,
                    filters.partner_id,
                    filters.form_id,
                    filters.status
                )
                .fetch_all(connection)
                .await
            };
        }
        match filters {
            SubmissionFilters { partner_id: Some(_), .. } => submissions!("AND partner_id = $5"),
            SubmissionFilters { form_id: Some(_), .. } => submissions!("AND form_id = $6"),
            SubmissionFilters { status: Some(_), .. } => submissions!("AND status = $7"),
            _ => submissions!(""),
        }
    }
}

/// What a submission needs of the published form and of the partner that it names; `None` where
/// there is no such form.
pub(super) async fn find_named(
    transaction: &mut TenantTransaction,
    form_id: &str,
    partner_id: Option<&str>,
) -> Result<Option<Named>, sqlx::Error> {
    sqlx::query_as!(
        Named,
        r#"SELECT version, review, fields AS "fields: Fields",
                  ($3::text IS NULL OR EXISTS (
                      SELECT FROM partners WHERE organization_id = $1 AND id = $3)
                  ) AS "has_partner!"
             FROM forms AS form
             JOIN form_versions AS published
               ON published.organization_id = $1 AND form_id = form.id
              AND version = published_version
            WHERE form.organization_id = $1 AND form.id = $2"#,
        transaction.organization() as _,
        form_id,
        partner_id
    )
    .fetch_optional(&mut **transaction)
    .await
}

pub(super) async fn submission_of_external_key(
    transaction: &mut TenantTransaction,
    form_id: &str,
    external_key: &str,
) -> Result<Option<Submission>, sqlx::Error> {
    select_submissions!(
        "",
        ["FROM form_submissions
           WHERE organization_id = $1 AND form_id = $2 AND external_key = $3"],
        transaction.organization() as _,
        form_id,
        external_key
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// A submission that fits the form.
pub(super) struct NewSubmission<'a> {
    pub(super) id: &'a str,
    pub(super) form_id: &'a str,
    pub(super) form_version: i32,
    pub(super) partner_id: Option<&'a str>,
    pub(super) email: Option<&'a str>,
    pub(super) fields: &'a Value,
    pub(super) external_key: Option<&'a str>,
    pub(super) status: FormSubmissionStatus,
    /// `None` means now.
    pub(super) submitted_at: Option<chrono::DateTime<chrono::Utc>>,
}

/// Creates the submission with its history row; `None` where another one has its external key, or
/// its id.
pub(super) async fn create_submission(
    transaction: &mut TenantTransaction,
    caller: &Caller,
    new: &NewSubmission<'_>,
) -> Result<Option<Submission>, sqlx::Error> {
    sqlx::query_file_as!(
        Submission,
        "src/forms/create_submission.sql",
        transaction.organization() as _,
        new.id,
        new.form_id,
        new.form_version,
        new.partner_id,
        new.email,
        new.fields,
        new.external_key,
        new.status.as_str(),
        new.submitted_at,
        &*caller.key_id,
        &*caller.request_id
    )
    .fetch_optional(&mut **transaction)
    .await
}
