//! Rows of an import to tables, and their removal.
//!
//! It refuses a row at a time: each table is one statement per 2,000 rows, its columns named once.

use serde::Serialize;
use serde_json::Value;
use sqlx::PgConnection;

use super::resolve::Rows;
use crate::tenant::TenantTransaction;

/// Keeps one statement's parameter small.
const ROWS_PER_STATEMENT: usize = 2000;

/// An organisation that is there already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Existing {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// Those of the organisations that exist, by id or by name.
///
/// # Errors
/// The database refused or is away.
pub async fn existing_organizations(
    connection: &mut PgConnection,
    ids: &[String],
    names: &[String],
) -> Result<Vec<Existing>, sqlx::Error> {
    sqlx::query_as!(
        Existing,
        "SELECT id, name FROM organizations WHERE id = ANY ($1) OR name = ANY ($2) ORDER BY name, id",
        ids,
        names
    )
    .fetch_all(connection)
    .await
}

/// Writes the rows of the transaction's organisation. Columns are matched by name, so that a new one is no business of
/// this file; what a row leaves out is taken from a first row of organisation and present.
///
/// # Errors
/// The database refused or is away.
pub async fn insert_rows(
    transaction: &mut TenantTransaction,
    rows: &Rows,
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    macro_rules! insert {
        ($table:literal, $rows:expr) => {
            for rows in $rows.chunks(ROWS_PER_STATEMENT) {
                sqlx::query!(
                    "INSERT INTO "
                        + $table
                        + " SELECT row.* FROM jsonb_populate_recordset(
                                jsonb_populate_record(
                                    NULL::"
                        + $table
                        + ", jsonb_build_object('organization_id', $1::text,
                                                     'created_at', service_now(), 'updated_at', service_now(),
                                                     'statement_revision', 1)),
                                $2) AS row",
                    organization.as_str(),
                    as_json(rows)
                )
                .execute(&mut **transaction)
                .await?;
            }
        };
    }
    insert!("users", rows.users);
    insert!("tiers", rows.tiers);
    insert!("phases", rows.phases);
    insert!("experience_templates", rows.experience_templates);
    insert!("partners", rows.partners);
    insert!("payouts", rows.payouts);
    insert!("commission_lines", rows.commission_lines);
    Ok(())
}

/// Removes the transaction's organisation with all it owns, its history and keys included. Needs the owner's role: the
/// server's may delete nothing. Tells whether there was one.
///
/// # Errors
/// The database refused or is away.
pub async fn remove_organization(transaction: &mut TenantTransaction) -> Result<bool, sqlx::Error> {
    let organization = transaction.organization();
    let organization = organization.as_str();
    // Not one list of tables: each statement is checked against the schema when this is built.
    macro_rules! delete {
        ($($statement:literal),+ $(,)?) => {
            $(sqlx::query!($statement, organization).execute(&mut **transaction).await?;)+
        };
    }
    delete!(
        "DELETE FROM history WHERE organization_id = $1",
        "DELETE FROM current_statements WHERE organization_id = $1",
        "DELETE FROM asset_intents WHERE organization_id = $1",
        "DELETE FROM assets WHERE organization_id = $1",
        "DELETE FROM statement_templates WHERE organization_id = $1",
        "DELETE FROM commission_lines WHERE organization_id = $1",
        "DELETE FROM payouts WHERE organization_id = $1",
        "DELETE FROM partners WHERE organization_id = $1",
        "DELETE FROM users WHERE organization_id = $1",
        "DELETE FROM tiers WHERE organization_id = $1",
        "DELETE FROM phases WHERE organization_id = $1",
        "DELETE FROM experience_templates WHERE organization_id = $1",
        "DELETE FROM billing_information WHERE organization_id = $1",
        "DELETE FROM meters WHERE organization_id = $1",
        "DELETE FROM api_keys WHERE organization_id = $1",
    );
    let removed = sqlx::query!("DELETE FROM organizations WHERE id = $1", organization)
        .execute(&mut **transaction)
        .await?;
    Ok(removed.rows_affected() > 0)
}

fn as_json(rows: &[impl Serialize]) -> Value {
    serde_json::to_value(rows).expect("rows have string keys and no floating point")
}
