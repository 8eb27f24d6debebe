//! Bodies (R4, R11): their media type, size and syntax. Requests go where nothing changes, whatever
//! they say. [`members`] are about what an object holds.

mod members;

use bytes::Bytes;

use super::prelude::*;

/// The largest body that is accepted (R4).
pub(super) const LARGEST: usize = 64 * 1_024;
pub(super) const JSON: &str = "application/json";
const OTHER_TYPES: [&str; 5] = [
    "",
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonlines",
    "application/json-patch+json",
];
/// Media types are case-insensitive, and may have a parameter.
const JSON_TYPES: [&str; 2] = ["application/json; charset=utf-8", "Application/JSON"];
/// Bodies that are not JSON, or not I-JSON.
const BROKEN: [&[u8]; 12] = [
    b"{",
    b"nope",
    b"{} {}",
    br#"{"nobody":NaN}"#,
    br#"{"nobody":1,}"#,
    br#"{"nobody":"\ud800"}"#,
    b"{\"nobody\":\"a\nb\"}",
    b"{\"nobody\":\"a\tb\"}",
    br#"{"nobody":1,"nobody":1}"#,
    br#"{"nobody":1,"nob\u006fdy":1}"#,
    b"{\"nobody\":\"\xff\"}",
    "\u{feff}{}".as_bytes(),
];
/// Deeper than any reader of JSON has to follow.
const DEPTH: usize = 1_000;

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    let large = subject.case("body.too-large", "R4.413", too_large);
    probes.push(
        large.says("{operation} accepts a body of 64 KiB and rejects a larger one.").fault(
            "{operation} accepts bodies of any size.",
            subject.rewrites(|request| request.body = request.body.take().filter(fits)),
        ),
    );
    let Some(shape) = subject.body() else {
        let case = subject.case("body.ignored", "R11", ignored);
        let case = case.says("{operation} takes no body and ignores one of any type.");
        probes.push(case.by_decision().fault(
            "{operation} rejects a body.",
            subject.rewrites(|request| {
                if request.body.is_some() {
                    *request = request.with_parameter(UNKNOWN_NAME, "1");
                }
            }),
        ));
        return;
    };
    let valid = subject.example().unwrap_or_default();
    let takes = |is_wrong: fn(Option<Value>) -> bool| {
        let valid = valid.clone();
        subject.rewrites(move |request| {
            if is_wrong(request.read_json()) {
                request.set_json(&valid);
            }
        })
    };
    probes.extend([
        subject
            .case("body.broken", "R4.400", broken)
            .says("{operation} with a body that is not JSON is 400.")
            .requests(16)
            .fault(
                "{operation} takes the document's example for a body that is not JSON.",
                takes(|body| body.is_none()),
            ),
        subject
            .case("body.media-type", "R4.415", media_type)
            .says("{operation} with a body that is not declared as JSON is 415.")
            .fault(
                "{operation} ignores the media type.",
                subject.rewrites(|request| request.set_header(CONTENT_TYPE, JSON)),
            ),
        subject
            .case("body.not-an-object", "R4.422", not_an_object)
            .says("{operation} with a body that is not an object is 422.")
            .fault(
                "{operation} takes the document's example for a body that is no object.",
                takes(|body| body.is_some_and(|body| !body.is_object())),
            ),
    ]);
    members::derive(subject, &shape, &valid, probes);
}

fn fits(body: &Bytes) -> bool {
    body.len() <= LARGEST
}

/// The valid request without its body and headers, for others.
pub(super) fn bare((request, key): &Keyed) -> Request {
    Request { headers: HeaderMap::new(), body: None, ..request.clone() }.with(key)
}

async fn not_an_object(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let valid = subject.valid_body(context).unwrap_or_default();
    for (body, code) in [
        (json!([]), "WRONG_TYPE"),
        (json!([valid]), "WRONG_TYPE"),
        (json!("text"), "WRONG_TYPE"),
        (json!(1), "WRONG_TYPE"),
        (json!(true), "WRONG_TYPE"),
        (json!(null), "NOT_NULLABLE"),
    ] {
        members::rejects_body(subject, context, &body, &format!("body  {code}")).await?;
    }
    Ok(())
}

async fn broken(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let control = subject.varied(context)?;
    let deep = [vec![b'['; DEPTH], vec![b']'; DEPTH]].concat();
    let is_required = subject.operation.body.as_ref().is_some_and(|body| body.required);
    let empty: Option<&[u8]> = is_required.then_some(b"");
    let bodies = BROKEN.into_iter().chain([deep.as_slice()]).chain(empty);
    for (index, body) in bodies.enumerate() {
        let request = bare(&control).body(JSON, body.to_vec());
        let response = subject.rejects(context, &control, request, INVALID_JSON).await?;
        if index == 0 {
            context.snapshot(&response);
        }
    }
    Ok(())
}

async fn media_type(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let control = subject.varied(context)?;
    let body = subject.valid_body(context).unwrap_or_default().to_string();
    for (index, media_type) in OTHER_TYPES.into_iter().enumerate() {
        let request = bare(&control).body(media_type, body.clone());
        let response = subject.rejects(context, &control, request, UNSUPPORTED_MEDIA_TYPE).await?;
        if index == 1 {
            context.snapshot(&response);
        }
    }
    for media_type in JSON_TYPES {
        let response = context.send(bare(&control).body(media_type, body.clone())).await?;
        passes_the_form(&response, media_type)?;
    }
    Ok(())
}

/// The valid body, or an empty object, with so many bytes.
fn padded(body: Option<Value>, length: usize) -> String {
    let text = body.unwrap_or_else(|| json!({})).to_string();
    let (start, end) = text.split_at(text.len() - 1);
    format!("{start}{}{end}", " ".repeat(length.saturating_sub(text.len())))
}

async fn too_large(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let control = subject.varied(context)?;
    let with = |length| bare(&control).body(JSON, padded(subject.valid_body(context), length));
    let (fits, too_large) = (with(LARGEST), with(LARGEST + 1));
    let response = context.send(fits).await?;
    passes_the_form(&response, "A body of 64 KiB")?;
    // In chunks, the size is not known beforehand.
    let in_pieces = too_large.clone().header("transfer-encoding", "chunked");
    for request in [in_pieces, too_large] {
        let response = subject.rejects(context, &control, request, PAYLOAD_TOO_LARGE).await?;
        context.snapshot(&response);
    }
    Ok(())
}

async fn ignored(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let control = subject.harmless(context)?;
    let expected = context.send(control.0.clone().with(&control.1)).await?;
    let status = expected.status.as_u16();
    for (media_type, body) in [
        (JSON, "{}"),
        (JSON, r#"{"id":null,"unknown":1}"#),
        (JSON, "{ garbage"),
        (JSON, ""),
        ("text/plain", "please"),
        ("application/x-www-form-urlencoded", "a=b"),
        ("", "no type"),
    ] {
        let response = context.send(bare(&control).body(media_type, body)).await?;
        response.is(status)?.has("/error/code", expected.at("/error/code").clone())?;
    }
    Ok(())
}
