//! What a PATCH changes, and what it keeps (§4.3, §2.1, R1, R2).
//!
//! They refuse to believe the response to a PATCH alone: what is read afterwards must be the same.

use chrono::{DateTime, FixedOffset, TimeDelta};
use serde_json::{Value, json};

use super::beside::{at_once, keeps_place, others_kept, read_beside_patch};
use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes},
    cases::{
        borrowed::{Borrowed, borrows, marked_name, shows},
        lists::walk::{PARTNERS, known},
    },
    exchange::Response,
    target::{Fixture, Role},
};

/// How far the clocks of one deployment's machines may be apart.
const CLOCKS: TimeDelta = TimeDelta::minutes(5);

/// The cases.
pub(in crate::cases) const CASES: &[Case] = &[
    Case::new(
        "partners.patch-answers-as-stored",
        "A PATCH answers with the changed partner, and reading it alone or in the list shows the same.",
        "§4.3",
        borrows!(answers_as_stored),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(16),
    Case::new(
        "partners.patch-keeps-the-rest",
        "A PATCH of one field changes this field, and keeps every other.",
        "R2.absent",
        borrows!(keeps_the_rest),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(16),
    Case::new(
        "partners.patch-several-fields",
        "A PATCH of several fields changes all of them.",
        "§4.3",
        borrows!(several_fields),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner, Fixture::Tier, Fixture::Phase])
    .changes(Changes::Restored),
    Case::new(
        "partners.patch-moves-updated-at",
        "A change moves updatedAt forward to the time of the change, and createdAt not at all.",
        "§2.1.updatedAt",
        borrows!(moves_updated_at),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(12),
    Case::new(
        "partners.patch-by-external-id",
        "A partner is changed by its externalId as by its service id, and each shows what the other changed.",
        "R1",
        borrows!(by_external_id),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(16),
    Case::new(
        "partners.patch-service-id-first",
        "Where an id is one partner's service id and another's externalId, the first is changed, and the other kept.",
        "R1",
        borrows!(service_id_first),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner, Fixture::ShadowPartner])
    .changes(Changes::Restored),
    Case::new(
        "partners.patch-other-partners-kept",
        "A PATCH changes its partner, and no other one.",
        "§4.3",
        borrows!(others_kept),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(16),
    Case::new(
        "partners.patch-keeps-place",
        "A changed partner keeps its place in the list: the order is that of createdAt.",
        "R7",
        borrows!(keeps_place),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(16),
    Case::new(
        "partners.patch-at-once",
        "Of PATCHes at once each answers with what it set, and none undoes what another one set.",
        "R2.absent",
        borrows!(at_once),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored),
    Case::new(
        "partners.read-beside-patch",
        "A read at the same time as a PATCH shows the partner as it was, or as it is: no mixture.",
        "§4.2",
        borrows!(read_beside_patch),
    )
    .on("getPartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(12),
];

async fn answers_as_stored(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    partner.begin(context).await?;
    let by_other_key = context.key(Role::PartnersRead).ok();
    let by_other_key = by_other_key.map(|key| partner.get().with(&key));
    if let Some(request) = &by_other_key {
        // An response that somebody keeps for this key is not told after the change.
        context.given(request.clone()).await?;
    }
    let name = marked_name();
    let body = json!({ "name": name, "domain": "as-stored.example" });
    let response = context.send(partner.patch(&body)).await?;
    response
        .is(200)?
        .has("/data/id", partner.id.as_str())?
        .has("/data/name", name)?
        .has("/data/domain", "as-stored.example")?;
    let read = context.send(partner.get()).await?;
    shows(&read, response.at("/data"), &[])?;
    if let Some(request) = by_other_key {
        let read = context.send(request).await?;
        shows(&read, response.at("/data"), &[])?;
    }
    context.snapshot(&response);
    context.snapshot(&read);
    is_listed(context, &read).await
}

/// That the list shows a partner as this response does, which is newer than its last change.
///
/// # Errors
/// It shows another, or none.
pub(super) async fn is_listed(
    context: &mut CaseContext<'_>,
    read: &Response,
) -> Result<(), CaseOutcome> {
    let list = known(context, PARTNERS).await?;
    let item = list
        .items
        .iter()
        .find(|item| item["id"] == *read.at("/data/id"));
    match item {
        // Beyond the pages that were looked at.
        None if !list.is_whole => Ok(()),
        Some(item) if item == read.at("/data") => Ok(()),
        item => Err(list.failed(
            "The list shows a changed partner otherwise than reading it alone.",
            read.at("/data").to_string(),
            item.map_or_else(|| "nothing".to_owned(), Value::to_string),
        )),
    }
}

/// After this change every field but those named, and `updatedAt`, is what it was; returns what is now.
async fn changes_alone(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
    before: &Value,
    body: &Value,
    but: &[&str],
) -> Result<Response, CaseOutcome> {
    let response = context.send(partner.patch(body)).await?;
    let but = [but, &["updatedAt"]].concat();
    shows(&response, before, &but)?;
    Ok(response)
}

async fn keeps_the_rest(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    // The first change is held against the original: what it loses would be lost before anything else is looked at.
    let name = marked_name();
    let body = json!({ "name": name });
    let named = changes_alone(context, partner, &partner.original, &body, &["name"]).await?;
    named.has("/data/name", name)?;
    let mut now = named.at("/data").clone();
    let domain = "kept.example";
    let body = json!({ "domain": domain });
    let response = changes_alone(context, partner, &now, &body, &["domain"]).await?;
    response.has("/data/domain", domain)?;
    now = response.at("/data").clone();
    for (pointer, shown, field, fixture) in [
        ("/tierId", "tierId", "tierId", Fixture::Tier),
        ("/phaseId", "phaseId", "phaseId", Fixture::Phase),
        ("/owner/id", "owner", "partnerOwnerId", Fixture::User),
    ] {
        // What the target has no other value for is proved by the other fields.
        let Ok(other) = partner.other(context, pointer, fixture) else {
            continue;
        };
        let body = json!({ field: other });
        let response = changes_alone(context, partner, &now, &body, &[shown]).await?;
        response.has(&format!("/data{pointer}"), other)?;
        now = response.at("/data").clone();
    }
    // And once more, now that every field has been set.
    let body = json!({ "name": marked_name() });
    let named = changes_alone(context, partner, &now, &body, &["name"]).await?;
    now = named.at("/data").clone();
    let read = context.send(partner.get()).await?;
    shows(&read, &now, &[])
}

async fn several_fields(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    let tier = partner.other(context, "/tierId", Fixture::Tier)?;
    let phase = partner.other(context, "/phaseId", Fixture::Phase)?;
    let before = partner.begin(context).await?;
    let name = marked_name();
    let body = json!({ "name": name, "domain": null, "tierId": tier, "phaseId": phase });
    let but = ["name", "domain", "tierId", "phaseId"];
    let response = changes_alone(context, partner, &before, &body, &but).await?;
    response
        .has("/data/name", name)?
        .has("/data/domain", json!(null))?
        .has("/data/tierId", tier)?
        .has("/data/phaseId", phase)?;
    context.snapshot(&response);
    let read = context.send(partner.get()).await?;
    shows(&read, response.at("/data"), &[])
}

fn instant(response: &Response, pointer: &str) -> Result<DateTime<FixedOffset>, CaseOutcome> {
    let text = response.text(pointer);
    DateTime::parse_from_rfc3339(text).map_err(|error| {
        CaseOutcome::failed(
            format!("{pointer} is no time: {error}."),
            "an ISO 8601 date-time",
            text,
            Some(response.exchange),
        )
    })
}

/// That the response to a change shows a later `updatedAt` than what was read before; tells which.
///
/// # Errors
/// It does not, or one of them is no time.
pub(super) fn has_moved(
    after: &Response,
    before: &Response,
) -> Result<DateTime<FixedOffset>, CaseOutcome> {
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

async fn moves_updated_at(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    partner.begin(context).await?;
    // What is assigned by id moves it, too: the cases of ids.
    // One id for all of them: it names a request for people, and makes none the repetition of another.
    let request_id = "conformance-moves-updated-at";
    for body in [
        json!({ "name": marked_name() }),
        json!({ "domain": "moves-updated-at.example" }),
        json!({ "domain": null }),
    ] {
        let before = context.given(partner.get()).await?;
        let request = partner.patch(&body).header("x-request-id", request_id);
        let after = context.send(request).await?;
        after.is(200)?;
        let later = has_moved(&after, &before)?;
        after.has("/data/createdAt", before.at("/data/createdAt").clone())?;
        let told = after.header("date").unwrap_or_default();
        if let Ok(told) = DateTime::parse_from_rfc2822(told) {
            after.that(
                (later - told).abs() < CLOCKS,
                "updatedAt is not the time of the change.",
                &format!("about {told}, as the header date says"),
                &later.to_string(),
            )?;
        }
        let read = context.send(partner.get()).await?;
        read.has("/data/updatedAt", after.at("/data/updatedAt").clone())?;
    }
    Ok(())
}

async fn by_external_id(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    let external = partner.original["externalId"].as_str().unwrap_or_default();
    if external.is_empty() || external == partner.id {
        return Err(CaseOutcome::missing("fixture partner with an externalId"));
    }
    partner.begin(context).await?;
    let ids = [external, &partner.id];
    for id in ids {
        // Read by both before: an response that somebody keeps under one id is not told after a change by the other.
        for id in ids {
            context.send(partner.get_by(id)).await?.is(200)?;
        }
        let name = marked_name();
        let body = json!({ "name": name });
        let response = context.send(partner.patch_by(id, &body)).await?;
        response
            .is(200)?
            .has("/data/id", partner.id.as_str())?
            .has("/data/name", name)?;
        for id in ids {
            let read = context.send(partner.get_by(id)).await?;
            shows(&read, response.at("/data"), &[])?;
        }
    }
    Ok(())
}

async fn service_id_first(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    let shadow = context.fixture(Fixture::ShadowPartner)?;
    let read = partner.get_by(&shadow);
    let before = context.given(read.clone()).await?;
    if before.text("/data/externalId") != partner.id {
        return Err(CaseOutcome::missing(
            "a shadow_partner whose externalId is the id of partner",
        ));
    }
    partner.begin(context).await?;
    let name = marked_name();
    let response = context
        .send(partner.patch(&json!({ "name": name })))
        .await?;
    response
        .is(200)?
        .has("/data/id", partner.id.as_str())?
        .has("/data/name", name)?;
    let after = context.send(read).await?;
    shows(&after, before.at("/data"), &[])
}
