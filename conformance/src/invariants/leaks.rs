//! Leaks: what no response may show: a key, or how the deployment is made inside.
//!
//! It refuses to search what the deployment was given to keep: names and notes may hold any words.

use super::Violation;
use crate::exchange::{Key, Request, Response};

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

/// Everything that an response shows and must not.
#[must_use]
pub fn judge(request: &Request, response: &Response) -> Vec<Violation> {
    let body = String::from_utf8_lossy(&response.body);
    let mut violations = Vec::new();
    let secrets: Vec<&str> = match &request.key {
        Key::None => Vec::new(),
        Key::Secret(secret) | Key::Altered(secret) => vec![secret.expose()],
        Key::Repeated(secrets) => secrets.iter().map(crate::secret::Secret::expose).collect(),
    };
    let in_headers = |secret: &str| {
        let mut values = response.headers.values();
        values.any(|value| String::from_utf8_lossy(value.as_bytes()).contains(secret))
    };
    if secrets
        .into_iter()
        .any(|secret| secret.len() >= SHORTEST && (body.contains(secret) || in_headers(secret)))
    {
        violations.push(Violation::new(
            "E.details",
            "The response shows the API key.",
        ));
    }
    if !response.is_success()
        && let Some(trace) = TRACES.iter().find(|trace| body.contains(**trace))
    {
        violations.push(Violation::new(
            "§7.error",
            format!("The error shows how the deployment is made inside: {trace:?}."),
        ));
    }
    violations
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
        let request = Request::get("/").with(&Secret::new("KEY", "pcp_test_0123456789"));
        let response = Response {
            exchange: 0,
            status: StatusCode::from_u16(status).unwrap(),
            headers: HeaderMap::new(),
            json: None,
            body: Bytes::copy_from_slice(body.as_bytes()),
            elapsed: Duration::ZERO,
        };
        judge(&request, &response).len()
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
