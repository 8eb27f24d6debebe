//! Variations that conform: what another deployment may do otherwise than this project's server.
//! No case may fail on them. Values differ from the data set's, so the suite must not compare them.

use hyper::{
    header::{CONNECTION, CONTENT_LENGTH, HeaderName, HeaderValue, TRANSFER_ENCODING},
    server::conn::http1,
};
use serde_json::{Map, Value, json};

use crate::{
    exchange::{Request, Response},
    proxy::{
        fault::{Fault, fault},
        upstream::Upstream,
    },
    target::Role,
};

pub(crate) const FAULTS: &[Fault] = &[
    fault("allowed-more-fields", "V14")
        .says("Resources, envelopes and details have further fields.")
        .edit(&more_fields),
    fault("allowed-more-headers", "§4").says("Responses have further headers.").edit(&more_headers),
    fault("allowed-open-set-values", "V13")
        .says("Status, stage and kind of external id have values that the document does not name.")
        .edit_with(&open_set_values),
    fault("allowed-other-messages", "§7.error")
        .says("Errors have other messages.")
        .edit(&other_messages),
    fault("allowed-indented-json", "§4.json").says("JSON is indented.").edit(&indented_json),
    fault("allowed-charset", "§4.json").says("The content type names a charset.").edit(&charset),
    fault("allowed-chunks", "§4")
        .says("Bodies are sent in chunks, without their length.")
        .edit(&chunks),
    fault("allowed-closed-connections", "§4")
        .says("Each response ends its connection.")
        .edit(&closed_connections),
    fault("allowed-title-case-headers", "§4")
        .says("Names of headers begin with capitals.")
        .serve(title_case_headers),
    fault("allowed-no-metadata", "V11").says("Payouts lack `metadata`.").edit(&no_metadata),
    fault("allowed-no-template-after-update", "§2.1")
        .says("An updated partner lacks `experienceTemplateId`.")
        .edit(&no_template_after_update),
    fault("allowed-together", "§4").says("All variations of responses at once.").edit_with(
        &|request, response, upstream| {
            open_set_values(request, response, upstream);
            for edit in [
                more_fields,
                more_headers,
                other_messages,
                no_metadata,
                no_template_after_update,
                indented_json,
                charset,
                chunks,
                closed_connections,
            ] {
                edit(request, response);
            }
        },
    ),
];

/// Another name of each value of an open set that the document names.
const OPEN_SETS: [(&str, &[(&str, &str)]); 3] = [
    ("externalIdType", &[("PARTNER", "DEAL"), ("COMPANY", "ACCOUNT")]),
    ("stage", &[("PENDING_REVIEW", "IN_AUDIT"), ("PAID", "SETTLED"), ("DRAFT", "SKETCH")]),
    ("status", &[("active", "engaged"), ("inactive", "dormant"), ("archived", "shelved")]),
];

fn more_fields(request: &Request, response: &mut Response) {
    if request.operation().is_none() {
        return;
    }
    let is_closed = request.is("generateStatement");
    response.edit_json(|body| {
        let Some(envelope) = body.as_object_mut() else {
            return;
        };
        let details = envelope.get_mut("error").and_then(|error| error.get_mut("details"));
        add_field(details);
        add_field(envelope.get_mut("pagination"));
        match envelope.get_mut("data") {
            Some(Value::Array(items)) => items.iter_mut().for_each(add_fields),
            Some(resource) if !is_closed => add_fields(resource),
            _ => {}
        }
        envelope.insert("further".to_owned(), json!({ "servedBy": "node-7" }));
    });
}

/// Adds a field to a resource and to the objects in it.
fn add_fields(resource: &mut Value) {
    for name in ["partner", "amount", "owner", "manager"] {
        add_field(resource.get_mut(name));
    }
    add_field(Some(resource));
}

fn add_field(object: Option<&mut Value>) {
    if let Some(fields) = object.and_then(Value::as_object_mut) {
        fields.insert("further".to_owned(), json!([1, null]));
    }
}

fn more_headers(_: &Request, response: &mut Response) {
    for (name, value) in [
        ("x-served-by", "node-7"),
        ("cache-control", "no-store"),
        ("strict-transport-security", "max-age=63072000"),
        ("vary", "accept-encoding"),
    ] {
        let name = HeaderName::from_static(name);
        response.headers.append(name, HeaderValue::from_static(value));
    }
}

/// Leaves alone what requests set, in `sandbox` and as filters: a value that the document names.
fn open_set_values(request: &Request, response: &mut Response, upstream: &Upstream) {
    let is_line = request.operation().is_some_and(|operation| operation.id.contains("Line"));
    let is_set = upstream.organization(request) == Role::Sandbox || request.is("listPayouts");
    // The status of a line is a closed set.
    if !is_line && !is_set {
        response.edit_resources(rename_values);
    }
}

fn rename_values(resource: &mut Map<String, Value>) {
    for (field, names) in OPEN_SETS {
        let value = resource.get_mut(field);
        let renamed = value.and_then(|value| {
            let (_, other) = names.iter().find(|(name, _)| value == name)?;
            Some((value, *other))
        });
        if let Some((value, other)) = renamed {
            *value = other.into();
        }
    }
}

fn other_messages(_: &Request, response: &mut Response) {
    response.edit_json(|body| {
        let Some(error) = body.get_mut("error").filter(|error| error.is_object()) else {
            return;
        };
        error["message"] = "Bitte prüfen Sie die Anfrage.".into();
        let issues = error.pointer_mut("/details/issues").and_then(Value::as_array_mut);
        for issue in issues.into_iter().flatten() {
            issue["message"] = "So geht das nicht.".into();
        }
    });
}

fn indented_json(_: &Request, response: &mut Response) {
    let json: Option<Value> = serde_json::from_slice(&response.body).ok();
    if let Some(text) = json.and_then(|json| serde_json::to_string_pretty(&json).ok()) {
        response.set_body(text);
    }
}

fn charset(_: &Request, response: &mut Response) {
    response.edit_header("content-type", |kind| match kind {
        "application/json" => "application/json; charset=utf-8".to_owned(),
        other => other.to_owned(),
    });
}

fn chunks(request: &Request, response: &mut Response) {
    if request.method != hyper::Method::HEAD && !response.body.is_empty() {
        response.headers.remove(CONTENT_LENGTH);
        response.headers.insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
    }
}

fn closed_connections(_: &Request, response: &mut Response) {
    response.headers.insert(CONNECTION, HeaderValue::from_static("close"));
}

fn title_case_headers(builder: &mut http1::Builder) {
    builder.title_case_headers(true);
}

fn no_metadata(request: &Request, response: &mut Response) {
    if request.is("getPayout") {
        response.edit_resources(|payout| {
            payout.remove("metadata");
        });
    }
}

fn no_template_after_update(request: &Request, response: &mut Response) {
    if request.is("updatePartner") {
        response.edit_resources(|partner| {
            partner.remove("experienceTemplateId");
        });
    }
}
