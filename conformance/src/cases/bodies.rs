//! Bodies before any operation sees them (R4): their size, their media type, whether they are JSON.

use hyper::Method;
use serde_json::json;

use crate::{
    case::{Case, Scene, Stop, definition::runs},
    exchange::Call,
    target::Fixture,
};

/// Bytes of a body that is too large (R4).
pub(super) const TOO_LARGE: usize = 64 * 1_024 + 1;

/// The cases.
pub(super) const CASES: &[Case] = &[
    Case::new(
        "framework.broken-json",
        "A body that is no JSON is 400.",
        "R4.400",
        runs!(broken_json),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .requests(24),
    Case::new(
        "framework.media-type",
        "A body that is not declared as JSON is 415.",
        "R4.415",
        runs!(media_type),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .requests(12),
    Case::new(
        "framework.media-type-with-charset",
        "application/json with a parameter is JSON.",
        "R4.415",
        runs!(media_type_with_charset),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner]),
    Case::new(
        "framework.body-too-large",
        "A body above 64 KiB is 413, and one of exactly 64 KiB is taken.",
        "R4.413",
        runs!(body_too_large),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner]),
    Case::new(
        "framework.order-media-type-first",
        "Of a body that is wrong in several ways the media type is told before its size, and this before its JSON.",
        "A.order",
        runs!(media_type_first),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner]),
];

/// A PATCH of a partner that exists, which changes nothing where it passes.
fn harmless(scene: &Scene<'_>) -> Result<Call, Stop> {
    let target = format!("/api/v1/partners/{}", scene.fixture(Fixture::Partner)?);
    Ok(Call::new(Method::PATCH, target).with(&scene.all()?))
}

async fn broken_json(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let patch = harmless(scene)?;
    let sound = patch.clone().json(&json!({}));
    // The members are no fields: whoever takes one of these for JSON changes nothing.
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
        let call = patch.clone().body("application/json", body);
        let answer = scene.refused(call, sound.clone()).await?;
        scene.is_error(&answer, 400, "INVALID_JSON")?;
    }
    Ok(())
}

async fn media_type(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let patch = harmless(scene)?;
    let sound = patch.clone().json(&json!({}));
    for media_type in [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonlines",
        "application/json-patch+json",
    ] {
        let call = patch.clone().body(media_type, "{}");
        let answer = scene.refused(call, sound.clone()).await?;
        scene.is_error(&answer, 415, "UNSUPPORTED_MEDIA_TYPE")?;
    }
    Ok(())
}

async fn media_type_with_charset(scene: &mut Scene<'_>) -> Result<(), Stop> {
    // The name is one in letters of either case.
    for media_type in ["application/json; charset=utf-8", "Application/JSON"] {
        let call = harmless(scene)?.body(media_type, "{}");
        scene.send(call).await?.is(200)?;
    }
    Ok(())
}

async fn body_too_large(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let patch = harmless(scene)?;
    let padded = |length: usize| format!("{{{}}}", " ".repeat(length - 2));
    let sound = patch
        .clone()
        .body("application/json", padded(TOO_LARGE - 1));
    let call = patch.body("application/json", padded(TOO_LARGE));
    // Not the twin that makes a refusal sure: a sound body of this size is a claim of its own.
    scene.send(sound).await?.is(200)?;
    // In pieces nobody tells beforehand how much it is.
    let in_pieces = call.clone().header("transfer-encoding", "chunked");
    for call in [call, in_pieces] {
        let answer = scene.send(call).await?;
        scene.is_error(&answer, 413, "PAYLOAD_TOO_LARGE")?;
    }
    Ok(())
}

async fn media_type_first(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let patch = harmless(scene)?;
    let sound = patch.clone().json(&json!({}));
    let broken = patch.clone().body("text/plain", "{");
    let answer = scene.refused(broken, sound).await?;
    scene.is_error(&answer, 415, "UNSUPPORTED_MEDIA_TYPE")?;
    let unversioned = patch.clone().body("text/plain", "{}");
    let unversioned = unversioned.header("api-version", "1999-01-01");
    let answer = scene.send(unversioned).await?;
    scene.is_error(&answer, 415, "UNSUPPORTED_MEDIA_TYPE")?;
    let large = "{".repeat(TOO_LARGE);
    for (media_type, status, code) in [
        ("text/plain", 415, "UNSUPPORTED_MEDIA_TYPE"),
        ("application/json", 413, "PAYLOAD_TOO_LARGE"),
    ] {
        let call = patch.clone().body(media_type, large.clone());
        let answer = scene.send(call).await?;
        scene.is_error(&answer, status, code)?;
    }
    Ok(())
}
