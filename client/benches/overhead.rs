//! Measures the client beside reqwest and serde alone: `cargo bench -p payout-client`.
//!
//! A server on another thread sends prepared responses. The two candidates take turns on this
//! thread, whose processor time counts. Then a million lines are streamed, and the most memory that
//! the process ever had is printed.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_types,
    clippy::float_arithmetic,
    reason = "a bench prints ratios or fails; it has no money"
)]

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    thread,
    time::Duration,
};

use payout_client::{Client, Money, Timestamp, reqwest};
use rustix::time::{ClockId, clock_gettime};
use serde::Deserialize;

const ROUNDS: usize = 501;
const CALLS: u32 = 20;
/// Both have a time limit, as every program needs one.
const TIMEOUT: Duration = Duration::from_secs(45);
const PAGES: usize = 10_000;
const KEY: &str = "pcp_test_0123456789";

/// A payout and a line as a program would declare them that uses reqwest and serde.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "reading them is what is measured")]
struct Payout {
    id: String,
    batch_id: String,
    partner: Partner,
    period_start: Timestamp,
    period_end: Timestamp,
    amount: Amount,
    stage: String,
    po_number: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "reading them is what is measured")]
struct Partner {
    id: String,
    name: String,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "reading them is what is measured")]
struct Amount {
    value: Money,
    currency: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "reading them is what is measured")]
struct Line {
    id: String,
    partner_id: String,
    payout_id: Option<String>,
    amount: Money,
    source_amount: Money,
    currency: String,
    description: String,
    plan_name: String,
    period_end: Timestamp,
    status: String,
    created_at: Timestamp,
    updated_at: Timestamp,
}

#[derive(Deserialize)]
struct Envelope<T> {
    data: T,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let base_url = serve();
    let client = Client::builder().base_url(&base_url).key(KEY).timeout(TIMEOUT).build().unwrap();
    let bare = reqwest::Client::builder().timeout(TIMEOUT).build().unwrap();
    println!(
        "processor time of this thread per call, the fastest tenth of {ROUNDS} rounds in turn\n"
    );
    println!("{:<20} {:>10} {:>10} {:>8}", "call", "reqwest", "client", "ratio");

    let url = format!("{base_url}/api/v1/payouts/pay_1");
    compare(
        "a payout",
        async || bare_call::<Payout>(&bare, &url).await,
        async || {
            client.get_payout("pay_1").send().await.unwrap();
        },
    )
    .await;
    let url = format!("{base_url}/api/v1/commission-lines?limit=100");
    compare(
        "a page of 100 lines",
        async || bare_call::<Vec<Line>>(&bare, &url).await,
        async || {
            client.list_commission_lines().limit(100).send().await.unwrap();
        },
    )
    .await;

    let mut lines = client.list_commission_lines().limit(100).stream();
    let mut count = 0_u32;
    while let Some(line) = lines.next().await {
        line.unwrap();
        count += 1;
    }
    println!("\n{count} lines streamed; peak memory of the process {} MB", peak_megabytes());
}

async fn bare_call<T: serde::de::DeserializeOwned>(http: &reqwest::Client, url: &str) {
    let request = http.get(url).header("x-api-key", KEY).header("api-version", "2026-05-20");
    let response = request.header("accept", "application/json").send().await.unwrap();
    let body = response.error_for_status().unwrap().bytes().await.unwrap();
    let read: Envelope<T> = serde_json::from_slice(&body).unwrap();
    drop(read.data);
}

async fn compare(name: &str, bare: impl AsyncFn(), client: impl AsyncFn()) {
    // The first round opens connections.
    measure(&bare).await;
    measure(&client).await;
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        times[0].push(measure(&bare).await);
        times[1].push(measure(&client).await);
    }
    let [bare, client] = times.each_mut().map(|times| fastest_tenth(times));
    println!("{name:<20} {bare:>7.1} µs {client:>7.1} µs {:>8.3}", client / bare);
}

/// Microseconds of processor time per call.
async fn measure(call: &impl AsyncFn()) -> f64 {
    let began = clock_gettime(ClockId::ThreadCPUTime);
    for _ in 0..CALLS {
        call().await;
    }
    let ended = clock_gettime(ClockId::ThreadCPUTime);
    let nanoseconds = (ended.tv_sec - began.tv_sec) * 1_000_000_000 + ended.tv_nsec - began.tv_nsec;
    nanoseconds as f64 / 1_000.0 / f64::from(CALLS)
}

/// Returns the time that nine of ten rounds exceed: other programs on the machine make rounds
/// slower, none faster.
fn fastest_tenth(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 10]
}

fn peak_megabytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

/// A server with prepared responses; its base URL.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(|| respond(stream.unwrap()));
        }
    });
    base_url
}

fn respond(mut stream: TcpStream) {
    stream.set_nodelay(true).unwrap();
    let payout = response(PAYOUT);
    let lines = vec![LINE; 100].join(",");
    let page = |cursor: &str| {
        response(&format!(r#"{{"data":[{lines}],"pagination":{{"nextCursor":{cursor}}}}}"#))
    };
    let last = page("null");
    let first = page("\"00000\"");
    let mut pages = 0;
    let mut heads = BufReader::new(stream.try_clone().unwrap()).lines();
    while let Some(Ok(line)) = heads.next() {
        let is_page = line.contains("/commission-lines");
        let is_of_stream = is_page && line.contains("cursor=");
        while heads.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
        pages += usize::from(is_of_stream);
        let next;
        let response = match is_page {
            false => &payout,
            true if pages == 0 => &first,
            true if pages + 1 < PAGES => {
                next = page(&format!("\"{pages:05}\""));
                &next
            }
            true => &last,
        };
        stream.write_all(response).unwrap();
    }
}

fn response(body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: r-1\r\n\
         x-ratelimit-limit-minute: 120\r\nx-ratelimit-remaining-minute: 119\r\n\
         x-service-credits-limit-month: 10000\r\nx-service-credits-remaining-month: 9999\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

const PAYOUT: &str = r#"{"data":{"id":"pay_01JV3N8Q5RHWXK2M4P6S7T9V0A",
"batchId":"pbt_01JV3N8Q5RHWXK2M4P6S7T9V0A","partner":{"id":"ptn_01JV3N8Q5RHWXK2M4P6S7T9V0A",
"name":"Nordwind Handels GmbH"},"periodStart":"2026-05-01T00:00:00.000Z",
"periodEnd":"2026-05-31T23:59:59.999Z","amount":{"value":"1234.50","currency":"EUR"},
"stage":"APPROVED","poNumber":"PO-7","createdAt":"2026-06-01T08:00:00.000Z",
"updatedAt":"2026-06-01T08:00:00.250Z"}}"#;

const LINE: &str = r#"{"id":"cln_01JV3N8Q5RHWXK2M4P6S7T9V0A",
"partnerId":"ptn_01JV3N8Q5RHWXK2M4P6S7T9V0A","payoutId":"pay_01JV3N8Q5RHWXK2M4P6S7T9V0A",
"amount":"123.45","sourceAmount":"1234.50","currency":"EUR",
"description":"Commission on order 5001","planName":"Standard",
"periodEnd":"2026-05-31T23:59:59.999Z","status":"IN_PAYOUT",
"createdAt":"2026-06-01T08:00:00.000Z","updatedAt":"2026-06-01T08:00:00.250Z"}"#;
