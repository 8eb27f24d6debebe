//! One JSON line per request: who, what, how it ended, how long it took. No header's value, no
//! query, no body and no file name of a download is written.

use std::{net::IpAddr, sync::Arc, time::Instant};

use poem::{Response, http::Method};

use crate::{contract::AnsweredCode, gate::LogFields};

/// A request, from the moment its head was read.
#[derive(Debug)]
pub(super) struct AccessLogEntry {
    /// The request's id (R13).
    pub(super) request_id: Arc<str>,
    pub(super) client_address: Option<IpAddr>,
    pub(super) method: Method,
    /// The path without its query: a mistaken client may have put its key there.
    pub(super) path: String,
    pub(super) begun: Instant,
}

impl AccessLogEntry {
    /// Writes the line.
    pub(super) fn log(&self, response: &Response) {
        let fields = response.extensions().get::<LogFields>();
        let code = response.extensions().get::<AnsweredCode>();
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
            code = code.map(|AnsweredCode(code)| code),
            duration_us = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX),
        );
    }
}
