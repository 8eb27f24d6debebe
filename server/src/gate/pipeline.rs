//! The order of checks, in one place: route 404 405 → key 401 → minute 429 → scope 403 → form 415 413 400 422 →
//! credit 402 → the operation's own 404 and 422.
//!
//! It refuses to let a status leave that the document does not name for the operation.

use std::{net::IpAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use poem::{
    Endpoint, IntoResponse, Request, Response,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
};

#[cfg(feature = "mutants")]
use super::mutated;
use super::{
    admission::{
        Admission, AdmissionError, AdmissionRequest, Admit, Admitted, Charge, Durability, Outcome,
        Verdict,
    },
    anonymous::AnonymousLimit,
    form,
    handling::{PendingRequest, Refused, Work},
    headers::Meters,
    in_flight::{InFlight, InFlightLimits},
    key::{ApiKey, Environment},
    refusals,
    run_to_completion::{self, RunToCompletion},
};
use crate::{
    contract::{Decoded, Found, Operation, Problem, RequestForm, types::ErrorCode},
    http::{
        body::{self, BodyLimits},
        log::LogFields,
    },
    mutants::{self, Mutant},
    telemetry::Telemetry,
};

const KEY_HEADER: HeaderName = HeaderName::from_static("x-api-key");

/// What the gate is told at the start.
#[derive(Clone, Debug)]
pub struct GateOptions {
    /// Whose keys it accepts (A1).
    pub environment: Environment,
    /// Requests a minute from one address without a valid key (A5).
    pub anonymous_requests_per_minute: u32,
    /// How large a body may be, and how late.
    pub body: BodyLimits,
    /// How many requests may be in flight.
    pub in_flight: InFlightLimits,
    /// How long a request may take.
    pub request: Duration,
    /// How long one for a statement may take, which ends by itself before.
    pub statement: Duration,
}

/// What the HTTP layer knows of a request before the gate sees it.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// The request's id (R13).
    pub request_id: Arc<str>,
    /// The client's address, behind trusted proxies too (R14).
    pub client_address: Option<IpAddr>,
}

/// Lets requests pass to the routes behind it.
pub struct Gate<A, R> {
    pub(super) admission: A,
    anonymous: AnonymousLimit,
    pub(super) in_flight: Arc<InFlight>,
    pub(super) options: GateOptions,
    pub(super) routes: R,
    pub(super) telemetry: Telemetry,
}

