//! Paths, methods and headers that no operation sees (R5, R9, R12, R13, errors of the framework).

mod routes;

use hyper::Method;
use serde_json::json;

use crate::{
    case::{Case, CaseContext, CaseOutcome, definition::runs},
    exchange::{Key, Request},
    target::Role,
};
use routes::{empty_id, prefix, undecodable_path, unknown_method, unknown_path};

const LIST: &str = "/api/v1/partners?limit=1";
const VERSION: &str = "2026-05-20";

/// The cases.
pub(super) const CASES: &[Case] = &[
    Case::new(
        "framework.unknown-path",
        "An unknown path is 404, with or without a key.",
        "R5.404",
        runs!(unknown_path),
    )
    .requests(20),
    Case::new(
        "framework.undecodable-path",
        "A percent-escape that cannot be decoded is 404.",
        "R5.404",
        runs!(undecodable_path),
    ),
    Case::new(
        "framework.nul-in-id",
        "An id with U+0000 in it is 404.",
        "R3",
        runs!(nul_in_id),
    ),
    Case::new(
        "framework.empty-id",
        "An empty id is 404.",
        "R5.404",
        runs!(empty_id),
    ),
    Case::new(
        "framework.unknown-method",
        "A known path with another method is 405, and Allow names those it has.",
        "R5.405",
        runs!(unknown_method),
    )
    .requests(40),
    Case::new(
        "framework.prefix",
        "Without the prefix /api/v1 there is nothing.",
        "§9.prefix",
        runs!(prefix),
    ),
    Case::new(
        "framework.version",
        "The header api-version with the one version is accepted.",
        "R12",
        runs!(version),
    ),
    Case::new(
        "framework.unknown-version",
        "An unknown api-version is 400, and the supported ones are listed.",
        "R12",
        runs!(unknown_version),
    )
    .requests(16),
    Case::new(
        "framework.request-id-echoed",
        "A sound x-request-id comes back.",
        "R13",
        runs!(request_id_echoed),
    )
    .requests(12),
    Case::new(
        "framework.request-id-replaced",
        "An x-request-id of another form is replaced.",
        "R13",
        runs!(request_id_replaced),
    ),
    Case::new(
        "framework.request-ids-differ",
        "Each request without an x-request-id gets one of its own.",
        "R13",
        runs!(request_ids_differ),
    ),
    Case::new(
        "framework.no-negotiation",
        "An response is whole and JSON, whatever a client says that it accepts or has kept.",
        "E.codes",
        runs!(no_negotiation),
    ),
    Case::new(
        "framework.unknown-parameter",
        "An unknown query parameter is 422, on every operation.",
        "R9",
        runs!(unknown_parameter),
    )
    .requests(20),
    Case::new(
        "framework.repeated-parameter",
        "A repeated query parameter is 422.",
        "R9",
        runs!(repeated_parameter),
    ),
    Case::new(
        "framework.route-before-key",
        "Path and method are looked at before the key.",
        "A.order",
        runs!(route_before_key),
    ),
    Case::new(
        "framework.key-before-form",
        "The key is looked at before the form.",
        "A.order",
        runs!(key_before_form),
    ),
    Case::new(
        "framework.scope-before-form",
        "The scope is looked at before the form, on every operation.",
        "A.order",
        runs!(scope_before_form),
    )
    .keys(&[Role::All, Role::AffiliateWrite])
    .requests(16),
    Case::new(
        "framework.form-before-resource",
        "The form is looked at before the resource.",
        "A.order",
        runs!(form_before_resource),
    )
    .on("updatePartner"),
];

async fn nul_in_id(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    // That of a partner that is read: partners.get-id-with-nul.
    let requests = [
        Request::patch("/api/v1/partners/a%00b", &json!({})),
        Request::post("/api/v1/commission-lines/a%00b/detach"),
        Request::get("/api/v1/payouts/a%00b"),
        Request::post("/api/v1/payouts/a%00b/statement"),
    ];
    for request in requests {
        let response = context.send(request.with(&key)).await?;
        context.is_error(&response, 404, "NOT_FOUND")?;
    }
    Ok(())
}

async fn version(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let request = Request::get(LIST)
        .with(&context.all()?)
        .header("api-version", VERSION);
    let response = context.send(request).await?;
    response.is(200)?;
    context.snapshot(&response);
    Ok(())
}

async fn unknown_version(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    for version in ["2026-05-21", "v1", "latest"] {
        let request = Request::get(LIST).with(&key);
        let response = context
            .refused(
                request.clone().header("api-version", version),
                request.header("api-version", VERSION),
            )
            .await?;
        context.is_error(&response, 400, "UNSUPPORTED_API_VERSION")?;
        response.has("/error/details/supportedVersions", json!([VERSION]))?;
    }
    for (_, request) in super::keys::every_request() {
        let request = request.with(&key).header("api-version", "1999-01-01");
        let response = context.send(request).await?;
        context.is_error(&response, 400, "UNSUPPORTED_API_VERSION")?;
    }
    // It is a header, and no parameter.
    let parameter = Request::get(LIST).with(&key).query("api-version", VERSION);
    let response = context.send(parameter).await?;
    context.is_violation(&response, &["query /api-version UNKNOWN_PARAMETER"])?;
    Ok(())
}

