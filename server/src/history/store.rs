//! Writing history rows in the transaction of the change. A change made in one conditional
//! statement writes its row in that statement instead.

use serde_json::Value;

use crate::postgres::TenantTransaction;

/// The actor of an operator's command; a request's actor is its key's id.
pub const OPERATOR: &str = "operator";

/// One mutation.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// A key's id, or [`OPERATOR`].
    pub actor: &'a str,
    /// The request's id; an operator's command has none.
    pub request_id: Option<&'a str>,
    /// The action: verb and resource, such as `update_partner`.
    pub action: &'a str,
    pub resource_id: &'a str,
    /// The changed values before; `None` for a creation.
    pub before: Option<Value>,
    pub after: Option<Value>,
}

/// Writes the row of one mutation.
pub async fn record(
    transaction: &mut TenantTransaction,
    entry: Entry<'_>,
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query!(
        "INSERT INTO history
                (organization_id, actor, request_id, action, resource_id, before, after)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        organization.as_str(),
        entry.actor,
        entry.request_id,
        entry.action,
        entry.resource_id,
        entry.before,
        entry.after
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}
