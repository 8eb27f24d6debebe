//! Paths, methods and headers that no operation sees (R5, R9, R12, R13, errors of the framework).

mod routes;

use super::{bodies::TOO_LARGE, keys::every_request};
use crate::cases::prelude::*;
use routes::{empty_id, prefix, undecodable_path, unknown_method, unknown_path};

const VERSION: &str = "2026-05-20";

pub(super) const CASES: &[Case] = cases! { Case::ANY;
    { "framework.unknown-path" "R5.404" run(unknown_path)
      "An unknown path is 404, with or without a key." .requests(20) }
    { "framework.undecodable-path" "R5.404" run(undecodable_path)
      "A path with a percent-escape that cannot be decoded is 404." }
    { "framework.nul-in-id" "R3" run(nul_in_id) "An id that contains U+0000 is 404." }
    { "framework.empty-id" "R5.404" run(empty_id) "An empty id is 404." }
    { "framework.unknown-method" "R5.405" run(unknown_method)
      "A known path with another method is 405, and Allow lists the path's methods." .requests(48) }
    { "framework.prefix" "§9.prefix" run(prefix) "Paths without the prefix /api/v1 do not exist." }
    { "framework.version" "R12" run(version)
      "The header api-version with the supported version is accepted." }
    { "framework.unknown-version" "R12" run(unknown_version)
      "An unknown api-version is 400, and the error lists the supported versions." .requests(16) }
    { "framework.request-id-echoed" "R13" run(request_id_echoed) "A valid x-request-id is echoed."
      .requests(12) }
    { "framework.request-id-replaced" "R13" run(request_id_replaced)
      "An x-request-id of another form is replaced." }
    { "framework.request-ids-differ" "R13" run(request_ids_differ)
      "Each request without an x-request-id gets its own." }
    { "framework.no-negotiation" "E.codes" run(no_negotiation)
      "A response is complete and JSON, whatever Accept and conditional headers the request has." }
    { "framework.unknown-parameter" "R9" run(unknown_parameter)
      "An unknown query parameter is 422 on every operation." .requests(20) }
    { "framework.repeated-parameter" "R9" run(repeated_parameter)
      "A repeated query parameter is 422." }
    { "framework.route-before-key" "A.order" run(route_before_key)
      "Path and method are checked before the key." }
    { "framework.key-before-form" "A.order" run(key_before_form)
      "The key is checked before the form." }
    { "framework.scope-before-form" "A.order" run(scope_before_form)
      "The scope is checked before the form, on every operation."
      .keys(&[Role::All, Role::AffiliateWrite]).requests(16) }
    { "framework.form-before-resource" "A.order" run(form_before_resource)
      "The form is checked before the resource." .on("updatePartner") }
};

async fn nul_in_id(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    // Reading a partner: partners.read.id-with-nul.
    let requests = [
        Request::patch("/api/v1/partners/a%00b", &json!({})),
        Request::post("/api/v1/commission-lines/a%00b/detach"),
        Request::get("/api/v1/payouts/a%00b"),
        Request::post("/api/v1/payouts/a%00b/statement"),
    ];
    for request in requests {
        context.expect(request.with(&key), NOT_FOUND).await?;
    }
    Ok(())
}

async fn version(context: &mut CaseContext<'_>) -> CaseResult {
    let request = Request::get(LIST).with(&context.all()?).header("api-version", VERSION);
    let response = context.ok(request).await?;
    context.snapshot(&response);
    Ok(())
}

async fn unknown_version(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    for version in ["2026-05-21", "v1", "latest"] {
        let request = Request::get(LIST).with(&key);
        let response = context
            .rejects(
                request.clone().header("api-version", version),
                request.header("api-version", VERSION),
                UNSUPPORTED_API_VERSION,
            )
            .await?;
        response.has("/error/details/supportedVersions", json!([VERSION]))?;
    }
    for (_, request) in every_request() {
        let request = request.with(&key).header("api-version", "1999-01-01");
        context.expect(request, UNSUPPORTED_API_VERSION).await?;
    }
    // It is a header, not a parameter.
    let parameter = Request::get(LIST).with(&key).query("api-version", VERSION);
    let response = context.send(parameter).await?;
    context.is_violation(&response, &["query /api-version UNKNOWN_PARAMETER"])?;
    Ok(())
}

async fn request_id_echoed(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    let longest = "x".repeat(128);
    for id in ["a", "A.b_c-9", &longest] {
        let requests =
            [Request::get(LIST).with(&key), Request::get(LIST), Request::get("/api/v1/unknown")];
        for request in requests {
            let response = context.send(request.header("x-request-id", id)).await?;
            let echoed = response.header("x-request-id").unwrap_or("none");
            response.that(echoed == id, "x-request-id was not echoed.", id, echoed)?;
        }
    }
    Ok(())
}

