//! One request from its first byte to its log line.
//!
//! It refuses to fail: whatever happens behind it, an answer with its request id leaves.

use std::{sync::Arc, time::Instant};

use poem::{Endpoint, Request, Response, http::HeaderValue};

use super::{
    client_address::{self, Network},
    docs,
    log::Exchange,
    request_id,
};
use crate::gate::{Gate, admission::Admit, pipeline::RequestContext};

/// Everything the server answers: the API behind its gate, and the pages beside it.
pub struct Service<A, R> {
    gate: Arc<Gate<A, R>>,
    trusted_proxies: Vec<Network>,
}

impl<A, R> Service<A, R> {
    /// Serves `gate`; addresses are read behind `trusted_proxies`.
    pub fn new(gate: Gate<A, R>, trusted_proxies: Vec<Network>) -> Self {
        Self {
            gate: Arc::new(gate),
            trusted_proxies,
        }
    }
}

impl<A, R> Endpoint for Service<A, R>
where
    A: Admit,
    R: Endpoint<Output = Response> + 'static,
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
        let mut response = match docs::answer(&exchange.method, &exchange.path) {
            Some(page) => page,
            None => {
                let context = RequestContext {
                    request_id: Arc::clone(&exchange.request_id),
                    client_address: exchange.client_address,
                };
                Arc::clone(&self.gate).answer(request, context).await
            }
        };
        let id = HeaderValue::from_str(&exchange.request_id).expect("a request id is plain ASCII");
        response.headers_mut().insert(request_id::REQUEST_ID, id);
        exchange.log(&response);
        Ok(response)
    }
}
