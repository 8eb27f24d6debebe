//! The faults of tenancy. Row-level security lets no statement see two tenants, so the other ones are asked one by one.
//!
//! It refuses to touch what the active mutant does not break.

use super::{Mutant, is, lists};
use crate::{
    app::App,
    commission_lines::{
        self,
        model::{CommissionLine, LineFilters},
    },
    failure::Failure,
    gate::{Caller, OrganizationId},
    organizations,
    page::Page,
    partners::{self, model::Partner},
    payouts::model::Payout,
    tenant::Tenants,
};

/// All organisations but the caller's own.
async fn elsewhere(
    tenants: &Tenants,
    own: &OrganizationId,
) -> Result<Vec<OrganizationId>, Failure> {
    let mut transaction = tenants.read(own).await?;
    let all = organizations::store::list_organizations(&mut transaction, None).await?;
    let ids = all
        .iter()
        .filter_map(|organization| OrganizationId::parse(&organization.id));
    Ok(ids.filter(|id| id != own).collect())
}

/// The partner that GET answers, where the server has `found` this one.
pub(crate) async fn partner(
    app: &App,
    own: &OrganizationId,
    id: &str,
    found: Option<Partner>,
) -> Result<Option<Partner>, Failure> {
    let by_id = is(Mutant::PartnerByIdUnscoped);
    if found.is_none() && (by_id || is(Mutant::PartnerByExternalIdUnscoped)) {
        for other in elsewhere(&app.tenants, own).await? {
            let partner = app.partners.get(other, id).await?;
            if let Some(partner) = partner.filter(|partner| (partner.id == id) == by_id) {
                return Ok(Some(partner));
            }
        }
    }
    Ok(found.filter(|partner| partner.id == id || !is(Mutant::ExternalIdIgnored)))
}

/// The payout that GET answers, where the server has `found` this one.
pub(crate) async fn payout(
    app: &App,
    own: &OrganizationId,
    id: &str,
    found: Option<Payout>,
) -> Result<Option<Payout>, Failure> {
    let asks_elsewhere = is(Mutant::ForeignPayout200) || is(Mutant::ForeignIdTold);
    if found.is_some() || !asks_elsewhere {
        return Ok(found);
    }
    let foreign = foreign_payout(app, own, id).await?;
    if foreign.is_some() && is(Mutant::ForeignIdTold) {
        return Err(Failure::NotFound("access to the payout"));
    }
    Ok(foreign)
}

async fn foreign_payout(
    app: &App,
    own: &OrganizationId,
    id: &str,
) -> Result<Option<Payout>, Failure> {
    for other in elsewhere(&app.tenants, own).await? {
        if let Some(payout) = app.payouts.get(other, id).await? {
            return Ok(Some(payout));
        }
    }
    Ok(None)
}

/// What a statement that failed is answered.
pub(crate) async fn statement_failure(
    app: &App,
    own: &OrganizationId,
    id: &str,
    failure: Failure,
) -> Failure {
    let is_absent = matches!(failure, Failure::NotFound(_));
    if is(Mutant::ForeignStatement403)
        && is_absent
        && let Ok(Some(_)) = foreign_payout(app, own, id).await
    {
        return Failure::Foreign;
    }
    failure
}

/// Whom a detach is carried out for.
pub(crate) async fn detacher(app: &App, caller: Caller, id: &str) -> Result<Caller, Failure> {
    if !is(Mutant::ForeignDetachWorks) {
        return Ok(caller);
    }
    for organization in elsewhere(&app.tenants, &caller.organization).await? {
        let mut transaction = app.tenants.read(&organization).await?;
        let line = commission_lines::store::get_commission_line(&mut transaction, id).await?;
        if line.is_some() {
            return Ok(Caller {
                organization,
                ..caller
            });
        }
    }
    Ok(caller)
}

/// The rows of a page of partners, where the server has `found` these.
pub(crate) async fn partners(
    app: &App,
    own: &OrganizationId,
    page: &Page,
    is_first: bool,
    mut found: Vec<Partner>,
) -> Result<Vec<Partner>, Failure> {
    if is_first || !is(Mutant::SecondPageUnscoped) {
        return Ok(found);
    }
    for other in elsewhere(&app.tenants, own).await? {
        let mut transaction = app.tenants.read(&other).await?;
        let foreign = partners::store::list_partners(&mut transaction, &page.position, page.rows());
        found.extend(foreign.await?);
    }
    let key = |partner: &Partner| (partner.created_at, partner.id.clone());
    Ok(lists::merged(found, page.rows(), key))
}

/// The rows of a page of lines, where the server has `found` these.
pub(crate) async fn lines(
    app: &App,
    own: &OrganizationId,
    page: &Page,
    filters: LineFilters<'_>,
    is_first: bool,
    mut found: Vec<CommissionLine>,
) -> Result<Vec<CommissionLine>, Failure> {
    let is_unscoped = is(Mutant::SecondPageUnscoped) && !is_first
        || is(Mutant::PartnerFilterUnscoped) && filters.partner_id.is_some();
    let mut asked = Vec::new();
    if is_unscoped {
        let others = elsewhere(&app.tenants, own).await?;
        asked.extend(others.into_iter().map(|other| (other, filters)));
    }
    if is(Mutant::FiltersJoinedByOr) {
        let alone = each_alone(filters).into_iter();
        asked.extend(alone.map(|filter| (own.clone(), filter)));
    }
    if is(Mutant::VoidedHidden) && filters.status.is_none() {
        found.clear();
        asked.extend(["EXPECTED", "PENDING", "IN_PAYOUT"].map(|status| {
            let status = Some(status);
            (own.clone(), LineFilters { status, ..filters })
        }));
    }
    for (organization, filters) in asked {
        let mut transaction = app.tenants.read(&organization).await?;
        let more = commission_lines::store::list_commission_lines(
            &mut transaction,
            filters,
            &page.position,
            page.rows(),
        );
        found.extend(more.await?);
    }
    let key = |line: &CommissionLine| (line.created_at, line.id.clone());
    Ok(lists::merged(found, page.rows(), key))
}

/// Each of the filters that are given, by itself.
fn each_alone(filters: LineFilters<'_>) -> Vec<LineFilters<'_>> {
    let none = LineFilters::default();
    let alone = [
        LineFilters {
            partner_id: filters.partner_id,
            ..none
        },
        LineFilters {
            payout_id: filters.payout_id,
            ..none
        },
        LineFilters {
            status: filters.status,
            ..none
        },
    ];
    alone.into_iter().filter(|alone| *alone != none).collect()
}
