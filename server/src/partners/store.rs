//! Partners in Postgres. Every statement names its organisations, in addition to row-level
//! security.

use serde_json::json;
use sqlx::PgConnection;

use super::{change::PartnerFields, model::Partner};
use crate::{
    contract::types::{CreatePartnerReferences, UpdatePartnerReferences, UpdatePartnerRequest},
    gate::Caller,
    id::IdKind,
    page::List,
    postgres::{Lookup, PointRead, SingleStatement, TenantTransaction, select_lookups},
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

pub struct AllPartners;

impl SingleStatement for List<'_, AllPartners> {
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

/// Partners with this service id or, where none has it, with this CRM id (R1), in batches over all
/// tenants.
pub struct PartnersById;

impl PointRead for PartnersById {
    type Row = Partner;

    async fn read(
        connection: &mut PgConnection,
        lookups: &[&Lookup],
    ) -> Result<Vec<Partner>, sqlx::Error> {
        let (organizations, ids) = Lookup::columns(lookups);
        // Two look-ups by key, the second only where the first finds nothing: for
        // `id = $2 OR external_id = $2` Postgres joins two bitmaps and sorts. `coalesce` is in a
        // sub-select because under row-level security only leakproof expressions become index
        // conditions.
        select_lookups!(
            select_partners,
            "WHERE partners.organization_id = lookups.organization_id
               AND partners.id = (SELECT coalesce(
                    (SELECT by_id.id FROM partners AS by_id
                      WHERE by_id.organization_id = lookups.organization_id
                        AND by_id.id = lookups.id),
                    (SELECT by_external_id.id FROM partners AS by_external_id
                      WHERE by_external_id.organization_id = lookups.organization_id
                        AND by_external_id.external_id = lookups.id)))
             OFFSET 0) AS found
             ORDER BY lookups.position",
            &organizations as _,
            &ids as _
        )
        .fetch_all(connection)
        .await
    }

    fn matches(row: &Partner, lookup: &Lookup) -> bool {
        let id = Some(lookup.id.as_str());
        row.organization_id == lookup.organization.as_str()
            && (id == Some(&row.id) || id == row.external_id.as_deref())
    }
}

/// A partner that is locked until the transaction ends.
#[derive(Clone, Debug)]
pub(super) struct LockedPartner {
    pub(super) id: String,
    pub(super) fields: PartnerFields,
    /// True where the change names none.
    pub(super) references: UpdatePartnerReferences,
}

/// Looks up all references of a change, beside `$columns`; `$tail` has the tables of these.
macro_rules! select_references {
    ($columns:tt, $tail:tt, $organization:expr, $change:expr $(, $argument:expr)*) => {
        sqlx::query!(
            "SELECT "
                + $columns
                + r#"$2::text IS NULL OR EXISTS (
                      SELECT FROM tiers WHERE organization_id = $1 AND id = $2) AS "tier!",
                  $3::text IS NULL OR EXISTS (
                      SELECT FROM phases WHERE organization_id = $1 AND id = $3) AS "phase!",
                  $4::text IS NULL OR EXISTS (
                      SELECT FROM experience_templates WHERE organization_id = $1 AND id = $4)
                      AS "experience_template!",
                  $5::text IS NULL OR EXISTS (
                      SELECT FROM users WHERE organization_id = $1 AND id = $5) AS "owner!" "#
                + $tail,
            $organization.as_str(),
            $change.tier_id.as_ref().map(|id| id.as_str()),
            $change.phase_id.as_ref().map(|id| id.as_str()),
            $change.experience_template_id.as_ref().map(|id| id.as_str()),
            $change.partner_owner_id.as_ref().map(|id| id.as_str())
            $(, $argument)*
        )
    };
}

pub(super) async fn find_references(
    transaction: &mut TenantTransaction,
    change: &UpdatePartnerRequest,
) -> Result<CreatePartnerReferences, sqlx::Error> {
    let organization = transaction.organization();
    let query = select_references!("", "", organization, change);
    let row = query.fetch_one(&mut **transaction).await?;
    Ok(CreatePartnerReferences {
        tier_id: row.tier,
        phase_id: row.phase,
        experience_template_id: row.experience_template,
        partner_owner_id: row.owner,
    })
}

