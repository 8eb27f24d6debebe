//! A minimal HTTP server that returns prepared responses, one after the other, and records the
//! requests.

use std::sync::{Arc, Mutex};

use payout_client::{Client, ClientBuilder, RetryPolicy};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

pub(crate) const KEY: &str = "pcp_test_0123456789";

/// The server and the requests that it received, head and body as one string.
pub(crate) struct Stub {
    pub(crate) base_url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Stub {
    /// Returns this status, these headers and this body to every request.
    pub(crate) async fn responding(status: &str, headers: &str, body: impl Into<String>) -> Self {
        Self::in_turn([response(status, headers, &body.into())]).await
    }

    /// Returns these responses in turn, and the last one to all further requests.
    pub(crate) async fn in_turn(responses: impl IntoIterator<Item = String>) -> Self {
        Self::start(responses.into_iter().collect(), false).await
    }

    /// Returns this head, whose `content-length` may be wrong, and this body to every request.
    pub(crate) async fn responding_exactly(head: &str, body: impl Into<String>) -> Self {
        Self::in_turn([exact_response(head, &body.into())]).await
    }

    async fn start(responses: Vec<String>, keep_open: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&requests);
        tokio::spawn(async move {
            let mut streams = Vec::new();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                let count = {
                    let mut recorded = recorded.lock().unwrap();
                    recorded.push(request);
                    recorded.len()
                };
                let response = &responses[count.min(responses.len()) - 1];
                stream.write_all(response.as_bytes()).await.unwrap();
                if keep_open {
                    streams.push(stream);
                }
            }
        });
        Self { base_url, requests }
    }

    /// Returns the first bytes of a PDF of 4,096 bytes to every request, and then nothing.
    pub(crate) async fn stalling() -> Self {
        let response = "HTTP/1.1 200 OK\r\ncontent-length: 4096\r\n\r\n%PDF-".to_owned();
        Self::start(vec![response], true).await
    }

    /// Returns 200 and this JSON to every request.
    pub(crate) async fn responding_json(body: impl Into<String>) -> Self {
        Self::responding("200 OK", "content-type: application/json\r\nx-request-id: r-1\r\n", body)
            .await
    }

    /// A client that repeats nothing.
    pub(crate) fn client(&self) -> Client {
        self.builder().retries(RetryPolicy::none()).build().unwrap()
    }

    pub(crate) fn builder(&self) -> ClientBuilder {
        Client::builder().base_url(&self.base_url).key(KEY)
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// The requests that were received since the last call.
    pub(crate) fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }

    /// The only request that was received.
    pub(crate) fn request(&self) -> String {
        let mut requests = self.requests();
        assert_eq!(requests.len(), 1, "{requests:?}");
        requests.remove(0)
    }
}

/// A whole response.
pub(crate) fn response(status: &str, headers: &str, body: &str) -> String {
    let length = format!("content-length: {}\r\n", body.len());
    exact_response(&format!("{status}\r\n{headers}{length}"), body)
}

/// A response with this head, whose `content-length` may be wrong.
pub(crate) fn exact_response(head: &str, body: &str) -> String {
    format!("HTTP/1.1 {head}connection: close\r\n\r\n{body}")
}

/// The API's error.
pub(crate) fn error(status: &str, code: &str, details: &str) -> String {
    let error = format!(r#"{{"code":"{code}","message":"No.","details":{details}}}"#);
    response(status, "x-request-id: r-1\r\n", &format!(r#"{{"error":{error}}}"#))
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    loop {
        let mut chunk = [0; 4096];
        let count = stream.read(&mut chunk).await.unwrap();
        text.push_str(std::str::from_utf8(&chunk[..count]).unwrap());
        if count == 0 || is_complete(&text) {
            return text;
        }
    }
}

fn is_complete(text: &str) -> bool {
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    body.len() >= length.map_or(0, |length| length.parse().unwrap())
}
