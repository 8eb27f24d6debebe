//! `GET /r/{code}`: records a click and sends the visitor to the link's target with its id (X18).
//! Nothing about the visitor is stored. The click is committed before the redirect leaves.

mod clicks;
mod store;

use std::{sync::Arc, time::Duration};

use poem::{
    IntoResponse, Request, Response,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
};
use tokio_util::task::TaskTracker;
use url::Url;

use openapi_runtime::Cause;

use self::clicks::{Clicks, Visit};
use crate::{
    contract::Problem,
    gate::{AnonymousLimit, pipeline::RequestContext},
    http::NonApiRoutes,
    id::IdKind,
    permits::{FairPermits, Overloaded},
    portal::{PortalAddress, host},
    postgres::Tenants,
    problem::Failure,
    telemetry::{Telemetry, log_context},
};

/// Links are below it.
pub(super) const FOLDER: &str = "/r";

const UNKNOWN: &str = include_str!("unknown.html");
const UNAVAILABLE: &str = include_str!("unavailable.html");

const PROTECTION: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("x-robots-tag"), "noindex"),
];

/// How long a visitor waits before trying again where there are too many.
const RETRY_AFTER_SECONDS: u64 = 1;

pub(crate) struct RedirectLimits {
    /// Clicks of one address; those beyond are not recorded.
    pub(crate) clicks_per_minute: u32,
    /// Of requests in flight; one link takes at most half of them.
    pub(crate) permits: Arc<FairPermits<String>>,
    /// Clicks that one statement records at most.
    pub(crate) batch_size: usize,
    pub(crate) connect_limit: Duration,
}

/// Redirects visitors of affiliate links; a clone shares them.
#[derive(Clone)]
pub struct Redirects(Arc<Inner>);

struct Inner {
    address: PortalAddress,
    by_address: AnonymousLimit,
    permits: Arc<FairPermits<String>>,
    clicks: Clicks,
    detached_tasks: TaskTracker,
}

impl Redirects {
    pub(crate) fn new(
        tenants: &Tenants,
        address: PortalAddress,
        limits: RedirectLimits,
        telemetry: &Telemetry,
    ) -> Self {
        Self(Arc::new(Inner {
            address,
            by_address: AnonymousLimit::new(limits.clicks_per_minute),
            permits: limits.permits,
            clicks: Clicks::start(tenants, limits.batch_size, limits.connect_limit),
            detached_tasks: telemetry.detached_tasks.clone(),
        }))
    }
}

impl NonApiRoutes for Redirects {
    const OPERATION: &'static str = "affiliate-link";
    const STATUSES: &'static [u16] = &[302, 404, 405, 500, 503];

    /// A code is no secret.
    fn loggable_path(&self, path: &str) -> Option<String> {
        code(self.0.address.below(FOLDER, path)?).map(|_| path.to_owned())
    }

    async fn respond(&self, request: Request, context: &RequestContext) -> Response {
        let inner = &self.0;
        let code = inner.address.below(FOLDER, request.uri().path()).and_then(code);
        let code = code.filter(|_| inner.address.is_on(host(&request)));
        let Some(code) = code.map(str::to_owned) else {
            return Problem::from(Failure::NotFound("page")).into_response();
        };
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            let mut response = page(StatusCode::METHOD_NOT_ALLOWED, UNKNOWN);
            let allow = HeaderValue::from_static("GET, HEAD");
            response.headers_mut().insert(header::ALLOW, allow);
            return response;
        }
        let is_click = request.method() == Method::GET
            && !is_prefetch(request.headers())
            // No visitor pays for a limit: the redirect goes on.
            && !inner.by_address.count(context.client_address).exceeded;
        // A visitor who leaves must not interrupt the batch.
        let redirects = self.clone();
        let task = async move { redirects.0.visit(code, is_click).await };
        let visited = inner.detached_tasks.spawn(log_context::kept(task)).await;
        let visited = visited.unwrap_or_else(|error| Err(Failure::Internal(error.to_string())));
        match visited {
            Ok(Some(target)) => redirect(&target),
            Ok(None) => page(StatusCode::NOT_FOUND, UNKNOWN),
            Err(failure) => unavailable(failure),
        }
    }
}

