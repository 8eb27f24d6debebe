//! One request from its first byte to its log line.
//!
//! It refuses to fail: whatever happens behind it, an answer with its request id leaves.

use std::{future::Future, sync::Arc, time::Instant};

use poem::{Endpoint, Request, Response, http::HeaderValue};

use super::{
    client_address::{self, Network},
    docs,
    limits::URI_SIZE_BYTES,
    log::Exchange,
    request_id,
};
use crate::{
    contract::Operation,
    gate::{Gate, admission::Admit, pipeline::RequestContext},
    metrics::Metrics,
};

/// What stands beside the API: outside its gate, its key and its header rules.
pub trait NonApiRoutes: Send + Sync {
    /// Answers what is its own; `None` for all else.
    fn answer(&self, request: &Request) -> impl Future<Output = Option<Response>> + Send;
}

/// Everything the server answers: the API behind its gate, and what stands beside it.
pub struct Service<A, R, B> {
    gate: Arc<Gate<A, R>>,
    beside: B,
    trusted_proxies: Vec<Network>,
    metrics: Metrics,
}

impl<A, R, B> Service<A, R, B> {
    /// Serves `gate`, and `beside` it; addresses are read behind `trusted_proxies`, and answers counted in `metrics`.
    pub fn new(
        gate: Gate<A, R>,
        beside: B,
        trusted_proxies: Vec<Network>,
        metrics: Metrics,
    ) -> Self {
        Self {
            gate: Arc::new(gate),
            beside,
            trusted_proxies,
            metrics,
        }
    }

    async fn beside(&self, request: &Request) -> Option<Response>
    where
        B: NonApiRoutes,
    {
        match docs::answer(request.method(), request.uri().path()) {
            Some(page) => Some(page),
            None => self.beside.answer(request).await,
        }
    }
}

impl<A, R, B> Endpoint for Service<A, R, B>
where
    A: Admit,
    R: Endpoint<Output = Response> + 'static,
    B: NonApiRoutes,
{
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let exchange = Exchange {
            request_id: request_id::of(request.headers()),
            client_address: client_address::of(&request, &self.trusted_proxies),
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            begun: Instant::now(),
        };
        let context = RequestContext {
            request_id: Arc::clone(&exchange.request_id),
            client_address: exchange.client_address,
        };
        let mut response = if size_of_uri(&request) > URI_SIZE_BYTES {
            self.gate.uri_too_long(&context)
        } else if let Some(answer) = self.beside(&request).await {
            answer
        } else {
            Arc::clone(&self.gate).answer(request, context).await
        };
        let id = HeaderValue::from_str(&exchange.request_id).expect("a request id is plain ASCII");
        response.headers_mut().insert(request_id::REQUEST_ID, id);
        exchange.log(&response);
        let operation = response.extensions().get::<Operation>();
        self.metrics.answered(
            operation.map(|operation| operation.info().id),
            response.status().as_u16(),
            exchange.begun.elapsed(),
        );
        Ok(response)
    }
}

/// Path and query; the rest of an absolute address is bounded by the head.
fn size_of_uri(request: &Request) -> usize {
    let uri = request.uri().path_and_query();
    uri.map_or(0, |uri| uri.as_str().len())
}
