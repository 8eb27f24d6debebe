//! Leaks: what no answer may show: a key, or how the deployment is made inside.
//!
//! It refuses to search what the deployment was given to keep: names and notes may hold any words.

use super::{Breach, breach};
use crate::exchange::{Answer, Call, Key};

/// Signs of a program that told its inner state.
const TRACES: [&str; 8] = [
    "stack backtrace",
    "panicked at",
    "Traceback (most recent call last)",
    "\n    at ",
    "org.postgresql",
    "sqlx::",
    "SQLSTATE",
    "node_modules",
];

/// Everything that an answer shows and must not.
#[must_use]
pub fn judge(call: &Call, answer: &Answer) -> Vec<Breach> {
    let body = String::from_utf8_lossy(&answer.body);
    let mut breaches = Vec::new();
    let secrets: Vec<&str> = match &call.key {
        Key::None => Vec::new(),
        Key::Secret(secret) | Key::Altered(secret) => vec![secret.expose()],
        Key::Repeated(secrets) => secrets.iter().map(crate::secret::Secret::expose).collect(),
    };
    let in_headers = |secret: &str| {
        let mut values = answer.headers.values();
        values.any(|value| String::from_utf8_lossy(value.as_bytes()).contains(secret))
    };
    if secrets
        .into_iter()
        .any(|secret| secret.len() >= SHORTEST && (body.contains(secret) || in_headers(secret)))
    {
        breaches.push(breach("E.details", "The answer shows the API key."));
    }
    if !answer.is_success()
        && let Some(trace) = TRACES.iter().find(|trace| body.contains(**trace))
    {
        breaches.push(breach(
            "§7.error",
            format!("The error shows how the deployment is made inside: {trace:?}."),
        ));
    }
    breaches
}

/// Shorter text may stand anywhere by chance.
const SHORTEST: usize = 12;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use hyper::{HeaderMap, StatusCode};

    use super::*;
    use crate::secret::Secret;

    fn told(status: u16, body: &str) -> usize {
        let call = Call::get("/").with(&Secret::new("KEY", "pcp_test_0123456789"));
        let answer = Answer {
            exchange: 0,
            status: StatusCode::from_u16(status).unwrap(),
            headers: HeaderMap::new(),
            json: None,
            body: Bytes::copy_from_slice(body.as_bytes()),
            elapsed: Duration::ZERO,
        };
        judge(&call, &answer).len()
    }

    #[test]
    fn key_and_traces_are_seen() {
        assert_eq!(told(401, "the key is not valid"), 0);
        assert_eq!(told(401, "pcp_test_0123456789 is not valid"), 1);
        assert_eq!(told(500, "thread 'main' panicked at src/main.rs"), 1);
        // What a partner is called is its own business.
        assert_eq!(told(200, "We panicked at the disco Ltd"), 0);
    }
}
