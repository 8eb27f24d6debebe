//! Partners in Postgres. Every statement names its organisations, in addition to row-level
//! security.

use sqlx::PgConnection;

use super::{
    change::{ChangedFields, PartnerChange},
    model::Partner,
};
use crate::{
    batch_loader::{Lookup, PointRead},
    contract::scalars::Position,
    gate::Caller,
    id::OrganizationId,
    tenant::{BatchConnection, SingleStatement, TenantTransaction},
};

/// Selects partners with the people they name. `$head` may wrap the SELECT; `$tail` has its
/// conditions. With `from`, the partners are rows of another name.
macro_rules! select_partners {
    ($head:tt, $tail:tt, $($argument:expr),+) => {
        select_partners!($head, from "partners", $tail, $($argument),+)
    };
    ($head:tt, from $from:tt, $tail:tt, $($argument:expr),+) => {
        sqlx::query_as!(
            Partner,
            $head + r#"SELECT
                partners.organization_id, partners.id, partners.name, partners.domain,
                partners.external_company_id, partners.external_id, partners.external_id_type,
                partners.categories, partners.tier_id, partners.phase_id,
                partners.experience_template_id, partners.portal_access, partners.owner_id,
                owners.name AS "owner_name?", owners.email AS "owner_email?",
                partners.manager_id,
                managers.name AS "manager_name?", managers.email AS "manager_email?",
                partners.partner_object_crm_properties, partners.company_crm_properties,
                partners.status, partners.created_at, partners.updated_at
            FROM "#
                + $from
                + r#" LEFT JOIN users AS owners
                   ON owners.organization_id = partners.organization_id
                  AND owners.id = partners.owner_id
            LEFT JOIN users AS managers
                   ON managers.organization_id = partners.organization_id
                  AND managers.id = partners.manager_id "#
                + $tail,
            $($argument),+
        )
    };
}

/// The partners behind `position`, newest first (R7); at most `limit` of them.
#[derive(Debug)]
pub struct ListPartners<'a> {
    pub organization: &'a OrganizationId,
    pub position: &'a Position,
    pub limit: i64,
}

impl SingleStatement for ListPartners<'_> {
    type Output = Vec<Partner>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Vec<Partner>, sqlx::Error> {
        select_partners!(
            r#"WITH scope AS MATERIALIZED (
                SELECT set_config('app.organization_id', $1, true) AS organization_id
            )
            SELECT found.* FROM scope CROSS JOIN LATERAL ("#,
            "WHERE partners.organization_id = scope.organization_id
               AND (partners.created_at, partners.id) < ($2, $3)
             ORDER BY partners.created_at DESC, partners.id DESC
             LIMIT $4) AS found",
            self.organization.as_str(),
            self.position.created_at,
            self.position.id,
            self.limit
        )
        .fetch_all(connection)
        .await
    }
}

