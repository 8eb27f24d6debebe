//! One request from its first byte to its log line. Every response has a request id.

use std::{future::Future, panic::AssertUnwindSafe, sync::Arc, time::Instant};

use chrono::Utc;
use futures_util::FutureExt as _;
use poem::{
    Endpoint, IntoResponse as _, Request, Response,
    http::{HeaderValue, StatusCode},
};
use tracing::Level;

use openapi_runtime::{AnsweredCode, Cause};

use super::{
    access_log::{AccessLog, FailureReport, Line},
    client_address::{self, Network},
    docs, head,
    log_context::{self, LogContext},
    request_id,
    trace_parent::TraceParent,
};
use crate::{
    causes::{self, with_causes},
    contract::{Operation, Problem, types::ErrorCode},
    failure::Failure,
    gate::{
        Gate, Handler, panic_message,
        pipeline::{Answer, RequestContext},
    },
    metrics::Metrics,
    telemetry::Telemetry,
};

/// Operations outside the API, in metrics and in the log.
const DOCS: &str = "docs";
const DOWNLOAD: &str = "download";

/// Routes outside the API: without its gate, its key and its header rules.
pub trait NonApiRoutes: Send + Sync {
    /// Answers the requests of these routes; `None` for all others.
    fn answer(&self, request: &Request) -> impl Future<Output = Option<Response>> + Send;

    /// A path of these routes as the log may show it; `None` for all others.
    fn loggable_path(&self, path: &str) -> Option<String>;
}

/// The API behind its gate, and the routes outside of it.
pub struct Service<H, B> {
    gate: Arc<Gate<H>>,
    non_api: B,
    trusted_proxies: Vec<Network>,
    metrics: Metrics,
    access_log: AccessLog,
}

impl<H, B: NonApiRoutes> Service<H, B> {
    /// Serves `gate` and `non_api`; reads addresses behind `trusted_proxies`, and counts and logs
    /// responses in `telemetry`.
    pub fn new(
        gate: Gate<H>,
        non_api: B,
        trusted_proxies: Vec<Network>,
        telemetry: &Telemetry,
    ) -> Self {
        let Telemetry { metrics, access_log, .. } = telemetry.clone();
        for operation in Operation::ALL {
            let info = operation.info();
            info.statuses.iter().for_each(|status| metrics.expect_response(info.id, *status));
        }
        for status in [200, 206, 403, 404, 500, 503] {
            metrics.expect_response(DOWNLOAD, status);
        }
        Self { gate: Arc::new(gate), non_api, trusted_proxies, metrics, access_log }
    }

    async fn answer(&self, request: Request, context: RequestContext) -> Answer
    where
        H: Handler,
    {
        if let Some(problem) = head::problem(&request) {
            let head::HeadProblem { status, code, message } = problem;
            self.gate.reject_head(&context, status, code, message).into()
        } else if let Some(response) = self.answer_non_api(&request, &context).await {
            response
        } else {
            Arc::clone(&self.gate).respond(request, context).await
        }
    }

    async fn answer_non_api(&self, request: &Request, context: &RequestContext) -> Option<Answer> {
        let (response, operation) = match docs::answer(request) {
            Some(page) => (self.gate.too_many_without_key(context).unwrap_or(page), DOCS),
            None => (self.non_api.answer(request).await?, DOWNLOAD),
        };
        Some(Answer { operation, ..response.into() })
    }
}

impl<H: Handler, B: NonApiRoutes> Endpoint for Service<H, B> {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let headers = request.headers();
        let request_id = request_id::of(headers);
        let context = LogContext::new(Arc::clone(&request_id), TraceParent::of(headers));
        Ok(context.scope(self.respond(request, request_id)).await)
    }
}

impl<H: Handler, B: NonApiRoutes> Service<H, B> {
    async fn respond(&self, request: Request, request_id: Arc<str>) -> Response {
        let begun = Instant::now();
        let path = request.uri().path();
        let path = self
            .access_log
            .is_on()
            .then(|| self.non_api.loggable_path(path).unwrap_or_else(|| path.to_owned()));
        let method = request.method().clone();
        let client_address = client_address::of(&request, &self.trusted_proxies);
        let id = HeaderValue::from_str(&request_id).expect("a request id is plain ASCII");
        let context = RequestContext { request_id, client_address };
        // The gate catches panics of its own, to tell whom it answers.
        let answer = AssertUnwindSafe(self.answer(request, context)).catch_unwind().await;
        let answer = answer.unwrap_or_else(|panic| {
            let cause = format!("a route outside the API panicked: {}", panic_message(&*panic));
            Problem::internal().with_cause(cause).into_response().into()
        });
        let Answer { mut response, operation, key_id } = answer;
        response.headers_mut().insert(request_id::REQUEST_ID, id);
        let (status, duration) = (response.status(), begun.elapsed());
        self.metrics.count_response(operation, status.as_u16(), duration);
        let code = response.extensions().get().map(|AnsweredCode(code)| *code);
        if let Some(kind) = rejection(code, key_id.is_some()) {
            self.metrics.count_rejection(kind);
        }
        let failure = status.is_server_error().then(|| report(status, response.extensions().get()));
        if let Some(cause) = failure.as_ref().and_then(|failure| failure.cause) {
            self.metrics.count_unavailable(cause);
        }
        if let (Some(path), Some(context)) = (path, log_context::current()) {
            self.access_log.log(Line {
                timestamp: Utc::now(),
                level: level(status),
                target: "request",
                context,
                client: client_address,
                method,
                path,
                operation,
                key_id,
                status: status.as_u16(),
                code,
                duration_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
                failure,
            });
        }
        response
    }
}

/// A 503 is a matter of the moment, such as an overload; any other 5xx is a defect.
fn level(status: StatusCode) -> Level {
    match status {
        StatusCode::SERVICE_UNAVAILABLE => Level::WARN,
        _ if status.is_server_error() => Level::ERROR,
        _ => Level::INFO,
    }
}

fn report(status: StatusCode, cause: Option<&Cause>) -> FailureReport {
    let error = cause.map(|Cause(error)| error.as_ref());
    let failure = error.and_then(|error| error.downcast_ref::<Failure>());
    let is_unavailable = status == StatusCode::SERVICE_UNAVAILABLE;
    FailureReport {
        cause: is_unavailable.then(|| failure.map_or("other", Failure::cause_of_503)),
        error: error.map_or_else(|| "no cause was given".to_owned(), |error| with_causes(error)),
        sqlstate: error.and_then(|error| causes::sqlstate(error)),
    }
}

/// Which of [`REJECTIONS`] a response is.
///
/// [`REJECTIONS`]: crate::metrics::REJECTIONS
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