impl Inner {
    /// Returns where the visitor goes, with the id of the click; `None` where no link has the code,
    /// or it is disabled.
    async fn visit(&self, code: String, is_click: bool) -> Result<Option<String>, Failure> {
        let permit = self.permits.acquire(code.clone(), || ()).await;
        let _permit = permit.map_err(|Overloaded| Failure::overloaded("clicks"))?;
        let click_id = is_click.then(|| IdKind::Click.generate());
        let visit = Visit { code, click_id: click_id.clone() };
        let visited = self.clicks.visit(visit).await?;
        if visited.is_stopped {
            return Err(Failure::stopped());
        }
        let Some(target) = visited.target_url else { return Ok(None) };
        with_click(target, click_id.as_deref()).map(Some)
    }
}

/// Adds the click to the query of the target; what the target has already stays as it is.
fn with_click(target: String, click_id: Option<&str>) -> Result<String, Failure> {
    let Some(click_id) = click_id else { return Ok(target) };
    let mut url = Url::parse(&target)
        .map_err(|error| Failure::Internal(format!("the target of a link is no URL: {error}")))?;
    url.query_pairs_mut().append_pair("clickId", click_id);
    Ok(url.into())
}

/// Returns the code of a path below the folder.
fn code(below: &str) -> Option<&str> {
    below.strip_prefix('/').filter(|code| is_code(code))
}

fn is_code(text: &str) -> bool {
    let is_of_code = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (8..=32).contains(&text.len()) && text.bytes().all(is_of_code)
}

/// Returns true if a browser only prepares for a visit that may never come.
fn is_prefetch(headers: &HeaderMap) -> bool {
    let purposes = headers.get_all("sec-purpose").into_iter().chain(headers.get_all("purpose"));
    let mut purposes = purposes.filter_map(|purpose| purpose.to_str().ok());
    purposes.any(|purpose| {
        let purpose = purpose.to_ascii_lowercase();
        ["prefetch", "prerender", "preview"].iter().any(|known| purpose.contains(known))
    })
}

fn redirect(target: &str) -> Response {
    let Ok(location) = HeaderValue::from_str(target) else {
        return unavailable(Failure::Internal("the target of a link is no header".to_owned()));
    };
    let response = Response::builder().status(StatusCode::FOUND);
    let mut response = response.header(header::LOCATION, location).finish();
    protect(&mut response);
    response
}

fn page(status: StatusCode, html: &'static str) -> Response {
    let response = Response::builder().status(status).content_type("text/html; charset=utf-8");
    let mut response = response.body(html);
    protect(&mut response);
    response
}

fn protect(response: &mut Response) {
    for (name, value) in PROTECTION {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
}

fn unavailable(failure: Failure) -> Response {
    let problem = Problem::from(failure);
    let mut response = page(problem.status(), UNAVAILABLE);
    if problem.status() == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(header::RETRY_AFTER, RETRY_AFTER_SECONDS.into());
    }
    if let Some(cause) = problem.into_response().extensions().get::<Cause>().cloned() {
        response.extensions_mut().insert(cause);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn click_is_added_to_the_query_and_nothing_else_changes() {
        for (target, expected) in [
            ("https://shop.example/", "https://shop.example/?clickId=clk_1"),
            (
                "https://shop.example/a%20b?x=%C3%A4+1#top",
                "https://shop.example/a%20b?x=%C3%A4+1&clickId=clk_1#top",
            ),
            ("https://shop.example/?", "https://shop.example/?clickId=clk_1"),
        ] {
            assert_eq!(with_click(target.to_owned(), Some("clk_1")).unwrap(), expected);
            assert_eq!(with_click(target.to_owned(), None).unwrap(), target);
        }
    }

    #[test]
    fn code_has_8_to_32_letters_digits_hyphens_and_underscores() {
        for known in ["/abcdefgh", "/A-z_0123", &format!("/{}", "x".repeat(32))] {
            assert!(code(known).is_some(), "{known}");
        }
        let long = format!("/{}", "x".repeat(33));
        for unknown in ["", "/", "/abcdefg", "/abcdefgh/", "/abcdefg%68", "abcdefgh", &long] {
            assert!(code(unknown).is_none(), "{unknown}");
        }
    }

    #[test]
    fn prefetches_and_previews_are_no_visits() {
        let headers = |name, value| {
            HeaderMap::from_iter([(HeaderName::from_static(name), HeaderValue::from_static(value))])
        };
        assert!(is_prefetch(&headers("sec-purpose", "prefetch;prerender")));
        assert!(is_prefetch(&headers("purpose", "preview")));
        assert!(!is_prefetch(&headers("sec-fetch-mode", "navigate")));
        assert!(!is_prefetch(&HeaderMap::new()));
    }
}
