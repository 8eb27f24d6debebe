//! A case's end as data: its verdict, and everything that travelled, without secrets.
//!
//! It refuses a pass where an invariant was broken.

use std::time::Duration;

use super::deployment::Deployment;
use crate::{
    case::{Case, CaseOutcome, context::Exchange},
    clause::Clause,
    exchange::{Key, Response, curl},
    report::model::{CaseReport, ClauseReport, ExchangeReport, MessageReport},
    secret::{Redaction, Secret},
    verdict::{Diagnosis, Verdict},
};

/// Characters of a body that are kept.
const BODY_LIMIT: usize = 16_000;

/// The report of one case.
#[must_use]
pub fn of(
    deployment: &Deployment,
    case: &Case,
    outcome: Result<(), CaseOutcome>,
    exchanges: Vec<Exchange>,
    elapsed: Duration,
) -> CaseReport {
    let mut redaction = deployment.redaction();
    for exchange in &exchanges {
        hide_links(exchange, &mut redaction);
        hide_altered_key(exchange, &mut redaction);
    }
    let (verdict, because) = judged(outcome, &exchanges, deployment.with_decisions);
    let clause = case.clause();
    CaseReport {
        id: case.id.to_owned(),
        sentence: case.sentence.to_owned(),
        clause: ClauseReport {
            id: clause.id.to_owned(),
            source: clause.source(),
            sentence: clause.sentence.to_owned(),
        },
        profile: "core".to_owned(),
        operation: case.operation.map(str::to_owned),
        changes: case.changes,
        verdict,
        expected: matches!(verdict, Verdict::Pass | Verdict::Skipped),
        expectation: None,
        advice: None,
        because: because.map(|because| redacted(because, &redaction)),
        elapsed_milliseconds: milliseconds(elapsed),
        exchanges: exchanges
            .iter()
            .map(|exchange| exchange_report(deployment, exchange, &redaction))
            .collect(),
    }
}

/// The verdict: what the case says, and where it is content, what the invariants say.
fn judged(
    outcome: Result<(), CaseOutcome>,
    exchanges: &[Exchange],
    with_decisions: bool,
) -> (Verdict, Option<Diagnosis>) {
    match outcome {
        Ok(()) => match first_violation(exchanges, with_decisions) {
            None => (Verdict::Pass, None),
            Some(because) => (Verdict::Fail, Some(because)),
        },
        Err(CaseOutcome::Failed(because)) => (Verdict::Fail, Some(because)),
        Err(CaseOutcome::Inconclusive(because)) => match first_violation(exchanges, with_decisions)
        {
            None => (Verdict::Inconclusive, Some(because)),
            Some(because) => (Verdict::Fail, Some(because)),
        },
        Err(CaseOutcome::Skipped(missing)) => {
            let because = Diagnosis {
                what: "Not run.".to_owned(),
                missing,
                ..Diagnosis::default()
            };
            (Verdict::Skipped, Some(because))
        }
        Err(CaseOutcome::Error(what)) => {
            let because = Diagnosis {
                what,
                exchange: exchanges.len().checked_sub(1),
                ..Diagnosis::default()
            };
            (Verdict::Error, Some(because))
        }
    }
}

fn first_violation(exchanges: &[Exchange], with_decisions: bool) -> Option<Diagnosis> {
    for (index, exchange) in exchanges.iter().enumerate() {
        let mut counted = exchange.violations.iter();
        let violation =
            counted.find(|violation| with_decisions || violation.clause.starts_with('§'));
        if let Some(violation) = violation {
            let sentence = Clause::find(violation.clause).map_or("", |clause| clause.sentence);
            return Some(Diagnosis {
                what: format!(
                    "A response breaks an invariant that holds for all: {}",
                    violation.what
                ),
                expected: Some(format!("{}: {sentence}", violation.clause)),
                actual: Some(violation.what.clone()),
                exchange: Some(index),
                missing: Vec::new(),
            });
        }
    }
    None
}

