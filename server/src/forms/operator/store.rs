//! The statements of operators, each change with its history row.

use serde_json::json;

use super::{NewestVersion, Outcome};
use crate::{
    contract::value_sets::FormSubmissionStatus,
    forms::{definition::Definition, store::Fields},
    history,
    id::IdKind,
    postgres::TenantTransaction,
};

/// Forms with their newest versions, newest first: all, or the one with this id.
pub async fn list_forms(
    transaction: &mut TenantTransaction,
    id: Option<&str>,
) -> Result<Vec<NewestVersion>, sqlx::Error> {
    sqlx::query_as!(
        NewestVersion,
        r#"SELECT id, version, published_version, name, kind, review,
                  fields AS "fields: Fields", updated_at,
                  (SELECT count(*) FROM form_submissions
                    WHERE organization_id = $1 AND form_id = form.id AND status = 'PENDING'
                  ) AS "pending!"
             FROM forms AS form CROSS JOIN LATERAL (
                  SELECT version, name, kind, review, fields FROM form_versions
                   WHERE organization_id = $1 AND form_id = form.id
                   ORDER BY version DESC LIMIT 1) AS newest
            WHERE organization_id = $1 AND ($2::text IS NULL OR id = $2)
            ORDER BY created_at DESC, id DESC"#,
        transaction.organization() as _,
        id
    )
    .fetch_all(&mut **transaction)
    .await
}

/// Waits for the form's other changes; the form with its newest version.
async fn lock_form(
    transaction: &mut TenantTransaction,
    id: &str,
) -> Result<Option<NewestVersion>, sqlx::Error> {
    sqlx::query!(
        "SELECT id FROM forms WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE",
        transaction.organization() as _,
        id
    )
    .fetch_optional(&mut **transaction)
    .await?;
    Ok(list_forms(transaction, Some(id)).await?.into_iter().next())
}

/// Makes a form, which is not published yet.
pub async fn create_form(
    transaction: &mut TenantTransaction,
    definition: &Definition,
) -> Result<String, sqlx::Error> {
    let id = IdKind::Form.generate();
    sqlx::query!(
        "INSERT INTO forms (organization_id, id) VALUES ($1, $2)",
        transaction.organization() as _,
        id
    )
    .execute(&mut **transaction)
    .await?;
    insert_version(transaction, &id, 1, definition).await?;
    history::record(transaction, "create_form", &id, None, Some(json!(definition))).await?;
    Ok(id)
}

/// Adds a version to a form where the definition differs from the newest one; the newest number.
pub async fn change_form(
    transaction: &mut TenantTransaction,
    id: &str,
    definition: &Definition,
) -> Result<Outcome<i32>, sqlx::Error> {
    let Some(newest) = lock_form(transaction, id).await? else { return Ok(Outcome::NotFound) };
    if newest.has(definition) {
        return Ok(Outcome::Same(newest.version));
    }
    let version = newest.version + 1;
    insert_version(transaction, id, version, definition).await?;
    let before = json!({ "version": newest.version });
    let mut after = json!(definition);
    after["version"] = version.into();
    history::record(transaction, "change_form", id, Some(before), Some(after)).await?;
    Ok(Outcome::Changed(version))
}

async fn insert_version(
    transaction: &mut TenantTransaction,
    id: &str,
    version: i32,
    definition: &Definition,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO form_versions (organization_id, form_id, version, name, kind, review, fields)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        transaction.organization() as _,
        id,
        version,
        definition.name,
        definition.kind.as_str(),
        definition.review,
        json!(definition.fields)
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}

/// Publishes the form's newest version, or takes the form back; the published version.
pub async fn set_published(
    transaction: &mut TenantTransaction,
    id: &str,
    is_published: bool,
) -> Result<Outcome<Option<i32>>, sqlx::Error> {
    let Some(form) = lock_form(transaction, id).await? else { return Ok(Outcome::NotFound) };
    let published = is_published.then_some(form.version);
    if form.published_version == published {
        return Ok(Outcome::Same(published));
    }
    sqlx::query!(
        "UPDATE forms
            SET published_version = $3,
                updated_at = greatest(service_now(), updated_at + interval '1 millisecond')
          WHERE organization_id = $1 AND id = $2",
        transaction.organization() as _,
        id,
        published
    )
    .execute(&mut **transaction)
    .await?;
    let action = if is_published { "publish_form" } else { "unpublish_form" };
    let version = |version: Option<i32>| Some(json!({ "publishedVersion": version }));
    let (before, after) = (version(form.published_version), version(published));
    history::record(transaction, action, id, before, after).await?;
    Ok(Outcome::Changed(published))
}

/// Decides about a submission that waits for a review. [`Outcome::Same`] has the status of one that
/// does not wait.
pub async fn review(
    transaction: &mut TenantTransaction,
    id: &str,
    decision: FormSubmissionStatus,
) -> Result<Outcome<String>, sqlx::Error> {
    let status = sqlx::query_scalar!(
        "SELECT status FROM form_submissions
          WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE",
        transaction.organization() as _,
        id
    )
    .fetch_optional(&mut **transaction)
    .await?;
    let Some(status) = status else { return Ok(Outcome::NotFound) };
    if status != FormSubmissionStatus::Pending.as_str() {
        return Ok(Outcome::Same(status));
    }
    sqlx::query!(
        "UPDATE form_submissions
            SET status = $3,
                updated_at = greatest(service_now(), updated_at + interval '1 millisecond')
          WHERE organization_id = $1 AND id = $2",
        transaction.organization() as _,
        id,
        decision.as_str()
    )
    .execute(&mut **transaction)
    .await?;
    let action = match decision {
        FormSubmissionStatus::Accepted => "accept_form_submission",
        _ => "decline_form_submission",
    };
    let of = |status: &str| Some(json!({ "status": status }));
    history::record(transaction, action, id, of(&status), of(decision.as_str())).await?;
    Ok(Outcome::Changed(decision.as_str().to_owned()))
}
