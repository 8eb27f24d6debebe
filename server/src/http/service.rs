//! One request from its first byte to its log line. Every response has a request id.

use std::{future::Future, sync::Arc, time::Instant};

use chrono::Utc;
use poem::{Endpoint, Request, Response, http::HeaderValue};

use openapi_runtime::AnsweredCode;

use super::{
    access_log::{AccessLog, Line},
    client_address::{self, Network},
    docs, head, request_id,
};
use crate::{
    gate::{
        Gate, Handler,
        pipeline::{Answer, RequestContext},
    },
    metrics::Metrics,
    telemetry::Telemetry,
};

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
        Self { gate: Arc::new(gate), non_api, trusted_proxies, metrics, access_log }
    }

    async fn answer(&self, request: Request, context: RequestContext) -> Answer
    where
        H: Handler,
    {
        if let Some(problem) = head::problem(&request) {
            let head::HeadProblem { status, code, message } = problem;
            self.gate.reject_head(&context, status, code, message).into()
        } else if let Some(response) = self.answer_non_api(&request).await {
            response.into()
        } else {
            Arc::clone(&self.gate).respond(request, context).await
        }
    }

    async fn answer_non_api(&self, request: &Request) -> Option<Response> {
        match docs::answer(request.method(), request.uri().path()) {
            Some(page) => Some(page),
            None => self.non_api.answer(request).await,
        }
    }
}

impl<H: Handler, B: NonApiRoutes> Endpoint for Service<H, B> {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let begun = Instant::now();
        let path = request.uri().path();
        let path = self
            .access_log
            .is_on()
            .then(|| self.non_api.loggable_path(path).unwrap_or_else(|| path.to_owned()));
        let method = request.method().clone();
        let request_id = request_id::of(request.headers());
        let client_address = client_address::of(&request, &self.trusted_proxies);
        let context = RequestContext { request_id: Arc::clone(&request_id), client_address };
        let answer = request_id::scope(Arc::clone(&request_id), self.answer(request, context));
        let Answer { mut response, operation, owner } = answer.await;
        let id = HeaderValue::from_str(&request_id).expect("a request id is plain ASCII");
        response.headers_mut().insert(request_id::REQUEST_ID, id);
        let (status, duration) = (response.status().as_u16(), begun.elapsed());
        let operation = operation.map(|operation| operation.info().id);
        self.metrics.count_response(operation, status, duration);
        if let Some(path) = path {
            let (organization, key_id) =
                owner.map(|owner| (owner.organization, owner.key_id)).unzip();
            let code = response.extensions().get::<AnsweredCode>();
            self.access_log.log(Line {
                timestamp: Utc::now(),
                level: "INFO",
                target: "request",
                request_id,
                client: client_address,
                method,
                path,
                operation,
                organization,
                key_id,
                status,
                code: code.map(|AnsweredCode(code)| *code),
                duration_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
            });
        }
        Ok(response)
    }
}
