//! One request of the tour: sent over HTTP, printed, and compared with `openapi/api.yaml`.

use std::{collections::HashSet, io::IsTerminal};

use openapi_document::{Direction, Document, Response};
use payout_server::tools::DOCUMENT;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::body;
use crate::Error;

/// The header of a request that can be repeated, and that of a repeated response.
const IDEMPOTENCY_KEY: &str = "idempotency-key";
const REPLAYED: &str = "idempotent-replayed";
/// Headers that are shown whenever a response has them.
const RARE_HEADERS: [&str; 2] = [REPLAYED, "retry-after"];
/// Headers of every response, shown with the first one to each key.
const COMMON_HEADERS: [&str; 5] = [
    "x-ratelimit-limit-minute",
    "x-ratelimit-remaining-minute",
    "x-service-credits-limit-month",
    "x-service-credits-remaining-month",
    "x-request-id",
];

/// A request, and the status that must answer it.
#[derive(Debug)]
pub(super) struct Request<'a> {
    title: &'a str,
    operation: &'a str,
    path: String,
    /// Variable and text of the key.
    key: Option<(&'a str, &'a str)>,
    idempotency_key: Option<&'a str>,
    body: Option<Value>,
    expected_status: u16,
    /// The body of the first response, if this request repeats another.
    replayed: Option<&'a Value>,
    /// The fields of `data` that matter; without them, the first lines of the body are shown.
    shown: &'a [&'a str],
}

impl<'a> Request<'a> {
    /// A request without key and body that must be answered 200.
    pub(super) fn new(title: &'a str, operation: &'a str, path: impl Into<String>) -> Self {
        Self {
            title,
            operation,
            path: path.into(),
            key: None,
            idempotency_key: None,
            body: None,
            expected_status: 200,
            replayed: None,
            shown: &[],
        }
    }

    pub(super) fn key(self, variable: &'a str, key: &'a str) -> Self {
        Self { key: Some((variable, key)), ..self }
    }

    pub(super) fn idempotency_key(self, idempotency_key: &'a str) -> Self {
        Self { idempotency_key: Some(idempotency_key), ..self }
    }

    pub(super) fn body(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }

    pub(super) fn expect(self, expected_status: u16) -> Self {
        Self { expected_status, ..self }
    }

    /// Expects the first response again, marked as replayed.
    pub(super) fn replays(self, first: &'a Value) -> Self {
        Self { replayed: Some(first), ..self }
    }

    /// Shows only these fields of the response's data.
    pub(super) fn shows(self, shown: &'a [&'a str]) -> Self {
        Self { shown, ..self }
    }
}

/// Sends requests, prints them, and counts those whose response differs from the document.
#[derive(Debug)]
pub(super) struct Guide {
    client: reqwest::Client,
    document: Document,
    base_url: String,
    coloured: bool,
    sent: usize,
    wrong: usize,
    /// The variables of the keys that were used.
    keys: HashSet<Option<String>>,
}

