//! Load against a server of a few lines.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::*;

const FINE: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
const LIMITED: &str = "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 4\r\n\r\nslow";
const OVERLOADED: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\n\r\nbusy";
const CLOSING: &str =
    "HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 4\r\n\r\nbusy";

const CUT: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 9\r\n\r\n{}";

/// Counts of a server.
#[derive(Debug, Default)]
struct Counts {
    connections: AtomicUsize,
    closed: AtomicUsize,
    requests: AtomicUsize,
}

fn count(counter: &AtomicUsize) -> usize {
    counter.load(Ordering::SeqCst)
}

/// Sends the same response to every request.
async fn server(response: &'static str) -> (SocketAddr, Arc<Counts>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let counts = Arc::new(Counts::default());
    let counted = Arc::clone(&counts);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let counts = Arc::clone(&counted);
            counts.connections.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(async move {
                let mut head = Vec::new();
                while let Ok(byte) = stream.read_u8().await {
                    head.push(byte);
                    if head.ends_with(b"\r\n\r\n") {
                        head.clear();
                        counts.requests.fetch_add(1, Ordering::SeqCst);
                        stream.write_all(response.as_bytes()).await.unwrap();
                        if response.contains("close") {
                            return;
                        }
                    }
                }
                counts.closed.fetch_add(1, Ordering::SeqCst);
            });
        }
    });
    (address, counts)
}

async fn load(
    address: SocketAddr,
    connections: usize,
    count: usize,
    counts_503: bool,
) -> Result<Round> {
    let path = |number| format!("/{number}?secret=1");
    let requests = (0..count).map(|number| request(address, "GET", &path(number), None));
    let meter = Meter { keeper: 0, supervisor: 0 };
    let requests = requests.collect();
    let load = HttpLoad { address, meter, requests, is_random: false, counts_503 };
    load.run(connections, None).await
}

#[tokio::test]
async fn each_request_is_sent_once_on_persistent_connections() {
    let (address, counts) = server(FINE).await;
    let run = load(address, 3, 10, false).await.unwrap();
    assert_eq!((run.latencies.len(), run.rejected), (10, 0));
    assert!(run.latencies.is_sorted());
    assert_eq!(count(&counts.requests), 10);
    assert_eq!(count(&counts.connections), 3);
    assert_eq!(count(&counts.closed), 3, "before the load ends");
}

#[tokio::test]
async fn other_status_is_an_error_that_hides_the_query() {
    let (address, _) = server(LIMITED).await;
    for counts_503 in [false, true] {
        let error = load(address, 2, 4, counts_503).await.unwrap_err();
        let message = error.to_string();
        assert!(message.contains("429") && message.contains("slow"), "{message}");
        assert!(!message.contains("secret"), "{message}");
    }
}

#[tokio::test]
async fn only_a_load_that_counts_503_continues_and_counts_separately() {
    let (address, _) = server(OVERLOADED).await;
    assert!(load(address, 2, 4, false).await.is_err());
    let run = load(address, 2, 4, true).await.unwrap();
    assert_eq!((run.latencies.len(), run.rejected), (0, 4));
}

#[tokio::test]
async fn closed_connection_is_reopened() {
    let (address, counts) = server(CLOSING).await;
    let run = load(address, 1, 3, true).await.unwrap();
    assert_eq!(run.rejected, 3);
    assert_eq!(count(&counts.connections), 3);
}

#[tokio::test]
async fn response_that_ends_early_is_an_error() {
    let (address, _) = server(CUT).await;
    let error = load(address, 1, 1, false).await.unwrap_err();
    assert!(error.to_string().contains("before the end of a response"), "{error}");
}
