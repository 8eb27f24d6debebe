//! Raw requests, which are sent as they are.

use poem::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{exchange::TestResponse, server::TestServer};

/// Sends these bytes, reads the response to its end, and checks the invariants of every response.
/// The request must ask for `connection: close`.
pub async fn exchange(server: &TestServer, request: &[u8]) -> TestResponse {
    let text = everything_answered(server, request).await;
    let (head, body) = text.split_once("\r\n\r\n").expect("a whole head");
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    let mut headers = HeaderMap::new();
    for line in lines {
        let (name, value) = line.split_once(": ").unwrap();
        let name: HeaderName = name.parse().unwrap();
        headers.append(name, HeaderValue::from_str(value).unwrap());
    }
    let status = StatusCode::from_bytes(status.as_bytes()).unwrap();
    let has_body = !request.starts_with(b"HEAD ");
    TestResponse::read(status, headers, body.to_owned(), has_body)
}

/// Sends these bytes over one connection, and returns everything received until the server ends it.
pub async fn everything_answered(server: &TestServer, requests: &[u8]) -> String {
    let address = server.base_url().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(requests).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    String::from_utf8(bytes).unwrap()
}

/// A request line and headers, ready for [`exchange`]: with host, key and `connection: close`.
pub fn head(method: &str, path: &str, key: &str, headers: &str) -> Vec<u8> {
    format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-api-key: \
         {key}\r\n{headers}\r\n"
    )
    .into_bytes()
}
