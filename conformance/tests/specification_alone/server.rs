//! A deployment that keeps every sentence of the specification and departs from the decisions: form
//! before key, other statuses and codes, no request id, other costs, another order of lists.

use std::{
    collections::HashMap,
    convert::Infallible,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Instant,
};

use bytes::Bytes;
use chrono::{DateTime, Datelike as _, FixedOffset, TimeZone as _, Utc};
use http_body_util::{BodyExt as _, Full};
use hyper::{Request, Response, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{
    data::{self, Item},
    files::Files,
    operations::patch_of,
};

/// The hook `create_key` prints it.
const MADE: &str = "sk-made-0a1b2c";

/// The key of a role of the target file.
pub(crate) fn key(role: &str) -> String {
    format!("sk-{role}-7f3b9c1d")
}

/// Organisation and scopes of a key; `None` where it is not valid.
fn holder(text: &str, files: &Files) -> Option<(&'static str, &'static str)> {
    if text == MADE && files.hooked("made").is_some() {
        return data::holder("all");
    }
    data::holder(text.strip_prefix("sk-")?.strip_suffix("-7f3b9c1d")?)
}

pub(crate) struct State {
    pub(crate) base_url: String,
    begun: Instant,
    pub(crate) files: Files,
    pub(crate) partners: Vec<Item>,
    pub(crate) lines: Vec<Item>,
    pub(crate) payouts: Vec<Item>,
    /// Credits that are spent, by organisation.
    spent: HashMap<&'static str, u64>,
    /// Requests of the minutes since the start, by key.
    minutes: HashMap<(String, u64), u64>,
    /// The time of the last change: no two are the same.
    pub(crate) changed: DateTime<Utc>,
}

pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) path: Vec<String>,
    pub(crate) query: HashMap<String, String>,
    pub(crate) key: Option<String>,
    pub(crate) body: Bytes,
}

