//! A deployment made of prepared responses, and the deployments of tests in general.
//!
//! It refuses to understand HTTP beyond the end of a head: what is asked here has no body.

use std::sync::{Arc, Mutex};

use payout_openapi::Document;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::{coverage::Coverage, deployment::Deployment, fixtures::Found};
use crate::{exchange::Client, invariants::Invariants, target::TargetFile};

/// A document that says nothing: the whole one takes a second to be read, and no claim here is about it.
const DOCUMENT: &str = "openapi: 3.0.3\ninfo:\n  title: none\n  version: 2026-05-20\npaths: {}\n";

/// A server that answers each request on a connection of its own.
pub(crate) struct Stub {
    pub(crate) base_url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Stub {
    /// Answers as this says of the key and the target, such as `/api/v1/partners?limit=100`: status, one header's line or
    /// none, and body.
    pub(crate) async fn start(
        response: impl Fn(&str, &str) -> (u16, String, Value) + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let head = read_head(&mut stream).await;
                let target = head.split(' ').nth(1).unwrap_or_default();
                let key = head
                    .lines()
                    .find_map(|line| line.strip_prefix("x-api-key: "));
                let (status, header, body) = response(key.unwrap_or_default(), target);
                kept.lock().unwrap().push(target.to_owned());
                let body = body.to_string();
                let text = format!(
                    "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{header}content-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                stream.write_all(text.as_bytes()).await.unwrap();
            }
        });
        Self { base_url, asked }
    }

    /// What was asked for, in order.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn read_head(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    loop {
        let mut chunk = [0; 4096];
        let count = stream.read(&mut chunk).await.unwrap();
        text.push_str(std::str::from_utf8(&chunk[..count]).unwrap());
        if count == 0 || text.contains("\r\n\r\n") {
            return text;
        }
    }
}

/// A deployment at this address, with what its target file names; a key's text is its variable's name.
pub(crate) fn deployment(base_url: &str, more: &str) -> Deployment {
    let (deployment, named) = target(base_url, more);
    deployment.with_fixtures(named)
}

/// The same before its fixtures are known, and what its file names of them.
pub(super) fn target(base_url: &str, more: &str) -> (Deployment, Found) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.toml");
    let head = format!("name = \"t\"\nbase_url = \"{base_url}\"\nprofile = \"core\"\n");
    std::fs::write(&path, format!("{head}{more}")).unwrap();
    let file = TargetFile::read(&path).unwrap();
    let keys = file.keys(|name| Some(name.to_owned())).unwrap();
    let document = Document::parse("api.yaml", DOCUMENT).unwrap();
    let patience = std::time::Duration::from_secs(60);
    let deployment = Deployment::new(
        Client::new(file.base_url.as_str(), patience, Vec::new()).unwrap(),
        keys.clone(),
        file.hooks(keys.redaction()),
        file.features.iter().copied().collect(),
        Invariants::new(&document, true).unwrap(),
        true,
        Coverage::of(&document).unwrap(),
    );
    let deployment = deployment.with_limits(&file.budget, &file.pace);
    (deployment, Found::named(&file))
}
