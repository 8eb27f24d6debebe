//! An HTTP server that gives one prepared answer to every request and keeps what it was sent.
//!
//! It refuses to understand HTTP beyond the end of a head and `content-length`.

use std::sync::{Arc, Mutex};

use payout_client::{Client, connect};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

pub(crate) const KEY: &str = "pcp_test_0123456789";

/// The server, and the requests that reached it, head and body in one text.
pub(crate) struct Stub {
    pub(crate) base_url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Stub {
    /// Answers every request with this status, these headers and this body.
    pub(crate) async fn answering(status: &str, headers: &str, body: impl Into<String>) -> Self {
        let body = body.into();
        let length = format!("content-length: {}\r\n", body.len());
        Self::answering_exactly(&format!("{status}\r\n{headers}{length}"), body).await
    }

    /// Answers every request with this head, which tells the body's length or lies about it, and this body.
    pub(crate) async fn answering_exactly(head: &str, body: impl Into<String>) -> Self {
        let body = body.into();
        let answer = format!("HTTP/1.1 {head}connection: close\r\n\r\n{body}");
        Self::start(answer, false).await
    }

    async fn start(answer: String, held: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        tokio::spawn(async move {
            let mut streams = Vec::new();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                kept.lock().unwrap().push(request);
                stream.write_all(answer.as_bytes()).await.unwrap();
                if held {
                    streams.push(stream);
                }
            }
        });
        Self { base_url, requests }
    }

    /// Answers every request with the beginning of a PDF of 4,096 bytes, and then with silence.
    pub(crate) async fn stalling() -> Self {
        Self::start(
            "HTTP/1.1 200 OK\r\ncontent-length: 4096\r\n\r\n%PDF-".to_owned(),
            true,
        )
        .await
    }

    /// Answers every request with 200 and this JSON.
    pub(crate) async fn answering_json(body: impl Into<String>) -> Self {
        Self::answering(
            "200 OK",
            "content-type: application/json\r\nx-request-id: r-1\r\n",
            body,
        )
        .await
    }

    pub(crate) fn client(&self) -> Client {
        connect(&self.base_url, KEY).unwrap()
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// The one request that came.
    pub(crate) fn request(&self) -> String {
        let mut requests = self.requests();
        assert_eq!(requests.len(), 1, "{requests:?}");
        requests.remove(0)
    }
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
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    body.len() >= length.map_or(0, |length| length.parse().unwrap())
}
