//! The log: one line per request, and never a secret.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

use poem::http::Method;
use serde_json::{Value, json};
use tracing::subscriber::DefaultGuard;

use crate::support::{Key, TestServer, dataset::*, operator};

/// Everything that this test's thread logs, on which its server runs as well.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    fn begin() -> (Self, DefaultGuard) {
        let lines = Self::default();
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt()
            .json()
            .flatten_event(true)
            .with_max_level(tracing::Level::TRACE)
            .with_writer(move || writer.clone())
            .finish();
        (lines, tracing::subscriber::set_default(subscriber))
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// The lines of requests.
    fn requests(&self) -> Vec<Value> {
        let text = self.text();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["target"] == "request").collect()
    }
}

#[tokio::test]
async fn each_request_leaves_one_line_that_tells_who_what_and_how_it_ended() {
    let server = TestServer::start().await;
    let behind = server.superuser().await;
    let key_id = operator::key_id(&behind, MAIN, "all").await;
    let (lines, _guard) = Lines::begin();
    let ask = server.get(Key::MAIN, &format!("/api/v1/payouts/{NO_PAYOUT}"));
    ask.header("x-request-id", "logged-1").expect(404).await;
    server
        .ask(Method::GET, "/api/v1/partners")
        .header("x-request-id", "logged-2")
        .expect(401)
        .await;
    server
        .get(Key::MAIN, "/api/v1/partners")
        .header("x-request-id", "logged-3")
        .expect(200)
        .await;
    let seen = lines.requests();
    let [absent, anonymous, fine] = seen.as_slice() else {
        panic!("three lines: {seen:?}");
    };
    let expected = json!({
        "request_id": "logged-1", "client": "127.0.0.1", "method": "GET",
        "path": format!("/api/v1/payouts/{NO_PAYOUT}"), "operation": "getPayout", "organization": MAIN,
        "key_id": key_id, "status": 404, "code": "NOT_FOUND",
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&absent[name], value, "{name}");
    }
    assert!(absent["duration_us"].is_u64() && absent["timestamp"].is_string());
    assert_eq!(
        (&anonymous["status"], &anonymous["code"]),
        (&json!(401), &json!("UNAUTHORIZED"))
    );
    assert!(anonymous.get("organization").is_none());
    assert_eq!(fine["status"], 200);
    assert!(fine.get("code").is_none());
}

#[tokio::test]
async fn no_line_holds_a_key_a_query_or_a_body_whatever_the_level() {
    let server = TestServer::start().await;
    let behind = server.superuser().await;
    let (lines, _guard) = Lines::begin();
    let key = server.key(Key::MAIN).to_owned();
    let (canary, secret) = (
        "canary-7f3a",
        "pcp_test_canary7f3acanary7f3acanary7f3acanary7f",
    );
    server
        .update(BARE, json!({"name": canary}))
        .expect(200)
        .await;
    server
        .update(BARE, json!({"name": 5, canary: canary}))
        .expect(422)
        .await;
    server
        .update(BARE, json!({"tierId": canary}))
        .expect(422)
        .await;
    server
        .ask(Method::GET, "/api/v1/partners")
        .header("x-api-key", secret)
        .expect(401)
        .await;
    let path = format!("/api/v1/partners?api_key={key}&limit={canary}");
    server.get(Key::MAIN, &path).expect(422).await;
    server.ask(Method::GET, &path).expect(401).await;
    let ask = server
        .get(Key::MAIN, "/api/v1/partners")
        .header("cookie", canary);
    ask.header("authorization", format!("Bearer {canary}"))
        .header("x-request-id", "a b")
        .expect(200)
        .await;
    sqlx::raw_sql("ALTER TABLE payouts RENAME TO away")
        .execute(&behind)
        .await
        .unwrap();
    server
        .get(Key::MAIN, &format!("/api/v1/payouts/{ONE_LINE}?"))
        .expect(500)
        .await;
    let ours: Vec<String> = lines
        .text()
        .lines()
        .filter(|line| {
            line.contains("\"target\":\"payout_server") || line.contains("\"target\":\"request\"")
        })
        .map(str::to_owned)
        .collect();
    assert_eq!(lines.requests().len(), 8);
    assert!(
        ours.iter().any(|line| line.contains("a handler failed")),
        "the cause of the 500 is logged"
    );
    for line in ours {
        for hidden in [canary, secret, &*key, "canary"] {
            assert!(!line.contains(hidden), "{line}");
        }
    }
}