/// Locks the partner of this reference, and looks up all references of a change.
pub(super) async fn lock_partner(
    transaction: &mut TenantTransaction,
    reference: &str,
    change: &UpdatePartnerRequest,
) -> Result<Option<LockedPartner>, sqlx::Error> {
    let organization = transaction.organization();
    let query = select_references!(
        "partners.id, name, domain, portal_access, tier_id, experience_template_id, phase_id,
         owner_id, ",
        "FROM partners
        WHERE organization_id = $1
          AND id = (SELECT coalesce(
              (SELECT by_id.id FROM partners AS by_id
                WHERE by_id.organization_id = $1 AND by_id.id = $6),
              (SELECT by_external_id.id FROM partners AS by_external_id
                WHERE by_external_id.organization_id = $1
                  AND by_external_id.external_id = $6)))
          FOR NO KEY UPDATE",
        organization,
        change,
        reference
    );
    let row = query.fetch_optional(&mut **transaction).await?;
    Ok(row.map(|row| LockedPartner {
        id: row.id,
        fields: PartnerFields {
            name: row.name,
            domain: row.domain,
            portal_access: row.portal_access,
            tier_id: row.tier_id,
            experience_template_id: row.experience_template_id,
            phase_id: row.phase_id,
            owner_id: row.owner_id,
        },
        references: UpdatePartnerReferences {
            tier_id: row.tier,
            phase_id: row.phase,
            experience_template_id: row.experience_template,
            partner_owner_id: row.owner,
        },
    }))
}

/// Waits until no other transaction matches or creates a partner of this domain. A statement of
/// its own: the next one then sees what the other transaction did.
pub(super) async fn lock_domain(
    transaction: &mut TenantTransaction,
    domain: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"SELECT pg_advisory_xact_lock(hashtextextended(
                      'domain in ' || $1 || ': ' || lower($2 COLLATE "C"), 0))"#,
        transaction.organization() as _,
        domain
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}

/// Locks the oldest partner of this domain, ASCII letters without case (X1); returns its id.
pub(super) async fn lock_partner_by_domain(
    transaction: &mut TenantTransaction,
    domain: &str,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT id FROM partners
            WHERE organization_id = $1 AND domain_key = lower($2 COLLATE "C")
            ORDER BY created_at, id
            LIMIT 1
              FOR NO KEY UPDATE"#,
        transaction.organization() as _,
        domain
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// Inserts a partner, with its history row.
pub(super) async fn create_partner(
    transaction: &mut TenantTransaction,
    caller: &Caller,
    fields: &PartnerFields,
) -> Result<Partner, sqlx::Error> {
    select_partners!(
        r#"WITH created AS (
            INSERT INTO partners (organization_id, id, name, domain, portal_access, tier_id,
                                  experience_template_id, phase_id, owner_id, status)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            RETURNING *
        ), entry AS (
            INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
            SELECT $1, $11, $12, 'create_partner', created.id, $13 FROM created
        ) "#,
        from "created AS partners",
        "",
        transaction.organization() as _,
        IdKind::Partner.generate(),
        fields.name,
        fields.domain,
        fields.portal_access,
        fields.tier_id,
        fields.experience_template_id,
        fields.phase_id,
        fields.owner_id,
        fields.status_when_new().as_str(),
        &*caller.key_id,
        &*caller.request_id,
        json!(fields)
    )
    .fetch_one(&mut **transaction)
    .await
}

/// Writes the changed fields of a locked partner, with its history row, and moves `updatedAt`
/// forward by at least a millisecond: clients compare versions by it.
pub(super) async fn update_partner(
    transaction: &mut TenantTransaction,
    caller: &Caller,
    before: &LockedPartner,
    after: &PartnerFields,
) -> Result<Partner, sqlx::Error> {
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
        transaction.organization() as _,
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
        json!(before.fields),
        json!(after)
    )
    .fetch_one(&mut **transaction)
    .await
}
