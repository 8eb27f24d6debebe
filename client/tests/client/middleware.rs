//! Middleware and spans: what they see of a call, and that they see no secret.

use std::{
    io,
    sync::{Arc, Mutex},
};

use payout_client::{BoxFuture, Client, Middleware, Next, reqwest};
use serde_json::json;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::{
    downloads::{PDF, statement},
    responses::PAYOUT,
    stub::{KEY, Stub},
};

#[derive(Clone, Default)]
struct Recorded(Arc<Mutex<Vec<u8>>>);

impl Recorded {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Recorded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Middleware for Recorded {
    fn handle<'a>(
        &'a self,
        mut request: reqwest::Request,
        next: Next<'a>,
    ) -> BoxFuture<'a, reqwest::Result<reqwest::Response>> {
        Box::pin(async move {
            let mut seen = format!("{} {} {request:?}\n", next.operation(), next.attempt());
            request.headers_mut().insert("x-request-id", "trace-1".parse().unwrap());
            let response = next.run(request).await?;
            seen.push_str(response.status().as_str());
            self.0.lock().unwrap().extend(seen.bytes());
            Ok(response)
        })
    }
}

#[tokio::test]
async fn middleware_sees_and_changes_requests_without_the_key() {
    let stub = Stub::responding_json(PAYOUT).await;
    let recorded = Recorded::default();
    let builder = Client::builder().base_url(&stub.base_url).key(KEY);
    let client = builder.middleware(recorded.clone()).build().unwrap();
    client.get_payout("pay_1").send().await.unwrap();
    let seen = recorded.text();
    assert!(seen.starts_with("getPayout 1 ") && seen.ends_with("\n200"), "{seen}");
    assert!(!seen.contains(KEY) && !seen.contains("x-api-key"), "{seen}");
    let sent = stub.request();
    for header in [format!("x-api-key: {KEY}"), "x-request-id: trace-1".to_owned()] {
        assert!(sent.contains(&format!("{header}\r\n")), "{sent}");
    }
}

#[tokio::test]
async fn spans_have_operation_status_and_request_id_and_no_secret() {
    let recorded = Recorded::default();
    let writer = recorded.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    // For all threads: one without a subscriber would switch off the spans that it is the first to
    // reach. The other tests have the same key, so their spans are checked too.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    tracing::callsite::rebuild_interest_cache();

    let files = Stub::responding("200 OK", "", PDF).await;
    let body = json!({ "data": statement(&files.base_url) });
    let api = Stub::responding_json(body.to_string()).await;
    let client = api.client();
    let generated = client.generate_statement("pay_1").send().await.unwrap().into_inner().data;
    client.download_statement(&generated).send().await.unwrap().bytes().await.unwrap();

    let text = recorded.text();
    let span = r#"call{operation=generateStatement status=200 request_id="r-1"}"#;
    assert!(text.contains(span), "{text}");
    let signature = generated.download_url.as_str().split_once("signature=").unwrap().1;
    for secret in [KEY, signature] {
        assert!(!text.contains(secret), "{text}");
    }
}
