//! Requests that no operation sees (R5, errors of the framework), and the order of checks.

pub(super) mod faults;

use crate::cases::prelude::*;

/// A response is complete and JSON, whatever Accept and conditional headers the request has.
#[case("E.codes")]
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

/// Path and method are checked before the key.
#[case("A.order")]
async fn route_before_key(context: &mut CaseContext<'_>) -> CaseResult {
    let unknown = context.all()?.altered(|key| format!("{key}0"));
    for key in [Key::None, Key::Altered(unknown)] {
        let request = Request::get("/api/v1/unknown").with_key(key.clone());
        context.expect(request, NOT_FOUND).await?;
        let request = Request::new(Method::DELETE, "/api/v1/partners").with_key(key);
        context.expect(request, METHOD_NOT_ALLOWED).await?;
    }
    Ok(())
}

/// An unknown path is 404, with or without a key.
#[case("R5.404", requests = 20)]
async fn unknown_path(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    for path in ["/api/v1/unknown", "/api/v1", "/api/v2/partners"] {
        for request in [Request::get(path), Request::get(path).with(&key)] {
            context.expect(request, NOT_FOUND).await?;
        }
    }
    Ok(())
}

/// Paths without the prefix /api/v1 do not exist.
#[case("§9.prefix")]
async fn prefix(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    for target in ["/partners?limit=1", "/v1/partners?limit=1"] {
        let response =
            context.refused(Request::get(target).with(&key), Request::get(LIST).with(&key)).await?;
        response.is_refused("A path without the prefix responds like the API.")?;
    }
    Ok(())
}
