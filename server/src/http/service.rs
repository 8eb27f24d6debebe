//! One request from its first byte to its log line. Every response has a request id.

use std::{net::IpAddr, panic::AssertUnwindSafe, sync::Arc, time::Instant};

use chrono::Utc;
use futures_util::FutureExt as _;
use ipnet::IpNet;
use poem::{
    Endpoint, IntoResponse as _, Request, Response,
    http::{HeaderValue, Method, StatusCode},
};
use tracing::Level;

use openapi_runtime::{AnsweredCode, Cause};

use super::{client_address, docs, head, request_id};
use crate::{
    contract::{Operation, Problem, types::ErrorCode},
    gate::{
        Gate, Handler, panic_message,
        pipeline::{GateResponse, RequestContext},
    },
    problem::Failure,
    telemetry::{
        AccessLog, FailureReport, Line, LogContext, Metrics, RequestSpan, Spans, Telemetry,
        TraceParent, UnavailableCause, log_context, sqlstate, with_causes,
    },
};

/// The document and its page, in metrics and in the log.
const DOCS: &str = "docs";

/// Routes outside the API: without its gate, its key and its header rules.
pub trait NonApiRoutes: Send + Sync {
    /// Their name in metrics and in the log.
    const OPERATION: &'static str;
    /// The statuses of their responses.
    const STATUSES: &'static [u16];

    /// Returns the path as the log may show it; `None` for a path of other routes.
    fn loggable_path(&self, path: &str) -> Option<String>;

    /// Responds to a request whose path is one of these routes.
    fn respond(
        &self,
        request: Request,
        context: &RequestContext,
    ) -> impl Future<Output = Response> + Send;
}

/// The API behind its gate, and the routes outside of it: downloads, affiliate links
/// and the portal.
pub struct Service<H, D, L, P> {
    gate: Arc<Gate<H>>,
    downloads: D,
    links: L,
    portal: P,
    trusted_proxies: Vec<IpNet>,
    metrics: Metrics,
    access_log: AccessLog,
    spans: Spans,
}

/// Who answers a request, by its path.
enum Destination {
    Api,
    Downloads,
    Links,
    Portal,
}

impl<H, D, L, P> Service<H, D, L, P>
where
    H: Handler,
    D: NonApiRoutes,
    L: NonApiRoutes,
    P: NonApiRoutes,
{
    /// Serves `gate`, `downloads`, affiliate `links` and `portal`; reads addresses behind
    /// `trusted_proxies`, and counts, logs and traces responses in `telemetry`.
    pub fn new(
        gate: Gate<H>,
        downloads: D,
        links: L,
        portal: P,
        trusted_proxies: Vec<IpNet>,
        telemetry: &Telemetry,
    ) -> Self {
        let Telemetry { metrics, access_log, spans, .. } = telemetry.clone();
        for operation in Operation::ALL {
            let info = operation.info();
            info.statuses.iter().for_each(|status| metrics.expect_response(info.id, *status));
        }
        D::STATUSES.iter().for_each(|status| metrics.expect_response(D::OPERATION, *status));
        L::STATUSES.iter().for_each(|status| metrics.expect_response(L::OPERATION, *status));
        P::STATUSES.iter().for_each(|status| metrics.expect_response(P::OPERATION, *status));
        let gate = Arc::new(gate);
        Self { gate, downloads, links, portal, trusted_proxies, metrics, access_log, spans }
    }

    async fn respond(&self, request: Request, request_id: Arc<str>, span: RequestSpan) -> Response {
        let begun = Instant::now();
        let id = HeaderValue::from_str(&request_id).expect("a request id is plain ASCII");
        let (destination, path) = self.destination(request.uri().path());
        let logged = (self.access_log.is_on() || span.is_sent()).then(|| {
            let path = path.unwrap_or_else(|| request.uri().path().to_owned());
            (request.method().clone(), path)
        });
        let client_address = client_address::of(&request, &self.trusted_proxies);
        let context = RequestContext { request_id, client_address };
        // The gate catches panics of its own, because it knows whom it answers.
        let answer =
            AssertUnwindSafe(self.answer(request, context, destination)).catch_unwind().await;
        let mut answer = answer.unwrap_or_else(|panic| {
            let cause = format!("a route outside the API panicked: {}", panic_message(&*panic));
            Problem::internal().with_cause(cause).into_response().into()
        });
        answer.response.headers_mut().insert(request_id::REQUEST_ID, id);
        self.record(&answer, begun, logged, client_address, span);
        answer.response
    }

    /// Returns who answers a request with this path, and the path as the log may show it where that
    /// is another.
    fn destination(&self, path: &str) -> (Destination, Option<String>) {
        if let Some(path) = self.downloads.loggable_path(path) {
            (Destination::Downloads, Some(path))
        } else if let Some(path) = self.links.loggable_path(path) {
            (Destination::Links, Some(path))
        } else if let Some(path) = self.portal.loggable_path(path) {
            (Destination::Portal, Some(path))
        } else {
            (Destination::Api, None)
        }
    }

    async fn answer(
        &self,
        request: Request,
        context: RequestContext,
        destination: Destination,
    ) -> GateResponse {
        if let Some(rejection) = head::rejection(&request) {
            self.gate.reject_head(&context, rejection).into()
        } else if let Some(page) = docs::answer(&request) {
            let response = self.gate.too_many_without_key(&context).unwrap_or(page);
            GateResponse { operation: DOCS, ..response.into() }
        } else {
            match destination {
                Destination::Api => Arc::clone(&self.gate).respond(request, context).await,
                Destination::Downloads => respond_by(&self.downloads, request, &context).await,
                Destination::Links => respond_by(&self.links, request, &context).await,
                Destination::Portal => respond_by(&self.portal, request, &context).await,
            }
        }
    }

    /// Counts a response, logs it with its method and path, and ends its span.
    fn record(
        &self,
        answer: &GateResponse,
        begun: Instant,
        logged: Option<(Method, String)>,
        client: Option<IpAddr>,
        span: RequestSpan,
    ) {
        let GateResponse { response, operation, key_id } = answer;
        let (status, duration) = (response.status(), begun.elapsed());
        self.metrics.count_response(operation, status.as_u16(), duration);
        let code = response.extensions().get().map(|AnsweredCode(code)| *code);
        if let Some(kind) = rejection(code, key_id.is_some()) {
            self.metrics.count_rejection(kind);
        }
        let cause_of_503 = cause_of_503(response);
        if let Some(cause) = cause_of_503 {
            self.metrics.count_unavailable(cause);
        }
        let (Some((method, path)), Some(context)) = (logged, log_context::current()) else {
            return;
        };
        let failure = status.is_server_error().then(|| report(response, cause_of_503));
        let line = Line {
            timestamp: Utc::now(),
            level: level(status),
            target: "request",
            context,
            client,
            method,
            path,
            operation,
            key_id: key_id.clone(),
            status: status.as_u16(),
            code,
            duration_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
            failure,
        };
        span.end(&line);
        self.access_log.log(line);
    }
}

