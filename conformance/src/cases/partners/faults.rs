//! Faults of partners (§4.2, §4.3, R1–R3): how a PATCH is read, and what is stored, answered and
//! shown later.

use crate::{cases::framework::faults::refused, proxy::prelude::*};

/// Members that a PATCH may assign, and the fields that show them.
const ASSIGNMENTS: [(&str, &str); 4] = [
    ("tierId", "tierId"),
    ("phaseId", "phaseId"),
    ("experienceTemplateId", "experienceTemplateId"),
    ("partnerOwnerId", "owner"),
];

/// Fields that are shown in place of the deployment's, by the partner's id.
#[derive(Default)]
struct Shown(HashMap<String, Map<String, Value>>);

fn patched(request: &Request) -> Option<Map<String, Value>> {
    let body = request.read_json().filter(|_| request.is("updatePartner"))?;
    body.as_object().cloned()
}

fn is_found_by_another_id(request: &Request, partner: Option<&Value>) -> bool {
    partner.is_some_and(|partner| partner["id"].as_str() != request.id())
}

/// GET finds a partner by its service id alone.
#[fault("§4.2")]
async fn external_id_ignored(request: Request, upstream: &Upstream) -> Response {
    let response = upstream.send(&request).await;
    if request.is("getPartner") && is_found_by_another_id(&request, response.data().as_ref()) {
        return upstream.send(&request.for_no_id()).await;
    }
    response
}

/// PATCH finds a partner by its service id alone.
#[fault("R1")]
async fn patch_by_external_id_404(request: Request, upstream: &Upstream) -> Response {
    if request.is("updatePartner") {
        let partner = upstream.resource(&request).await;
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
        Some(_) => upstream.resource(&request).await,
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

/// A PATCH clears the assignments that its body does not name.
#[fault("§4.3")]
async fn omitted_fields_reset(request: Request, upstream: &Upstream) -> Response {
    let cleared = |fields: &Map<String, Value>, _: &Value, after: &Value| {
        let cleared = ASSIGNMENTS.into_iter().map(|(field, shown)| {
            let is_named = fields.contains_key(field);
            (shown.to_owned(), if is_named { after[shown].clone() } else { Value::Null })
        });
        cleared.collect()
    };
    shown(request, upstream, cleared).await
}

/// `portalAccess` without a template moves `updatedAt`.
#[fault("R2")]
async fn portal_access_alone_moves(request: Request, upstream: &Upstream) -> Response {
    shown(request, upstream, |fields, _, after| {
        let is_named = fields.contains_key("portalAccess");
        updated_at(if is_named { now() } else { after["updatedAt"].clone() })
    })
    .await
}

/// A PATCH that changes nothing moves `updatedAt`.
#[fault("R2")]
async fn equal_patch_moves(request: Request, upstream: &Upstream) -> Response {
    shown(request, upstream, |_, before, after| {
        let mut unmoved = before.clone();
        unmoved["updatedAt"] = after["updatedAt"].clone();
        updated_at(if unmoved == *after { now() } else { after["updatedAt"].clone() })
    })
    .await
}

/// A change does not move the partner's `updatedAt`.
#[fault("§2.1")]
async fn updated_at_kept(request: Request, upstream: &Upstream) -> Response {
    shown(request, upstream, |_, before, _| updated_at(before["updatedAt"].clone())).await
}

fn now() -> Value {
    Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true).into()
}

/// A PATCH answers the partner as it was before.
#[fault("§4.3")]
async fn old_partner_answered(request: Request, upstream: &Upstream) -> Response {
    if patched(&request).is_none() {
        return upstream.send(&request).await;
    }
    let before = upstream.resource(&request).await;
    let mut response = upstream.send(&request).await;
    if let Some(before) = before.filter(|_| response.has_status(200)) {
        response.set_data(&before);
    }
    response
}

/// A PATCH with a name or domain that the partner has changes nothing else.
#[fault("R2")]
async fn equal_field_stops_change(mut request: Request, upstream: &Upstream) -> Response {
    if let Some(fields) = patched(&request)
        && let Some(partner) = upstream.resource(&request).await
    {
        let is_equal = |name: &str| fields.get(name).is_some_and(|value| *value == partner[name]);
        if is_equal("name") || is_equal("domain") {
            request.set_json(&Value::Object(Map::new()));
        }
    }
    upstream.send(&request).await
}

/// A PATCH of a partner that is not active is refused.
#[fault("R2")]
async fn active_alone_changed(request: Request, upstream: &Upstream) -> Response {
    if patched(&request).is_some()
        && let Some(partner) = upstream.resource(&request).await
        && partner["status"] != "active"
    {
        return refused(&request, upstream).await;
    }
    upstream.send(&request).await
}

/// Partners by key and by the id in the path.
#[derive(Default)]
struct Kept(HashMap<(String, String), Value>);

/// A partner is cached by the id in the path; a PATCH by its other id keeps it.
#[fault("R1")]
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

/// The longest name, in characters (§8).
const NAME_LENGTH: usize = 200;

/// A name of 201 characters is accepted, and cut.
#[fault("§4.3")]
fn name_201_accepted(request: &mut Request) {
    edit_text(request, "name", |name| match name.char_indices().nth(NAME_LENGTH) {
        Some((end, last)) if end + last.len_utf8() == name.len() => name[..end].into(),
        _ => name.into(),
    });
}

/// An empty domain is accepted, and clears it.
#[fault("§4.3")]
fn empty_domain_accepted(request: &mut Request) {
    edit_text(request, "domain", |domain| match domain {
        "" => Value::Null,
        domain => domain.into(),
    });
}

/// A PATCH stores a domain in small letters.
#[fault("§4.3")]
fn domain_lowered(request: &mut Request) {
    edit_text(request, "domain", |domain| domain.to_lowercase().into());
}

/// Blanks around a tier's id are taken off.
#[fault("R2")]
fn reference_trimmed(request: &mut Request) {
    edit_text(request, "tierId", |tier| tier.trim().into());
}

/// Only the first of several unknown references is reported.
#[fault("R2")]
fn first_reference_only(response: &mut Response) {
    if response.has_error(422, "INVALID_REFERENCE") {
        response.keep_first_issue("body");
    }
}

fn edit_text(request: &mut Request, name: &str, edit: impl Fn(&str) -> Value) {
    if request.is("updatePartner") {
        request.edit_fields(|fields| {
            if let Some(text) = fields.get(name).and_then(Value::as_str).map(edit) {
                fields[name] = text;
            }
        });
    }
}

/// The 200 of a name's length count bytes.
#[fault("R3")]
async fn name_limit_in_bytes(request: Request, upstream: &Upstream) -> Response {
    let body = request.read_json().filter(|_| request.is("updatePartner")).unwrap_or_default();
    if body["name"].as_str().is_none_or(|name| name.len() <= NAME_LENGTH) {
        return upstream.send(&request).await;
    }
    let mut response = refused(&request, upstream).await;
    if response.has_status(422) {
        let message = "must have at most 200 characters";
        let issue =
            json!({ "in": "body", "path": "/name", "code": "TOO_LONG", "message": message });
        response.edit_json(|body| body["error"]["details"]["issues"] = json!([issue]));
    }
    response
}
