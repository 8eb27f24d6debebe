//! One keep-alive connection, and the parts of a response that the tests check. A request is never
//! sent twice.

use std::{io, net::SocketAddr};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
};

/// The checked parts of a response.
#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    /// Requests a minute: of the organisation, or of an address without a valid key.
    pub rate_limit: i64,
    pub rate_remaining: i64,
    /// The month's credits and how many remain; on metered responses and 402 only.
    pub credits: Option<(i64, i64)>,
    /// `error.code` of the envelope, if the response is an error.
    pub code: Option<String>,
    closes: bool,
}

/// An open connection.
#[derive(Debug)]
pub struct Connection {
    stream: BufReader<TcpStream>,
    is_over: bool,
}

impl Connection {
    pub async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), is_over: false })
    }

    /// Sends a request and reads the whole response; an error if the connection breaks.
    pub async fn exchange(&mut self, request: &[u8]) -> io::Result<Response> {
        self.stream.get_mut().write_all(request).await?;
        let mut head = Vec::new();
        let mut line = String::new();
        loop {
            line.clear();
            if self.stream.read_line(&mut line).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            match line.trim_end() {
                "" => break,
                text => head.push(text.to_owned()),
            }
        }
        let head = Head(head);
        let length = head.number("content-length").expect("responses have a length");
        let mut body = vec![0; usize::try_from(length).unwrap()];
        self.stream.read_exact(&mut body).await?;
        let response = head.response(&body);
        self.is_over = response.closes;
        Ok(response)
    }

    /// Returns true if the server has announced that it closes the connection.
    pub fn is_over(&self) -> bool {
        self.is_over
    }
}

/// The status line and the headers.
struct Head(Vec<String>);

impl Head {
    fn value(&self, name: &str) -> Option<&str> {
        let mut found = self.0[1..].iter().filter_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        });
        let value = found.next()?;
        assert!(found.next().is_none(), "{name} was sent more than once: {:?}", self.0);
        Some(value)
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.value(name).map(|text| text.parse().unwrap())
    }

    fn response(&self, body: &[u8]) -> Response {
        let status = self.0[0].split(' ').nth(1).unwrap().parse().unwrap();
        let body: Value = serde_json::from_slice(body)
            .unwrap_or_else(|_| panic!("{status}: not JSON: {}", String::from_utf8_lossy(body)));
        let code = match status {
            200 => {
                assert!(body.get("data").is_some(), "200 without data: {body}");
                None
            }
            _ => Some(code(status, &body)),
        };
        let credits = (
            self.number("x-service-credits-limit-month"),
            self.number("x-service-credits-remaining-month"),
        );
        Response {
            status,
            rate_limit: self.number("x-ratelimit-limit-minute").expect("a rate limit"),
            rate_remaining: self
                .number("x-ratelimit-remaining-minute")
                .expect("what is left of it"),
            credits: match credits {
                (Some(limit), Some(remaining)) => Some((limit, remaining)),
                (None, None) => None,
                one => panic!("{status}: one credit header without the other: {one:?}"),
            },
            code,
            closes: self.value("connection") == Some("close"),
        }
    }
}

/// `error.code`; every error has the envelope.
fn code(status: u16, body: &Value) -> String {
    let error = &body["error"];
    match (error["code"].as_str(), error["message"].as_str()) {
        (Some(code), Some(_)) => code.to_owned(),
        _ => panic!("{status} without the envelope: {body}"),
    }
}
