//! A client of both servers. A request that gets no response, because its server was killed, is
//! sent again to the other one.

use std::{
    fmt,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::request::Step;
use crate::support::load::Target;

/// How long a request may go without a response.
const TIMEOUT: Duration = Duration::from_secs(60);
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

#[derive(Clone)]
pub struct Response {
    pub status: u16,
    /// The code of an error, else empty.
    pub code: String,
    pub body: Value,
    pub text: String,
    /// True if it repeats an earlier response; `None` if the request was sent more than once.
    pub is_replayed: Option<bool>,
}

impl fmt::Debug for Response {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} (replayed: {:?}) {}", self.status, self.is_replayed, self.text)
    }
}

/// The response to a step, and whether an earlier attempt got none.
pub struct Answered {
    pub response: Response,
    pub is_repeated: bool,
}

#[derive(Clone)]
pub struct Client {
    pub http: reqwest::Client,
    pub target: Arc<Target>,
    pub key: String,
}

impl Response {
    pub fn text_at(&self, pointer: &str) -> String {
        self.body.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
    }
}

impl Client {
    /// Sends a step to one server, and then to the servers in turn until it has a response.
    pub async fn send(&self, step: &Step, mut replica: usize) -> Answered {
        let begun = Instant::now();
        let mut is_repeated = false;
        loop {
            let (method, path, body) = step.request.parts();
            let url = format!("http://{}/api/v1/{path}", self.address(replica));
            let mut request = self.http.request(method, url).header("x-api-key", &self.key);
            if let Some(key) = &step.key {
                request = request.header("idempotency-key", key);
            }
            let response = read(request.json(&body)).await;
            // The killed server's transaction may still hold the key.
            let is_over = response.as_ref().is_ok_and(|response| {
                !(is_repeated && response.code == "IDEMPOTENCY_IN_PROGRESS")
                    && response.status != 503
            });
            if let (true, Ok(response)) = (is_over, response) {
                let is_replayed = response.is_replayed.filter(|_| !is_repeated);
                return Answered { response: Response { is_replayed, ..response }, is_repeated };
            }
            assert!(begun.elapsed() < TIMEOUT, "no response to {step:?}");
            tokio::time::sleep(RETRY_INTERVAL).await;
            (is_repeated, replica) = (true, 1 - replica);
        }
    }

    /// The `data` of a GET.
    pub async fn get(&self, path: &str) -> Value {
        let begun = Instant::now();
        let mut replica = 0;
        loop {
            let url = format!("http://{}/api/v1/{path}", self.address(replica));
            match read(self.http.get(url).header("x-api-key", &self.key)).await {
                Ok(response) if response.status == 200 => return response.body["data"].clone(),
                Ok(response) if response.status != 503 => panic!("{path}: {response:?}"),
                _ => assert!(begun.elapsed() < TIMEOUT, "no response to GET {path}"),
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
            replica = 1 - replica;
        }
    }

    fn address(&self, replica: usize) -> SocketAddr {
        *self.target.addresses[replica].lock().unwrap()
    }
}

async fn read(request: reqwest::RequestBuilder) -> reqwest::Result<Response> {
    let response = request.send().await?;
    let status = response.status().as_u16();
    let is_replayed = Some(response.headers().contains_key("idempotent-replayed"));
    let text = response.text().await?;
    let body: Value = serde_json::from_str(&text).expect("every body is JSON");
    let code = body["error"]["code"].as_str().unwrap_or_default().to_owned();
    Ok(Response { status, code, body, text, is_replayed })
}
