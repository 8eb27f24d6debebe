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

#[tokio::test]
async fn each_call_is_made_once_on_connections_that_are_kept() {
    let (address, connections, requests) = server(FINE).await;
    let answers = load(address, 3, &calls(10), Until::AllMade).await.unwrap();
    assert_eq!(answers.count(), 10);
    assert!(answers.latencies.is_sorted());
    assert_eq!(requests.load(Ordering::SeqCst), 10);
    assert_eq!(connections.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn refused_call_measures_nothing_and_tells_no_query() {
    let (address, _, _) = server(LIMITED).await;
    let refused = load(address, 2, &calls(4), Until::AllMade)
        .await
        .unwrap_err();
    let told = refused.to_string();
    assert!(told.contains("429") && told.contains("slow"), "{told}");
    assert!(!told.contains("secret"), "{told}");
}

#[tokio::test]
async fn answer_of_one_call_is_handed_over() {
    let (address, _, _) = server(FINE).await;
    let body = call_once(address, &calls(1)[0]).await.unwrap();
    assert_eq!(&body[..], b"{}");
}
