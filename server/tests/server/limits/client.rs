//! A raw HTTP client, and the server's metrics. Anything that does not happen within [`TIMEOUT`]
//! fails its test.

use std::{future::Future, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// Far longer than any duration of these tests.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A connection to a server.
pub struct Client {
    pub stream: TcpStream,
    read: Vec<u8>,
}

impl Client {
    pub async fn connect(base_url: &str) -> Self {
        Self { stream: TcpStream::connect(address(base_url)).await.unwrap(), read: Vec::new() }
    }

    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// A request for an unknown path, which needs no key.
    pub async fn request(&mut self) {
        self.send("GET /nowhere HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    }

    /// Reads one response: its head and its body, both as text.
    pub async fn response(&mut self) -> (String, String) {
        loop {
            if let Some(response) = self.take_answer() {
                return response;
            }
            let read = within(self.stream.read_buf(&mut self.read)).await.unwrap();
            assert_ne!(read, 0, "closed without a response");
        }
    }

    /// Reads until the server closes the connection.
    pub async fn closed(&mut self) -> String {
        // A reset is an end as well.
        while matches!(within(self.stream.read_buf(&mut self.read)).await, Ok(read) if read > 0) {}
        String::from_utf8(std::mem::take(&mut self.read)).unwrap()
    }

    fn take_answer(&mut self) -> Option<(String, String)> {
        let text = std::str::from_utf8(&self.read).unwrap();
        let (head, rest) = text.split_once("\r\n\r\n")?;
        let length = header(head, "content-length").map_or(0, |length| length.parse().unwrap());
        let body = rest.get(..length)?;
        let response = (head.to_owned(), body.to_owned());
        self.read.drain(..head.len() + 4 + length);
        Some(response)
    }
}

/// The address of a server without its scheme.
pub fn address(base_url: &str) -> &str {
    base_url.strip_prefix("http://").unwrap()
}

/// The status of a response.
pub fn status(head: &str) -> u16 {
    head.split(' ').nth(1).unwrap().parse().unwrap()
}

/// A header of a response.
pub fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// The value of a metric without labels.
pub fn counted(metrics: &str, name: &str) -> u64 {
    let mut lines = metrics.lines().filter_map(|line| line.split_once(' '));
    let found = lines.find(|(other, _)| *other == name);
    let (_, value) = found.unwrap_or_else(|| panic!("no {name} in {metrics}"));
    value.parse().unwrap()
}

/// Polls until a condition holds.
pub async fn until(mut holds: impl FnMut() -> bool) {
    let holds = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    within(holds).await;
}

/// The result of a future that must complete within [`TIMEOUT`].
pub async fn within<T>(what: impl Future<Output = T>) -> T {
    timeout(TIMEOUT, what).await.expect("it happens in time")
}
