//! The changes of a PATCH, and what it keeps (§4.3, §2.1, R1, R2), in the response and in later
//! reads.

use chrono::{DateTime, TimeDelta, Utc};

use super::{is_same_partner, shows};
use crate::cases::prelude::*;

/// Difference between the clocks of one deployment's machines.
const CLOCKS: TimeDelta = TimeDelta::minutes(5);

/// A PATCH returns the changed partner, and reading it alone or in the list shows the same.
#[case("§4.3", on = updatePartner, fixtures(Partner), changes = Restored, requests = 20)]
async fn answers_as_stored(context: &mut CaseContext<'_>) -> CaseResult {
    let mut partner = ChangedPartner::new(context).await?;
    let by_other_key = context.key(Role::PartnersRead).ok();
    let by_other_key = by_other_key.map(|key| partner.get().with(&key));
    if let Some(request) = &by_other_key {
        // A response that is cached for this key must not be returned after the change.
        context.given(request.clone()).await?;
    }
    let body = json!({ "name": marked_name(), "domain": "as-stored.example" });
    let response = partner.accepts(context, body).await?;
    let read = context.send(partner.get()).await?;
    if let Some(request) = by_other_key {
        let read = context.send(request).await?;
        shows(&read, response.at("/data"), &[])?;
    }
    context.snapshot(&response);
    context.snapshot(&read);
    is_listed(context, &read).await
}

/// Requires that the list shows a partner as this response does.
pub(super) async fn is_listed(context: &mut CaseContext<'_>, read: &Response) -> CaseResult {
    let list = known(context, PARTNERS).await?;
    let item = list.items.iter().find(|item| item["id"] == *read.at("/data/id"));
    match item {
        // It may be beyond the pages that were read.
        None if !list.is_whole => Ok(()),
        Some(item) if is_same_partner(context, item, read.at("/data")) => Ok(()),
        item => Err(list.failed(
            "The list and reading a changed partner alone show different values.",
            read.at("/data").to_string(),
            item.map_or_else(|| "nothing".to_owned(), Value::to_string),
        )),
    }
}

/// A PATCH of several fields changes all of them.
#[case("§4.3", fixtures(Partner, Tier, Phase), requests = 12)]
async fn several_fields(context: &mut CaseContext<'_>, mut partner: ChangedPartner) -> CaseResult {
    let tier = partner.other(context, "/tierId", Fixture::Tier)?;
    let phase = partner.other(context, "/phaseId", Fixture::Phase)?;
    let name = marked_name();
    let body = json!({ "name": name, "domain": null, "tierId": tier, "phaseId": phase });
    let response = partner.accepts(context, body).await?;
    context.snapshot(&response);
    Ok(())
}

/// Requires that the response to a change shows a later `updatedAt` than before; returns it.
pub(super) fn has_moved(after: &Response, before: &Response) -> CaseResult<DateTime<Utc>> {
    let earlier = instant(before, "/data/updatedAt")?;
    let later = instant(after, "/data/updatedAt")?;
    after.that(
        later > earlier,
        "A change did not move updatedAt forward.",
        &format!("later than {earlier}"),
        &later.to_string(),
    )?;
    Ok(later)
}

/// A change moves updatedAt forward to the time of the change, and keeps createdAt.
#[case("§2.1.updatedAt", requests = 16)]
async fn moves_updated_at(context: &mut CaseContext<'_>, partner: ChangedPartner) -> CaseResult {
    // Assigned ids move it, too: the cases in ids.rs. All PATCHes have one request id, which must
    // not make one a repetition of another.
    let request_id = "conformance-moves-updated-at";
    for body in [
        json!({ "name": marked_name() }),
        json!({ "domain": "moves-updated-at.example" }),
        json!({ "domain": null }),
    ] {
        let before = context.given(partner.get()).await?;
        let request = partner.patch(&body).header("x-request-id", request_id);
        let after = context.ok(request).await?;
        let later = has_moved(&after, &before)?;
        after.has("/data/createdAt", before.at("/data/createdAt").clone())?;
        let date = after.responded_at();
        after.that(
            (later - date).abs() < CLOCKS,
            "updatedAt is not the time of the change.",
            &format!("about {date}"),
            &later.to_string(),
        )?;
        let read = context.send(partner.get()).await?;
        read.has("/data/updatedAt", after.at("/data/updatedAt").clone())?;
    }
    Ok(())
}

/// A partner is changed by its externalId as by its service id, and each shows what the other
/// changed.
#[case("R1", requests = 20)]
async fn by_external_id(context: &mut CaseContext<'_>, partner: ChangedPartner) -> CaseResult {
    let external = partner.original["externalId"].as_str().unwrap_or_default();
    CaseOutcome::missing_if(
        external.is_empty() || external == partner.id,
        "fixture partner with an externalId",
    )?;
    let ids = [external, &partner.id];
    for id in ids {
        // Read by both before: a response cached for one id must not be returned after a change by
        // the other.
        for id in ids {
            context.ok(partner.get_by(id)).await?;
        }
        let name = marked_name();
        let body = json!({ "name": name });
        let response = context.ok(partner.patch_by(id, &body)).await?;
        response.has("/data/id", partner.id.as_str())?.has("/data/name", name)?;
        for id in ids {
            let read = context.send(partner.get_by(id)).await?;
            shows(&read, response.at("/data"), &[])?;
        }
    }
    Ok(())
}

/// Where an id is one partner's service id and another's externalId, a PATCH changes the first
/// only.
#[case("R1", fixtures(Partner, ShadowPartner), requests = 12)]
async fn service_id_first(context: &mut CaseContext<'_>, partner: ChangedPartner) -> CaseResult {
    let shadow = context.fixture(Fixture::ShadowPartner)?;
    let read = partner.get_by(&shadow);
    let before = context.given(read.clone()).await?;
    CaseOutcome::missing_if(
        before.text("/data/externalId") != partner.id,
        "a shadow_partner whose externalId is the id of partner",
    )?;
    let name = marked_name();
    let request = partner.patch(&json!({ "name": name }));
    let response = context.ok(request).await?;
    response.has("/data/id", partner.id.as_str())?.has("/data/name", name)?;
    let after = context.send(read).await?;
    shows(&after, before.at("/data"), &[])
}
