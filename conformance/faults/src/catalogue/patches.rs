//! Faults of how a PATCH of a partner is read (§4.3, R2, R3): what is accepted, cut, refused or
//! ignored.

use serde_json::{Map, Value, json};

use super::framework::{first_issue_alone, refused};
use crate::{
    fault::faults,
    message::{Request, Response},
    upstream::Upstream,
};

/// The longest name and domain, in characters (§8).
const NAME_LENGTH: usize = 200;
const DOMAIN_LENGTH: usize = 255;

faults! {
    "name-limit-in-bytes" "R3" exchange(name_limit_in_bytes)
        "The 200 of a name's length count bytes.";
    "name-of-200-refused" "§4.3" exchange(name_of_200_refused)
        "A name of 200 characters is refused.";
    "name-201-accepted" "§4.3" rewrite(name_201_accepted)
        "A name of 201 characters is accepted, and cut.";
    "domain-256-accepted" "§4.3" rewrite(domain_256_accepted)
        "A domain of 256 characters is accepted, and cut.";
    "empty-domain-accepted" "§4.3" rewrite(empty_domain_accepted)
        "An empty domain is accepted, and clears it.";
    "domain-null-ignored" "§4.3" rewrite(domain_null_ignored)
        "`domain: null` keeps the domain.";
    "domain-lowered" "§4.3" rewrite(domain_lowered)
        "A PATCH stores a domain in small letters.";
    "owner-ignored" "§4.3" rewrite(owner_ignored)
        "`partnerOwnerId` assigns nobody.";
    "reference-trimmed" "R2" rewrite(reference_trimmed)
        "Blanks around a tier's id are taken off.";
    "number-taken-for-text" "R3" rewrite(number_taken_for_text)
        "A number or a boolean is taken for a text.";
    "unknown-field-ignored" "R2" exchange(unknown_field_ignored)
        "An unknown field of a PATCH is ignored.";
    "null-taken-for-absent" "R2" exchange(null_taken_for_absent)
        "`null` keeps a field that cannot be cleared, instead of being refused.";
    "portal-access-unchecked" "§4.3" exchange(portal_access_unchecked)
        "A `portalAccess` outside its set is ignored.";
    "first-reference-only" "R2" edit(first_reference_only)
        "Of several unknown references only the first is reported.";
}

fn name_201_accepted(request: &mut Request) {
    edit_patch(request, |fields| cut(fields, "name", NAME_LENGTH));
}

fn domain_256_accepted(request: &mut Request) {
    edit_patch(request, |fields| cut(fields, "domain", DOMAIN_LENGTH));
}

fn empty_domain_accepted(request: &mut Request) {
    edit_patch(request, |fields| {
        if fields.get("domain").is_some_and(|domain| domain == "") {
            fields["domain"] = Value::Null;
        }
    });
}

fn domain_null_ignored(request: &mut Request) {
    edit_patch(request, |fields| {
        fields.retain(|name, value| name != "domain" || !value.is_null());
    });
}

fn domain_lowered(request: &mut Request) {
    edit_patch(request, |fields| {
        if let Some(Value::String(domain)) = fields.get_mut("domain") {
            *domain = domain.to_lowercase();
        }
    });
}

fn owner_ignored(request: &mut Request) {
    edit_patch(request, |fields| {
        fields.shift_remove("partnerOwnerId");
    });
}

fn reference_trimmed(request: &mut Request) {
    edit_patch(request, |fields| {
        if let Some(Value::String(tier)) = fields.get_mut("tierId") {
            *tier = tier.trim().to_owned();
        }
    });
}

fn number_taken_for_text(request: &mut Request) {
    edit_patch(request, |fields| {
        for value in fields.values_mut() {
            if value.is_number() || value.is_boolean() {
                *value = Value::String(value.to_string());
            }
        }
    });
}

fn first_reference_only(_: &Request, response: &mut Response) {
    if response.is_error(422, "INVALID_REFERENCE") {
        first_issue_alone(response);
    }
}

pub(super) fn edit_patch(request: &mut Request, edit: impl FnOnce(&mut Map<String, Value>)) {
    if request.is("updatePartner") {
        request.edit_fields(edit);
    }
}

/// Cuts a text that is one character too long.
fn cut(fields: &mut Map<String, Value>, name: &str, length: usize) {
    if let Some(Value::String(text)) = fields.get_mut(name)
        && text.chars().count() == length + 1
    {
        text.pop();
    }
}

async fn name_limit_in_bytes(request: Request, upstream: &Upstream) -> Response {
    name_refused(&request, upstream, |name| name.len() > NAME_LENGTH).await
}

async fn name_of_200_refused(request: Request, upstream: &Upstream) -> Response {
    name_refused(&request, upstream, |name| name.chars().count() == NAME_LENGTH).await
}

/// Refuses the names for which `is_too_long` holds.
async fn name_refused(
    request: &Request,
    upstream: &Upstream,
    is_too_long: impl Fn(&str) -> bool,
) -> Response {
    let body = request.json().filter(|_| request.is("updatePartner")).unwrap_or_default();
    if !body["name"].as_str().is_some_and(is_too_long) {
        return upstream.send(request).await;
    }
    let mut response = refused(request, upstream).await;
    if response.is(422) {
        let message = "must have at most 200 characters";
        let issue =
            json!({ "in": "body", "path": "/name", "code": "TOO_LONG", "message": message });
        let details = json!({ "issues": [issue] });
        response.set_error(422, "VALIDATION_FAILED", "The request is not valid.", details);
    }
    response
}

/// Sends a PATCH again without the fields that a 422 found fault with.
async fn without_invalid(
    request: &Request,
    upstream: &Upstream,
    is_ignored: impl Fn(&Value, &Value) -> bool,
) -> Response {
    let response = upstream.send(request).await;
    let body = request.json().filter(|_| request.is("updatePartner")).unwrap_or_default();
    let issues = response.issues();
    let ignored: Vec<&str> = issues
        .iter()
        .filter(|issue| issue["in"] == "body")
        .filter_map(|issue| {
            let field = issue["path"].as_str()?.strip_prefix('/')?;
            is_ignored(issue, body.get(field)?).then_some(field)
        })
        .collect();
    if ignored.is_empty() {
        return response;
    }
    let mut again = request.clone();
    again.edit_fields(|fields| fields.retain(|name, _| !ignored.contains(&name.as_str())));
    upstream.send(&again).await
}

async fn unknown_field_ignored(request: Request, upstream: &Upstream) -> Response {
    without_invalid(&request, upstream, |issue, _| issue["code"] == "UNKNOWN_FIELD").await
}

async fn null_taken_for_absent(request: Request, upstream: &Upstream) -> Response {
    without_invalid(&request, upstream, |_, value| value.is_null()).await
}

async fn portal_access_unchecked(request: Request, upstream: &Upstream) -> Response {
    let is_text = |value: &Value| value.is_string();
    without_invalid(&request, upstream, |issue, value| {
        issue["path"] == "/portalAccess" && is_text(value)
    })
    .await
}
