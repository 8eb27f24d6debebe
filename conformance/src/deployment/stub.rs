//! A server with prepared responses, and deployments for tests.

use std::sync::{Arc, Mutex};

use openapi_document::Document;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::Deployment;
use crate::{exchange::Client, snapshot::Mode, target::TargetFile};

/// An empty document: the whole one takes a second to read, and no test here needs it.
const DOCUMENT: &str = "openapi: 3.0.3\ninfo:\n  title: none\n  version: 2026-05-20\npaths: {}\n";

/// A server that answers each request on its own connection.
pub(crate) struct Stub {
    pub(crate) base_url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Stub {
    /// Answers by the key and the target, such as `/api/v1/partners?limit=100`: status, one header
    /// line or none, and body.
    pub(crate) async fn start(
        response: impl Fn(&str, &str) -> (u16, String, Value) + Send + 'static,
    ) -> Self {
        Self::start_by_method(move |_, key, target, _| response(key, target)).await
    }

    /// Answers by the method, the key, the target and the body.
    pub(crate) async fn start_by_method(
        response: impl Fn(&str, &str, &str, &str) -> (u16, String, Value) + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                let (head, body) = request.split_once("\r\n\r\n").unwrap_or((&request, ""));
                let mut line = head.split(' ');
                let method = line.next().unwrap_or_default();
                let target = line.next().unwrap_or_default();
                let key = head.lines().find_map(|line| line.strip_prefix("x-api-key: "));
                let (status, header, body) =
                    response(method, key.unwrap_or_default(), target, body);
                kept.lock().unwrap().push(target.to_owned());
                let body = body.to_string();
                let text = format!(
                    "HTTP/1.1 {status} X\r\n\
                     content-type: application/json\r\n{header}\
                     content-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                stream.write_all(text.as_bytes()).await.unwrap();
            }
        });
        Self { base_url, requests }
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    loop {
        let mut chunk = [0; 4096];
        let count = stream.read(&mut chunk).await.unwrap();
        text.push_str(std::str::from_utf8(&chunk[..count]).unwrap());
        let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            body.len() >= length.map_or(0, |length| length.parse().unwrap())
        });
        if count == 0 || whole {
            return text;
        }
    }
}

/// A deployment at this address, with what its target file names; a key's text is its variable's
/// name.
pub(crate) fn deployment(base_url: &str, more: &str) -> Deployment {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.toml");
    let head = format!("name = \"t\"\nbase_url = \"{base_url}\"\nprofile = \"core\"\n");
    std::fs::write(&path, format!("{head}{more}")).unwrap();
    let file = TargetFile::read(&path).unwrap();
    let keys = file.keys(|name| Some(name.to_owned())).unwrap();
    let timeout = std::time::Duration::from_secs(60);
    let client = Client::new(file.base_url.0.as_str(), timeout, Vec::new()).unwrap();
    Deployment::new(client, &file, keys, &document(), true, Mode::default()).unwrap()
}

pub(crate) fn document() -> Document {
    Document::parse("api.yaml", DOCUMENT).unwrap()
}
