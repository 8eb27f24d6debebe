//! One generated request and its known faults. It is always well-formed HTTP: the library answers
//! anything else.

use std::fmt;

use bytes::Bytes;
use http_body_util::Full;
use openapi_document::{Direction, Location, Operation};
use poem::http::Request;
use serde_json::Value;

use super::{
    expectation::{Caller, Expectation, Fault, Route},
    path::{self, encoded},
    values,
    world::{KEYS, World},
};
use crate::{
    matrices::document::{DOCUMENT, validator},
    support::Random,
};

const VERSION: &str = "2026-05-20";
/// One request.
pub(super) struct Generated {
    method: String,
    target: String,
    pub(super) headers: Vec<(&'static str, Vec<u8>)>,
    pub(super) body: Vec<u8>,
    pub(super) expectation: Expectation,
}

impl Generated {
    /// The request generated from these numbers.
    pub(super) fn new(random: &mut Random, world: &World) -> Self {
        let operations = DOCUMENT.operations();
        let meant = &operations[random.next(operations.len())];
        let method = path::method(random, meant);
        let path = path::path(random, world, meant);
        let route = Route::of(&method, &path);
        // An altered path may match another operation.
        let operation = match &route {
            Route::Operation(operation) => operation,
            Route::OtherMethods(_) | Route::Unknown => meant,
        };
        let mut generated = Self {
            method,
            target: path,
            headers: Vec::new(),
            body: Vec::new(),
            expectation: Expectation {
                route,
                caller: Caller::Nobody,
                faults: Vec::new(),
                request_id: None,
            },
        };
        generated.expectation.caller = generated.with_key(random, world, operation);
        generated.with_query(random, world, operation);
        generated.with_version(random);
        generated.with_body(random, world, operation);
        generated.with_noise(random);
        generated
    }

    /// The request as sent.
    pub(super) fn to_http(&self) -> Request<Full<Bytes>> {
        let mut request = Request::builder().method(self.method.as_str()).uri(&self.target);
        for (name, value) in &self.headers {
            request = request.header(*name, value.as_slice());
        }
        let request = request.header("host", "localhost");
        request.body(Full::from(self.body.clone())).expect("a request of HTTP")
    }

    fn with_key(&mut self, random: &mut Random, world: &World, operation: &Operation) -> Caller {
        let scope = operation.scope.as_deref().unwrap_or_default();
        let (organization, name) =
            if random.next(10) < 8 { KEYS[0] } else { KEYS[random.next(KEYS.len())] };
        let key = world.keys[&(organization, name)].as_bytes().to_vec();
        let mistaken = match random.next(60) {
            0 => Vec::new(),
            1 => vec![key.clone(), key],
            2 => vec![values::hostile(random).replace(char::is_control, "?").into_bytes()],
            3 => vec![b"k".repeat(16_000)],
            4 => {
                self.headers.push(("authorization", [b"Bearer ", key.as_slice()].concat()));
                Vec::new()
            }
            5 => vec![[key.as_slice(), b"0"].concat()],
            6 => vec![key.to_ascii_uppercase()],
            _ => {
                self.headers.push(("x-api-key", key));
                let has_scope = name == "all" || name == scope.replace(':', "-");
                return match (organization, name) {
                    (_, "expired" | "revoked") => Caller::Nobody,
                    ("tight", _) => Caller::Hurried { has_scope },
                    _ if !has_scope => Caller::WithoutScope,
                    ("exhausted", _) => Caller::WithoutCredits,
                    _ => Caller::Welcome,
                };
            }
        };
        self.headers.extend(mistaken.into_iter().map(|key| ("x-api-key", key)));
        Caller::Nobody
    }