/// The partner with this service id or, where none has it, with this CRM id (R1).
pub async fn get_partner(
    transaction: &mut TenantTransaction,
    reference: &str,
) -> Result<Option<Partner>, sqlx::Error> {
    let organization = transaction.organization();
    // Two look-ups by key, the second only where the first finds nothing: for
    // `id = $2 OR external_id = $2` Postgres joins two bitmaps and sorts. `coalesce` is in a
    // sub-select because under row-level security only leakproof expressions become index
    // conditions.
    select_partners!(
        "",
        "WHERE partners.organization_id = $1
           AND partners.id = (SELECT coalesce(
                (SELECT by_id.id FROM partners AS by_id
                  WHERE by_id.organization_id = $1 AND by_id.id = $2),
                (SELECT by_external_id.id FROM partners AS by_external_id
                  WHERE by_external_id.organization_id = $1
                    AND by_external_id.external_id = $2)))",
        organization.as_str(),
        reference
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// Partners by the same ids, in batches over all tenants.
#[derive(Debug)]
pub struct PartnersById;

impl PointRead for PartnersById {
    type Row = Partner;

    async fn read(
        connection: &mut BatchConnection,
        asked: &[&Lookup],
    ) -> Result<Vec<Partner>, sqlx::Error> {
        let (organizations, ids) = Lookup::columns(asked);
        // Two look-ups by key, as in `get_partner`.
        select_partners!(
            r#"WITH asked AS MATERIALIZED (
                SELECT asked.organization_id, asked.id, asked.position
                  FROM (SELECT set_config('app.organization_ids',
                                          array_to_string($1::text[], ','), true) AS ids) AS scope,
                       LATERAL unnest(string_to_array(scope.ids, ','), $2::text[]) WITH ORDINALITY
                       AS asked (organization_id, id, position)
            )
            SELECT found.* FROM asked CROSS JOIN LATERAL ("#,
            "WHERE partners.organization_id = asked.organization_id
               AND partners.id = (SELECT coalesce(
                    (SELECT by_id.id FROM partners AS by_id
                      WHERE by_id.organization_id = asked.organization_id AND by_id.id = asked.id),
                    (SELECT by_external_id.id FROM partners AS by_external_id
                      WHERE by_external_id.organization_id = asked.organization_id
                        AND by_external_id.external_id = asked.id)))
             OFFSET 0) AS found
             ORDER BY asked.position",
            &organizations as _,
            &ids as _
        )
        .fetch_all(&mut **connection)
        .await
    }

    fn matches(row: &Partner, asked: &Lookup) -> bool {
        let id = Some(asked.id.as_str());
        row.organization_id == asked.organization.as_str()
            && (id == Some(&row.id) || id == row.external_id.as_deref())
    }
}

/// A partner that is locked until the transaction ends.
#[derive(Clone, Debug)]
pub(super) struct LockedPartner {
    pub(super) id: String,
    pub(super) fields: ChangedFields,
    pub(super) references: References,
}

/// Which of the references of a change exist; true where the change names none.
#[derive(Clone, Copy, Debug)]
pub(super) struct References {
    pub(super) tier: bool,
    pub(super) phase: bool,
    pub(super) experience_template: bool,
    pub(super) owner: bool,
}

/// Locks the partner of this reference, and looks up all references of a change.
pub(super) async fn lock_partner(
    transaction: &mut TenantTransaction,
    reference: &str,
    change: &PartnerChange,
) -> Result<Option<LockedPartner>, sqlx::Error> {
    let organization = transaction.organization();
    let row = sqlx::query!(
        r#"SELECT partners.id, name, domain, portal_access, tier_id, experience_template_id,
                  phase_id, owner_id,
                  $3::text IS NULL OR EXISTS (
                      SELECT FROM tiers WHERE organization_id = $1 AND id = $3) AS "tier!",
                  $4::text IS NULL OR EXISTS (
                      SELECT FROM phases WHERE organization_id = $1 AND id = $4) AS "phase!",
                  $5::text IS NULL OR EXISTS (
                      SELECT FROM experience_templates WHERE organization_id = $1 AND id = $5)
                      AS "experience_template!",
                  $6::text IS NULL OR EXISTS (
                      SELECT FROM users WHERE organization_id = $1 AND id = $6) AS "owner!"
             FROM partners
            WHERE organization_id = $1
              AND id = (SELECT coalesce(
                  (SELECT by_id.id FROM partners AS by_id
                    WHERE by_id.organization_id = $1 AND by_id.id = $2),
                  (SELECT by_external_id.id FROM partners AS by_external_id
                    WHERE by_external_id.organization_id = $1
                      AND by_external_id.external_id = $2)))
              FOR UPDATE"#,
        organization.as_str(),
        reference,
        change.tier_id.as_deref(),
        change.phase_id.as_deref(),
        change.experience_template_id.as_deref(),
        change.owner_id.as_deref()
    )
    .fetch_optional(&mut **transaction)
    .await?;
    Ok(row.map(|row| LockedPartner {
        id: row.id,
        fields: ChangedFields {
            name: row.name,
            domain: row.domain,
            portal_access: row.portal_access,
            tier_id: row.tier_id,
            experience_template_id: row.experience_template_id,
            phase_id: row.phase_id,
            owner_id: row.owner_id,
        },
        references: References {
            tier: row.tier,
            phase: row.phase,
            experience_template: row.experience_template,
            owner: row.owner,
        },
    }))
}

/// Writes the changed fields of a locked partner, with its history row, and moves `updatedAt`
/// forward by at least a millisecond: clients compare versions by it.
pub(super) async fn update_partner(
    transaction: &mut TenantTransaction,
    caller: &Caller,
    before: &LockedPartner,
    after: &ChangedFields,
) -> Result<Partner, sqlx::Error> {
    let organization = transaction.organization();
    select_partners!(
        r#"WITH updated AS (
            UPDATE partners
               SET name = $3, domain = $4, portal_access = $5, tier_id = $6,
                   experience_template_id = $7, phase_id = $8, owner_id = $9,
                   updated_at = greatest(service_now(), updated_at + interval '1 millisecond')
             WHERE organization_id = $1 AND id = $2
            RETURNING *
        ), entry AS (
            INSERT INTO history (organization_id, actor, request_id, action, resource_id,
                                 before, after)
            SELECT $1, $10, $11, 'update_partner', updated.id, $12, $13 FROM updated
        ) "#,
        from "updated AS partners",
        "",
        organization.as_str(),
        before.id,
        after.name,
        after.domain,
        after.portal_access,
        after.tier_id,
        after.experience_template_id,
        after.phase_id,
        after.owner_id,
        &*caller.key_id,
        &*caller.request_id,
        before.fields.to_json(),
        after.to_json()
    )
    .fetch_one(&mut **transaction)
    .await
}
