//! Headers that every operation reads: `api-version` (R12) and `x-request-id` (R13).

use payout_openapi::Location;
use serde_json::json;

use super::{stage::Stage, subject::Subject};
use crate::{
    case::{Case, CaseContext, CaseResult, errors::UNSUPPORTED_API_VERSION},
    document::DOCUMENT,
    exchange::{Request, Response},
};

const VERSION: &str = "api-version";
const REQUEST_ID: &str = "x-request-id";

pub(super) fn derive(subject: &'static Subject, cases: &mut Vec<Case>) {
    let id = &subject.operation.id;
    if subject.parameters(Location::Header).any(|parameter| parameter.name == VERSION) {
        cases.extend([
            subject.case(
                "version.supported",
                "R12",
                format!("{id} accepts the document's version as {VERSION}."),
                async move |context| supported(subject, context).await,
            ),
            subject.case(
                "version.unknown",
                "R12",
                format!("{id} with an unknown {VERSION} is 400, with the supported versions."),
                async move |context| unknown_version(subject, context).await,
            ),
        ]);
    }
    cases.extend([
        subject.case(
            "request-id.echoed",
            "R13",
            format!("{id} echoes a valid {REQUEST_ID}."),
            async move |context| {
                let (request, key) = subject.harmless(context)?;
                echoed(context, request.with(&key)).await
            },
        ),
        subject.case(
            "request-id.echoed.refused",
            "R13",
            format!("{id} echoes a valid {REQUEST_ID} in a refusal, too."),
            async move |context| {
                let request = subject.harmless(context)?.0;
                echoed(context, request).await
            },
        ),
        subject.case(
            "request-id.unique",
            "R13",
            format!("{id} gives each request an {REQUEST_ID} of its own."),
            async move |context| unique(subject, context).await,
        ),
        subject.case(
            "request-id.replaced",
            "R13",
            format!("{id} replaces an {REQUEST_ID} of another form."),
            async move |context| replaced(subject, context).await,
        ),
    ]);
}

async fn supported(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let control = subject.harmless(context)?;
    let request = control.0.clone().with(&control.1).header(VERSION, DOCUMENT.version());
    let response = context.send(request).await?;
    response.that(
        Stage::reached(&response).is_some_and(|stage| stage > Stage::Form),
        "The supported version is refused.",
        "a response of a later check",
        &response.status_and_body(),
    )
}

async fn unknown_version(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let control = subject.harmless(context)?;
    // The last one is the day after the supported one.
    let next = format!("{}1", DOCUMENT.version());
    for (index, version) in ["1999-01-01", "v1", "latest", &next].into_iter().enumerate() {
        let request = control.0.clone().with(&control.1).header(VERSION, version);
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
        response.that(
            shown(&response) == request_id,
            "x-request-id was not echoed.",
            request_id,
            shown(&response),
        )?;
    }
    Ok(())
}

async fn replaced(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let (request, key) = subject.harmless(context)?;
    let mut before = String::new();
    for request_id in ["a b", "a/b", "ä", &"x".repeat(129), ""] {
        let request = request.clone().with(&key).header(REQUEST_ID, request_id);
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
    let (request, key) = subject.harmless(context)?;
    let first = context.send(request.clone().with(&key)).await?;
    let second = context.send(request.with(&key)).await?;
    second.that(
        shown(&first) != shown(&second),
        "Two requests have the same x-request-id.",
        "two ids",
        shown(&second),
    )
}
