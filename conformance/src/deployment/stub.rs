//! A server with prepared responses, and deployments for tests.

use std::sync::Arc;

use hyper::{
    HeaderMap, StatusCode,
    header::{CONTENT_TYPE, HeaderName, HeaderValue},
};
use openapi_document::Document;
use parking_lot::Mutex;
use serde_json::Value;

use super::Deployment;
use crate::{
    baseline::Mode,
    exchange::{Client, Response, transport},
    proxy::{Fault, Proxy, fault::Exchange},
    target::{Keys, TargetFile},
};

/// A document of one operation, which tells that the deployment has comments: the whole one takes a
/// second to read, and no test here needs more.
const DOCUMENT: &str = r#"
openapi: 3.0.3
info: { title: none, version: 2026-05-20 }
paths:
  /api/v1/comments:
    get: { operationId: listComments, x-profile: collaboration, responses: {} }
"#;

/// A proxy that answers each request itself.
pub(crate) struct Stub {
    pub(crate) base_url: String,
    requests: Arc<Mutex<Vec<String>>>,
    _proxy: Proxy,
}

impl Stub {
    /// Answers by the key and the target, such as `/api/v1/partners?limit=100`: status, one header
    /// line or none, and body.
    pub(crate) async fn start(
        response: impl Fn(&str, &str) -> (u16, String, Value) + Send + Sync + 'static,
    ) -> Self {
        Self::start_by_method(move |_, key, target, _| response(key, target)).await
    }

    /// Answers by the method, the key, the target and the body.
    pub(crate) async fn start_by_method(
        respond: impl Fn(&str, &str, &str, &str) -> (u16, String, Value) + Send + Sync + 'static,
    ) -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        let exchange: Box<Exchange> = Box::new(move |request, _| {
            let sent = String::from_utf8_lossy(request.bytes()).into_owned();
            let key = request.only_key().unwrap_or_default();
            let method = request.method.as_str();
            let (status, header, body) = respond(method, key, &request.target, &sent);
            kept.lock().push(request.target.clone());
            let json = HeaderValue::from_static("application/json");
            let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, json)]);
            if let Some((name, value)) = header.trim().split_once(": ") {
                headers.insert(HeaderName::try_from(name).unwrap(), value.parse().unwrap());
            }
            let status = StatusCode::from_u16(status).unwrap();
            let response = Response::new(status, headers, body.to_string());
            Box::pin(std::future::ready(response))
        });
        let pool = transport::connect(Vec::new()).unwrap();
        let proxy =
            Proxy::start("", Some(Fault::server(exchange)), Keys::default(), pool).await.unwrap();
        Self { base_url: format!("http://{}", proxy.address()), requests, _proxy: proxy }
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().clone()
    }
}

/// A deployment at this address, with what its target file names; a key's text is its variable's
/// name.
pub(crate) fn deployment(base_url: &str, more: &str) -> Deployment {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.toml");
    let head = format!("name = \"t\"\nbase_url = \"{base_url}\"\n");
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
