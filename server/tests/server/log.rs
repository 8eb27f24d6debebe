//! The log, which the suite cannot see: one line per request, and never a secret.

use poem::http::Method;
use serde_json::{Value, json};

use crate::support::{
    Key, TestServer,
    dataset::*,
    log::{begin, lines},
    until,
};

/// The lines of requests whose id has this prefix, in order, once there are so many.
pub(super) async fn requests(prefix: &str, count: usize) -> Vec<Value> {
    let found = || -> Vec<Value> {
        let lines = lines().into_iter();
        let lines = lines.map(|line| serde_json::from_str::<Value>(&line).expect("a JSON object"));
        let is_ours = |line: &Value| {
            let id = line["request_id"].as_str();
            line["target"] == "request" && id.is_some_and(|id| id.starts_with(prefix))
        };
        lines.filter(is_ours).collect()
    };
    until(async || found().len() >= count).await;
    found()
}

#[tokio::test]
async fn no_line_holds_the_signature_or_the_file_name_of_a_link() {
    let server = TestServer::start().await;
    begin();
    let response = server.statement(ONE_LINE).expect(200).await;
    let link = response.text_at("/data/downloadUrl");
    let followed = server.follow(link).header("x-request-id", "followed-1").send().await.unwrap();
    assert_eq!(followed.status(), 200);
    let altered = format!("{link}0");
    server.follow(&altered).header("x-request-id", "followed-2").send().await.unwrap();
    let asset = response.text_at("/data/assetId");
    let hidden = format!("/statements/{MAIN}/{asset}/…");
    let seen = requests("followed-", 2).await;
    assert_eq!(seen.len(), 2);
    assert_eq!((&seen[0]["path"], &seen[1]["path"]), (&json!(hidden), &json!(hidden)));
    let signature = link.rsplit_once("signature=").unwrap().1;
    for secret in [signature, "Nordwind-Handels"] {
        let lines = lines().into_iter();
        let leaking: Vec<String> = lines.filter(|line| line.contains(secret)).collect();
        assert!(leaking.is_empty(), "{leaking:?}");
    }
}

#[tokio::test]
async fn no_line_holds_a_key_a_query_or_a_body_whatever_the_level() {
    let server = TestServer::start().await;
    begin();
    let key = server.key(Key::MAIN).to_owned();
    let (canary, secret) = ("canary-7f3a", "pcp_test_canary7f3acanary7f3acanary7f3acanary7f");
    let lines_path = format!("/api/v1/commission-lines?payoutId={canary}");
    let wrong_path = format!("/api/v1/partners?api_key={key}&limit={canary}");
    let cookie = server.get(Key::MAIN, "/api/v1/partners").header("cookie", canary);
    let sent = [
        (server.update(BARE, json!({"name": canary})), 200),
        (server.update(BARE, json!({"name": 5, canary: canary})), 422),
        (server.update(BARE, json!({"tierId": canary})), 422),
        (server.request(Method::GET, "/api/v1/partners").header("x-api-key", secret), 401),
        (server.get(Key::MAIN, &wrong_path), 422),
        (server.request(Method::GET, &wrong_path), 401),
        (cookie.header("authorization", format!("Bearer {canary}")), 200),
        (server.get(Key::MAIN, &lines_path), 200),
    ];
    for (request, status) in sent {
        request.header("x-request-id", "hidden").expect(status).await;
    }
    server.execute("ALTER TABLE commission_lines RENAME TO away").await;
    server.get(Key::MAIN, &lines_path).header("x-request-id", "hidden").expect(500).await;
    assert_eq!(requests("hidden", 9).await.len(), 9);
    let cause = "relation \\\"commission_lines\\\" does not exist";
    let lines = lines();
    assert!(lines.iter().any(|line| line.contains(cause)), "the cause of the 500 is logged");
    for line in lines {
        for hidden in [canary, secret, &*key, "canary"] {
            assert!(!line.contains(hidden), "{line}");
        }
    }
}

#[test]
fn character_that_turns_a_terminal_around_is_escaped_in_every_line() {
    begin();
    tracing::warn!(target: "payout_server", text = "turned \u{202e}around");
    assert!(lines().iter().any(|line| line.contains(r"turned \u202earound")));
}
