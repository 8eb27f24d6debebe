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
    use hyper::{HeaderMap, StatusCode};

    use super::*;

    #[test]
    fn traces_are_found_in_errors_only() {
        let count = |status, body: &str| {
            let response = Response::new(status, HeaderMap::new(), body.to_owned());
            judge(&Request::get("/"), &response).len()
        };
        let failed = StatusCode::INTERNAL_SERVER_ERROR;
        assert_eq!(count(failed, "thread 'main' panicked at src/main.rs"), 1);
        // A partner may have any name.
        assert_eq!(count(StatusCode::OK, "We panicked at the disco Ltd"), 0);
    }
}
