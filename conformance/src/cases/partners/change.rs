//! What a PATCH changes, and what it keeps (§4.3, §2.1, R1, R2).
//!
//! They refuse to believe the answer to a PATCH alone: what is read afterwards must be the same.

use chrono::{DateTime, FixedOffset, TimeDelta};
use serde_json::{Value, json};

use super::beside::{at_once, keeps_place, others_kept, read_beside_patch};
use crate::{
    case::{Case, Changes, Scene, Stop},
    cases::{
        borrowed::{Borrowed, borrows, marked_name, shows},
        lists::walk::{PARTNERS, known},
    },
    exchange::Answer,
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

async fn answers_as_stored(scene: &mut Scene<'_>, partner: &Borrowed) -> Result<(), Stop> {
    partner.begin(scene).await?;
    let by_other_key = scene.key(Role::PartnersRead).ok();
    let by_other_key = by_other_key.map(|key| partner.get().with(&key));
    if let Some(call) = &by_other_key {
        // An answer that somebody keeps for this key is not told after the change.
        scene.given(call.clone()).await?;
    }
    let name = marked_name();
    let body = json!({ "name": name, "domain": "as-stored.example" });
    let answer = scene.send(partner.patch(&body)).await?;
    answer
        .is(200)?
        .has("/data/id", partner.id.as_str())?
        .has("/data/name", name)?
        .has("/data/domain", "as-stored.example")?;
    let read = scene.send(partner.get()).await?;
    shows(&read, answer.at("/data"), &[])?;
    if let Some(call) = by_other_key {
        let read = scene.send(call).await?;
        shows(&read, answer.at("/data"), &[])?;
    }
    scene.snapshot(&answer);
    scene.snapshot(&read);
    is_listed(scene, &read).await
}

/// That the list shows a partner as this answer does, which is newer than its last change.
///
/// # Errors
/// It shows another, or none.
pub(super) async fn is_listed(scene: &mut Scene<'_>, read: &Answer) -> Result<(), Stop> {
    let list = known(scene, PARTNERS).await?;
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

/// After this change every field but those named, and `updatedAt`, is what it was; answers with what is now.
async fn changes_alone(
    scene: &mut Scene<'_>,
    partner: &Borrowed,
    before: &Value,
    body: &Value,
    but: &[&str],
) -> Result<Answer, Stop> {
    let answer = scene.send(partner.patch(body)).await?;
    let but = [but, &["updatedAt"]].concat();
    shows(&answer, before, &but)?;
    Ok(answer)
}

async fn keeps_the_rest(scene: &mut Scene<'_>, partner: &Borrowed) -> Result<(), Stop> {
    // The first change is held against the original: what it loses would be lost before anything else is looked at.
    let name = marked_name();
    let body = json!({ "name": name });
    let named = changes_alone(scene, partner, &partner.original, &body, &["name"]).await?;
    named.has("/data/name", name)?;
    let mut now = named.at("/data").clone();
    let domain = "kept.example";
    let body = json!({ "domain": domain });
    let answer = changes_alone(scene, partner, &now, &body, &["domain"]).await?;
    answer.has("/data/domain", domain)?;
    now = answer.at("/data").clone();
    for (pointer, shown, field, fixture) in [
        ("/tierId", "tierId", "tierId", Fixture::Tier),
        ("/phaseId", "phaseId", "phaseId", Fixture::Phase),
        ("/owner/id", "owner", "partnerOwnerId", Fixture::User),
    ] {
        // What the target has no other value for is proved by the other fields.
        let Ok(other) = partner.other(scene, pointer, fixture) else {
            continue;
        };
        let body = json!({ field: other });
        let answer = changes_alone(scene, partner, &now, &body, &[shown]).await?;
        answer.has(&format!("/data{pointer}"), other)?;
        now = answer.at("/data").clone();
    }
    // And once more, now that every field has been set.
    let body = json!({ "name": marked_name() });
    let named = changes_alone(scene, partner, &now, &body, &["name"]).await?;
    now = named.at("/data").clone();
    let read = scene.send(partner.get()).await?;
    shows(&read, &now, &[])
}

async fn several_fields(scene: &mut Scene<'_>, partner: &Borrowed) -> Result<(), Stop> {
    let tier = partner.other(scene, "/tierId", Fixture::Tier)?;
    let phase = partner.other(scene, "/phaseId", Fixture::Phase)?;
    let before = partner.begin(scene).await?;
    let name = marked_name();
    let body = json!({ "name": name, "domain": null, "tierId": tier, "phaseId": phase });
    let but = ["name", "domain", "tierId", "phaseId"];
    let answer = changes_alone(scene, partner, &before, &body, &but).await?;
    answer
        .has("/data/name", name)?
        .has("/data/domain", json!(null))?
        .has("/data/tierId", tier)?
        .has("/data/phaseId", phase)?;
    scene.snapshot(&answer);
    let read = scene.send(partner.get()).await?;
    shows(&read, answer.at("/data"), &[])
}

fn instant(answer: &Answer, pointer: &str) -> Result<DateTime<FixedOffset>, Stop> {
    let text = answer.text(pointer);
    DateTime::parse_from_rfc3339(text).map_err(|error| {
        Stop::failed(
            format!("{pointer} is no time: {error}."),
            "an ISO 8601 date-time",
            text,
            Some(answer.exchange),
        )
    })
}

/// That the answer to a change shows a later `updatedAt` than what was read before; tells which.
///
/// # Errors
/// It does not, or one of them is no time.
pub(super) fn has_moved(after: &Answer, before: &Answer) -> Result<DateTime<FixedOffset>, Stop> {
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

async fn moves_updated_at(scene: &mut Scene<'_>, partner: &Borrowed) -> Result<(), Stop> {
    partner.begin(scene).await?;
    // What is assigned by id moves it, too: the cases of ids.
    // One id for all of them: it names a request for people, and makes none the repetition of another.
    let request_id = "conformance-moves-updated-at";
    for body in [
        json!({ "name": marked_name() }),
        json!({ "domain": "moves-updated-at.example" }),
        json!({ "domain": null }),
    ] {
        let before = scene.given(partner.get()).await?;
        let call = partner.patch(&body).header("x-request-id", request_id);
        let after = scene.send(call).await?;
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
        let read = scene.send(partner.get()).await?;
        read.has("/data/updatedAt", after.at("/data/updatedAt").clone())?;
    }
    Ok(())
}

async fn by_external_id(scene: &mut Scene<'_>, partner: &Borrowed) -> Result<(), Stop> {
    let external = partner.original["externalId"].as_str().unwrap_or_default();
    if external.is_empty() || external == partner.id {
        return Err(Stop::missing("fixture partner with an externalId"));
    }
    partner.begin(scene).await?;
    let ids = [external, &partner.id];
    for id in ids {
        // Read by both before: an answer that somebody keeps under one id is not told after a change by the other.
        for id in ids {
            scene.send(partner.get_by(id)).await?.is(200)?;
        }
        let name = marked_name();
        let body = json!({ "name": name });
        let answer = scene.send(partner.patch_by(id, &body)).await?;
        answer
            .is(200)?
            .has("/data/id", partner.id.as_str())?
            .has("/data/name", name)?;
        for id in ids {
            let read = scene.send(partner.get_by(id)).await?;
            shows(&read, answer.at("/data"), &[])?;
        }
    }
    Ok(())
}

async fn service_id_first(scene: &mut Scene<'_>, partner: &Borrowed) -> Result<(), Stop> {
    let shadow = scene.fixture(Fixture::ShadowPartner)?;
    let read = partner.get_by(&shadow);
    let before = scene.given(read.clone()).await?;
    if before.text("/data/externalId") != partner.id {
        return Err(Stop::missing(
            "a shadow_partner whose externalId is the id of partner",
        ));
    }
    partner.begin(scene).await?;
    let name = marked_name();
    let answer = scene.send(partner.patch(&json!({ "name": name }))).await?;
    answer
        .is(200)?
        .has("/data/id", partner.id.as_str())?
        .has("/data/name", name)?;
    let after = scene.send(read).await?;
    shows(&after, before.at("/data"), &[])
}
