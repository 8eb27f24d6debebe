//! The requests of sessions, and what is shown of them.

use std::sync::atomic::{AtomicUsize, Ordering};

use heck::ToSnakeCase as _;
use poem::http::Method;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use sqlx::AssertSqlSafe;

use super::Session;
use crate::{
    failures::lines_of,
    log::requests,
    support::{Key, TestRequest, TestResponse, dataset::MAIN, wire::Connection},
};

/// The number of requests of all sessions: the log is one for all servers.
static NUMBER: AtomicUsize = AtomicUsize::new(0);
/// Actor, action, resource, and its state before and after.
type Row = (String, String, String, Option<Value>, Option<Value>);

/// A request, its id, and what is shown of its response.
pub(super) struct Sending {
    pub(super) request: TestRequest,
    pub(super) id: String,
    pub(super) shown: Vec<String>,
}

impl Session {
    /// Parses `[at replica] [as ORGANIZATION/KEY] METHOD PATH [HEADER=VALUE]… [BODY] [| SHOWN…]`:
    /// a request with main's key of all scopes unless another is named (`as nobody`: none), and a
    /// path below `/api/v1/` unless it begins with a slash. A body is JSON unless a header says
    /// otherwise. Shown are the status, the code of an error, and what is named: `text`, `ids`,
    /// `@header`, a JSON pointer, or members of `data`.
    pub(super) fn parse(&self, line: &str) -> Sending {
        let (line, shown) = line.split_once(" | ").unwrap_or((line, ""));
        let (server, line) = match line.strip_prefix("at replica ") {
            Some(line) => (self.replica.as_ref().expect("a replica"), line),
            None => (&*self.server, line),
        };
        let (head, body) = match line.find(['{', '[']) {
            Some(begin) => (&line[..begin], Some(&line[begin..])),
            None => (line, None),
        };
        let mut words: Vec<&str> = head.split_whitespace().collect();
        let key = match words[0] {
            "as" => words.drain(..2).nth(1).unwrap(),
            _ => "main/all",
        };
        let path = match words[1] {
            path if path.starts_with('/') => path.to_owned(),
            path => format!("/api/v1/{path}"),
        };
        let id = new_id();
        let method = Method::from_bytes(words[0].as_bytes()).unwrap();
        let mut request = server.request(method, &path).header("x-request-id", &id);
        if let Some(key) = key.split_once('/') {
            request = request.header("x-api-key", server.named_key(key));
        }
        for (name, value) in words[2..].iter().filter_map(|header| header.split_once('=')) {
            request = request.header(name, value);
        }
        if let Some(body) = body {
            if !head.contains(" content-type=") {
                request = request.header("content-type", "application/json");
            }
            request = request.body(body.to_owned());
        }
        let shown = shown.split_whitespace().map(str::to_owned).collect();
        Sending { request, id, shown }
    }

    pub(super) async fn request(&mut self, line: &str) -> String {
        let Sending { request, id, shown } = self.parse(line);
        let request = tokio::spawn(request.send());
        if let Some(held) = self.held.take() {
            while self.server.waiting().await == 0 {
                assert!(!request.is_finished(), "the request does not wait");
            }
            held.commit().await.unwrap();
        }
        let response = request.await.unwrap();
        if let Some(cursor) = response.next_cursor() {
            cursor.clone_into(&mut self.cursor);
        }
        if !response.code().is_empty() {
            self.errors.push(response.body.clone());
        }
        shown_of(&response, &shown) + &self.traces(&id).await
    }

    /// Returns the lines of the log and of the history that a request left, if they are shown.
    pub(super) async fn traces(&self, id: &str) -> String {
        let mut traces = String::new();
        if self.shows_lines || self.shows_log {
            // Written after all others of the request.
            let mut line = requests(id, 1).await.remove(0);
            let line = line.as_object_mut().unwrap();
            assert!(line.shift_remove("duration_us").is_some_and(|it| it.is_u64()));
            traces += &format!("  {}\n", without_id(line, id)).repeat(self.shows_lines.into());
        }
        if self.shows_log {
            for mut line in lines_of(id, 0).await {
                let names = ["level", "organization", "code", "sqlstate", "error"];
                let members = names.map(|name| line[name].as_str().unwrap_or("-").to_owned());
                let line = without_id(line.as_object_mut().unwrap(), id);
                let is_of_request = line["target"] == "request";
                let line = if is_of_request { members.join(" ") } else { line.to_string() };
                traces += &format!("  {line}\n");
            }
        }
        if self.shows_history {
            traces += &self.history(id).await;
        }
        traces
    }

    /// Reads a list with each set of the filters in `TABLE PATH [PARAMETER=VALUE]…`.
    pub(super) async fn walk(&self, line: &str) -> String {
        let words: Vec<&str> = line.split(' ').collect();
        let [table, path, filters @ ..] = &words[..] else { panic!("{line}") };
        let mut counts = Vec::new();
        for set in 0..1_usize << filters.len() {
            let (mut path, mut condition) = ((*path).to_owned(), "true".to_owned());
            for (_, filter) in filters.iter().enumerate().filter(|(at, _)| set & (1 << at) != 0) {
                let (name, value) = filter.split_once('=').unwrap();
                path += &format!("&{filter}");
                condition += &format!(" AND {} = '{value}'", name.to_snake_case());
            }
            let rows = format!(
                "SELECT id FROM {table} WHERE organization_id = '{MAIN}' AND {condition}
                  ORDER BY created_at DESC, id COLLATE \"C\" DESC"
            );
            let rows = sqlx::query_scalar::<_, String>(AssertSqlSafe(rows));
            let rows = rows.fetch_all(&self.server.superuser).await.unwrap();
            assert_eq!(self.ids(&path).await, rows, "{path}");
            counts.push(rows.len().to_string());
        }
        counts.join(" ") + "\n"
    }

