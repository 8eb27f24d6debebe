//! Headers that every operation reads: `api-version` (R12) and `x-request-id` (R13).

use openapi_document::Location;
use serde_json::json;

use super::subject::{Subject, VERSION, passes_the_form, with_key};
use crate::{
    case::{Case, CaseContext, CaseResult, errors::UNSUPPORTED_API_VERSION},
    document::DOCUMENT,
    exchange::{Request, Response, headers::REQUEST_ID},
};

pub(super) fn derive(subject: &'static Subject, cases: &mut Vec<Case>) {
    if subject.parameters(Location::Header).any(|parameter| parameter.name == VERSION) {
        cases.extend([
            subject
                .case("version.supported", "R12", supported)
                .says("{operation} accepts the document's version as api-version."),
            subject.case("version.unknown", "R12", unknown_version).says(
                "{operation} with an unknown api-version is 400, with the supported versions.",
            ),
        ]);
    }
    cases.extend([
        subject
            .case("request-id.echoed", "R13", async move |subject, context| {
                echoed(context, with_key(&subject.harmless(context)?)).await
            })
            .says("{operation} echoes a valid x-request-id."),
        subject
            .case("request-id.echoed.refused", "R13", async move |subject, context| {
                echoed(context, subject.harmless(context)?.0).await
            })
            .says("{operation} echoes a valid x-request-id in a refusal, too."),
        subject
            .case("request-id.unique", "R13", unique)
            .says("{operation} gives each request an x-request-id of its own."),
        subject
            .case("request-id.replaced", "R13", replaced)
            .says("{operation} replaces an x-request-id of another form."),
    ]);
}

async fn supported(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let request = with_key(&subject.harmless(context)?).header(VERSION, DOCUMENT.version());
    passes_the_form(&context.send(request).await?, "The supported version")
}

async fn unknown_version(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let control = subject.harmless(context)?;
    // The last one is the day after the supported one.
    let next = format!("{}1", DOCUMENT.version());
    for (index, version) in ["1999-01-01", "v1", "latest", &next].into_iter().enumerate() {
        let request = with_key(&control).header(VERSION, version);
        let response = subject.rejects(context, &control, request, UNSUPPORTED_API_VERSION).await?;
        response.has("/error/details/supportedVersions", json!([DOCUMENT.version()]))?;
        if index == 0 {
            context.snapshot(&response);
        }
    }
    Ok(())
}

fn shown(response: &Response) -> &str {
    response.header(REQUEST_ID).unwrap_or_default()
}

async fn echoed(context: &mut CaseContext<'_>, request: Request) -> CaseResult {
    for request_id in ["A.b_c-9", &"x".repeat(128), "a"] {
        let response = context.send(request.clone().header(REQUEST_ID, request_id)).await?;
        response.same("x-request-id was not echoed.", request_id, shown(&response))?;
    }
    Ok(())
}

async fn replaced(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let request = with_key(&subject.harmless(context)?);
    let mut before = String::new();
    for request_id in ["a b", "a/b", "ä", &"x".repeat(129), ""] {
        let request = request.clone().header(REQUEST_ID, request_id);
        let response = context.send(request).await?;
        let actual = shown(&response);
        response.that(
            !actual.is_empty() && actual != request_id && actual != before,
            "An x-request-id of another form was not replaced by one of its own.",
            "another id in each response",
            actual,
        )?;
        before = actual.to_owned();
    }
    Ok(())
}

async fn unique(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let request = with_key(&subject.harmless(context)?);
    let first = context.send(request.clone()).await?;
    let second = context.send(request).await?;
    second.that(
        shown(&first) != shown(&second),
        "Two requests have the same x-request-id.",
        "two ids",
        shown(&second),
    )
}
