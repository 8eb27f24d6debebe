//! Paths and methods that no operation has (R5).
//!
//! They refuse to name an id that exists: nothing of it is looked at.

use hyper::Method;

use super::LIST;
use crate::{
    case::{Scene, Stop},
    exchange::Call,
};

pub(super) async fn unknown_path(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.all()?;
    for path in [
        "/api/v1/unknown",
        "/api/v1/partners/a/b",
        "/api/v1",
        "/api/v2/partners",
        "/api/v1/partners/",
        "/api/v1/partners/none/",
        "/api/v1/payouts/none/",
        "/api/v1/commission-lines/none/detach/",
        "/api/v1/Partners",
        "/API/v1/partners",
    ] {
        for call in [Call::get(path), Call::get(path).with(&key)] {
            let answer = scene.send(call).await?;
            scene.is_error(&answer, 404, "NOT_FOUND")?;
        }
    }
    Ok(())
}

pub(super) async fn undecodable_path(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.all()?;
    for path in [
        "/api/v1/payouts/%zz",
        "/api/v1/partners/%ff",
        "/api/v1/payouts/%0",
    ] {
        let answer = scene.send(Call::get(path).with(&key)).await?;
        scene.is_error(&answer, 404, "NOT_FOUND")?;
    }
    Ok(())
}

pub(super) async fn empty_id(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.all()?;
    let calls = [
        Call::get("/api/v1/payouts/"),
        Call::post("/api/v1/payouts//statement"),
        Call::post("/api/v1/commission-lines//detach"),
    ];
    for call in calls {
        let answer = scene.send(call.with(&key)).await?;
        scene.is_error(&answer, 404, "NOT_FOUND")?;
    }
    Ok(())
}

/// Each path, and the methods it has.
const PATHS: [(&str, &[&str]); 5] = [
    ("/api/v1/partners", &["GET"]),
    ("/api/v1/partners/none", &["GET", "PATCH"]),
    ("/api/v1/commission-lines", &["GET"]),
    ("/api/v1/commission-lines/none/detach", &["POST"]),
    ("/api/v1/payouts/none/statement", &["POST"]),
];

/// Methods that are tried: of HTTP, and one that nobody knows.
const METHODS: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PURGE"];

pub(super) async fn unknown_method(scene: &mut Scene<'_>) -> Result<(), Stop> {
    for (path, methods) in PATHS {
        for method in METHODS.into_iter().filter(|name| !methods.contains(name)) {
            let method = Method::from_bytes(method.as_bytes()).expect("a method");
            let mut call = Call::new(method.clone(), path);
            if method == Method::POST {
                // The method is the request line's, whatever a header says that elsewhere takes its place.
                call = call.header("x-http-method-override", methods[0]);
            }
            if method == Method::OPTIONS {
                // What a browser asks before a call from another site's page: it gets the same answer.
                call = call
                    .header("origin", "https://elsewhere.example")
                    .header("access-control-request-method", methods[0]);
            }
            let answer = scene.send(call).await?;
            answer.is(405)?;
            if method != Method::HEAD {
                scene.is_error(&answer, 405, "METHOD_NOT_ALLOWED")?;
            }
            let told = answer.header("allow").unwrap_or_default();
            let mut allowed: Vec<&str> = told.split(',').map(str::trim).collect();
            allowed.sort_unstable();
            answer.that(
                allowed == methods,
                "Allow does not name the methods that the path has.",
                &methods.join(", "),
                told,
            )?;
        }
    }
    Ok(())
}

pub(super) async fn prefix(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.all()?;
    for target in ["/partners?limit=1", "/v1/partners?limit=1"] {
        let answer = scene
            .refused(Call::get(target).with(&key), Call::get(LIST).with(&key))
            .await?;
        answer.that(
            !answer.is_success(),
            "A path without the prefix answers like the API.",
            "no success",
            &answer.status_line(),
        )?;
    }
    Ok(())
}