    /// The ids of all pages of a list, which are full but for the last.
    async fn ids(&self, path: &str) -> Vec<String> {
        let (_, limit) = path.split_once("limit=").expect("a limit");
        let limit: usize = limit.split('&').next().unwrap().parse().unwrap();
        let (mut ids, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.server.get(Key::MAIN, &format!("/api/v1/{path}{cursor}"));
            let page = page.expect(200).await;
            let (on_page, next) = (page.ids(), page.next_cursor());
            assert!(on_page.len() == limit || next.is_none() && on_page.len() < limit, "{path}");
            assert!(!on_page.is_empty() || ids.is_empty(), "an empty page at the end of {path}");
            ids.extend(on_page);
            let Some(next) = next else { return ids };
            cursor = format!("&cursor={next}");
        }
    }

    async fn history(&self, request_id: &str) -> String {
        let rows = "SELECT actor, action, resource_id, before, after FROM history
                     WHERE request_id = $1
                     ORDER BY action, after ->> 'partnerId', after ->> 'currency', resource_id";
        let rows = sqlx::query_as(rows).bind(request_id);
        let rows: Vec<Row> = rows.fetch_all(&self.server.superuser).await.unwrap();
        let shown = rows.into_iter().map(|(actor, action, resource, before, after)| {
            let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
            format!("  {actor} {action} {resource}\n    before {before}\n    after  {after}\n")
        });
        shown.collect()
    }
}

/// A line of the log without what differs from run to run.
fn without_id(line: &mut Map<String, Value>, id: &str) -> Value {
    assert!(line.shift_remove("timestamp").is_some_and(|it| it.is_string()));
    assert_eq!(line.shift_remove("request_id").unwrap(), id);
    line.clone().into()
}

pub(super) fn new_id() -> String {
    format!("session-{:05}", NUMBER.fetch_add(1, Ordering::SeqCst))
}

/// The status of a link, and with it the code of an error or the digest of a PDF.
pub(super) async fn download(request: reqwest::RequestBuilder) -> String {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let bytes = response.bytes().await.unwrap();
    let error = serde_json::from_slice::<Value>(&bytes).unwrap_or_default();
    match error["error"]["code"].as_str() {
        Some(code) => {
            assert_eq!(headers["content-type"], "application/json");
            assert_eq!(headers["cache-control"], "private, no-store");
            format!("{status} {code}\n")
        }
        None => format!("{status} pdf_{}\n", hex::encode_upper(&Sha256::digest(bytes)[..13])),
    }
}

/// The status of a response, and its lines that begin so.
pub(super) async fn read(request: reqwest::RequestBuilder, prefix: &str) -> String {
    let response = request.send().await.unwrap();
    let (status, text) = (response.status().as_u16(), response.text().await.unwrap());
    let lines = text.lines().filter(|line| line.starts_with(prefix));
    format!("{status} {}\n", lines.collect::<Vec<_>>().join("\n"))
}

/// Sends bytes as they are; shows each response, up to one after which the connection closes.
pub(super) async fn wire(base_url: &str, bytes: &str) -> String {
    let mut connection = Connection::open(base_url).await;
    connection.send(bytes.replace("\\n", "\r\n")).await;
    let mut shown = String::new();
    while let Some((status, headers, text)) = connection.next().await {
        let is_last = headers.get("connection").is_some_and(|value| value == "close");
        shown += &match headers.contains_key("x-request-id") {
            true => shown_of(&TestResponse::read(status, headers, text), &["/error".to_owned()]),
            false => format!("{status} of the HTTP library, {} bytes\n", text.len()),
        };
        if is_last {
            break;
        }
    }
    shown
}

/// The status, the code of an error, and what is to be shown.
pub(super) fn shown_of(response: &TestResponse, shown: &[String]) -> String {
    let (status, code) = (response.status.as_u16().to_string(), response.code().to_owned());
    let shown = shown.iter().map(|shown| show(response, shown));
    let shown = [status, code].into_iter().chain(shown).collect::<Vec<_>>().join(" ");
    shown.replacen("  ", " ", 1).trim_end().to_owned() + "\n"
}

fn show(response: &TestResponse, shown: &str) -> String {
    let pointer = match shown.strip_prefix('@') {
        Some(header) => return response.header(header).unwrap_or("-").to_owned(),
        None if shown == "text" => return response.text.clone(),
        None if shown == "ids" => return response.ids().join(" "),
        None if shown.starts_with('/') => shown.to_owned(),
        None => format!("/data/{}", shown.replace('.', "/")),
    };
    match response.body.pointer(&pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "-".to_owned(),
    }
}
