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

/// Writes the rows of the transaction's organisation; absent times become the database's present.
///
/// # Errors
/// The database refused or is away.
pub async fn insert_rows(
    transaction: &mut TenantTransaction,
    rows: &Rows,
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    let organization = organization.as_str();
    macro_rules! insert {
        ($rows:expr, $statement:literal) => {
            for rows in $rows.chunks(ROWS_PER_STATEMENT) {
                sqlx::query!($statement, organization, as_json(rows))
                    .execute(&mut **transaction)
                    .await?;
            }
        };
    }
    insert!(
        rows.users,
        "INSERT INTO users (organization_id, id, name, email)
         SELECT $1, row.* FROM jsonb_to_recordset($2) AS row (id text, name text, email text)"
    );
    insert!(
        rows.tiers,
        "INSERT INTO tiers (organization_id, id, name)
         SELECT $1, row.* FROM jsonb_to_recordset($2) AS row (id text, name text)"
    );
    insert!(
        rows.phases,
        "INSERT INTO phases (organization_id, id, name)
         SELECT $1, row.* FROM jsonb_to_recordset($2) AS row (id text, name text)"
    );
    insert!(
        rows.experience_templates,
        "INSERT INTO experience_templates (organization_id, id, name)
         SELECT $1, row.* FROM jsonb_to_recordset($2) AS row (id text, name text)"
    );
    insert!(
        rows.partners,
        "INSERT INTO partners (organization_id, id, name, domain, external_company_id, external_id, external_id_type,
                               categories, tier_id, phase_id, experience_template_id, portal_access, owner_id, manager_id,
                               partner_object_crm_properties, company_crm_properties, status, created_at, updated_at)
         SELECT $1, id, name, domain, external_company_id, external_id, external_id_type, categories, tier_id, phase_id,
                experience_template_id, portal_access, owner_id, manager_id, partner_object_crm_properties,
                company_crm_properties, status, coalesce(created_at, service_now()),
                coalesce(updated_at, created_at, service_now())
           FROM jsonb_to_recordset($2) AS row (
                id text, name text, domain text, external_company_id text, external_id text, external_id_type text,
                categories text[], tier_id text, phase_id text, experience_template_id text, portal_access text,
                owner_id text, manager_id text, partner_object_crm_properties jsonb, company_crm_properties jsonb,
                status text, created_at timestamptz(3), updated_at timestamptz(3))"
    );
    insert!(
        rows.payouts,
        "INSERT INTO payouts (organization_id, id, partner_id, batch_id, period_start, period_end, amount, currency, stage,
                              po_number, metadata, created_at, updated_at)
         SELECT $1, id, partner_id, batch_id, period_start, period_end, amount, currency, stage, po_number, metadata,
                coalesce(created_at, service_now()), coalesce(updated_at, created_at, service_now())
           FROM jsonb_to_recordset($2) AS row (
                id text, partner_id text, batch_id text, period_start timestamptz(3), period_end timestamptz(3),
                amount numeric(20, 2), currency text, stage text, po_number text, metadata jsonb,
                created_at timestamptz(3), updated_at timestamptz(3))"
    );
    insert!(
        rows.commission_lines,
        "INSERT INTO commission_lines (organization_id, id, partner_id, payout_id, description, amount, source_amount,
                                       currency, status, plan_name, period_end, idempotency_key, created_at, updated_at)
         SELECT $1, id, partner_id, payout_id, description, amount, source_amount, currency, status, plan_name, period_end,
                idempotency_key, coalesce(created_at, service_now()), coalesce(updated_at, created_at, service_now())
           FROM jsonb_to_recordset($2) AS row (
                id text, partner_id text, payout_id text, description text, amount numeric(20, 2),
                source_amount numeric(20, 2), currency text, status text, plan_name text, period_end timestamptz(3),
                idempotency_key text, created_at timestamptz(3), updated_at timestamptz(3))"
    );
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
