//! URLs of objects, waiting times, and names whose answers change.

use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::dns::{Addrs, Name, Resolving};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::*;

fn url(object_type: &str, object_id: &str) -> Result<String, ReadError> {
    let token = Token::parse("secret").unwrap();
    let object = ObjectRequest {
        base_url: "https://crm.example/base/",
        object_type,
        object_id,
        properties: &["region".to_owned(), "a&b=c,d".to_owned()],
        token: &token,
    };
    url_of(&object).map(Into::into)
}

#[test]
fn id_is_one_segment_of_the_path_whatever_it_contains() {
    for (id, segment) in [
        ("4815162342", "4815162342"),
        ("a/../../b", "a%2F..%2F..%2Fb"),
        ("a?idProperty=b#c", "a%3FidProperty%3Db%23c"),
        ("%2e%2e", "%252e%252e"),
        ("...", "..."),
        ("a\r\nx-b: c", "a%0D%0Ax-b%3A%20c"),
        ("a\tb\\c", "a%09b%5Cc"),
        ("@evil.example", "%40evil.example"),
        ("é", "%C3%A9"),
    ] {
        let path = format!("https://crm.example/base/crm/v3/objects/p_partners/{segment}");
        let query = "?properties=region,a%26b%3Dc%2Cd";
        assert_eq!(url("p_partners", id).unwrap(), path + query, "{id}");
    }
    for id in [".", ".."] {
        assert_eq!(url("p_partners", id), Err(ReadError::NotFound), "{id}");
    }
}

#[test]
fn waiting_time_is_in_seconds_or_until_a_time_of_the_crms_clock() {
    let date = "Wed, 20 May 2026 09:30:00 GMT";
    for (value, seconds) in [
        ("30", Some(30)),
        ("0", Some(0)),
        ("Wed, 20 May 2026 09:31:30 GMT", Some(90)),
        ("Wed, 20 May 2026 09:00:00 GMT", None),
        ("-1", None),
        ("soon", None),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert(DATE, date.parse().unwrap());
        headers.insert(RETRY_AFTER, value.parse().unwrap());
        assert_eq!(seconds_to_wait(&headers), seconds, "{value}");
    }
}

/// Resolves to the first address once, and to the second one ever after.
struct Rebinding {
    addresses: [&'static str; 2],
    lookups: AtomicUsize,
}

impl Resolve for Rebinding {
    fn resolve(&self, _: Name) -> Resolving {
        let earlier = self.lookups.fetch_add(1, Ordering::SeqCst);
        let address = self.addresses[earlier.min(1)].parse().unwrap();
        Box::pin(async move { Ok(Box::new([address].into_iter()) as Addrs) })
    }
}

/// Reads an object of a CRM whose name resolves to these addresses, one after the other; returns
/// the number of look-ups too.
async fn read(
    allowed: Allowed,
    addresses: [&'static str; 2],
    base_url: &str,
) -> (Result<Map<String, Value>, ReadError>, usize) {
    let resolver = Arc::new(Rebinding { addresses, lookups: AtomicUsize::new(0) });
    let hubspot = HubSpot::new(allowed, Arc::clone(&resolver) as _).unwrap();
    let token = Token::parse("secret").unwrap();
    let (object_type, object_id, properties) = ("companies", "1", &["a".to_owned()]);
    let object = ObjectRequest { base_url, object_type, object_id, properties, token: &token };
    let read = hubspot.read(object).await;
    (read, resolver.lookups.load(Ordering::SeqCst))
}

#[tokio::test]
async fn address_that_was_checked_is_the_one_that_is_connected_to() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let crm = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = [0; 4096];
        assert!(stream.read(&mut head).await.unwrap() > 0);
        let body = r#"{"properties":{"a":1.50,"b":2}}"#;
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).await.unwrap();
    });
    // Nobody listens at the second address.
    let addresses = ["127.0.0.1:0", "127.0.0.2:0"];
    let (read, lookups) =
        read(Allowed::Any, addresses, &format!("http://crm.example:{port}")).await;
    assert_eq!(Value::Object(read.unwrap()).to_string(), r#"{"a":1.50}"#);
    assert_eq!(lookups, 1);
    crm.await.unwrap();
}

#[tokio::test]
async fn name_that_resolves_to_a_private_address_is_not_connected_to() {
    for address in ["127.0.0.1:0", "10.0.0.1:0", "[::1]:0", "[::ffff:169.254.169.254]:0"] {
        let (read, lookups) = read(Allowed::Public, [address; 2], "https://crm.example").await;
        assert_eq!(read, Err(ReadError::Unusable(FORBIDDEN)), "{address}");
        assert_eq!(lookups, 1, "{address}");
    }
}

#[tokio::test]
async fn address_in_a_url_is_checked_like_that_of_a_name() {
    for url in ["https://127.0.0.1", "https://[::1]", "https://169.254.169.254"] {
        let (read, lookups) = read(Allowed::Public, ["1.1.1.1:0"; 2], url).await;
        assert_eq!((read, lookups), (Err(ReadError::Unusable(FORBIDDEN)), 0), "{url}");
    }
    let (read, _) = read(Allowed::Public, ["1.1.1.1:0"; 2], "http://crm.example").await;
    assert!(matches!(read, Err(ReadError::Unusable(_))), "{read:?}");
}
