//! Faults of partners after a PATCH (§4.2, §4.3, R1, R2): what is stored, answered and shown later.

use std::collections::HashMap;

use chrono::{SecondsFormat, Utc};
use serde_json::{Map, Value};

use crate::{
    cases::framework::faults::refused,
    exchange::{Request, Response},
    proxy::{
        fault::{Fault, fault},
        upstream::Upstream,
    },
};

/// Members that a PATCH may assign, and the fields that show them.
const ASSIGNMENTS: [(&str, &str); 4] = [
    ("tierId", "tierId"),
    ("phaseId", "phaseId"),
    ("experienceTemplateId", "experienceTemplateId"),
    ("partnerOwnerId", "owner"),
];

pub(in crate::cases) const FAULTS: &[Fault] = &[
    fault("external-id-ignored", "§4.2")
        .says("GET finds a partner by its service id alone.")
        .exchange(&|request, upstream| Box::pin(external_id_ignored(request, upstream))),
    fault("patch-by-external-id-404", "R1")
        .says("PATCH finds a partner by its service id alone.")
        .exchange(&|request, upstream| Box::pin(patch_by_external_id(request, upstream))),
    fault("omitted-fields-reset", "§4.3")
        .says("A PATCH clears the assignments that its body does not name.")
        .exchange(&|request, upstream| Box::pin(shown(request, upstream, without_omitted))),
    fault("portal-access-alone-moves", "R2")
        .says("`portalAccess` without a template moves `updatedAt`.")
        .exchange(&|request, upstream| {
            Box::pin(shown(request, upstream, |fields, _, after| {
                updated_at(if fields.contains_key("portalAccess") {
                    now()
                } else {
                    after["updatedAt"].clone()
                })
            }))
        }),
    fault("equal-patch-moves", "R2")
        .says("A PATCH that changes nothing moves `updatedAt`.")
        .exchange(&|request, upstream| Box::pin(shown(request, upstream, moved_by_equal))),
    fault("updated-at-kept", "§2.1")
        .says("A change does not move the partner's `updatedAt`.")
        .exchange(&|request, upstream| {
            Box::pin(shown(request, upstream, |_, before, _| {
                updated_at(before["updatedAt"].clone())
            }))
        }),
    fault("old-partner-answered", "§4.3")
        .says("A PATCH answers the partner as it was before.")
        .exchange(&|request, upstream| Box::pin(old_partner_answered(request, upstream))),
    fault("equal-field-stops-change", "R2")
        .says("A PATCH with a name or domain that the partner has changes nothing else.")
        .exchange(&|request, upstream| Box::pin(equal_field_stops_change(request, upstream))),
    fault("active-alone-changed", "R2")
        .says("A PATCH of a partner that is not active is refused.")
        .exchange(&|request, upstream| Box::pin(active_alone_changed(request, upstream))),
    fault("other-id-stale", "R1")
        .says("A partner is cached by the id in the path; a PATCH by its other id keeps it.")
        .edit_with(&other_id_stale),
];

/// Fields that are shown in place of the deployment's, by the partner's id.
#[derive(Default)]
struct Shown(HashMap<String, Map<String, Value>>);

/// Partners by key and by the id in the path.
#[derive(Default)]
struct Kept(HashMap<(String, String), Value>);

/// The partner that a request is for, as it is now.
async fn current(request: &Request, upstream: &Upstream) -> Option<Value> {
    let get = upstream.with_all_scopes(&request.then_get(request.path()));
    upstream.send(&get).await.data()
}

fn patched(request: &Request) -> Option<Map<String, Value>> {
    let body = request.read_json().filter(|_| request.is("updatePartner"))?;
    body.as_object().cloned()
}

fn is_found_by_another_id(request: &Request, partner: Option<&Value>) -> bool {
    partner.is_some_and(|partner| partner["id"].as_str() != request.id())
}

async fn external_id_ignored(request: Request, upstream: &Upstream) -> Response {
    let response = upstream.send(&request).await;
    if request.is("getPartner") && is_found_by_another_id(&request, response.data().as_ref()) {
        return upstream.send(&request.for_no_id()).await;
    }
    response
}

