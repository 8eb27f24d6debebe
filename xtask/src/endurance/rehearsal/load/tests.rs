//! The load against a server that fails each key once.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
};

use super::{super::ORGANIZATIONS, *};

/// The requests of each idempotency key, whole.
type Seen = Arc<Mutex<BTreeMap<String, Vec<String>>>>;

/// Answers the first request of a key with 503, its repetition with a success, and a read with an
/// amount; counts the successes.
async fn answer(stream: TcpStream, seen: Seen, successes: watch::Sender<usize>) {
    let mut stream = BufReader::new(stream);
    loop {
        let (mut head, mut key, mut length) = (String::new(), None, 0);
        loop {
            let begin = head.len();
            if stream.read_line(&mut head).await.unwrap_or(0) == 0 {
                return;
            }
            let line = head[begin..].trim_end();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(": ") {
                match name {
                    "idempotency-key" => key = Some(value.to_owned()),
                    "content-length" => length = value.parse().unwrap(),
                    _ => {}
                }
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        let whole = head + &String::from_utf8(body).unwrap();
        let times = key.map(|key| {
            let mut seen = seen.lock().unwrap();
            let requests = seen.entry(key).or_default();
            requests.push(whole);
            requests.len()
        });
        let (status, body) = match times {
            None => ("200 OK", r#"{"data":{"amount":{"value":"12.50"}}}"#),
            Some(1) => ("503 Busy", "{}"),
            Some(_) => ("201 Created", r#"{"data":{"id":"cln_a"}}"#),
        };
        let length = body.len();
        let response = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{body}");
        stream.get_mut().write_all(response.as_bytes()).await.unwrap();
        successes.send_modify(|successes| *successes += usize::from(times != Some(1)));
    }
}

#[tokio::test]
async fn failed_operation_is_repeated_byte_for_byte_until_it_succeeds() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let seen = Seen::default();
    let (sender, mut successes) = watch::channel(0);
    let server = Arc::clone(&seen);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(answer(stream, Arc::clone(&server), sender.clone()));
        }
    });
    let keys: Arc<[String]> = vec!["key".to_owned(); ORGANIZATIONS].into();
    let load = Load { addresses: vec![address; 2], keys, rate: 1_000, seed: 1 };
    let event = async |_| Ok(successes.wait_for(|successes| *successes > 40).await.map(drop)?);
    let (attempts, next, ended) = load.run(7, &[1_250; GROWING], event).await;
    ended.unwrap();
    let operations: BTreeSet<u64> = attempts.iter().map(|attempt| attempt.operation).collect();
    assert_eq!(operations, (7..next).collect(), "each operation is recorded");
    let seen = seen.lock().unwrap();
    assert!(seen.keys().any(|key| key.starts_with("detach-")), "{:?}", seen.keys());
    for (key, requests) in seen.iter() {
        assert_eq!(requests.len(), 2, "{key} is not sent again after its success");
        assert_eq!(requests[0], requests[1], "{key} is repeated as it was");
    }
    let count = |is: fn(&Attempt) -> bool| attempts.iter().filter(|it| is(it)).count();
    assert_eq!(count(|attempt| attempt.status == 503), seen.len());
    assert_eq!(count(|attempt| attempt.status == 201), seen.len());
    let is_read = |attempt: &Attempt| attempt.kind == Kind::Read && attempt.amount == 1_250;
    assert_eq!(count(is_read), operations.len() - count(|it| it.kind == Kind::Create) / 2);
}

#[tokio::test]
async fn read_must_have_what_was_answered_before_it_was_sent() {
    let load = Load { addresses: Vec::new(), keys: Arc::new([]), rate: 1, seed: 1 };
    let running = Running::new(&load, &[500; GROWING]);
    assert_eq!(running.at_least(3), 500);
    running.created[3].fetch_add(LINE, Ordering::SeqCst);
    assert_eq!(running.at_least(3), 600);
    running.seen[3].fetch_max(900, Ordering::SeqCst);
    assert_eq!((running.at_least(3), running.at_least(2)), (900, 500));
}

#[test]
fn amounts_are_read_in_cents() {
    let cents_of = ["1234.50", "0.00", "12", "1.5", "1.500"].map(cents);
    assert_eq!(cents_of, [Some(123_450), Some(0), None, None, None]);
}
