//! Responds to requests without a valid key, or without a verdict on it.

use std::net::IpAddr;

use poem::{
    IntoResponse, Response,
    http::{HeaderName, HeaderValue, StatusCode, header},
};

use super::{
    admission::AdmissionError,
    anonymous::AnonymousAllowance,
    errors,
    headers::MeterHeaders,
    pipeline::{Gate, RequestContext},
};
use crate::{
    contract::{Problem, types::ErrorCode},
    problem::Failure,
};

/// Tells a proxy about a key whose organisation is not served here: `stopped`, or `moved-to-` and
/// the cell. It is no part of the API; the proxy may remove it.
const ORGANIZATION: HeaderName = HeaderName::from_static("x-payout-organization");

impl<A> Gate<A> {
    /// Rejects a request for its head, before its key is read.
    pub(crate) fn reject_head(
        &self,
        context: &RequestContext,
        mut rejection: Response,
    ) -> Response {
        let rate = self.anonymous.count(context.client_address).rate;
        MeterHeaders::unmetered(rate).write(rejection.headers_mut());
        rejection
    }

    pub(super) fn unknown_path(&self, context: &RequestContext) -> Response {
        let problem = Problem::new(
            ErrorCode::NotFound,
            "This server has no such path. Its operations are listed at /docs.",
        );
        self.without_key(problem, context)
    }

    pub(super) fn method_not_allowed(&self, context: &RequestContext, allow: &str) -> Response {
        let message = format!("This path allows only {allow}.");
        let problem = Problem::new(ErrorCode::MethodNotAllowed, message);
        let mut response = self.without_key(problem, context);
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            let allow = HeaderValue::from_str(allow).expect("methods are plain ASCII");
            response.headers_mut().insert(header::ALLOW, allow);
        }
        response
    }

    /// Counts the request by its address, and returns the problem, or a 429 above the limit.
    pub(super) fn without_key(&self, problem: Problem, context: &RequestContext) -> Response {
        let allowance = self.anonymous.count(context.client_address);
        let problem = if allowance.exceeded { too_many(allowance) } else { problem };
        error_response(problem, &MeterHeaders::unmetered(allowance.rate))
    }

    /// Counts a request that needs no key by its address, and returns a 429 above the limit.
    pub(crate) fn too_many_without_key(&self, context: &RequestContext) -> Option<Response> {
        let allowance = self.anonymous.count(context.client_address);
        let meters = MeterHeaders::unmetered(allowance.rate);
        allowance.exceeded.then(|| error_response(too_many(allowance), &meters))
    }

    /// Returns a response that reports nothing about the key.
    pub(super) fn unmetered(&self, problem: Problem, client_address: Option<IpAddr>) -> Response {
        let rate = self.anonymous.peek(client_address).rate;
        error_response(problem, &MeterHeaders::unmetered(rate))
    }

    /// Returns a 503 for an organisation that moves to another cell, or that has moved, so that a
    /// proxy should have sent the request there.
    pub(super) fn stopped(
        &self,
        moved_to: Option<&str>,
        client_address: Option<IpAddr>,
    ) -> Response {
        let state =
            moved_to.map_or_else(|| "stopped".to_owned(), |cell| format!("moved-to-{cell}"));
        let mut response = self.unmetered(Failure::stopped().into(), client_address);
        let state = HeaderValue::from_str(&state).expect("a cell has letters and digits");
        response.headers_mut().insert(ORGANIZATION, state);
        response
    }

    /// Returns a 503, after which it is not known whether the request was counted.
    pub(super) fn not_admitted(
        &self,
        error: AdmissionError,
        client_address: Option<IpAddr>,
    ) -> Response {
        self.unmetered(Failure::from(error).into(), client_address)
    }
}

fn too_many(allowance: AnonymousAllowance) -> Problem {
    let (limit, seconds) = (allowance.rate.limit, allowance.minute_ends_in_seconds);
    errors::rate_limited("Without a valid key an address", limit, seconds)
}

pub(super) fn error_response(problem: Problem, meters: &MeterHeaders) -> Response {
    let mut response = problem.into_response();
    meters.write(response.headers_mut());
    response
}
