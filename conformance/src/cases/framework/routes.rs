//! Paths and methods that no operation has (R5). No id in them needs to exist.

use crate::cases::prelude::*;

pub(super) async fn unknown_path(context: &mut CaseContext<'_>) -> CaseResult {
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
            context.expect(request, NOT_FOUND).await?;
        }
    }
    Ok(())
}

pub(super) async fn undecodable_path(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    for path in ["/api/v1/payouts/%zz", "/api/v1/partners/%ff", "/api/v1/payouts/%0"] {
        context.expect(Request::get(path).with(&key), NOT_FOUND).await?;
    }
    Ok(())
}

pub(super) async fn empty_id(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    let requests = [
        Request::get("/api/v1/payouts/"),
        Request::post("/api/v1/payouts//statement"),
        Request::post("/api/v1/commission-lines//detach"),
    ];
    for request in requests {
        context.expect(request.with(&key), NOT_FOUND).await?;
    }
    Ok(())
}

const PATHS: [(&str, &[&str]); 6] = [
    ("/api/v1/partners", &["GET"]),
    ("/api/v1/partners/none", &["GET", "PATCH"]),
    ("/api/v1/commission-lines", &["GET"]),
    ("/api/v1/commission-lines/none/detach", &["POST"]),
    ("/api/v1/payouts/none/statement", &["POST"]),
    ("/api/v1/payouts/none", &["GET"]),
];

/// Methods that are tried: those of HTTP, and an unknown one.
const METHODS: [&str; 8] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "PURGE"];

pub(super) async fn unknown_method(context: &mut CaseContext<'_>) -> CaseResult {
    for (path, methods) in PATHS {
        for method in METHODS.into_iter().filter(|name| !methods.contains(name)) {
            let method = Method::from_bytes(method.as_bytes()).expect("a method");
            let mut request = Request::new(method.clone(), path);
            if method == Method::POST {
                // Some frameworks let this header replace the method.
                request = request.header("x-http-method-override", methods[0]);
            }
            if method == Method::OPTIONS {
                // A preflight request of a browser gets the same response.
                request = request
                    .header("origin", "https://elsewhere.example")
                    .header("access-control-request-method", methods[0]);
            }
            let response = context.send(request).await?;
            response.is(405)?;
            if method != Method::HEAD {
                context.is_error(&response, METHOD_NOT_ALLOWED)?;
            }
            let allow = response.header("allow").unwrap_or_default();
            let mut allowed: Vec<&str> = allow.split(',').map(str::trim).collect();
            allowed.sort_unstable();
            response.that(
                allowed == methods,
                "Allow does not list the methods of the path.",
                &methods.join(", "),
                allow,
            )?;
        }
    }
    Ok(())
}

pub(super) async fn prefix(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    for target in ["/partners?limit=1", "/v1/partners?limit=1"] {
        let response =
            context.refused(Request::get(target).with(&key), Request::get(LIST).with(&key)).await?;
        response.that(
            !response.is_success(),
            "A path without the prefix responds like the API.",
            "no success",
            &response.status_line(),
        )?;
    }
    Ok(())
}