async fn request_id_echoed(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    let longest = "x".repeat(128);
    for id in ["a", "A.b_c-9", &longest] {
        let requests = [
            Request::get(LIST).with(&key),
            Request::get(LIST),
            Request::get("/api/v1/unknown"),
        ];
        for request in requests {
            let response = context.send(request.header("x-request-id", id)).await?;
            let told = response.header("x-request-id").unwrap_or("none");
            response.that(told == id, "x-request-id did not come back.", id, told)?;
        }
    }
    Ok(())
}

async fn request_id_replaced(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    let too_long = "x".repeat(129);
    for id in ["a b", "a/b", "ä", &too_long, ""] {
        let request = Request::get(LIST).with(&key).header("x-request-id", id);
        let response = context.send(request).await?;
        let told = response.header("x-request-id").unwrap_or_default();
        response.is(200)?.that(
            !told.is_empty() && told != id,
            "An x-request-id of another form was not replaced.",
            "another id",
            told,
        )?;
    }
    Ok(())
}

async fn request_ids_differ(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let request = Request::get(LIST).with(&context.all()?);
    let first = context.send(request.clone()).await?;
    let second = context.send(request).await?;
    let (one, other) = (first.header("x-request-id"), second.header("x-request-id"));
    second.that(
        one.is_some() && one != other,
        "Two requests have one x-request-id.",
        "two ids",
        other.unwrap_or("none"),
    )?;
    Ok(())
}

async fn no_negotiation(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let plain = Request::get(LIST).with(&context.all()?);
    let list = context.given(plain.clone()).await?;
    let one = format!("/api/v1/partners/{}", list.text("/data/0/id"));
    let one = Request::get(one).with(&context.all()?);
    for (name, value) in [
        ("accept", "text/html"),
        ("if-none-match", "*"),
        ("if-modified-since", "Thu, 31 Dec 2099 23:59:59 GMT"),
    ] {
        for request in [&plain, &one] {
            // A status that the document does not name is told by the invariant; here it is asked for.
            context
                .send(request.clone().header(name, value))
                .await?
                .is(200)?;
        }
    }
    Ok(())
}

async fn unknown_parameter(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    for (_, request) in super::keys::every_request() {
        // The second, because it is one for those who take keys from there (§5.2).
        for (name, value) in [("surprise", "1"), ("x-api-key", key.expose())] {
            let request = request.clone().with(&key).query(name, value);
            let response = context.send(request).await?;
            context.is_error(&response, 422, "VALIDATION_FAILED")?;
            context.has_issues(&response, &[&format!("query /{name} UNKNOWN_PARAMETER")])?;
        }
    }
    Ok(())
}

async fn repeated_parameter(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let request = Request::get(LIST).with(&context.all()?);
    let response = context
        .refused(request.clone().query("limit", "1"), request)
        .await?;
    context.is_error(&response, 422, "VALIDATION_FAILED")?;
    context.has_issues(&response, &["query /limit REPEATED_PARAMETER"])
}

async fn route_before_key(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let nobodys = context.all()?.altered(|key| format!("{key}0"));
    for key in [Key::None, Key::Altered(nobodys)] {
        let request = Request::get("/api/v1/unknown").with_key(key.clone());
        let response = context.send(request).await?;
        context.is_error(&response, 404, "NOT_FOUND")?;
        let request = Request::post("/api/v1/partners").with_key(key);
        let response = context.send(request).await?;
        context.is_error(&response, 405, "METHOD_NOT_ALLOWED")?;
    }
    Ok(())
}

async fn key_before_form(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    let broken = Request::get("/api/v1/partners?limit=0");
    let large = " ".repeat(super::bodies::TOO_LARGE);
    let too_large =
        Request::new(Method::PATCH, "/api/v1/partners/none").body("application/json", large);
    let unversioned = Request::get(LIST).header("api-version", "1999-01-01");
    for (request, status, code) in [
        (broken, 422, "VALIDATION_FAILED"),
        (too_large, 413, "PAYLOAD_TOO_LARGE"),
        (unversioned, 400, "UNSUPPORTED_API_VERSION"),
    ] {
        let response = context.send(request.clone()).await?;
        context.is_error(&response, 401, "UNAUTHORIZED")?;
        let response = context.send(request.with(&key)).await?;
        context.is_error(&response, status, code)?;
    }
    Ok(())
}

async fn scope_before_form(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.key(Role::AffiliateWrite)?;
    for (_, request) in super::keys::every_request() {
        let response = context
            .send(request.with(&key).query("surprise", "1"))
            .await?;
        context.is_error(&response, 403, "INSUFFICIENT_SCOPE")?;
    }
    for body in ["{", r#"{"name":""}"#] {
        let request = Request::new(Method::PATCH, "/api/v1/partners/none").with(&key);
        let response = context.send(request.body("application/json", body)).await?;
        context.is_error(&response, 403, "INSUFFICIENT_SCOPE")?;
    }
    let undeclared = Request::new(Method::PATCH, "/api/v1/partners/none").body("text/plain", "{}");
    let response = context.send(undeclared.with(&key)).await?;
    context.is_error(&response, 403, "INSUFFICIENT_SCOPE")
}

async fn form_before_resource(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    let patch = |body| Request::patch("/api/v1/partners/nobody-has-this-id", &body).with(&key);
    let response = context.send(patch(json!({ "name": "" }))).await?;
    context.is_error(&response, 422, "VALIDATION_FAILED")?;
    let response = context.send(patch(json!({}))).await?;
    context.is_error(&response, 404, "NOT_FOUND")
}
