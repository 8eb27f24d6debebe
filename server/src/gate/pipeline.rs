//! Checks a request in the decided order: route 404 405 → key 401 → minute 429 → scope 403 → form
//! 415 413 400 422 → credit 402 → the operation's own 404 and 422.

use std::{borrow::Borrow, net::IpAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use poem::{
    Request, Response,
    http::{HeaderMap, HeaderName, HeaderValue, header},
};

use super::{
    admission::{
        Admission, AdmissionError, AdmissionRequest, Admitted, BatchedAdmission, Charge,
        Durability, Outcome, Verdict,
    },
    anonymous::AnonymousLimit,
    body::{self, BodyLimits},
    errors,
    handling::{Handler, HandlerRun, InvalidRequest, PendingRequest},
    headers::MeterHeaders,
    idempotency::IdempotentRequest,
    in_flight::{InFlightLimiter, InFlightLimits},
    key::{ApiKey, Environment},
    responses::error_response,
    run_to_completion::{self, RunToCompletion},
    speculation::AdmissionSignal,
    validation::{self, ValidRequest},
    versions,
};
use crate::{
    contract::{Found, Operation, Problem, RequestForm, Version},
    problem::Failure,
    telemetry::Telemetry,
};

const KEY_HEADER: HeaderName = HeaderName::from_static("x-api-key");

#[derive(Clone, Debug)]
pub struct GateOptions {
    /// The environment whose keys are valid (A1).
    pub environment: Environment,
    /// Requests a minute from one address without a valid key (A5).
    pub anonymous_requests_per_minute: u32,
    pub body: BodyLimits,
    pub in_flight: InFlightLimits,
    pub request: Duration,
    /// How long a request of an operation with a time limit may take, if that is more than the
    /// limit in the document.
    pub long_request: Duration,
    /// The versions that requests can have, oldest first.
    pub versions: &'static [Version],
}

/// Facts of a request that the HTTP layer knows.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// The request's id (R13).
    pub request_id: Arc<str>,
    /// The client's address, also behind trusted proxies (R14).
    pub client_address: Option<IpAddr>,
}

/// A response, with the operation and the key of its request for the log and the metrics.
pub(crate) struct GateResponse {
    pub(crate) response: Response,
    /// The operation's id, or `unknown` if the request matches none.
    pub(crate) operation: &'static str,
    pub(crate) key_id: Option<Arc<str>>,
}

impl From<Response> for GateResponse {
    fn from(response: Response) -> Self {
        Self { response, operation: "unknown", key_id: None }
    }
}

impl Borrow<Response> for GateResponse {
    fn borrow(&self) -> &Response {
        &self.response
    }
}

pub struct Gate<H> {
    pub(super) admission: BatchedAdmission,
    pub(super) anonymous: AnonymousLimit,
    pub(super) in_flight: InFlightLimiter,
    pub(super) options: GateOptions,
    pub(super) handler: H,
    pub(super) telemetry: Telemetry,
}

impl<H: Handler> Gate<H> {
    pub fn new(
        admission: BatchedAdmission,
        handler: H,
        options: GateOptions,
        telemetry: &Telemetry,
    ) -> Self {
        Self {
            admission,
            anonymous: AnonymousLimit::new(options.anonymous_requests_per_minute),
            in_flight: InFlightLimiter::new(options.in_flight, telemetry.metrics.clone()),
            options,
            handler,
            telemetry: telemetry.clone(),
        }
    }

    /// Responds to any request. Every error has its envelope.
    ///
    /// The body is read first, even if it is not needed: the connection would take unread bytes for
    /// the next request. If it cannot be read, the response announces that the connection closes.
    pub(crate) async fn respond(
        self: Arc<Self>,
        mut request: Request,
        context: RequestContext,
    ) -> GateResponse {
        let body = body::read(&mut request, &self.options.body).await;
        let is_whole = body.is_ok();
        let mut answer = self.route(request, body, context).await;
        if !is_whole {
            let close = HeaderValue::from_static("close");
            answer.response.headers_mut().insert(header::CONNECTION, close);
        }
        answer
    }

