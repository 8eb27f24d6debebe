//! Load against a server of a few lines.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::*;
use crate::http::request;

/// Counts of a server: connections, those that its clients closed, and requests.
type Counts = Arc<[AtomicUsize; 3]>;

/// Sends the same response to every request.
async fn server(response: &'static str) -> (SocketAddr, Counts) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let counts = Counts::default();
    let counted = Arc::clone(&counts);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let counts = Arc::clone(&counted);
            counts[0].fetch_add(1, Ordering::SeqCst);
            tokio::spawn(async move {
                let mut head = Vec::new();
                while let Ok(byte) = stream.read_u8().await {
                    head.push(byte);
                    if head.ends_with(b"\r\n\r\n") {
                        head.clear();
                        counts[2].fetch_add(1, Ordering::SeqCst);
                        stream.write_all(response.as_bytes()).await.unwrap();
                        if response.contains("close") {
                            return;
                        }
                    }
                }
                counts[1].fetch_add(1, Ordering::SeqCst);
            });
        }
    });
    (address, counts)
}

/// Successes and 503 of ten requests on three connections, and the server's counts.
async fn load(response: &'static str, counts_503: bool) -> (Result<(usize, usize)>, [usize; 3]) {
    let (address, counts) = server(response).await;
    let path = |number| format!("/{number}?secret=1");
    let make = Arc::new(move |number| request(address, "GET", &path(number), None));
    let meter = Meter { keeper: 0, supervisor: 0 };
    let load = HttpLoad {
        address,
        meter,
        count: 10,
        make,
        is_random: false,
        counts_503,
        per_second: None,
    };
    let ended = load.run(3, None).await.map(|round| {
        assert!(round.latencies.is_sorted());
        (round.latencies.len(), round.rejected)
    });
    (ended, counts.each_ref().map(|count| count.load(Ordering::SeqCst)))
}

#[tokio::test]
async fn each_request_is_sent_once_on_connections_that_end_with_the_load() {
    let (ended, counts) = load("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", false).await;
    assert_eq!((ended.unwrap(), counts), ((10, 0), [3, 3, 10]));
}

#[tokio::test]
async fn only_a_load_that_counts_503_continues_also_where_the_server_closes() {
    let closing = "HTTP/1.1 503 Overloaded\r\nconnection: close\r\ncontent-length: 4\r\n\r\nbusy";
    let staying = "HTTP/1.1 503 Overloaded\r\ncontent-length: 4\r\n\r\nbusy";
    for (response, connections) in [(staying, 3), (closing, 10)] {
        assert!(load(response, false).await.0.is_err());
        let (ended, counts) = load(response, true).await;
        assert_eq!(ended.unwrap(), (0, 10));
        assert!(counts[0] >= connections, "{counts:?}");
    }
}

#[tokio::test]
async fn other_response_is_an_error_that_hides_the_query() {
    for (response, expected) in [
        ("HTTP/1.1 429 Too Many\r\ncontent-length: 4\r\n\r\nslow", "429 instead of a success"),
        (
            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 9\r\n\r\n{}",
            "before the end of a response",
        ),
    ] {
        let error = load(response, true).await.0.unwrap_err().to_string();
        assert!(error.contains(expected) && !error.contains("secret"), "{error}");
    }
}
