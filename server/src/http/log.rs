//! One JSON line per request: who, what, how it ended, how long it took.
//!
//! It refuses secrets: no header's value, no query, no body and no address of a link is ever written.

use std::{net::IpAddr, sync::Arc, time::Instant};

use poem::{Response, http::Method};

use crate::{contract::AnsweredCode, gate::LogFields};

/// A request, from the moment its head was read.
#[derive(Debug)]
pub struct Exchange {
    /// The request's id (R13).
    pub request_id: Arc<str>,
    /// The client's address.
    pub client_address: Option<IpAddr>,
    /// The request's method.
    pub method: Method,
    /// The request's path, without its query: a mistaken client may have put its key there.
    pub path: String,
    /// When it began.
    pub begun: Instant,
}

impl Exchange {
    /// Writes the line.
    pub fn log(&self, response: &Response) {
        let fields = response.extensions().get::<LogFields>();
        tracing::info!(
            target: "request",
            request_id = %self.request_id,
            client = self.client_address.map(tracing::field::display),
            method = %self.method,
            path = self.path,
            operation = fields.map(|fields| fields.operation),
            organization = fields.map(|fields| fields.organization.as_str()),
            key_id = fields.map(|fields| &*fields.key_id),
            status = response.status().as_u16(),
            code = response.extensions().get::<AnsweredCode>().map(|AnsweredCode(code)| code.as_str()),
            duration_us = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX),
        );
    }
}