    fn with_query(&mut self, random: &mut Random, world: &World, operation: &Operation) {
        let mut parts = Vec::new();
        let in_query =
            operation.parameters.iter().filter(|parameter| parameter.location == Location::Query);
        let filters = in_query
            .clone()
            .filter(|parameter| !matches!(parameter.name.as_str(), "limit" | "cursor"));
        let filters: Vec<_> = filters.filter(|_| random.once_in(3)).collect();
        for parameter in in_query {
            let is_chosen = match parameter.name.as_str() {
                "limit" | "cursor" => random.once_in(3),
                name => filters.iter().any(|filter| filter.name == name),
            };
            if !is_chosen {
                continue;
            }
            let pointer = parameter.schema_pointer.as_deref().expect("each parameter has a schema");
            let name = parameter.name.as_str();
            let text = match world.cursors.get(&operation.id) {
                Some(cursor) if name == "cursor" && !random.once_in(4) => cursor.clone(),
                _ => values::text(random, world, name, pointer),
            };
            if name == "cursor"
                && !(filters.is_empty() && world.cursors.get(&operation.id) == Some(&text))
            {
                self.fault(Fault::new(400));
            }
            if !takes(pointer, name, &text) {
                self.fault(Fault::at("query", &format!("/{name}")));
            }
            parts.push(format!("{name}={}", encoded(&text)));
            // Of a repeated cursor the first is checked.
            if random.once_in(16) {
                self.fault(Fault::at("query", &format!("/{name}")));
                parts.push(format!("{name}={}", encoded(&text)));
            }
        }
        if random.once_in(16) {
            let name = random.pick(&["offset", "Limit", "x-api-key", "a/b~c", "\u{1F680}", "[]"]);
            self.fault(Fault::at(
                "query",
                &format!("/{}", name.replace('~', "~0").replace('/', "~1")),
            ));
            parts.push(format!("{}={}", encoded(name), encoded(&values::hostile(random))));
        }
        if random.once_in(30) {
            self.fault(Fault::new(422));
            parts.push(random.pick(&["%", "a=%zz", "a=%ff", "%c3=1", "a=%4"]).to_owned());
        }
        if !parts.is_empty() || random.once_in(20) {
            self.target = format!("{}?{}", self.target, parts.join("&"));
        }
    }

    fn with_version(&mut self, random: &mut Random) {
        let versions: &[&str] = match random.next(40) {
            0 => &["1999-12-31"],
            1 => &[""],
            2 => &["é"],
            3 => &[VERSION, VERSION],
            4 => &[VERSION, "1999-12-31"],
            5..=9 => &[VERSION],
            _ => &[],
        };
        if versions.first().is_some_and(|version| *version != VERSION) {
            self.fault(Fault::new(400));
        } else if versions.len() > 1 {
            self.fault(Fault::at("header", "/api-version"));
        }
        let headers = versions.iter().map(|version| ("api-version", version.as_bytes().to_vec()));
        self.headers.extend(headers);
    }

    /// Headers that change no response.
    fn with_noise(&mut self, random: &mut Random) {
        if random.once_in(4) {
            let id = random.pick(&["abc", "A.b_c-9", "", "a b", "é", "../x", "<script>"]);
            let is_echoed = !id.is_empty()
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
            self.expectation.request_id = is_echoed.then(|| id.to_owned());
            self.headers.push(("x-request-id", id.as_bytes().to_vec()));
        }
        let noise = [
            ("accept", "text/html"),
            ("accept-encoding", "gzip, br"),
            ("connection", "close"),
            ("content-encoding", "gzip"),
            ("cookie", "session=\u{ff}"),
            ("if-none-match", "*"),
            ("range", "bytes=0-1"),
            ("x-forwarded-for", "203.0.113.7, é"),
            ("x-http-method-override", "DELETE"),
        ];
        for (name, value) in noise.into_iter().filter(|_| random.once_in(30)) {
            self.headers.push((name, value.as_bytes().to_vec()));
        }
    }

    pub(super) fn fault(&mut self, fault: Fault) {
        self.expectation.faults.push(fault);
    }
}

impl fmt::Display for Generated {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{} {}", self.method, self.target)?;
        for (name, value) in &self.headers {
            writeln!(formatter, "{name}: {}", value.escape_ascii())?;
        }
        let shown = &self.body[..self.body.len().min(2_048)];
        write!(formatter, "\n{}\n({} bytes)", shown.escape_ascii(), self.body.len())
    }
}

/// Whether a parameter's schema accepts the text; U+0000 is never accepted (R3), and a number has
/// one spelling (R6).
fn takes(pointer: &str, name: &str, text: &str) -> bool {
    let number = || text.parse::<i64>().ok().filter(|number| number.to_string() == text);
    let value = match name {
        "limit" => number().map(Value::from),
        _ => (!text.contains('\0')).then(|| Value::from(text)),
    };
    let judge = validator(pointer, Direction::Request);
    value.is_some_and(|value| judge.is_valid(&value))
}