    async fn route(
        self: Arc<Self>,
        request: Request,
        body: Result<Bytes, Problem>,
        context: RequestContext,
    ) -> GateResponse {
        let (operation, path) = match Operation::find(request.method(), request.uri().path()) {
            Found::Operation { operation, path } => (operation, path),
            Found::MethodNotAllowed { allow } => {
                return self.method_not_allowed(&context, &allow).into();
            }
            Found::Unknown => return self.unknown_path(&context).into(),
        };
        let (bytes, unread) = match body {
            Ok(bytes) => (bytes, None),
            // It was not empty, so its media type counts, also where a body may be left out.
            Err(problem) => (Bytes::from_static(b" "), Some(problem)),
        };
        let (version, unsupported) =
            match versions::requested(self.options.versions, request.headers()) {
                Ok(version) => (version, None),
                Err(problem) => (None, Some(problem)),
            };
        let form = RequestForm {
            path: &path,
            query: request.uri().query(),
            headers: request.headers(),
            body: &bytes,
        };
        let valid = validation::validate(operation, &form, [unread, unsupported]);
        let valid = valid.map(|arguments| {
            let (raw_path, headers) = (request.uri().path(), request.headers());
            let idempotent_request =
                IdempotentRequest::of(operation, raw_path, &path, headers, &bytes);
            ValidRequest {
                arguments: Box::new(arguments),
                idempotent_request: idempotent_request.map(Arc::new),
            }
        });
        // A client that leaves must not interrupt database work.
        let client_address = context.client_address;
        let key = key_of(request.headers(), self.options.environment);
        let gate = Arc::clone(&self);
        let admitted = async move { gate.admit(operation, key, valid, version, context).await };
        let answer = RunToCompletion::new(&self.telemetry.detached_tasks, admitted).await;
        let answer = answer.unwrap_or_else(|panic| {
            let panic = run_to_completion::message(&*panic);
            let problem = Problem::internal().with_cause(format!("the gate panicked: {panic}"));
            self.unmetered(problem, client_address).into()
        });
        GateResponse { operation: operation.info().id, ..answer }
    }

    async fn admit(
        self: &Arc<Self>,
        operation: Operation,
        key: Result<ApiKey, &'static str>,
        request: Result<ValidRequest, Problem>,
        version: Option<&'static Version>,
        context: RequestContext,
    ) -> GateResponse {
        let key = match key {
            Ok(key) => key.hash(),
            Err(message) => {
                return self.without_key(errors::unauthorized(message), &context).into();
            }
        };
        let Ok(permit) = self.in_flight.acquire(key, context.client_address).await else {
            let problem = Failure::overloaded("requests").into();
            return self.unmetered(problem, context.client_address).into();
        };
        let admission_request = AdmissionRequest {
            key,
            scope: operation.info().scope,
            is_well_formed: request.is_ok(),
        };
        let has_known_owner = permit.has_known_owner();
        let pending = PendingRequest::of(operation, request, &context.request_id, permit);
        let (admitted, run) = self.admit_concurrently(admission_request, pending).await;
        let Admitted { verdict, durability } = match admitted {
            Ok(admitted) => admitted,
            Err(error) => return self.not_admitted(error, context.client_address).into(),
        };
        match verdict {
            Verdict::ValidKey(admission) => {
                let owner = admission.owner();
                let key_id = Some(Arc::clone(&owner.key_id));
                if !has_known_owner {
                    self.in_flight.cache_owner(key, owner);
                }
                let of_key = || versions::of_key(self.options.versions, &admission.api_version);
                let version = version.unwrap_or_else(of_key);
                match self.decide(operation, run, *admission, durability).await {
                    Ok(mut response) => {
                        versions::write(version, response.headers_mut());
                        GateResponse { key_id, ..response.into() }
                    }
                    Err(error) => self.not_admitted(error, context.client_address).into(),
                }
            }
            Verdict::Stopped { moved_to } => {
                self.stopped(moved_to.as_deref(), context.client_address).into()
            }
            Verdict::UnknownKey => {
                self.without_key(errors::unauthorized(errors::INVALID_KEY), &context).into()
            }
            Verdict::InactiveKey(key) => {
                self.without_key(errors::inactive_key(key), &context).into()
            }
        }
    }