async fn patch_by_external_id(request: Request, upstream: &Upstream) -> Response {
    if request.is("updatePartner") {
        let partner = current(&request, upstream).await;
        if is_found_by_another_id(&request, partner.as_ref()) {
            return upstream.send(&request.for_no_id()).await;
        }
    }
    upstream.send(&request).await
}

/// What is shown of a patched partner from now on, by the fields of the PATCH, and the partner
/// before it, as it was shown, and after.
type Note = fn(&Map<String, Value>, &Value, &Value) -> Map<String, Value>;

/// Sends the request, and shows what `note` says.
async fn shown(request: Request, upstream: &Upstream, note: Note) -> Response {
    let fields = patched(&request);
    let before = match &fields {
        Some(_) => current(&request, upstream).await,
        None => None,
    };
    let mut response = upstream.send(&request).await;
    upstream.remember(|Shown(partners)| {
        if let (Some(fields), Some(mut before), Some(after)) = (fields, before, response.data()) {
            show(partners, &mut before);
            let id = after["id"].as_str().unwrap_or_default().to_owned();
            partners.entry(id).or_default().extend(note(&fields, &before, &after));
        }
        response.edit_json(|body| match body.get_mut("data") {
            Some(Value::Array(items)) => items.iter_mut().for_each(|item| show(partners, item)),
            Some(partner) => show(partners, partner),
            None => {}
        });
    });
    response
}

/// Replaces the fields of a partner that are shown otherwise.
fn show(partners: &HashMap<String, Map<String, Value>>, partner: &mut Value) {
    let fields = partner["id"].as_str().and_then(|id| partners.get(id));
    for (name, value) in fields.into_iter().flatten() {
        if let Some(shown) = partner.get_mut(name) {
            *shown = value.clone();
        }
    }
}

fn updated_at(time: Value) -> Map<String, Value> {
    Map::from_iter([("updatedAt".to_owned(), time)])
}

/// Clears the assignments that a PATCH does not name.
fn without_omitted(fields: &Map<String, Value>, _: &Value, after: &Value) -> Map<String, Value> {
    let cleared = ASSIGNMENTS.into_iter().map(|(field, shown)| {
        let is_named = fields.contains_key(field);
        (shown.to_owned(), if is_named { after[shown].clone() } else { Value::Null })
    });
    cleared.collect()
}

/// Moves `updatedAt` where nothing else changed.
fn moved_by_equal(_: &Map<String, Value>, before: &Value, after: &Value) -> Map<String, Value> {
    let mut unmoved = before.clone();
    unmoved["updatedAt"] = after["updatedAt"].clone();
    updated_at(if unmoved == *after { now() } else { after["updatedAt"].clone() })
}

fn now() -> Value {
    Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true).into()
}

async fn old_partner_answered(request: Request, upstream: &Upstream) -> Response {
    if patched(&request).is_none() {
        return upstream.send(&request).await;
    }
    let before = current(&request, upstream).await;
    let mut response = upstream.send(&request).await;
    if let Some(before) = before.filter(|_| response.has_status(200)) {
        response.set_data(&before);
    }
    response
}

async fn equal_field_stops_change(mut request: Request, upstream: &Upstream) -> Response {
    if let Some(fields) = patched(&request)
        && let Some(partner) = current(&request, upstream).await
    {
        let is_equal = |name: &str| fields.get(name).is_some_and(|value| *value == partner[name]);
        if is_equal("name") || is_equal("domain") {
            request.set_json(&Value::Object(Map::new()));
        }
    }
    upstream.send(&request).await
}

async fn active_alone_changed(request: Request, upstream: &Upstream) -> Response {
    if patched(&request).is_some()
        && let Some(partner) = current(&request, upstream).await
        && partner["status"] != "active"
    {
        return refused(&request, upstream).await;
    }
    upstream.send(&request).await
}

fn other_id_stale(request: &Request, response: &mut Response, upstream: &Upstream) {
    let path = (request.only_key().unwrap_or_default().to_owned(), request.path().to_owned());
    if request.is("updatePartner") {
        upstream.remember(|Kept(partners)| partners.remove(&path));
    } else if let Some(found) = response.data().filter(|_| request.is("getPartner")) {
        let kept =
            upstream.remember(|Kept(partners)| partners.entry(path).or_insert(found).clone());
        response.set_data(&kept);
    }
}