impl<H, D, L, P> Endpoint for Service<H, D, L, P>
where
    H: Handler,
    D: NonApiRoutes,
    L: NonApiRoutes,
    P: NonApiRoutes,
{
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let headers = request.headers();
        let request_id = request_id::of(headers);
        let trace_parent = TraceParent::of(headers);
        let span = self.spans.begin(trace_parent.as_ref());
        let context = LogContext::new(Arc::clone(&request_id), trace_parent, span.ids());
        Ok(context.scope(self.respond(request, request_id, span)).await)
    }
}

async fn respond_by<R: NonApiRoutes>(
    routes: &R,
    request: Request,
    context: &RequestContext,
) -> GateResponse {
    let response = routes.respond(request, context).await;
    GateResponse { operation: R::OPERATION, ..response.into() }
}

/// A 503 is a matter of the moment, such as an overload; any other 5xx is a defect.
fn level(status: StatusCode) -> Level {
    match status {
        StatusCode::SERVICE_UNAVAILABLE => Level::WARN,
        _ if status.is_server_error() => Level::ERROR,
        _ => Level::INFO,
    }
}

fn cause_of_503(response: &Response) -> Option<UnavailableCause> {
    (response.status() == StatusCode::SERVICE_UNAVAILABLE).then(|| {
        let cause: Option<&Cause> = response.extensions().get();
        match cause.and_then(|Cause(error)| error.downcast_ref()) {
            Some(Failure::Unavailable { cause, .. }) => *cause,
            _ => UnavailableCause::Other,
        }
    })
}

fn report(response: &Response, cause: Option<UnavailableCause>) -> FailureReport {
    let error = response.extensions().get().map(|Cause(error)| error.as_ref());
    FailureReport {
        cause: cause.map(UnavailableCause::as_str),
        error: error.map_or_else(|| "no cause was given".to_owned(), |error| with_causes(error)),
        sqlstate: error.and_then(|error| sqlstate(error)),
    }
}

/// Returns the label under which metrics count a rejection.
fn rejection(code: Option<&str>, has_valid_key: bool) -> Option<&'static str> {
    let code = code?;
    let is = |other: ErrorCode| code == other.as_str();
    if is(ErrorCode::RateLimited) {
        return Some(if has_valid_key { "minute" } else { "anonymous" });
    }
    let kinds = [
        (ErrorCode::Unauthorized, "key"),
        (ErrorCode::InsufficientScope, "scope"),
        (ErrorCode::ApiCreditsExhausted, "credits"),
    ];
    kinds.into_iter().find_map(|(code, kind)| is(code).then_some(kind))
}
