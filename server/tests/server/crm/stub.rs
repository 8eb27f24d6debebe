//! A CRM: it checks each request by HubSpot's description of its API, and answers as the test says.

use std::{
    collections::VecDeque,
    sync::{Arc, LazyLock},
};

use openapi_document::{Document, Location};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use url::Url;

pub(super) const TOKEN: &str = "pat-eu1-canary-5b1f";

static HUBSPOT: LazyLock<Document> = LazyLock::new(|| {
    Document::parse("hubspot.yaml", include_str!("hubspot.yaml")).expect("a sound document")
});

/// What the CRM does with a request.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// The object, with these properties.
    Object(String),
    /// This status, these headers, and a body.
    Status(u16, &'static str, String),
    /// Ends the connection before the answer, or amid it.
    Cut(&'static str),
    /// Answers with this object once it is released.
    Held(String),
    /// Never answers.
    Silent,
}

impl Answer {
    pub(super) fn status(status: u16) -> Self {
        Self::Status(status, "", r#"{"status":"error"}"#.to_owned())
    }

    pub(super) fn object(properties: &str) -> Self {
        Self::Object(properties.to_owned())
    }
}

/// A request that the CRM saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) object_type: String,
    pub(super) object_id: String,
    pub(super) properties: String,
}

#[derive(Default)]
struct State {
    seen: Vec<Seen>,
    /// The next answers; then every answer is the usual one.
    answers: VecDeque<Answer>,
    usual: Option<Answer>,
    /// Objects that are asked for at this moment, and those that were asked for twice at a time.
    open: Vec<String>,
    twice: Vec<String>,
    most_open: usize,
}

/// A running CRM.
#[derive(Clone)]
pub(super) struct Crm {
    pub(super) port: u16,
    state: Arc<Mutex<State>>,
    /// One permit lets one held answer go.
    released: Arc<Semaphore>,
}

impl Crm {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let crm = Self { port, state: Arc::default(), released: Arc::new(Semaphore::new(0)) };
        crm.answer_all(Answer::object(r#"{"region":"EMEA"}"#));
        let running = crm.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(running.clone().serve(stream));
            }
        });
        crm
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Answers every request alike, but for those that `answer` names.
    pub(super) fn answer_all(&self, answer: Answer) {
        self.state.lock().usual = Some(answer);
    }

    /// Answers the next requests so, one after the other.
    pub(super) fn answer(&self, answers: impl IntoIterator<Item = Answer>) {
        self.state.lock().answers.extend(answers);
    }

    /// Lets so many held answers go.
    pub(super) fn release(&self, answers: usize) {
        self.released.add_permits(answers);
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.state.lock().seen.clone()
    }

    pub(super) fn open(&self) -> usize {
        self.state.lock().open.len()
    }

    /// The most requests that were open at a time; objects that were asked for twice at a time.
    pub(super) fn peak(&self) -> (usize, Vec<String>) {
        let state = self.state.lock();
        (state.most_open, state.twice.clone())
    }

    async fn serve(self, mut stream: TcpStream) {
        let Some(head) = read_head(&mut stream).await else { return };
        let seen = check(&head);
        let object = format!("{}/{}", seen.object_type, seen.object_id);
        let answer = {
            let mut state = self.state.lock();
            state.seen.push(seen.clone());
            if state.open.contains(&object) {
                state.twice.push(object.clone());
            }
            state.open.push(object.clone());
            state.most_open = state.most_open.max(state.open.len());
            state.answers.pop_front().or_else(|| state.usual.clone()).unwrap()
        };
        self.respond(&mut stream, answer, &seen).await;
        let mut state = self.state.lock();
        let index = state.open.iter().position(|open| *open == object).unwrap();
        state.open.remove(index);
    }

    async fn respond(&self, stream: &mut TcpStream, answer: Answer, seen: &Seen) {
        let (status, headers, body) = match answer {
            Answer::Object(properties) => (200, "", object(seen, &properties)),
            Answer::Status(status, headers, body) => (status, headers, body),
            Answer::Cut(begin) => {
                let _ = stream.write_all(begin.as_bytes()).await;
                return;
            }
            Answer::Held(properties) => {
                // A client that gives up meanwhile ends the connection.
                let mut nothing = [0; 1];
                tokio::select! {
                    permit = self.released.acquire() => permit.unwrap().forget(),
                    _ = stream.read(&mut nothing) => return,
                }
                (200, "", object(seen, &properties))
            }
            Answer::Silent => {
                let mut nothing = [0; 1];
                let _ = stream.read(&mut nothing).await;
                return;
            }
        };
        let head = format!(
            "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
             connection: close\r\n{headers}\r\n",
            body.len()
        );
        let _ = stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await;
    }
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0; 1];
        if stream.read(&mut byte).await.ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    String::from_utf8(head).ok()
}

/// Checks a request by the description: method, path, parameters, the token, and no body.
fn check(head: &str) -> Seen {
    let mut lines = head.trim_end().lines();
    let line: Vec<&str> = lines.next().unwrap().split(' ').collect();
    let [method, target, "HTTP/1.1"] = line[..] else { panic!("{line:?}") };
    let operation = &HUBSPOT.operations()[0];
    assert_eq!(method, operation.method.as_str());
    let url = Url::parse(&format!("http://crm{target}")).unwrap();
    let mut path = url.path().split('/');
    let mut values = Vec::new();
    for part in operation.path.split('/') {
        let segment = path.next().unwrap();
        let is_parameter = part.starts_with('{');
        assert!(is_parameter || part == segment, "{target} is no {}", operation.path);
        if is_parameter {
            assert!(!segment.is_empty(), "{target}");
            let decoded = percent_encoding::percent_decode_str(segment).decode_utf8().unwrap();
            values.push(decoded.into_owned());
        }
    }
    assert_eq!(path.next(), None, "{target} is no {}", operation.path);
    let of_query = operation.parameters.iter().filter(|known| known.location == Location::Query);
    let names: Vec<&str> = of_query.map(|known| known.name.as_str()).collect();
    let mut properties = String::new();
    for (name, value) in url.query_pairs() {
        assert!(names.contains(&&*name), "{name} is no parameter: {target}");
        if name == "properties" {
            properties = value.into_owned();
        }
    }
    let headers: Vec<(String, &str)> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .collect();
    let of = |name: &str| {
        let values: Vec<&str> =
            headers.iter().filter(|(known, _)| known == name).map(|(_, value)| *value).collect();
        values
    };
    assert_eq!(of("authorization"), [format!("Bearer {TOKEN}")]);
    assert_eq!(of("accept"), ["application/json"]);
    for absent in ["content-length", "transfer-encoding", "cookie", "referer", "x-b"] {
        assert!(of(absent).is_empty(), "{absent} in {head}");
    }
    let [object_type, object_id] = values.try_into().unwrap();
    Seen { object_type, object_id, properties }
}

/// An object as the description has it, with these properties and one that nobody asked for.
fn object(seen: &Seen, properties: &str) -> String {
    let now = "2026-06-15T12:00:00.000Z";
    let mut object = json!({
        "id": seen.object_id, "archived": false, "createdAt": now, "updatedAt": now,
        "properties": serde_json::from_str::<Value>(properties).unwrap(),
    });
    object["properties"]["hs_lastmodifieddate"] = now.into();
    let operation = &HUBSPOT.operations()[0];
    let media = &operation.response(200).unwrap().content[0];
    let schema = media.schema_pointer.as_ref().unwrap();
    let validator =
        HUBSPOT.validator(schema, openapi_document::Direction::Response).expect("a schema");
    assert!(validator.is_valid(&object), "{object}");
    object.to_string()
}
