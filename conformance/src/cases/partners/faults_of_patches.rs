//! Faults of how a PATCH of a partner is read (§4.3, R2, R3): what is accepted, cut, refused or
//! ignored.

use serde_json::{Map, Value, json};

use crate::{
    cases::framework::faults::refused,
    exchange::{Request, Response},
    proxy::{
        fault::{Fault, fault},
        upstream::Upstream,
    },
};

/// The longest name, in characters (§8).
const NAME_LENGTH: usize = 200;

pub(in crate::cases) const FAULTS: &[Fault] = &[
    fault("name-limit-in-bytes", "R3")
        .says("The 200 of a name's length count bytes.")
        .exchange(&|request, upstream| Box::pin(name_limit_in_bytes(request, upstream))),
    fault("name-201-accepted", "§4.3")
        .says("A name of 201 characters is accepted, and cut.")
        .rewrite(&|request| {
            edit_text(request, "name", |name| match name.char_indices().nth(NAME_LENGTH) {
                Some((end, last)) if end + last.len_utf8() == name.len() => name[..end].into(),
                _ => name.into(),
            })
        }),
    fault("empty-domain-accepted", "§4.3")
        .says("An empty domain is accepted, and clears it.")
        .rewrite(&|request| {
            edit_text(request, "domain", |domain| match domain {
                "" => Value::Null,
                domain => domain.into(),
            })
        }),
    fault("domain-null-ignored", "§4.3").says("`domain: null` keeps the domain.").rewrite(
        &|request| {
            edit_patch(request, |fields| {
                fields.retain(|name, value| name != "domain" || !value.is_null());
            })
        },
    ),
    fault("domain-lowered", "§4.3")
        .says("A PATCH stores a domain in small letters.")
        .rewrite(&|request| edit_text(request, "domain", |domain| domain.to_lowercase().into())),
    fault("owner-ignored", "§4.3").says("`partnerOwnerId` assigns nobody.").rewrite(&|request| {
        edit_patch(request, |fields| {
            fields.shift_remove("partnerOwnerId");
        })
    }),
    fault("reference-trimmed", "R2")
        .says("Blanks around a tier's id are taken off.")
        .rewrite(&|request| edit_text(request, "tierId", |tier| tier.trim().into())),
    fault("first-reference-only", "R2")
        .says("Of several unknown references only the first is reported.")
        .edit(&|_, response| {
            if response.has_error(422, "INVALID_REFERENCE") {
                response.keep_first_issue("body");
            }
        }),
];

fn edit_patch(request: &mut Request, edit: impl FnOnce(&mut Map<String, Value>)) {
    if request.is("updatePartner") {
        request.edit_fields(edit);
    }
}

/// Replaces the text of a field.
fn edit_text(request: &mut Request, name: &str, edit: impl Fn(&str) -> Value) {
    edit_patch(request, |fields| {
        if let Some(text) = fields.get(name).and_then(Value::as_str).map(edit) {
            fields[name] = text;
        }
    });
}

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