    /// Responds to a request with a valid key. The handler and the flush run concurrently, and the
    /// response waits for both.
    async fn decide(
        self: &Arc<Self>,
        operation: Operation,
        run: Result<HandlerRun, InvalidRequest>,
        admission: Admission,
        durability: Durability,
    ) -> Result<Response, AdmissionError> {
        let unmetered = MeterHeaders::unmetered(admission.rate);
        let (problem, meters) = match (admission.outcome, run) {
            (Outcome::RateLimited, _) => {
                let (limit, seconds) = (admission.rate.limit, admission.minute_ends_in_seconds);
                let problem = errors::rate_limited("The organisation", limit, seconds);
                (problem, unmetered)
            }
            (Outcome::InsufficientScope, _) => {
                let problem = errors::insufficient_scope(operation.info().scope);
                (problem, unmetered)
            }
            (_, Err(invalid)) => (*invalid.problem, unmetered),
            (Outcome::CreditsExhausted, Ok(_)) => {
                let seconds = admission.month_ends_in_seconds;
                let meters = MeterHeaders {
                    credits: admission.credits,
                    retry_after_seconds: Some(seconds),
                    ..unmetered
                };
                (errors::credits_exhausted(seconds), meters)
            }
            (Outcome::InvalidRequest, Ok(_)) => {
                let cause = "admission rejected a request that was well-formed";
                (Problem::internal().with_cause(cause), unmetered)
            }
            (Outcome::Admitted(charge), Ok(run)) => {
                let response = match run {
                    HandlerRun::Deferred(pending) => {
                        self.handle(*pending, admission.owner(), AdmissionSignal::admitted()).await
                    }
                    HandlerRun::Speculative(response) => response,
                };
                // Only a durable charge is refunded: the refund of a charge that a crash has undone
                // would return a credit that another request has paid.
                durability.wait().await?;
                let response = self.settle(response, &admission, charge).await;
                return Ok(response);
            }
        };
        durability.wait().await?;
        Ok(error_response(problem, &meters))
    }

    /// Writes the meters' headers. A 5xx is refunded and reports no credits.
    async fn settle(
        &self,
        mut response: Response,
        admission: &Admission,
        charge: Charge,
    ) -> Response {
        let mut meters =
            MeterHeaders { credits: admission.credits, ..MeterHeaders::unmetered(admission.rate) };
        if response.status().is_server_error() {
            meters.credits = None;
            let organization = &admission.organization;
            if let Err(error) = self.admission.refund(organization, charge).await {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    %organization,
                    ?charge,
                    "a credit was not refunded"
                );
            }
        }
        meters.write(response.headers_mut());
        response
    }
}

/// Requires exactly one header (A3): of two, a proxy and this server might read different ones.
fn key_of(headers: &HeaderMap, environment: Environment) -> Result<ApiKey, &'static str> {
    let mut values = headers.get_all(KEY_HEADER).iter();
    let value = values.next().ok_or(errors::MISSING_KEY)?;
    if values.next().is_some() {
        return Err(errors::REPEATED_KEY);
    }
    let text = value.to_str().map_err(|_| errors::INVALID_KEY)?;
    ApiKey::parse(text, environment).ok_or(errors::INVALID_KEY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_documents_the_gates_own_statuses() {
        for operation in Operation::ALL {
            let info = operation.info();
            for status in [400, 401, 402, 403, 408, 413, 422, 429, 500, 503] {
                assert!(info.statuses.contains(&status), "{} {status}", info.id);
            }
            assert_eq!(info.statuses.contains(&415), info.has_body, "{}", info.id);
        }
    }
}
