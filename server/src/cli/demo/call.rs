//! One call of the tour: made over HTTP, printed for a person, judged by the document.
//!
//! It refuses to know what the server meant: status, headers and body are held against `openapi/api.yaml` alone.

use std::io::IsTerminal;

use payout_openapi::{Direction, Document, Response};
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::cli::output::say;
use crate::{cli::error::CliError, http::docs::DOCUMENT};

/// How many lines of a body are shown.
const BODY_LINES: usize = 12;
/// The headers that matter to a caller.
const SHOWN_HEADERS: [&str; 6] = [
    "x-ratelimit-limit-minute",
    "x-ratelimit-remaining-minute",
    "x-service-credits-limit-month",
    "x-service-credits-remaining-month",
    "retry-after",
    "x-request-id",
];

/// A call, and the status that must answer it.
#[derive(Debug)]
pub struct Call<'a> {
    /// What it shows.
    pub title: &'a str,
    /// The document's name for it.
    pub operation: &'a str,
    /// Path and query.
    pub path: String,
    /// The name and the text of the key; without it, none is sent.
    pub key: Option<(&'a str, &'a str)>,
    /// A JSON body.
    pub body: Option<Value>,
    /// The status that must come back.
    pub expected_status: u16,
}

/// Makes calls, prints them, judges them, and remembers whether all were right.
#[derive(Debug)]
pub struct Guide {
    client: reqwest::Client,
    document: Document,
    base: String,
    coloured: bool,
    made: usize,
    wrong: usize,
}

impl Guide {
    /// A guide for the server at `base`.
    ///
    /// # Errors
    /// No HTTP client can be made.
    pub fn new(base: String) -> Result<Self, CliError> {
        // Together with payout-client, reqwest is built with a TLS that needs to be told its cryptography, and panics
        // without, although this client speaks plain HTTP. An error means that somebody has told it already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .no_proxy()
            .build()
            .map_err(http_error)?;
        let document = Document::parse("openapi/api.yaml", DOCUMENT);
        let document = document.map_err(|error| CliError::told(error.to_string()))?;
        Ok(Self {
            client,
            document,
            base,
            coloured: std::io::stdout().is_terminal(),
            made: 0,
            wrong: 0,
        })
    }

    /// How many calls were made, and how many of them were not answered as the document says.
    #[must_use]
    pub fn made_and_wrong(&self) -> (usize, usize) {
        (self.made, self.wrong)
    }

    /// Makes one call; gives the answer's body.
    ///
    /// # Errors
    /// No answer came.
    ///
    /// # Panics
    /// Never: the tour names operations of the document.
    pub async fn call(&mut self, call: Call<'_>) -> Result<Value, CliError> {
        let operations = self.document.operations();
        let operation = operations
            .iter()
            .find(|operation| operation.id == call.operation);
        let operation = operation.expect("the tour names operations of the document");
        let method = operation.method.as_str();
        let verb = reqwest::Method::from_bytes(method.as_bytes()).expect("a method of OpenAPI");
        let mut request = self
            .client
            .request(verb, format!("{}{}", self.base, call.path));
        if let Some((_, key)) = call.key {
            request = request.header("x-api-key", key);
        }
        if let Some(body) = &call.body {
            request = request.json(body);
        }
        let answer = request.send().await.map_err(http_error)?;
        let status = answer.status();
        let headers = answer.headers().clone();
        let text = answer.text().await.map_err(http_error)?;
        let body: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        let mut faults = Vec::new();
        if status.as_u16() != call.expected_status {
            faults.push(format!("status {} was expected", call.expected_status));
        }
        match operation.response(status.as_u16()) {
            Some(response) => faults.extend(self.faults(response, &headers, &body)),
            None => faults.push("the document names no such status".to_owned()),
        }
        self.made += 1;
        self.wrong += usize::from(!faults.is_empty());
        self.print(method, &call, status, &headers, &body, &faults);
        Ok(body)
    }