async fn request_id_replaced(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    let too_long = "x".repeat(129);
    for id in ["a b", "a/b", "ä", &too_long, ""] {
        let request = Request::get(LIST).with(&key).header("x-request-id", id);
        let response = context.send(request).await?;
        let shown = response.header("x-request-id").unwrap_or_default();
        response.is(200)?.that(
            !shown.is_empty() && shown != id,
            "An x-request-id of another form was not replaced.",
            "another id",
            shown,
        )?;
    }
    Ok(())
}

async fn request_ids_differ(context: &mut CaseContext<'_>) -> CaseResult {
    let request = Request::get(LIST).with(&context.all()?);
    let first = context.send(request.clone()).await?;
    let second = context.send(request).await?;
    let (one, other) = (first.header("x-request-id"), second.header("x-request-id"));
    second.that(
        one.is_some() && one != other,
        "Two requests have the same x-request-id.",
        "two ids",
        other.unwrap_or("none"),
    )
}

async fn no_negotiation(context: &mut CaseContext<'_>) -> CaseResult {
    let plain = Request::get(LIST).with(&context.all()?);
    let list = context.given(plain.clone()).await?;
    let one = Request::get(partner_path(list.text("/data/0/id"))).with(&context.all()?);
    for (name, value) in [
        ("accept", "text/html"),
        ("if-none-match", "*"),
        ("if-modified-since", "Thu, 31 Dec 2099 23:59:59 GMT"),
    ] {
        for request in [&plain, &one] {
            let request = request.clone().header(name, value);
            context.ok(request).await?;
        }
    }
    Ok(())
}

async fn unknown_parameter(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    for (_, request) in every_request() {
        // The second one is known to deployments that accept keys in the query (§5.2).
        for (name, value) in [("surprise", "1"), ("x-api-key", key.expose())] {
            let request = request.clone().with(&key).query(name, value);
            let response = context.expect(request, VALIDATION_FAILED).await?;
            context.has_issues(&response, &[&format!("query /{name} UNKNOWN_PARAMETER")])?;
        }
    }
    Ok(())
}

async fn repeated_parameter(context: &mut CaseContext<'_>) -> CaseResult {
    let request = Request::get(LIST).with(&context.all()?);
    let response =
        context.rejects(request.clone().query("limit", "1"), request, VALIDATION_FAILED).await?;
    context.has_issues(&response, &["query /limit REPEATED_PARAMETER"])
}

async fn route_before_key(context: &mut CaseContext<'_>) -> CaseResult {
    let unknown = context.all()?.altered(|key| format!("{key}0"));
    for key in [Key::None, Key::Altered(unknown)] {
        let request = Request::get("/api/v1/unknown").with_key(key.clone());
        context.expect(request, NOT_FOUND).await?;
        let request = Request::post("/api/v1/partners").with_key(key);
        context.expect(request, METHOD_NOT_ALLOWED).await?;
    }
    Ok(())
}

async fn key_before_form(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    let broken = Request::get("/api/v1/partners?limit=0");
    let large = " ".repeat(TOO_LARGE);
    let too_large =
        Request::new(Method::PATCH, "/api/v1/partners/none").body("application/json", large);
    let unversioned = Request::get(LIST).header("api-version", "1999-01-01");
    for (request, error) in [
        (broken, VALIDATION_FAILED),
        (too_large, PAYLOAD_TOO_LARGE),
        (unversioned, UNSUPPORTED_API_VERSION),
    ] {
        context.expect(request.clone(), UNAUTHORIZED).await?;
        context.expect(request.with(&key), error).await?;
    }
    Ok(())
}

async fn scope_before_form(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.key(Role::AffiliateWrite)?;
    for (_, request) in every_request() {
        context.expect(request.with(&key).query("surprise", "1"), INSUFFICIENT_SCOPE).await?;
    }
    for body in ["{", r#"{"name":""}"#] {
        let request = Request::new(Method::PATCH, "/api/v1/partners/none").with(&key);
        context.expect(request.body("application/json", body), INSUFFICIENT_SCOPE).await?;
    }
    let undeclared = Request::new(Method::PATCH, "/api/v1/partners/none").body("text/plain", "{}");
    context.expect(undeclared.with(&key), INSUFFICIENT_SCOPE).await.map(drop)
}

async fn form_before_resource(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    let patch = |body| Request::patch(partner_path(UNKNOWN_ID), &body).with(&key);
    context.expect(patch(json!({ "name": "" })), VALIDATION_FAILED).await?;
    context.expect(patch(json!({})), NOT_FOUND).await.map(drop)
}