impl<A, R> Gate<A, R>
where
    A: Admit,
    R: Endpoint<Output = Response> + 'static,
{
    /// A gate in front of `routes`.
    pub fn new(admission: A, routes: R, options: GateOptions, telemetry: &Telemetry) -> Self {
        Self {
            admission,
            anonymous: AnonymousLimit::new(options.anonymous_requests_per_minute),
            in_flight: InFlight::new(options.in_flight, telemetry.metrics.clone()),
            options,
            routes,
            telemetry: telemetry.clone(),
        }
    }

    /// Answers any request, and never fails: every error has its envelope.
    ///
    /// The body is read first, also where nobody wants it: bytes left on the connection would be taken for the next
    /// request, so the server would have to close it, and a client's next request with it. Where the body could not be
    /// read, that is what must happen, and the answer says so.
    pub async fn answer(
        self: Arc<Self>,
        mut request: Request,
        context: RequestContext,
    ) -> Response {
        let body = body::read(&mut request, &self.options.body).await;
        #[cfg(feature = "mutants")]
        let (sent, body) = mutated::read(&mut request, body);
        let is_whole = body.is_ok();
        let mut response = self.route(request, body, context).await;
        #[cfg(feature = "mutants")]
        mutated::rewrite(&mut response, sent).await;
        if !is_whole {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
        response
    }

    async fn route(
        self: Arc<Self>,
        request: Request,
        body: Result<Bytes, Problem>,
        context: RequestContext,
    ) -> Response {
        let (operation, path) = match Operation::find(request.method(), request.uri().path()) {
            Found::Operation { operation, path } => (operation, path),
            Found::MethodNotAllowed { allow } => return self.method_not_allowed(&context, &allow),
            Found::Unknown => return self.unknown_path(&context),
        };
        let (bytes, read) = match body {
            Ok(bytes) => (bytes, Ok(())),
            Err(fault) => (Bytes::new(), Err(fault)),
        };
        let parts = RequestForm {
            path: &path,
            query: request.uri().query(),
            headers: request.headers(),
            body: &bytes,
        };
        let form = form::check(operation, &parts, read);
        // A client that goes away must not stop database work half-way.
        let client_address = context.client_address;
        let gate = Arc::clone(&self);
        let admitted = async move { gate.admit(operation, request, form, context).await };
        let answer = RunToCompletion::new(&self.telemetry.detached_tasks, admitted).await;
        let mut response = answer.unwrap_or_else(|panic| {
            let panic = run_to_completion::message(&*panic);
            tracing::error!(panic, operation = operation.info().id, "the gate panicked");
            self.unmetered(Problem::internal(), client_address)
        });
        response.extensions_mut().insert(operation);
        response
    }

    /// 414, where the HTTP library lets so long an address pass.
    pub fn uri_too_long(&self, context: &RequestContext) -> Response {
        let rate = self.anonymous.count(context.client_address).rate;
        let mut response = refusals::uri_too_long();
        Meters::unmetered(rate).write(response.headers_mut());
        response
    }

    fn unknown_path(&self, context: &RequestContext) -> Response {
        let problem = Problem::new(
            ErrorCode::NotFound,
            "This server has no such path. Its operations are listed at /docs.",
        );
        self.without_key(problem, context)
    }

    fn method_not_allowed(&self, context: &RequestContext, allow: &str) -> Response {
        let problem = Problem::new(
            ErrorCode::MethodNotAllowed,
            format!("This path answers {allow}."),
        );
        let mut response = self.without_key(problem, context);
        if response.status() == StatusCode::METHOD_NOT_ALLOWED && !mutants::is(Mutant::AllowMissing)
        {
            let allow = HeaderValue::from_str(allow).expect("methods are plain ASCII");
            response.headers_mut().insert("allow", allow);
        }
        response
    }

    /// An answer to a request without a valid key: counted by its address, and 429 above the limit.
    fn without_key(&self, problem: Problem, context: &RequestContext) -> Response {
        let allowance = self.anonymous.count(context.client_address);
        let problem = if allowance.exceeded {
            refusals::rate_limited(
                "Without a valid key an address",
                allowance.rate.limit,
                allowance.minute_ends_in_seconds,
            )
        } else {
            problem
        };
        answered(problem, &Meters::unmetered(allowance.rate))
    }

    /// An answer that says nothing of the key.
    fn unmetered(&self, problem: Problem, client_address: Option<IpAddr>) -> Response {
        answered(
            problem,
            &Meters::unmetered(self.anonymous.peek(client_address).rate),
        )
    }

    async fn admit(
        self: &Arc<Self>,
        operation: Operation,
        request: Request,
        form: Result<Decoded, Problem>,
        context: RequestContext,
    ) -> Response {
        if mutants::is(Mutant::FormBeforeKey)
            && let Err(fault) = &form
        {
            return self.without_key(fault.clone(), &context);
        }
        let key = match key_of(request.headers(), self.options.environment) {
            Ok(key) => key,
            Err(message) => return self.without_key(refusals::unauthorized(message), &context),
        };
        let key = key.hash();
        let Ok(place) = self.in_flight.enter(key, context.client_address).await else {
            return self.unmetered(Problem::unavailable(), context.client_address);
        };
        let asked = AdmissionRequest {
            key,
            scope: operation.info().scope,
            form_is_sound: form.is_ok() || mutants::is(Mutant::FormErrorCharged),
        };
        #[cfg(feature = "mutants")]
        let (asked, begun) = (
            mutated::asked(operation, asked),
            request.extensions().get().copied(),
        );
        let is_known = place.is_of_known_owner();
        let errand = PendingRequest::of(operation, request, form, &context.request_id, place);
        let (admitted, work) = self.admit_concurrently(asked, errand).await;
        #[cfg(feature = "mutants")]
        let admitted = mutated::admitted(&self.admission, operation, asked, admitted).await;
        let Admitted {
            verdict,
            durability,
        } = match admitted {
            Ok(admitted) => admitted,
            Err(error) => return self.not_admitted(&error, context.client_address),
        };
        match verdict {
            Verdict::ValidKey(admission) => {
                if !is_known {
                    self.in_flight.learn(key, admission.owner());
                }
                #[cfg(feature = "mutants")]
                let admission = Box::new(mutated::overspent(*admission, begun));
                let response = self.decide(operation, work, (*admission, durability)).await;
                response.unwrap_or_else(|error| self.not_admitted(&error, context.client_address))
            }
            Verdict::UnknownKey => {
                self.without_key(refusals::unauthorized(refusals::INVALID_KEY), &context)
            }
            Verdict::InactiveKey(dead) => self.without_key(refusals::inactive_key(dead), &context),
        }
    }

    /// 503: nobody knows whether the request was counted.
    fn not_admitted(&self, error: &AdmissionError, client_address: Option<IpAddr>) -> Response {
        tracing::error!(error = error as &dyn std::error::Error, "no admission");
        self.unmetered(Problem::unavailable(), client_address)
    }

    /// What becomes of a request with a valid key. The operation's work and the flush go on at once; the answer waits for both.
    ///
    /// # Errors
    /// The database was lost meanwhile.
    async fn decide(
        self: &Arc<Self>,
        operation: Operation,
        work: Result<Work, Refused>,
        (admission, durability): (Admission, Durability),
    ) -> Result<Response, AdmissionError> {
        let unmetered = Meters::unmetered(admission.rate);
        let log = LogFields::of(operation, &admission);
        let response = match (admission.outcome, work) {
            (Outcome::RateLimited, _) => {
                let (limit, seconds) = (admission.rate.limit, admission.minute_ends_in_seconds);
                answered(
                    refusals::rate_limited("The organisation", limit, seconds),
                    &unmetered,
                )
            }
            (Outcome::InsufficientScope, Err(Refused { fault, .. }))
                if mutants::is(Mutant::FormBeforeScope) =>
            {
                answered(*fault, &unmetered)
            }
            (Outcome::InsufficientScope, _) => answered(
                refusals::insufficient_scope(operation.info().scope),
                &unmetered,
            ),
            (
                Outcome::FormRefused | Outcome::Admitted(_) | Outcome::CreditsExhausted,
                Err(Refused { fault, .. }),
            ) => answered(*fault, &unmetered),
            (Outcome::CreditsExhausted, Ok(_)) => {
                let retry_after_seconds = Some(admission.month_ends_in_seconds);
                let meters = Meters {
                    credits: admission.credits,
                    retry_after_seconds,
                    ..unmetered
                };
                answered(
                    refusals::credits_exhausted(admission.month_ends_in_seconds),
                    &meters,
                )
            }
            (Outcome::Admitted(charge), Ok(work)) => {
                let response = match work {
                    Work::Due(errand) => self.handle(*errand, admission.owner()).await,
                    Work::Done(response) => response,
                };
                // A credit goes back only where its charge lasts: a charge that a crash has forgotten would be given back
                // at another's cost.
                durability.reached().await?;
                let response = self.settle(response, &admission, charge).await;
                #[cfg(feature = "mutants")]
                mutated::settled(&self.admission, operation, &admission, charge).await;
                return Ok(log.attach_to(response));
            }
            (Outcome::FormRefused, Ok(_)) => {
                tracing::error!("admission refused a form that was sound");
                answered(Problem::internal(), &unmetered)
            }
        };
        durability.reached().await?;
        Ok(log.attach_to(response))
    }

    /// Writes what the request cost. A 5xx gives its credit back, and then is not metered.
    async fn settle(
        &self,
        mut response: Response,
        admission: &Admission,
        charge: Charge,
    ) -> Response {
        let mut meters = Meters {
            credits: admission.credits,
            ..Meters::unmetered(admission.rate)
        };
        let is_free =
            mutants::is(Mutant::NotFoundGivenBack) && response.status() == StatusCode::NOT_FOUND;
        if response.status().is_server_error() || is_free {
            meters.credits = None;
            if let Err(error) = self.admission.refund(&admission.organization, charge).await {
                self.telemetry.metrics.credits_not_given_back.inc();
                tracing::error!(error = &error as &dyn std::error::Error, organization = %admission.organization, ?charge, "a credit was not given back");
            }
        }
        meters.write(response.headers_mut());
        response
    }
}

fn answered(problem: Problem, meters: &Meters) -> Response {
    let mut response = problem.into_response();
    meters.write(response.headers_mut());
    response
}

/// Exactly one header (A3): with two, a proxy and we might read different ones.
fn key_of(headers: &HeaderMap, environment: Environment) -> Result<ApiKey, &'static str> {
    let mut values = headers.get_all(KEY_HEADER).iter();
    let value = values.next().ok_or(refusals::MISSING_KEY)?;
    if values.next().is_some() && !mutants::is(Mutant::RepeatedKeyAccepted) {
        return Err(refusals::REPEATED_KEY);
    }
    let text = value.to_str().map_err(|_| refusals::INVALID_KEY)?;
    ApiKey::parse(text, environment).ok_or(refusals::INVALID_KEY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_documents_what_the_gate_answers_itself() {
        for operation in Operation::ALL {
            let info = operation.info();
            for status in [400, 401, 402, 403, 408, 413, 422, 429, 500, 503] {
                assert!(info.statuses.contains(&status), "{} {status}", info.id);
            }
            assert_eq!(info.statuses.contains(&415), info.has_body, "{}", info.id);
        }
    }
}
