//! One request from its first byte to its log line. Every response has a request id.

use std::{future::Future, sync::Arc, time::Instant};

use poem::{Endpoint, Request, Response, http::HeaderValue};

use super::{
    client_address::{self, Network},
    docs, head,
    log::AccessLogEntry,
    request_id,
};
use crate::{
    contract::Operation,
    gate::{Gate, Handler, pipeline::RequestContext},
    metrics::Metrics,
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
}

impl<H, B: NonApiRoutes> Service<H, B> {
    /// Serves `gate` and `non_api`; reads addresses behind `trusted_proxies`, and counts responses
    /// in `metrics`.
    pub fn new(gate: Gate<H>, non_api: B, trusted_proxies: Vec<Network>, metrics: Metrics) -> Self {
        Self { gate: Arc::new(gate), non_api, trusted_proxies, metrics }
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
        let path = request.uri().path();
        let entry = AccessLogEntry {
            request_id: request_id::of(request.headers()),
            client_address: client_address::of(&request, &self.trusted_proxies),
            method: request.method().clone(),
            path: self.non_api.loggable_path(path).unwrap_or_else(|| path.to_owned()),
            begun: Instant::now(),
        };
        let context = RequestContext {
            request_id: Arc::clone(&entry.request_id),
            client_address: entry.client_address,
        };
        let mut response = if let Some(problem) = head::problem(&request) {
            let head::HeadProblem { status, code, message } = problem;
            self.gate.reject_head(&context, status, code, message)
        } else if let Some(response) = self.answer_non_api(&request).await {
            response
        } else {
            Arc::clone(&self.gate).respond(request, context).await
        };
        let id = HeaderValue::from_str(&entry.request_id).expect("a request id is plain ASCII");
        response.headers_mut().insert(request_id::REQUEST_ID, id);
        entry.log(&response);
        let operation = response.extensions().get::<Operation>();
        self.metrics.count_response(
            operation.map(|operation| operation.info().id),
            response.status().as_u16(),
            entry.begun.elapsed(),
        );
        Ok(response)
    }
}
