//! Sends the requests of the tour over HTTP, prints them, and compares each response with
//! `openapi/api.yaml`. `anstream` removes the colours where the output is no terminal.

use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
};

use openapi_document::{Direction, Document, Response};
use payout_server::tools::{DOCUMENT, OrganizationId, Tenants, mature_all};
use reqwest::{StatusCode, header::HeaderMap, redirect::Policy};
use serde_json::Value;

use super::{
    body,
    tour::{Request, key},
};
use crate::{Error, import::Imported, key_file::variable};

const PREFIX: &str = "/api/v1";
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

pub(super) struct Guide<'a> {
    client: reqwest::Client,
    document: Document,
    base_url: String,
    imported: &'a [Imported],
    /// Saved values of responses by their names.
    values: BTreeMap<&'a str, String>,
    /// Keys that were used, also none.
    keys: HashSet<&'a str>,
    latest: Value,
    sent: usize,
    wrong: usize,
}

impl<'a> Guide<'a> {
    pub(super) fn new(base_url: String, imported: &'a [Imported]) -> Result<Self, Error> {
        // The server's features make reqwest panic without a default provider of TLS, although this
        // client speaks plain HTTP. An error means that there is one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Ok(Self {
            client: reqwest::Client::builder().no_proxy().redirect(Policy::none()).build()?,
            document: Document::parse("openapi/api.yaml", DOCUMENT)?,
            base_url,
            imported,
            values: BTreeMap::new(),
            keys: HashSet::new(),
            latest: Value::Null,
            sent: 0,
            wrong: 0,
        })
    }

    /// Returns the number of requests that were sent, and of those that got a wrong response.
    pub(super) fn sent_and_wrong(&self) -> (usize, usize) {
        (self.sent, self.wrong)
    }

    pub(super) async fn send(&mut self, request: &'a Request) -> Result<Value, Error> {
        let mut operations = self.document.operations().iter();
        let operation = operations.find(|operation| operation.id == request.operation);
        let operation = operation.expect("the tour names operations of the document");
        let method = operation.method.as_str();
        let verb = reqwest::Method::from_bytes(method.as_bytes()).expect("a method of OpenAPI");
        let path = format!("{PREFIX}{}", self.filled(&request.path));
        let mut sent = self.client.request(verb, format!("{}{path}", self.base_url));
        let mut lines = Vec::new();
        let mut named = "no key".to_owned();
        if let Some((organization, name)) = request.key.split_once(' ') {
            sent = sent.header("x-api-key", key(self.imported, organization, name));
            named = format!("x-api-key: ${}", variable(organization, name));
        }
        lines.push(format!("{method} {path}   {named}"));
        if let Some(key) = &request.idempotency_key {
            sent = sent.header(IDEMPOTENCY_KEY, key);
            lines.push(format!("{IDEMPOTENCY_KEY}: {key}"));
        }
        if let Some(body) = &request.body {
            let body = self.filled(body);
            sent = sent.header("content-type", "application/json").body(body.clone());
            lines.push(body);
        }
        let response = sent.send().await.map_err(no_response)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let text = response.text().await.map_err(no_response)?;
        let body: Value = serde_json::from_str(&text).unwrap_or(Value::Null);

        let mut faults = Vec::new();
        if status.as_u16() != request.status {
            faults.push(format!("expected status {}", request.status));
        }
        match operation.response(status.as_u16()) {
            Some(response) => faults.extend(self.faults(response, &headers, &body)),
            None => faults.push("the document has no such status".to_owned()),
        }
        if request.is_replayed != headers.contains_key(REPLAYED) {
            faults.push(format!("{REPLAYED} is expected on a repeated response alone"));
        }
        if request.is_replayed && self.latest != body {
            faults.push("not the first response again".to_owned());
        }
        let common = if self.keys.insert(&request.key) { &COMMON_HEADERS[..] } else { &[] };
        let mut shown: Vec<String> = RARE_HEADERS
            .iter()
            .chain(common)
            .filter_map(|name| Some(format!("{name}: {}", headers.get(*name)?.to_str().ok()?)))
            .collect();
        shown.extend(body::lines(&body, &request.shows));
        self.print(&request.title, &lines, status, &shown, ("as documented", &faults));
        for (name, pointer) in &request.save {
            // After a wrong response, which was counted, the next request gets a 404.
            let value = body.pointer(pointer).and_then(Value::as_str).unwrap_or("none");
            self.values.insert(name, value.to_owned());
        }
        self.latest = body.clone();
        Ok(body)
    }

    /// Downloads the PDF of a statement without a key, and saves it; returns where. Anything else
    /// counts as wrong, and is `None`.
    pub(super) async fn download(
        &mut self,
        statement: &Value,
        folder: &Path,
    ) -> Result<Option<PathBuf>, Error> {
        let (Some(url), Some(filename)) =
            (statement["downloadUrl"].as_str(), statement["filename"].as_str())
        else {
            return Ok(None);
        };
        let response = self.client.get(url).send().await.map_err(no_response)?;
        let status = response.status();
        let bytes = response.bytes().await.map_err(no_response)?;
        let is_pdf = status.is_success() && bytes.starts_with(b"%PDF-");
        let faults = if is_pdf { vec![] } else { vec!["expected a PDF".to_owned()] };
        let size = format!("{} bytes", bytes.len());
        let title = "Download it: the link needs no key";
        self.print(title, &[], status, &[size], ("a PDF", &faults));
        if !is_pdf || filename.contains(['/', '\\']) {
            return Ok(None);
        }
        let path = folder.join(filename);
        std::fs::write(&path, bytes)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(Some(path))
    }

    /// Reads the page of a link into the portal; returns the link. Anything else counts as wrong,
    /// and is `None`.
    pub(super) async fn read_link(&mut self, session: &Value) -> Result<Option<String>, Error> {
        let Some(url) = session["url"].as_str() else { return Ok(None) };
        let response = self.client.get(url).send().await.map_err(no_response)?;
        let (status, page) = (response.status(), response.text().await.map_err(no_response)?);
        let is_page = status.is_success() && page.contains("<form");
        let faults =
            if is_page { vec![] } else { vec!["expected a page with a button".to_owned()] };
        let title = "Read the link: its button is still to be pressed";
        self.print(title, &[], status, &[], ("a page with a button", &faults));
        Ok(is_page.then(|| url.to_owned()))
    }

    /// Visits an affiliate link without following it, and saves the id of the click.
    pub(super) async fn visit(&mut self, link: &str) -> Result<(), Error> {
        let url = format!("{}{link}", self.base_url);
        let response = self.client.get(url).send().await.map_err(no_response)?;
        let status = response.status();
        let target = response.headers().get("location").and_then(|target| target.to_str().ok());
        let click = target.and_then(|target| target.split_once("clickId="));
        let faults = if click.is_some() {
            vec![]
        } else {
            vec!["expected a target with a click".to_owned()]
        };
        let shown = [format!("location: {}", target.unwrap_or_default())];
        let request = [format!("GET {link}   no key")];
        let title = "A customer visits the partner's link";
        self.print(title, &request, status, &shown, ("a way to the shop", &faults));
        self.values.insert("click", click.map_or("none", |(_, click)| click).to_owned());
        Ok(())
    }

    /// Matures the expected lines of these organisations whose hold is over.
    pub(super) async fn mature(
        &self,
        tenants: &Tenants,
        organizations: impl Iterator<Item = &OrganizationId>,
    ) -> Result<(), Error> {
        let mut matured = 0;
        for organization in organizations {
            matured += mature_all(tenants, organization, |_| {}).await?;
        }
        anstream::println!("   $ payout-server commission-lines mature");
        anstream::println!("   {matured} lines are pending now\n");
        Ok(())
    }

    /// The text with saved values in place of their names.
    fn filled(&self, text: &str) -> String {
        let fill = |text: String, (name, value): (&&str, &String)| {
            text.replace(&format!("{{{name}}}"), value)
        };
        self.values.iter().fold(text.to_owned(), fill)
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
        &mut self,
        title: &str,
        request: &[String],
        status: StatusCode,
        response: &[String],
        (claim, faults): (&str, &[String]),
    ) {
        self.sent += 1;
        self.wrong += usize::from(!faults.is_empty());
        let status = format!("\u{1b}[36mHTTP {status}\u{1b}[0m");
        let verdict = match faults {
            [] => format!("\u{1b}[32m✓ {claim}\u{1b}[0m"),
            faults => format!("\u{1b}[31m✗ {}\u{1b}[0m", faults.join("; ")),
        };
        anstream::println!("\u{1b}[1m{}. {title}\u{1b}[0m", self.sent);
        for line in request.iter().chain([&status]).chain(response).chain([&verdict]) {
            anstream::println!("   {line}");
        }
        anstream::println!();
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
        let guide = Guide::new("http://127.0.0.1:1".to_owned(), &[]).unwrap();
        let mut operations = guide.document.operations().iter();
        let operation = operations.find(|operation| operation.id == "getPayout").unwrap();
        let mut headers = HeaderMap::new();
        headers.insert("content-type", "application/json".parse().unwrap());
        let body = serde_json::json!({ "data": {} });
        let faults = guide.faults(operation.response(200).unwrap(), &headers, &body).join("\n");
        assert!(faults.contains("x-ratelimit-limit-minute"), "{faults}");
        assert!(faults.contains("/data/amount"), "{faults}");
    }
}
