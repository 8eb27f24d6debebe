//! The end of a case as data: its verdict and its exchanges, without secrets. A violated invariant
//! is a failure, however the case itself ended.

use std::time::Duration;

use hyper::header::{HeaderName, HeaderValue};

use crate::{
    case::{Case, CaseOutcome, CaseResult, context::Exchange},
    clause::Clause,
    deployment::Deployment,
    exchange::curl,
    expectations::Expectations,
    report::{
        model::{CaseReport, ExchangeReport, MessageReport},
        redact::redact,
    },
    secret::Redaction,
    target::Profiles,
    verdict::{Diagnosis, Verdict},
    visible::cut,
};

/// Characters of a body that are kept.
const BODY_LIMIT: usize = 16_000;

pub(crate) struct Ended {
    pub(crate) outcome: CaseResult,
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) elapsed: Duration,
}

impl Ended {
    /// Before its first request.
    pub(crate) fn not_started(outcome: CaseOutcome) -> Self {
        Self { outcome: Err(outcome), exchanges: Vec::new(), elapsed: Duration::ZERO }
    }
}

pub(crate) fn of(
    deployment: &Deployment,
    expectations: &Expectations,
    case: &Case,
    ended: Ended,
) -> CaseReport {
    let exchanges = ended.exchanges;
    let mut redaction = deployment.redaction();
    exchanges.iter().for_each(|exchange| exchange.hide_secrets(&mut redaction));
    let (verdict, because) = verdict(ended.outcome, &exchanges);
    let judgement = expectations.judge(case.id, verdict);
    let profile = case.operation.and_then(|operation| deployment.invariants.profile(operation));
    let report = CaseReport {
        id: case.id.to_owned(),
        sentence: case.sentence.to_owned(),
        clause: case.clause().into(),
        profile: profile.unwrap_or(Profiles::CORE).to_owned(),
        operation: case.operation.map(str::to_owned),
        changes: case.changes,
        verdict,
        expected: judgement.expected,
        expectation: judgement.comment,
        advice: judgement.advice,
        because,
        elapsed_milliseconds: milliseconds(ended.elapsed),
        exchanges: exchanges
            .iter()
            .map(|exchange| exchange_report(deployment, exchange, &redaction))
            .collect(),
    };
    redact(&report, &redaction)
}

/// The verdict: a failure if the case failed or an invariant is violated, else what the case says.
fn verdict(outcome: CaseResult, exchanges: &[Exchange]) -> (Verdict, Option<Diagnosis>) {
    let (verdict, because) = match outcome {
        Ok(()) => (Verdict::Pass, None),
        Err(CaseOutcome { verdict: Verdict::Error, because }) => {
            let exchange = exchanges.len().checked_sub(1);
            (Verdict::Error, Some(Diagnosis { exchange, ..because }))
        }
        Err(CaseOutcome { verdict, because }) => (verdict, Some(because)),
    };
    let violation = first_violation(exchanges).filter(|_| verdict != Verdict::Fail);
    let Some(mut violation) = violation else {
        return (verdict, because);
    };
    if let Some(because) = because {
        let (what, why) = (violation.what, because.reason());
        violation.what = format!("{what} The case itself has no verdict: {why}");
    }
    (Verdict::Fail, Some(violation))
}

fn first_violation(exchanges: &[Exchange]) -> Option<Diagnosis> {
    let mut all = exchanges.iter().enumerate().flat_map(|(index, exchange)| {
        exchange.violations.iter().map(move |violation| (index, violation))
    });
    let (index, violation) = all.next()?;
    let sentence = Clause::find(violation.clause).map_or("", |clause| &clause.sentence);
    Some(Diagnosis {
        what: format!("A response violates an invariant: {}", violation.what),
        expected: Some(format!("{}: {sentence}", violation.clause)),
        actual: Some(violation.what.clone()),
        exchange: Some(index),
        missing: Vec::new(),
    })
}

fn exchange_report(
    deployment: &Deployment,
    exchange: &Exchange,
    redaction: &Redaction,
) -> ExchangeReport {
    let request = &exchange.request;
    let response = exchange.response.as_ref().ok();
    let url = match &exchange.address {
        Some(address) => address.clone(),
        None => format!("{}{}", deployment.client.base_url, request.target),
    };
    let target = exchange.address.as_ref().unwrap_or(&request.target);
    let keys = request.key.secrets().iter();
    let keys = keys.map(|key| ("x-api-key".to_owned(), key.placeholder()));
    let headers = request.headers.iter().map(as_text);
    let body = request.body.as_deref().unwrap_or_default();
    ExchangeReport {
        request: MessageReport {
            line: format!("{} {target}", request.method),
            headers: keys.chain(headers).collect(),
            body: text(body, redaction),
            body_bytes: body.len(),
        },
        response: response.map(|response| MessageReport {
            line: response.status_line(),
            headers: response.headers.iter().map(as_text).collect(),
            body: text(&response.body, redaction),
            body_bytes: response.body.len(),
        }),
        status: response.map(|response| response.status.as_u16()),
        operation: match exchange.address {
            Some(_) => None,
            None => deployment.invariants.operation(request).map(str::to_owned),
        },
        elapsed_milliseconds: response.map_or(0, |response| milliseconds(response.elapsed)),
        curl: curl::line(&url, request, redaction),
        violations: exchange
            .violations
            .iter()
            .map(|violation| format!("{}: {}", violation.clause, violation.what))
            .collect(),
    }
}

fn as_text((name, value): (&HeaderName, &HeaderValue)) -> (String, String) {
    (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// A body as text, cut if it is long; none if it is empty or not text. A cut secret would not be
/// found later.
fn text(body: &[u8], redaction: &Redaction) -> Option<String> {
    let text = std::str::from_utf8(body).ok().filter(|text| !text.is_empty())?;
    Some(cut(&redaction.apply(text), BODY_LIMIT))
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        exchange::{Key, Request},
        invariants::Violation,
        secret::Secret,
    };

    #[test]
    fn altered_key_is_as_secret_as_the_key() {
        let key = Secret::new("KEY_ALL", "pcp_test_0123456789abcdef");
        let altered = key.altered(|key| key[..key.len() - 1].to_owned());
        let exchange = Exchange {
            request: Request::get("/p").with_key(Key::Altered(altered.clone())),
            address: None,
            response: Err("no response".to_owned()),
            violations: Vec::new(),
        };
        let mut redaction = Redaction::of([key.clone()]);
        exchange.hide_secrets(&mut redaction);
        let shown = redaction.apply(&format!("{} {}", altered.expose(), key.expose()));
        assert_eq!(shown, "$KEY_ALL_ALTERED $KEY_ALL");
    }

    #[test]
    fn violation_of_a_case_that_stops_half_way_is_a_failure() {
        let violation = Violation::new("R13", "x-request-id is missing.");
        let exchange = Exchange {
            request: Request::get("/p"),
            address: None,
            response: Err("closed".to_owned()),
            violations: vec![violation],
        };
        let exchanges = [exchange];
        for outcome in [
            CaseOutcome::missing("fixture lines_to_detach (none is left)"),
            CaseOutcome::error("the connection was closed"),
        ] {
            let (verdict, because) = verdict(Err(outcome), &exchanges);
            let what = because.unwrap().what;
            assert_eq!(verdict, Verdict::Fail);
            assert!(what.contains("x-request-id is missing."), "{what}");
            assert!(what.contains("lines_to_detach") || what.contains("closed"), "{what}");
        }
        let skipped = || Err(CaseOutcome::missing("a fixture"));
        assert_eq!(verdict(skipped(), &[]).0, Verdict::Skipped);
    }
}