struct Answer {
    status: u16,
    body: Value,
    headers: Vec<(&'static str, String)>,
}

/// A body, or the status and message of an error.
pub(crate) type Handled<T = Value> = Result<T, (u16, &'static str)>;

pub(crate) async fn start(folder: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let made = json!({ "id": "7", "key": MADE });
    std::fs::write(folder.join("key.json"), made.to_string()).unwrap();
    let state = Arc::new(Mutex::new(State {
        base_url: base_url.clone(),
        begun: Instant::now(),
        files: Files::new(folder),
        partners: data::partners(),
        lines: data::lines(),
        payouts: data::payouts(),
        spent: HashMap::new(),
        minutes: HashMap::new(),
        changed: Utc::now(),
    }));
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let state = Arc::clone(&state);
            let service = service_fn(move |request| respond(request, Arc::clone(&state)));
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    base_url
}

async fn respond(
    request: Request<Incoming>,
    state: Arc<Mutex<State>>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let key = head.headers.get("x-api-key").and_then(|key| key.to_str().ok()).map(str::to_owned);
    let (path, query) = (head.uri.path(), head.uri.query().unwrap_or_default());
    let mut state = state.lock().unwrap();
    let html = |status: u16| {
        let page = Response::builder().status(status).header("content-type", "text/html");
        page.body(Full::from("<h1>No</h1>")).unwrap()
    };
    if path.starts_with("/files/") {
        let document = state.files.follow(path, query).filter(|_| key.is_none());
        return Ok(document.map_or_else(|| html(410), |pdf| Response::new(Full::from(pdf))));
    }
    let Some(path) = path.strip_prefix("/api/v1/") else { return Ok(html(404)) };
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let call = Call {
        method: head.method.to_string(),
        path: path.split('/').map(decoded).collect(),
        // Of a repeated parameter the last one counts; unknown ones are ignored.
        query: pairs.map(|(name, value)| (decoded(name), decoded(value))).collect(),
        key,
        body,
    };
    let Some((scope, cost)) = route(&call) else { return Ok(html(404)) };
    let answer = state.answer(&call, scope, cost);
    let mut response = Response::builder().status(answer.status);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    let response = response.header("content-type", "application/json; charset=utf-8");
    Ok(response.body(Full::from(format!("{:#}", answer.body))).unwrap())
}

/// The scope of an operation, and the credits it costs.
fn route(call: &Call) -> Option<(&'static str, u64)> {
    let path: Vec<&str> = call.path.iter().map(String::as_str).collect();
    Some(match (call.method.as_str(), &path[..]) {
        ("GET", ["partners"]) => ("partners:read", 0),
        ("GET", ["partners", _]) => ("partners:read", 1),
        ("PATCH", ["partners", _]) => ("partners:write", 3),
        ("GET", ["commission-lines"]) => ("commissions:read", 0),
        ("POST", ["commission-lines", _, "detach"]) => ("commissions:write", 2),
        ("GET", ["payouts", _]) => ("commissions:read", 1),
        ("POST", ["payouts", _, "statement"]) => ("commissions:write", 5),
        _ => return None,
    })
}

/// The limit of a page; one above 100 is 100.
pub(crate) fn limit(call: &Call) -> Handled<usize> {
    let default = if call.path[0] == "partners" { 10 } else { 25 };
    match call.query.get("limit").map(|limit| limit.trim().parse::<usize>()) {
        None => Ok(default),
        Some(Ok(limit)) if limit > 0 => Ok(limit.min(100)),
        Some(_) => Err((400, "bad limit")),
    }
}

impl State {
    fn answer(&mut self, call: &Call, scope: &str, cost: u64) -> Answer {
        // A wrong form comes before the key. A body where none is needed is one.
        let is_surplus = call.method == "POST" && !call.body.is_empty();
        let form = limit(call).and_then(|_| patch_of(call).map(drop));
        let form = form.and(if is_surplus { Err((400, "no body")) } else { Ok(()) });
        let holder = call.key.as_deref().and_then(|key| holder(key, &self.files));
        let (minute_limit, used) = self.count(call, holder.is_some_and(|(org, _)| org == "tight"));
        let is_late = used >= minute_limit;
        let handled = match (form, holder) {
            (Err(error), _) => Err(error),
            (Ok(()), None) => Err((401, "no valid key")),
            (Ok(()), Some(_)) if is_late => Err((429, "slower")),
            (Ok(()), Some((_, scopes))) if !scopes.split(' ').any(|own| own == scope) => {
                Err((403, "not yours"))
            }
            // It has nothing that could be changed: what it names is looked up before its credits.
            (Ok(()), Some(("exhausted", _))) => {
                self.handle(call, "exhausted").and(Err((402, "no credits")))
            }
            (Ok(()), Some((organization, _))) => self.handle(call, organization),
        };
        let status = handled.as_ref().map_or_else(|(status, _)| *status, |_| 200);
        let body = handled.unwrap_or_else(|(status, why)| {
            let error = json!({ "code": format!("x.{status}"), "message": why });
            json!({ "error": error, "support": "call us" })
        });
        let mut headers = vec![
            ("x-ratelimit-limit-minute", minute_limit.to_string()),
            ("x-ratelimit-remaining-minute", (minute_limit - used.min(minute_limit)).to_string()),
        ];
        if status == 402 {
            headers.push(("retry-after", until_next_month().to_string()));
        }
        // A rejected request costs a credit, too.
        let cost = if status == 200 { cost } else { 1 };
        if let Some((organization, _)) = holder
            && organization != "unlimited"
            && ![401, 429].contains(&status)
        {
            let allowance = 1_000_000;
            let spent = self.spent.entry(organization).or_default();
            *spent = if organization == "exhausted" { allowance } else { *spent + cost };
            headers.push(("x-service-credits-limit-month", allowance.to_string()));
            headers.push(("x-service-credits-remaining-month", (allowance - *spent).to_string()));
        }
        Answer { status, body, headers }
    }

    /// The allowance of a key's minute, and what was used of it before this request. Requests
    /// without a key are not counted.
    fn count(&mut self, call: &Call, is_tight: bool) -> (u64, u64) {
        let minute = self.begun.elapsed().as_secs() / 60;
        let limit = if is_tight { 6 } else { 1_000_000 };
        let Some(key) = &call.key else { return (limit, 0) };
        let used = self.minutes.entry((key.clone(), minute)).or_default();
        *used += 1;
        (limit, *used - 1)
    }
}

/// Seconds until the month ends five hours west of Greenwich.
fn until_next_month() -> i64 {
    let now = Utc::now().with_timezone(&FixedOffset::west_opt(5 * 3_600).unwrap());
    let (year, month) =
        if now.month() == 12 { (now.year() + 1, 1) } else { (now.year(), now.month() + 1) };
    let next = now.timezone().with_ymd_and_hms(year, month, 1, 0, 0, 0).unwrap();
    (next - now).num_seconds() + 1
}