    /// Downloads what a link leads to, without a key; `None`, and a wrong call, where that is no PDF.
    ///
    /// # Errors
    /// No answer came.
    pub async fn download(&mut self, url: &str) -> Result<Option<Vec<u8>>, CliError> {
        let answer = self.client.get(url).send().await.map_err(http_error)?;
        let status = answer.status();
        let bytes = answer.bytes().await.map_err(http_error)?;
        self.made += 1;
        let is_pdf = status.is_success() && bytes.starts_with(b"%PDF-");
        self.wrong += usize::from(!is_pdf);
        say!(
            "{}",
            self.paint(
                "1",
                &format!("{}. Download it: the link needs no key", self.made)
            )
        );
        say!("   {}", self.paint("36", &format!("HTTP {status}")));
        let verdict = match is_pdf {
            true => self.paint("32", "✓ a PDF"),
            false => self.paint("31", "✗ a PDF was expected"),
        };
        say!("   {} bytes\n   {verdict}\n", bytes.len());
        Ok(is_pdf.then(|| bytes.to_vec()))
    }

    /// How an answer differs from its description.
    fn faults(&self, response: &Response, headers: &HeaderMap, body: &Value) -> Vec<String> {
        let missing = response
            .headers
            .iter()
            .filter(|header| header.required && !headers.contains_key(&header.name));
        let mut faults: Vec<String> = missing
            .map(|header| format!("the header {} is missing", header.name))
            .collect();
        let content_type = headers
            .get("content-type")
            .and_then(|value| value.to_str().ok());
        let content = response
            .content
            .iter()
            .find(|media| Some(media.content_type.as_str()) == content_type);
        let Some(schema) = content.and_then(|media| media.schema_pointer.as_deref()) else {
            faults.push(format!(
                "the document names no content type {content_type:?}"
            ));
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
        call: &Call<'_>,
        status: reqwest::StatusCode,
        headers: &HeaderMap,
        body: &Value,
        faults: &[String],
    ) {
        say!(
            "{}",
            self.paint("1", &format!("{}. {}", self.made, call.title))
        );
        let key = call.key.map_or("no key".to_owned(), |(name, _)| {
            format!("x-api-key: ${name}")
        });
        say!("   {method} {}   {key}", call.path);
        if let Some(sent) = &call.body {
            say!("   {sent}");
        }
        say!("   {}", self.paint("36", &format!("HTTP {status}")));
        for name in SHOWN_HEADERS {
            if let Some(value) = headers.get(name).and_then(|value| value.to_str().ok()) {
                say!("   {name}: {value}");
            }
        }
        for line in excerpt(body) {
            say!("   {line}");
        }
        if faults.is_empty() {
            say!("   {}\n", self.paint("32", "✓ as the document says"));
        } else {
            say!(
                "   {}\n",
                self.paint("31", &format!("✗ {}", faults.join("; ")))
            );
        }
    }

    fn paint(&self, colour: &str, text: &str) -> String {
        if self.coloured {
            format!("\u{1b}[{colour}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

/// The first lines of a body.
fn excerpt(body: &Value) -> Vec<String> {
    let text = serde_json::to_string_pretty(body).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let mut shown: Vec<String> = lines
        .iter()
        .take(BODY_LINES)
        .map(|line| (*line).to_owned())
        .collect();
    if lines.len() > BODY_LINES {
        shown.push(format!("… {} more lines", lines.len() - BODY_LINES));
    }
    shown
}

fn http_error(error: reqwest::Error) -> CliError {
    CliError::told(format!("a call of the tour got no answer: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_body_says_how_much_is_left_out() {
        let body: Value = (0..20).collect();
        let lines = excerpt(&body);
        assert_eq!(lines.len(), BODY_LINES + 1);
        assert_eq!(lines[BODY_LINES], "… 10 more lines");
    }

    #[test]
    fn an_answer_unlike_its_description_is_found() {
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
            faults
                .iter()
                .any(|fault| fault.contains("x-ratelimit-limit-minute")),
            "{faults:?}"
        );
        assert!(
            faults.iter().any(|fault| fault.contains("/data/amount")),
            "{faults:?}"
        );
    }
}
