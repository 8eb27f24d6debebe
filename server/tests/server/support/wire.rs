//! A raw HTTP/1.1 client, whose requests are sent as they are.

use poem::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{TestResponse, within};

pub struct Connection {
    pub stream: TcpStream,
    read: Vec<u8>,
}

impl Connection {
    pub async fn open(base_url: &str) -> Self {
        Self { stream: TcpStream::connect(address(base_url)).await.unwrap(), read: Vec::new() }
    }

    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// Requests an unknown path, which needs no key; reads the response.
    pub async fn request(&mut self) -> TestResponse {
        self.send("GET /nowhere HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
        self.response().await
    }

    /// Reads one response, which must keep the invariants of every response.
    pub async fn response(&mut self) -> TestResponse {
        let (status, headers, text) = self.next().await.expect("closed without a response");
        TestResponse::read(status, headers, text)
    }

    /// Sends this piece again and again until a response comes; returns it, and how many bytes were
    /// sent.
    pub async fn flood(&mut self, piece: &[u8]) -> (TestResponse, usize) {
        let (mut reading, mut writing) = self.stream.split();
        let mut sent = 0;
        let flood = async {
            while writing.write_all(piece).await.is_ok() {
                sent += piece.len();
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = flood => {}
            read = within(reading.read_buf(&mut self.read)) => assert_ne!(read.unwrap(), 0),
        }
        (self.response().await, sent)
    }

    /// Reads until the server closes the connection.
    pub async fn closed(&mut self) -> String {
        // A reset is an end as well.
        while matches!(within(self.stream.read_buf(&mut self.read)).await, Ok(read) if read > 0) {}
        String::from_utf8(std::mem::take(&mut self.read)).unwrap()
    }

    /// Reads one response, of the server or of its HTTP library; `None` after the last.
    pub async fn next(&mut self) -> Option<(StatusCode, HeaderMap, String)> {
        loop {
            if let Some(response) = self.take() {
                return Some(response);
            }
            // A reset is an end as well.
            within(self.stream.read_buf(&mut self.read)).await.ok().filter(|read| *read > 0)?;
        }
    }

    fn take(&mut self) -> Option<(StatusCode, HeaderMap, String)> {
        let text = std::str::from_utf8(&self.read).unwrap();
        let (head, rest) = text.split_once("\r\n\r\n")?;
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?;
        let status = StatusCode::from_bytes(status.as_bytes()).unwrap();
        let mut headers = HeaderMap::new();
        for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
            let name: HeaderName = name.parse().unwrap();
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        let length = headers["content-length"].to_str().unwrap().parse().unwrap();
        let body = rest.get(..length)?.to_owned();
        self.read.drain(..head.len() + 4 + length);
        Some((status, headers, body))
    }
}

/// The address of a server without its scheme.
pub fn address(base_url: &str) -> &str {
    base_url.strip_prefix("http://").unwrap()
}

/// A request line and headers, with host and key.
pub fn head(line: &str, key: &str, headers: &str) -> String {
    format!("{line} HTTP/1.1\r\nhost: localhost\r\nx-api-key: {key}\r\n{headers}\r\n")
}