fn redacted(because: Diagnosis, redaction: &Redaction) -> Diagnosis {
    Diagnosis {
        what: redaction.apply(&because.what),
        expected: because.expected.map(|text| redaction.apply(&text)),
        actual: because.actual.map(|text| redaction.apply(&text)),
        ..because
    }
}

/// Whoever has a link's query can download: it is as secret as a key.
fn hide_links(exchange: &Exchange, redaction: &mut Redaction) {
    let told = exchange
        .response
        .as_ref()
        .ok()
        .map(|response| response.text("/data/downloadUrl"));
    for address in told.into_iter().chain(exchange.address.as_deref()) {
        if let Some((_, query)) = address.split_once('?') {
            redaction.add(Secret::new("LINK_QUERY", query));
        }
    }
}

/// All but a letter of a key is as good as the key.
fn hide_altered_key(exchange: &Exchange, redaction: &mut Redaction) {
    if let Key::Altered(altered) = &exchange.request.key {
        redaction.add(altered.clone());
    }
}

fn exchange_report(
    deployment: &Deployment,
    exchange: &Exchange,
    redaction: &Redaction,
) -> ExchangeReport {
    let request = &exchange.request;
    let response = exchange.response.as_ref().ok();
    let line = match &exchange.address {
        Some(address) => {
            let mut request = request.clone();
            request.target.clear();
            curl::line(address, &request, redaction)
        }
        None => curl::line(deployment.client.base_url(), request, redaction),
    };
    let target = exchange.address.as_ref().unwrap_or(&request.target);
    let keys: Vec<String> = match &request.key {
        Key::None => Vec::new(),
        Key::Secret(secret) | Key::Altered(secret) => vec![secret.placeholder()],
        Key::Repeated(secrets) => secrets.iter().map(Secret::placeholder).collect(),
    };
    let keys = keys.into_iter().map(|key| ("x-api-key".to_owned(), key));
    let headers = keys.chain(request.headers.iter().cloned());
    let body = request.body.as_deref().unwrap_or_default();
    ExchangeReport {
        request: MessageReport {
            line: redaction.apply(&format!("{} {target}", request.method)),
            headers: headers
                .map(|(name, value)| (name, redaction.apply(&value)))
                .collect(),
            body: text(body, redaction),
            body_bytes: body.len(),
        },
        response: response.map(|response| response_report(response, redaction)),
        status: response.map(|response| response.status.as_u16()),
        operation: match exchange.address {
            Some(_) => None,
            None => deployment.invariants.operation(request).map(str::to_owned),
        },
        elapsed_milliseconds: response.map_or(0, |response| milliseconds(response.elapsed)),
        curl: line,
        violations: exchange
            .violations
            .iter()
            .map(|violation| redaction.apply(&format!("{}: {}", violation.clause, violation.what)))
            .collect(),
    }
}

fn response_report(response: &Response, redaction: &Redaction) -> MessageReport {
    let headers = response.headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes());
        (name.as_str().to_owned(), redaction.apply(&value))
    });
    MessageReport {
        line: response.status_line(),
        headers: headers.collect(),
        body: text(&response.body, redaction),
        body_bytes: response.body.len(),
    }
}

/// A body as text; `None` where it is none, or none that can be read.
fn text(body: &[u8], redaction: &Redaction) -> Option<String> {
    let text = std::str::from_utf8(body)
        .ok()
        .filter(|text| !text.is_empty())?;
    let shown = redaction.apply(text);
    Some(match shown.char_indices().nth(BODY_LIMIT) {
        None => shown,
        Some((end, _)) => format!("{}…", &shown[..end]),
    })
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::Request;

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
        hide_altered_key(&exchange, &mut redaction);
        let told = redaction.apply(&format!("{} {}", altered.expose(), key.expose()));
        assert_eq!(told, "$KEY_ALL_ALTERED $KEY_ALL");
    }
}
