//! Claims about load, against a server of a few lines.
//!
//! They refuse a clock: what is claimed is what was called, not how fast.

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

/// Answers every request with `answer`; counts connections and requests.
async fn server(answer: &'static str) -> (SocketAddr, Arc<AtomicUsize>, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (connections, requests) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counters = (Arc::clone(&connections), Arc::clone(&requests));
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            counters.0.fetch_add(1, Ordering::SeqCst);
            let requests = Arc::clone(&counters.1);
            tokio::spawn(async move {
                let mut head = Vec::new();
                while let Ok(byte) = stream.read_u8().await {
                    head.push(byte);
                    if head.ends_with(b"\r\n\r\n") {
                        head.clear();
                        requests.fetch_add(1, Ordering::SeqCst);
                        stream.write_all(answer.as_bytes()).await.unwrap();
                        if answer.contains("close") {
                            return;
                        }
                    }
                }
            });
        }
    });
    (address, connections, requests)
}

fn calls(count: usize) -> Arc<[Call]> {
    let call = |number| Call {
        method: "GET",
        path: format!("/{number}?secret=1"),
        key: None,
    };
    (0..count).map(call).collect()
}

async fn load(
    address: SocketAddr,
    connections: usize,
    count: usize,
    is_overload: bool,
) -> Result<Answers, LoadError> {
    let load = Load {
        connections,
        calls: calls(count),
        order: Order::InTurn,
        is_overload,
    };
    ready(address, load).await?.run(Until::AllMade).await
}

#[tokio::test]
async fn each_call_is_made_once_on_connections_that_are_kept() {
    let (address, connections, requests) = server(FINE).await;
    let answers = load(address, 3, 10, false).await.unwrap();
    assert_eq!((answers.count(), answers.turned_away), (10, 0));
    assert!(answers.latencies.is_sorted());
    assert_eq!(requests.load(Ordering::SeqCst), 10);
    assert_eq!(connections.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn refused_call_measures_nothing_and_tells_no_query() {
    let (address, _, _) = server(LIMITED).await;
    for is_overload in [false, true] {
        let refused = load(address, 2, 4, is_overload).await.unwrap_err();
        let told = refused.to_string();
        assert!(told.contains("429") && told.contains("slow"), "{told}");
        assert!(!told.contains("secret"), "{told}");
    }
}

#[tokio::test]
async fn call_that_is_turned_away_counts_apart_and_only_in_overload() {
    let (address, _, _) = server(OVERLOADED).await;
    assert!(load(address, 2, 4, false).await.is_err());
    let answers = load(address, 2, 4, true).await.unwrap();
    assert_eq!((answers.count(), answers.turned_away), (0, 4));
}

#[tokio::test]
async fn connection_that_the_server_ends_is_opened_anew() {
    let (address, connections, _) = server(CLOSING).await;
    let answers = load(address, 1, 3, true).await.unwrap();
    assert_eq!(answers.turned_away, 3);
    // The last one was opened, and nothing was left to ask for.
    assert!(connections.load(Ordering::SeqCst) >= 3);
}

#[tokio::test]
async fn answer_of_one_call_is_handed_over() {
    let (address, _, _) = server(FINE).await;
    let mut caller = Caller::connect(address).await.unwrap();
    assert_eq!(caller.call(&calls(1)[0]).await.unwrap(), b"{}");
}
