//! Faults of how a PATCH of a partner is read (§4.3, R2, R3): what is accepted, cut, refused or
//! ignored.

use serde_json::{Map, Value, json};

use super::framework::{first_issue_alone, refused};
use crate::{
    fault::{Fault, fault},
    message::{Request, Response},
    upstream::Upstream,
};

/// The longest name and domain, in characters (§8).
const NAME_LENGTH: usize = 200;
const DOMAIN_LENGTH: usize = 255;

pub(super) const FAULTS: &[Fault] = &[
    fault("name-limit-in-bytes", "R3", "The 200 of a name's length count bytes.").exchange(
        &|request, upstream| {
            Box::pin(async move {
                name_refused(&request, upstream, |name| name.len() > NAME_LENGTH).await
            })
        },
    ),
    fault("name-201-accepted", "§4.3", "A name of 201 characters is accepted, and cut.").rewrite(
        &|request| {
            edit_patch(request, |fields| cut(fields, "name", NAME_LENGTH));
        },
    ),
    fault("empty-domain-accepted", "§4.3", "An empty domain is accepted, and clears it.").rewrite(
        &|request| {
            edit_patch(request, |fields| {
                if fields.get("domain").is_some_and(|domain| domain == "") {
                    fields["domain"] = Value::Null;
                }
            });
        },
    ),
    fault("domain-null-ignored", "§4.3", "`domain: null` keeps the domain.").rewrite(&|request| {
        edit_patch(request, |fields| {
            fields.retain(|name, value| name != "domain" || !value.is_null());
        });
    }),
    fault("domain-lowered", "§4.3", "A PATCH stores a domain in small letters.").rewrite(
        &|request| {
            edit_patch(request, |fields| {
                if let Some(Value::String(domain)) = fields.get_mut("domain") {
                    *domain = domain.to_lowercase();
                }
            });
        },
    ),
    fault("owner-ignored", "§4.3", "`partnerOwnerId` assigns nobody.").rewrite(&|request| {
        edit_patch(request, |fields| {
            fields.shift_remove("partnerOwnerId");
        });
    }),
    fault("reference-trimmed", "R2", "Blanks around a tier's id are taken off.").rewrite(
        &|request| {
            edit_patch(request, |fields| {
                if let Some(Value::String(tier)) = fields.get_mut("tierId") {
                    *tier = tier.trim().to_owned();
                }
            });
        },
    ),
    fault(
        "first-reference-only",
        "R2",
        "Of several unknown references only the first is reported.",
    )
    .edit(&|_, response| {
        if response.is_error(422, "INVALID_REFERENCE") {
            first_issue_alone(response);
        }
    }),
];

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
