//! A client for HTTP/1.1 on connections that stay open, for loads and rehearsals: it does no more
//! than these need, because its time is taken from the server on the same cores.

use std::{fmt, net::SocketAddr, sync::Arc};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::Result;

/// More than any response has.
const MAX_HEADERS: usize = 32;

/// A request, as it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The first line and the headers.
    head: String,
    body: String,
}

/// A server, and an API key of each of its organisations, by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    pub(crate) address: SocketAddr,
    pub(crate) keys: Arc<[String]>,
}

/// A connection. hyper's client takes about twice as long.
#[derive(Debug)]
pub(crate) struct Client {
    address: SocketAddr,
    stream: TcpStream,
    /// The response to the latest request.
    response: Vec<u8>,
    /// The server closes the connection after that response.
    is_closing: bool,
    is_replayed: bool,
}

/// The head of a response.
#[derive(Clone, Copy, Debug)]
struct Head {
    status: u16,
    length: usize,
    body_length: usize,
    closes: bool,
    is_replayed: bool,
}

/// The payout of the organisation of this number.
pub(crate) fn payout_id(number: usize) -> String {
    format!("pay_01BE{number:022}")
}

/// A request for the server at `address`; `key` is the API key.
pub(crate) fn request(
    address: SocketAddr,
    method: &'static str,
    path: &str,
    key: Option<&str>,
) -> Request {
    let head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\n");
    let request = Request { head, body: String::new() };
    match key {
        Some(key) => request.with_header("x-api-key", key),
        None => request,
    }
}

impl Request {
    pub(crate) fn with_header(mut self, name: &'static str, value: &str) -> Self {
        for part in [name, ": ", value, "\r\n"] {
            self.head.push_str(part);
        }
        self
    }

    pub(crate) fn with_json(self, body: String) -> Self {
        let head = self.with_header("content-length", &body.len().to_string());
        Self { body, ..head.with_header("content-type", "application/json") }
    }
}

/// Method and path, without the query, which may be a signature.
impl fmt::Display for Request {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = self.head.split([' ', '?']);
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        write!(formatter, "{method} {path}")
    }
}

impl Api {
    pub(crate) fn request(&self, method: &'static str, path: &str, organization: usize) -> Request {
        request(self.address, method, path, Some(&self.keys[organization]))
    }

    pub(crate) fn get_payout(&self, organization: usize, payout: usize) -> Request {
        let path = format!("/api/v1/payouts/{}", payout_id(payout));
        self.request("GET", &path, organization)
    }
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { address, stream, response: Vec::new(), is_closing: false, is_replayed: false })
    }

    /// Sends a request and returns status and body of its response; connects again where the server
    /// has closed the connection.
    pub(crate) async fn exchange(&mut self, request: &Request) -> Result<(u16, &[u8])> {
        if self.is_closing || self.is_closed() {
            *self = Self::connect(self.address).await?;
        }
        let bytes = [request.head.as_bytes(), b"\r\n", request.body.as_bytes()].concat();
        self.stream.write_all(&bytes).await?;
        let head = self.receive().await.map_err(|error| format!("{request}: {error}"))?;
        self.is_closing = head.closes;
        self.is_replayed = head.is_replayed;
        Ok((head.status, &self.response[head.length..]))
    }

    /// Returns true if the latest response repeats an earlier one (X9).
    pub(crate) fn is_replayed(&self) -> bool {
        self.is_replayed
    }

    /// Sends a request and returns the body of its success; nothing for a 503 that counts.
    pub(crate) async fn send(
        &mut self,
        request: &Request,
        counts_503: bool,
    ) -> Result<Option<&[u8]>> {
        match self.exchange(request).await? {
            (200..400, body) => Ok(Some(body)),
            (503, _) if counts_503 => Ok(None),
            (status, body) => {
                let body = String::from_utf8_lossy(body);
                let what = format!("{request} got status {status} instead of a success");
                Err(format!("{what}, so nothing was measured: {body}").into())
            }
        }
    }

    /// Returns true if the server has closed the connection since the latest response, as far as is
    /// known without asking the system.
    fn is_closed(&self) -> bool {
        matches!(self.stream.try_read(&mut [0]), Ok(0))
    }

    /// Ends when the server has closed its side too, so that the connections of the next load are
    /// not too many for it.
    pub(crate) async fn close(mut self) {
        let _ = self.stream.shutdown().await;
        // An error is an end as well.
        let _ = self.stream.read(&mut [0]).await;
    }

    /// Reads a response to its end.
    async fn receive(&mut self) -> Result<Head> {
        self.response.clear();
        let mut head = None;
        loop {
            if self.stream.read_buf(&mut self.response).await? == 0 {
                return Err("the server closed the connection before the end of a response".into());
            }
            if head.is_none() {
                head = Head::parse(&self.response)?;
            }
            match head {
                Some(head) if self.response.len() >= head.length + head.body_length => {
                    return Ok(head);
                }
                _ => {}
            }
        }
    }
}

impl Head {
    /// `None` where it is not complete.
    fn parse(response: &[u8]) -> Result<Option<Self>> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Response::new(&mut headers);
        let httparse::Status::Complete(length) = parsed.parse(response)? else {
            return Ok(None);
        };
        let value = |name: &str| {
            let mut headers = parsed.headers.iter();
            headers.find(|header| header.name.eq_ignore_ascii_case(name)).map(|it| it.value)
        };
        let body_length = value("content-length").map(str::from_utf8).transpose()?;
        Ok(Some(Self {
            status: parsed.code.unwrap_or_default(),
            length,
            body_length: body_length.ok_or("a response has no content-length")?.parse()?,
            is_replayed: value("idempotent-replayed").is_some(),
            closes: value("connection").is_some_and(|value| value.eq_ignore_ascii_case(b"close")),
        }))
    }
}
