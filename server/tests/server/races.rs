//! Requests at once to two servers, of which the database decides. The suite reaches one server.

use futures_util::future::join_all;
use serde_json::json;

use crate::support::{Key, TestServer, dataset::NORDWIND};

#[tokio::test]
async fn creations_at_once_on_two_servers_make_one_thing() {
    let server = TestServer::start_with(|options| options.acquire_seconds = 30).await;
    let replica = server.replica().await;
    let line = json!({
        "partnerId": NORDWIND, "amount": "3.00", "currency": "EUR",
        "description": "Commission", "periodEnd": "2026-05-31T23:59:59.999Z",
    });
    let mut keyed_line = line.clone();
    keyed_line["idempotencyKey"] = json!("line-once");
    for (path, body, key, others) in [
        ("partners", json!({ "name": "At once", "domain": "at-once.example" }), None, 200),
        ("commission-lines", keyed_line, None, 200),
        // A repetition gets the same response, or 409 while the first request runs.
        ("commission-lines", line, Some("once"), 409),
    ] {
        let sent = (0..12).map(|number| {
            let path = format!("/api/v1/{path}");
            let request = match number % 2 {
                0 => server.post(Key::MAIN, &path),
                _ => replica.post(Key::MAIN, &path),
            };
            let request = match key {
                Some(key) => request.header("idempotency-key", key),
                None => request,
            };
            tokio::spawn(request.json(&body).send())
        });
        let responses = join_all(sent).await.into_iter().map(Result::unwrap);
        let mut statuses: Vec<u16> = Vec::new();
        let mut ids: Vec<String> = Vec::new();
        for response in responses {
            statuses.push(response.status.as_u16());
            ids.extend(Some(response.id()).filter(|id| !id.is_empty()));
        }
        assert!(ids.iter().all(|id| *id == ids[0]), "{path}: {ids:?}");
        let made = statuses.iter().filter(|status| **status == 201).count();
        assert!(made == 1 || made > 1 && key.is_some(), "{path}: {statuses:?}");
        assert!(statuses.iter().all(|status| [201, others].contains(status)), "{statuses:?}");
    }
}
