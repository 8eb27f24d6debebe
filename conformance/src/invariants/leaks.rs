//! Leaks: no response shows a key or the internals of the deployment. Names and notes may have any
//! words, so internals are searched in errors only.

use super::Violation;
use crate::{
    exchange::{Request, Response},
    secret::Secret,
};

/// Text of stack traces and libraries.
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

pub(crate) fn judge(request: &Request, response: &Response) -> Vec<Violation> {
    let body = String::from_utf8_lossy(&response.body);
    let mut violations = Vec::new();
    let in_headers = |secret: &str| {
        let mut values = response.headers.values();
        values.any(|value| String::from_utf8_lossy(value.as_bytes()).contains(secret))
    };
    let mut secrets = request.key.secrets().iter().map(Secret::expose);
    if secrets
        .any(|secret| secret.len() >= SHORTEST && (body.contains(secret) || in_headers(secret)))
    {
        violations.push(Violation::new("§5.1.once", "The response shows the API key."));
    }
    if !response.is_success()
        && let Some(trace) = TRACES.iter().find(|trace| body.contains(**trace))
    {
        violations.push(Violation::new(
            "E.details",
            format!("The error shows internals of the deployment: {trace:?}."),
        ));
    }
    violations
}

/// A shorter key may be part of other text by chance.
const SHORTEST: usize = 12;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use hyper::{HeaderMap, StatusCode};

    use super::*;
    use crate::secret::Secret;

    fn count(status: u16, body: &str) -> usize {
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
    fn key_and_traces_are_found() {
        assert_eq!(count(401, "the key is not valid"), 0);
        assert_eq!(count(401, "pcp_test_0123456789 is not valid"), 1);
        assert_eq!(count(500, "thread 'main' panicked at src/main.rs"), 1);
        // A partner may have any name.
        assert_eq!(count(200, "We panicked at the disco Ltd"), 0);
    }
}
