//! Starts the server as a process, and sends requests to it.

use std::{
    env,
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    sync::Mutex,
};

use http_body_util::{BodyExt as _, Full};
use hyper::{
    HeaderMap, Request,
    body::Bytes,
    client::conn::http1::handshake,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST},
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use crate::document;

/// The key of README.md.
pub const KEY: &str = "secret";
pub const WITH_KEY: &str = "Bearer secret";

/// A server without data; it ends with the test.
pub struct Server {
    process: Child,
    /// Host and port.
    pub address: String,
    /// The header of each request, unless it is empty.
    pub accept: &'static str,
    /// The responses so far: operation and status.
    pub seen: Mutex<Vec<(String, u16)>>,
}

/// A response that keeps to the document.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: HeaderMap,
    /// Null if there is no body.
    pub body: Value,
}

impl Server {
    pub fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
        command.env("LIBRARY_KEY", KEY).env("ADDRESS", "127.0.0.1:0");
        let process = command.stdout(Stdio::piped()).spawn().unwrap();
        let (address, seen) = (String::new(), Mutex::default());
        let mut server = Self { process, address, accept: "", seen };
        let mut line = String::new();
        BufReader::new(server.process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        server.address = line.trim().strip_prefix("http://").unwrap().to_owned();
        server
    }

    /// Sends a request such as `POST /books {"isbn": …}`; a body that is not JSON is a form.
    pub async fn send_line(&self, line: &str) -> Response {
        let mut parts = line.splitn(3, ' ');
        let mut part = || parts.next().unwrap_or_default();
        let (method, path, body) = (part(), part(), part());
        let content_type = match body.chars().next() {
            None => "",
            Some('{' | '[') => "application/json",
            Some(_) => "application/x-www-form-urlencoded",
        };
        self.send_as(method, path, content_type, WITH_KEY, body.to_owned()).await
    }

    /// Sends any request; an empty content type or authorization is left out.
    pub async fn send_as(
        &self,
        method: &str,
        path: &str,
        content_type: &str,
        authorization: &str,
        body: String,
    ) -> Response {
        let headers =
            [(CONTENT_TYPE, content_type), (AUTHORIZATION, authorization), (ACCEPT, self.accept)];
        let mut request = Request::builder().method(method).uri(path).header(HOST, &self.address);
        for (name, value) in headers.into_iter().filter(|(_, value)| !value.is_empty()) {
            request = request.header(name, value);
        }
        let request = request.body(Full::<Bytes>::from(body)).unwrap();
        let stream = TokioIo::new(TcpStream::connect(&self.address).await.unwrap());
        let (mut sender, connection) = handshake(stream).await.unwrap();
        tokio::spawn(connection);
        let (head, body) = sender.send_request(request).await.unwrap().into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let body = match bytes.as_ref() {
            bytes if is_text(&head.headers) => String::from_utf8_lossy(bytes).into(),
            b"" => Value::Null,
            bytes => serde_json::from_slice(bytes).unwrap(),
        };
        let response = Response { status: head.status.as_u16(), headers: head.headers, body };
        let operation = document::check(method, path, &response);
        self.seen.lock().unwrap().extend(operation.map(|id| (id, response.status)));
        response
    }
}

fn is_text(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.is_some_and(|content_type| content_type.starts_with("text/"))
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; there is nothing else to do.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
