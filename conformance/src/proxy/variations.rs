//! Variations that conform: what another deployment may do otherwise than this project's server.
//! No case may fail on them. Values differ from the data set's, so the suite must not compare them.

use hyper::{
    header::{CONNECTION, CONTENT_LENGTH, HeaderName, TRANSFER_ENCODING},
    server::conn::http1,
};

use crate::proxy::prelude::*;

/// All variations of responses at once.
#[fault("§4")]
fn allowed_together(request: &Request, response: &mut Response, upstream: &Upstream) {
    allowed_open_set_values(request, response, upstream);
    allowed_more_fields(request, response);
    allowed_more_headers(response);
    allowed_other_messages(response);
    allowed_no_metadata(request, response);
    allowed_no_template_after_update(request, response);
    allowed_indented_json(response);
    allowed_charset(response);
    allowed_chunks(request, response);
    allowed_closed_connections(response);
}

/// Another name of each value of an open set that the document names.
const OPEN_SETS: [(&str, &[(&str, &str)]); 3] = [
    ("externalIdType", &[("PARTNER", "DEAL"), ("COMPANY", "ACCOUNT")]),
    ("stage", &[("PENDING_REVIEW", "IN_AUDIT"), ("PAID", "SETTLED"), ("DRAFT", "SKETCH")]),
    ("status", &[("active", "engaged"), ("inactive", "dormant"), ("archived", "shelved")]),
];

/// Resources, envelopes and details have further fields.
#[fault("V14")]
fn allowed_more_fields(request: &Request, response: &mut Response) {
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

/// Responses have further headers.
#[fault("§4")]
fn allowed_more_headers(response: &mut Response) {
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

/// Status, stage and kind of external id have values that the document does not name.
#[fault("V13")]
fn allowed_open_set_values(request: &Request, response: &mut Response, upstream: &Upstream) {
    // Values that requests set or filter by stay those that the document names.
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

/// Errors have other messages.
#[fault("§7.error")]
fn allowed_other_messages(response: &mut Response) {
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

/// JSON is indented.
#[fault("§4.json")]
fn allowed_indented_json(response: &mut Response) {
    let json: Option<Value> = serde_json::from_slice(&response.body).ok();
    if let Some(text) = json.and_then(|json| serde_json::to_string_pretty(&json).ok()) {
        response.set_body(text);
    }
}

/// The content type names a charset.
#[fault("§4.json")]
fn allowed_charset(response: &mut Response) {
    response.edit_header("content-type", |kind| match kind {
        "application/json" => "application/json; charset=utf-8".to_owned(),
        other => other.to_owned(),
    });
}

/// Bodies are sent in chunks, without their length.
#[fault("§4")]
fn allowed_chunks(request: &Request, response: &mut Response) {
    if request.method != hyper::Method::HEAD && !response.body.is_empty() {
        response.headers.remove(CONTENT_LENGTH);
        response.headers.insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
    }
}

/// Each response ends its connection.
#[fault("§4")]
fn allowed_closed_connections(response: &mut Response) {
    response.headers.insert(CONNECTION, HeaderValue::from_static("close"));
}

/// Names of headers begin with capitals.
#[fault("§4")]
fn allowed_title_case_headers(builder: &mut http1::Builder) {
    builder.title_case_headers(true);
}

/// Payouts lack `metadata`.
#[fault("V11")]
fn allowed_no_metadata(request: &Request, response: &mut Response) {
    if request.is("getPayout") {
        response.edit_resources(|payout| {
            payout.remove("metadata");
        });
    }
}

/// An updated partner lacks `experienceTemplateId`.
#[fault("§2.1")]
fn allowed_no_template_after_update(request: &Request, response: &mut Response) {
    if request.is("updatePartner") {
        response.edit_resources(|partner| {
            partner.remove("experienceTemplateId");
        });
    }
}
