//! One connection that sends anything HTTP/1.1 can carry: any method, any target, any bytes in a
//! header. It does not normalise targets, follow redirects or retry.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use poem::http::{Method, Request};
use tokio::{net::TcpStream, time::timeout};

use super::{exchange::TestResponse, server::TestServer};

/// Longer than any time limit of the server.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A connection to a server, opened again if the server has closed it.
pub struct Connection {
    address: String,
    sender: Option<SendRequest<Full<Bytes>>>,
}

impl Connection {
    /// A connection that opens with its first request.
    pub fn to(server: &TestServer) -> Self {
        let address = server.base_url().strip_prefix("http://").unwrap();
        Self { address: address.to_owned(), sender: None }
    }

    /// Sends a request. The response must keep the invariants of every response.
    pub async fn send(&mut self, request: Request<Full<Bytes>>) -> TestResponse {
        let has_body = request.method() != Method::HEAD;
        let mut sender = match self.sender.take() {
            Some(sender) if !sender.is_closed() => sender,
            _ => self.open().await,
        };
        let exchange = async {
            sender.ready().await.expect("an open connection");
            let response = sender.send_request(request).await;
            let (head, body) = response.expect("the server responds").into_parts();
            (head, body.collect().await.expect("a whole body").to_bytes())
        };
        let (head, body) = timeout(TIMEOUT, exchange).await.expect("a response in time");
        let ends = head.headers.get("connection").is_some_and(|value| value == "close");
        self.sender = Some(sender).filter(|_| !ends);
        let text = String::from_utf8(body.to_vec()).expect("responses are text");
        TestResponse::read(head.status, head.headers, text, has_body)
    }

    async fn open(&self) -> SendRequest<Full<Bytes>> {
        let stream = TcpStream::connect(&self.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (sender, connection) = handshake(TokioIo::new(stream)).await.unwrap();
        // It ends with the server's side; the waiting request reports an error.
        tokio::spawn(connection);
        sender
    }
}
