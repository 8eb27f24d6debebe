//! Writing the history rows of an operator's commands, in the transaction of the change. Requests
//! change things in one conditional statement, which writes its row too.

use serde_json::Value;

use crate::postgres::TenantTransaction;

/// The actor of an operator's command; a request's actor is its key's id.
pub const OPERATOR: &str = "operator";

/// Writes the row of one mutation: its action, such as `set_limits`, and the changed values before
/// and after; `None` before a creation.
pub async fn record(
    transaction: &mut TenantTransaction,
    action: &str,
    resource_id: &str,
    before: Option<Value>,
    after: Option<Value>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO history (organization_id, actor, action, resource_id, before, after)
         VALUES ($1, $2, $3, $4, $5, $6)",
        transaction.organization() as _,
        OPERATOR,
        action,
        resource_id,
        before,
        after
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}