impl Guide {
    pub(super) fn new(base_url: String) -> Result<Self, Error> {
        // The server's features make reqwest panic without a default provider of TLS, although this
        // client speaks plain HTTP. An error means that there is one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Ok(Self {
            client: reqwest::Client::builder().no_proxy().build()?,
            document: Document::parse("openapi/api.yaml", DOCUMENT)?,
            base_url,
            coloured: std::io::stdout().is_terminal(),
            sent: 0,
            wrong: 0,
            keys: HashSet::new(),
        })
    }

    /// Returns the number of requests that were sent, and of those that got a wrong response.
    pub(super) fn sent_and_wrong(&self) -> (usize, usize) {
        (self.sent, self.wrong)
    }

    /// Prints the heading of the requests that follow, and what they show.
    pub(super) fn chapter(&self, title: &str, text: &str) {
        anstream::println!("{}\n{text}\n", self.paint("1;4", title));
    }

    /// Sends a request and returns the body of its response.
    pub(super) async fn send(&mut self, request: Request<'_>) -> Result<Value, Error> {
        let mut operations = self.document.operations().iter();
        let operation = operations.find(|operation| operation.id == request.operation);
        let operation = operation.expect("the tour names operations of the document");
        let method = operation.method.as_str();
        let verb = reqwest::Method::from_bytes(method.as_bytes()).expect("a method of OpenAPI");
        let url = format!("{}{}", self.base_url, request.path);
        let mut sent = self.client.request(verb, url);
        if let Some((_, key)) = request.key {
            sent = sent.header("x-api-key", key);
        }
        if let Some(key) = request.idempotency_key {
            sent = sent.header(IDEMPOTENCY_KEY, key);
        }
        if let Some(body) = &request.body {
            sent = sent.json(body);
        }
        let response = sent.send().await.map_err(no_response)?;
        let status = response.status();
        let headers = response.headers().clone();
        let text = response.text().await.map_err(no_response)?;
        let body: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        let mut faults = Vec::new();
        if status.as_u16() != request.expected_status {
            faults.push(format!("expected status {}", request.expected_status));
        }
        match operation.response(status.as_u16()) {
            Some(response) => faults.extend(self.faults(response, &headers, &body)),
            None => faults.push("the document has no such status".to_owned()),
        }
        if request.replayed.is_some() != headers.contains_key(REPLAYED) {
            faults.push(format!("{REPLAYED} is expected on a repeated response alone"));
        }
        if request.replayed.is_some_and(|first| *first != body) {
            faults.push("not the first response again".to_owned());
        }
        self.sent += 1;
        self.wrong += usize::from(!faults.is_empty());
        let is_new = self.keys.insert(request.key.map(|(variable, _)| variable.to_owned()));
        let common = if is_new { &COMMON_HEADERS[..] } else { &[] };
        let shown = RARE_HEADERS.iter().chain(common).filter_map(|name| {
            headers.get(*name)?.to_str().ok().map(|value| format!("{name}: {value}"))
        });
        let lines = shown.chain(body::lines(&body, request.shown)).collect::<Vec<_>>();
        self.print(method, &request, status, &lines, &faults);
        Ok(body)
    }

    /// Downloads a PDF without a key. Anything else counts as wrong, and is `None`.
    pub(super) async fn download(&mut self, url: &str) -> Result<Option<Vec<u8>>, Error> {
        let response = self.client.get(url).send().await.map_err(no_response)?;
        let status = response.status();
        let bytes = response.bytes().await.map_err(no_response)?;
        self.sent += 1;
        let is_pdf = status.is_success() && bytes.starts_with(b"%PDF-");
        self.wrong += usize::from(!is_pdf);
        let title = format!("{}. Download it: the link needs no key", self.sent);
        anstream::println!("{}", self.paint("1", &title));
        anstream::println!("   {}", self.paint("36", &format!("HTTP {status}")));
        let verdict = match is_pdf {
            true => self.paint("32", "✓ a PDF"),
            false => self.paint("31", "✗ expected a PDF"),
        };
        anstream::println!("   {} bytes\n   {verdict}\n", bytes.len());
        Ok(is_pdf.then(|| bytes.to_vec()))
    }

    /// The differences between a response and its description.
    fn faults(&self, response: &Response, headers: &HeaderMap, body: &Value) -> Vec<String> {
        let missing = response
            .headers
            .iter()
            .filter(|header| header.required && !headers.contains_key(&header.name));
        let mut faults: Vec<String> =
            missing.map(|header| format!("the header {} is missing", header.name)).collect();
        let content_type = headers.get("content-type").and_then(|value| value.to_str().ok());
        let content =
            response.content.iter().find(|media| Some(media.content_type.as_str()) == content_type);
        let Some(schema) = content.and_then(|media| media.schema_pointer.as_deref()) else {
            faults.push(format!("the document has no content type {content_type:?}"));
            return faults;
        };
        match self.document.validator(schema, Direction::Response) {
            Ok(validator) => {
                let violations = validator.validate(body);
                faults.extend(
                    violations
                        .iter()
                        .map(|violation| format!("{} {}", violation.pointer, violation.message)),
                );
            }
            Err(error) => faults.push(error.to_string()),
        }
        faults
    }

    fn print(
        &self,
        method: &str,
        request: &Request<'_>,
        status: reqwest::StatusCode,
        lines: &[String],
        faults: &[String],
    ) {
        let title = format!("{}. {}", self.sent, request.title);
        anstream::println!("{}", self.paint("1", &title));
        let key = request.key.map(|(name, _)| format!("x-api-key: ${name}"));
        anstream::println!("   {method} {}   {}", request.path, key.as_deref().unwrap_or("no key"));
        if let Some(key) = request.idempotency_key {
            anstream::println!("   {IDEMPOTENCY_KEY}: {key}");
        }
        if let Some(body) = &request.body {
            anstream::println!("   {body}");
        }
        anstream::println!("   {}", self.paint("36", &format!("HTTP {status}")));
        for line in lines {
            anstream::println!("   {line}");
        }
        if faults.is_empty() {
            anstream::println!("   {}\n", self.paint("32", "✓ as documented"));
        } else {
            let faults = format!("✗ {}", faults.join("; "));
            anstream::println!("   {}\n", self.paint("31", &faults));
        }
    }

    fn paint(&self, colour: &str, text: &str) -> String {
        if self.coloured { format!("\u{1b}[{colour}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

fn no_response(error: reqwest::Error) -> Error {
    format!("a request of the tour got no response: {error}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_unlike_its_description_is_found() {
        let guide = Guide::new("http://127.0.0.1:1".to_owned()).unwrap();
        let operation = guide
            .document
            .operations()
            .iter()
            .find(|operation| operation.id == "getPayout")
            .unwrap();
        let mut headers = HeaderMap::new();
        headers.insert("content-type", "application/json".parse().unwrap());
        let faults = guide.faults(
            operation.response(200).unwrap(),
            &headers,
            &serde_json::json!({ "data": {} }),
        );
        assert!(
            faults.iter().any(|fault| fault.contains("x-ratelimit-limit-minute")),
            "{faults:?}"
        );
        assert!(faults.iter().any(|fault| fault.contains("/data/amount")), "{faults:?}");
    }
}
