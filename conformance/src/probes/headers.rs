//! Headers that every operation reads: `api-version` (R12) and `x-request-id` (R13).

use super::prelude::*;

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    if subject.parameters(Location::Header).any(|parameter| parameter.name == VERSION) {
        versions(subject, probes);
    }
    request_ids(subject, probes);
}

fn versions(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let known = subject.case("version.supported", "R12", async |subject, context| {
        let request = with_key(&subject.harmless(context)?).header(VERSION, DOCUMENT.version());
        passes_the_form(&context.send(request).await?, "The supported version")
    });
    let unknown = subject.case("version.unknown", "R12", async |subject, context| {
        let control = subject.harmless(context)?;
        // The last one is the day after the supported one.
        let next = format!("{}1", DOCUMENT.version());
        for (index, version) in ["1999-01-01", "v1", "latest", &next].into_iter().enumerate() {
            let request = with_key(&control).header(VERSION, version);
            let response =
                subject.rejects(context, &control, request, UNSUPPORTED_API_VERSION).await?;
            response.has("/error/details/supportedVersions", json!([DOCUMENT.version()]))?;
            if index == 0 {
                context.snapshot(&response);
            }
        }
        Ok(())
    });
    probes.extend([
        known.says("{operation} accepts the document's version as api-version.").fault(
            "{operation} knows no version.",
            subject.rewrites(|request| {
                if request.headers.contains_key(VERSION) {
                    request.set_header(VERSION, "none");
                }
            }),
        ),
        unknown
            .says("{operation} with an unknown api-version is 400, with the supported versions.")
            .fault(
                "{operation} ignores api-version.",
                subject.rewrites(|request| drop(request.headers.remove(VERSION))),
            ),
    ]);
}

fn request_ids(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let echoes = subject.case("request-id.echoed", "R13", async |subject, context| {
        echoed(context, with_key(&subject.harmless(context)?)).await
    });
    let refused = subject.case("request-id.echoed.refused", "R13", async |subject, context| {
        echoed(context, subject.harmless(context)?.0).await
    });
    let unique = subject.case("request-id.unique", "R13", async |subject, context| {
        let request = with_key(&subject.harmless(context)?);
        let first = context.send(request.clone()).await?;
        let second = context.send(request).await?;
        second.that(
            shown(&first) != shown(&second),
            "Two requests have the same x-request-id.",
            "two ids",
            shown(&second),
        )
    });
    let replaced = subject.case("request-id.replaced", "R13", async |subject, context| {
        let request = with_key(&subject.harmless(context)?);
        let mut before = String::new();
        for request_id in ["a b", "a/b", "ä", &"x".repeat(129), ""] {
            let response = context.send(request.clone().header(REQUEST_ID, request_id)).await?;
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
    });
    let alters = subject.edits(|request, response| {
        if request.headers.contains_key(REQUEST_ID) {
            response.edit_header(REQUEST_ID, |shown| format!("{shown}0"));
        }
    });
    let gives_one =
        || subject.edits(|_, response| response.edit_header(REQUEST_ID, |_| "1".to_owned()));
    let sentence = "{operation} gives all requests one x-request-id.";
    probes.extend([
        echoes
            .says("{operation} echoes a valid x-request-id.")
            .fault("{operation} echoes no x-request-id.", alters),
        refused
            .says("{operation} echoes a valid x-request-id in a refusal, too.")
            .shares_fault_of("request-id.echoed"),
        unique
            .says("{operation} gives each request an x-request-id of its own.")
            .fault(sentence, gives_one()),
        replaced
            .says("{operation} replaces an x-request-id of another form.")
            .fault(sentence, gives_one()),
    ]);
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
