//! Paths and methods that no operation has (R5).
//!
//! They refuse to name an id that exists: nothing of it is looked at.

use hyper::Method;

use super::LIST;
use crate::{
    case::{CaseContext, CaseOutcome},
    exchange::Request,
};

pub(super) async fn unknown_path(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
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
        for request in [Request::get(path), Request::get(path).with(&key)] {
            let response = context.send(request).await?;
            context.is_error(&response, 404, "NOT_FOUND")?;
        }
    }
    Ok(())
}

pub(super) async fn undecodable_path(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    for path in [
        "/api/v1/payouts/%zz",
        "/api/v1/partners/%ff",
        "/api/v1/payouts/%0",
    ] {
        let response = context.send(Request::get(path).with(&key)).await?;
        context.is_error(&response, 404, "NOT_FOUND")?;
    }
    Ok(())
}

pub(super) async fn empty_id(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    let requests = [
        Request::get("/api/v1/payouts/"),
        Request::post("/api/v1/payouts//statement"),
        Request::post("/api/v1/commission-lines//detach"),
    ];
    for request in requests {
        let response = context.send(request.with(&key)).await?;
        context.is_error(&response, 404, "NOT_FOUND")?;
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

pub(super) async fn unknown_method(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    for (path, methods) in PATHS {
        for method in METHODS.into_iter().filter(|name| !methods.contains(name)) {
            let method = Method::from_bytes(method.as_bytes()).expect("a method");
            let mut request = Request::new(method.clone(), path);
            if method == Method::POST {
                // The method is the request line's, whatever a header says that elsewhere takes its place.
                request = request.header("x-http-method-override", methods[0]);
            }
            if method == Method::OPTIONS {
                // What a browser asks before a request from another site's page: it gets the same response.
                request = request
                    .header("origin", "https://elsewhere.example")
                    .header("access-control-request-method", methods[0]);
            }
            let response = context.send(request).await?;
            response.is(405)?;
            if method != Method::HEAD {
                context.is_error(&response, 405, "METHOD_NOT_ALLOWED")?;
            }
            let told = response.header("allow").unwrap_or_default();
            let mut allowed: Vec<&str> = told.split(',').map(str::trim).collect();
            allowed.sort_unstable();
            response.that(
                allowed == methods,
                "Allow does not name the methods that the path has.",
                &methods.join(", "),
                told,
            )?;
        }
    }
    Ok(())
}

pub(super) async fn prefix(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    for target in ["/partners?limit=1", "/v1/partners?limit=1"] {
        let response = context
            .refused(
                Request::get(target).with(&key),
                Request::get(LIST).with(&key),
            )
            .await?;
        response.that(
            !response.is_success(),
            "A path without the prefix answers like the API.",
            "no success",
            &response.status_line(),
        )?;
    }
    Ok(())
}
