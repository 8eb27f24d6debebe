//! Bodies before any operation sees them (R4): their size, their media type, whether they are JSON.

use crate::cases::prelude::*;

pub(super) const TOO_LARGE: usize = 64 * 1_024 + 1;

pub(super) const CASES: &[Case] = cases! {
    Case::ANY.on("updatePartner").fixtures(&[Fixture::Partner]);
    { "framework.broken-json" "R4.400" run(broken_json)
      "A body that is not JSON is 400." .requests(28) }
    { "framework.media-type" "R4.415" run(media_type)
      "A body that is not declared as JSON is 415." .requests(12) }
    { "framework.media-type-with-charset" "R4.415" run(media_type_with_charset)
      "application/json with a parameter is JSON." }
    { "framework.body-too-large" "R4.413" run(body_too_large)
      "A body above 64 KiB is 413, and one of exactly 64 KiB is accepted." }
    { "framework.order-media-type-first" "A.order" run(media_type_first)
      "The media type of a body is checked before its size, and its size before its JSON." }
};

/// A PATCH of an existing partner, which changes nothing where it is accepted.
fn harmless(context: &CaseContext<'_>) -> CaseResult<Request> {
    let target = partner_path(&context.fixture(Fixture::Partner)?);
    Ok(Request::new(Method::PATCH, target).with(&context.all()?))
}

async fn broken_json(context: &mut CaseContext<'_>) -> CaseResult {
    let patch = harmless(context)?;
    let sound = patch.clone().json(&json!({}));
    // The members are not fields, so a deployment that accepts one of these changes nothing.
    let bodies: [&[u8]; 13] = [
        b"",
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
    for body in bodies {
        let request = patch.clone().body("application/json", body);
        context.rejects(request, sound.clone(), INVALID_JSON).await?;
    }
    Ok(())
}

async fn media_type(context: &mut CaseContext<'_>) -> CaseResult {
    let patch = harmless(context)?;
    let sound = patch.clone().json(&json!({}));
    for media_type in [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonlines",
        "application/json-patch+json",
    ] {
        let request = patch.clone().body(media_type, "{}");
        context.rejects(request, sound.clone(), UNSUPPORTED_MEDIA_TYPE).await?;
    }
    Ok(())
}

async fn media_type_with_charset(context: &mut CaseContext<'_>) -> CaseResult {
    // Media types are case-insensitive.
    for media_type in ["application/json; charset=utf-8", "Application/JSON"] {
        let request = harmless(context)?.body(media_type, "{}");
        context.ok(request).await?;
    }
    Ok(())
}

async fn body_too_large(context: &mut CaseContext<'_>) -> CaseResult {
    let patch = harmless(context)?;
    let padded = |length: usize| format!("{{{}}}", " ".repeat(length - 2));
    let sound = patch.clone().body("application/json", padded(TOO_LARGE - 1));
    let request = patch.body("application/json", padded(TOO_LARGE));
    // That a body of this size is accepted is part of the clause, so it is no mere control.
    context.ok(sound).await?;
    // In chunks, the size is not known beforehand.
    let in_pieces = request.clone().header("transfer-encoding", "chunked");
    for request in [request, in_pieces] {
        context.expect(request, PAYLOAD_TOO_LARGE).await?;
    }
    Ok(())
}

async fn media_type_first(context: &mut CaseContext<'_>) -> CaseResult {
    let patch = harmless(context)?;
    let sound = patch.clone().json(&json!({}));
    let broken = patch.clone().body("text/plain", "{");
    context.rejects(broken, sound, UNSUPPORTED_MEDIA_TYPE).await?;
    let unversioned = patch.clone().body("text/plain", "{}");
    let unversioned = unversioned.header("api-version", "1999-01-01");
    context.expect(unversioned, UNSUPPORTED_MEDIA_TYPE).await?;
    let large = "{".repeat(TOO_LARGE);
    for (media_type, error) in
        [("text/plain", UNSUPPORTED_MEDIA_TYPE), ("application/json", PAYLOAD_TOO_LARGE)]
    {
        let request = patch.clone().body(media_type, large.clone());
        context.expect(request, error).await?;
    }
    Ok(())
}
