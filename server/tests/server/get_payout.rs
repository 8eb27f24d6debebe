//! §4.6: get a payout.

use crate::support::{Key, TestServer, dataset::*, snapshot};

async fn get(server: &TestServer, key: Key, id: &str) -> crate::support::TestResponse {
    server.get(key, &format!("/api/v1/payouts/{id}")).send().await
}

#[tokio::test]
async fn get_payout_answers_every_field() {
    let server = TestServer::start().await;
    let response = get(&server, Key::MAIN, ONE_LINE).await;
    snapshot("get_payout", "with_note_and_po_number", &response);
    let response = get(&server, Key::MAIN, EMPTY).await;
    snapshot("get_payout", "without_lines", &response);
}

#[tokio::test]
async fn get_payout_answers_a_foreign_payout_like_an_absent_one() {
    let server = TestServer::start().await;
    let foreign = get(&server, Key::OTHER, ONE_LINE).await;
    let absent = get(&server, Key::OTHER, NO_PAYOUT).await;
    assert_eq!((foreign.status.as_u16(), &foreign.text), (404, &absent.text));
    assert_eq!(get(&server, Key::MAIN, FOREIGN_PAYOUT).await.text, absent.text);
    snapshot("get_payout", "absent", &absent);
}

#[tokio::test]
async fn get_payout_carries_an_amount_beyond_a_double_exactly() {
    let server = TestServer::start().await;
    let response = get(&server, Key::MAIN, HUGE).await;
    let exact = r#""amount":{"value":"90071992547409.93","currency":"JPY"}"#;
    assert!(response.text.contains(exact), "{}", response.text);
}

#[tokio::test]
async fn get_payout_shows_a_negative_sum_and_a_sum_of_nothing() {
    let server = TestServer::start().await;
    let amount =
        async |id| get(&server, Key::MAIN, id).await.body["data"]["amount"]["value"].clone();
    assert_eq!(amount(NEGATIVE).await, "-25.25");
    assert_eq!(amount(EMPTY).await, "0.00");
    assert_eq!(amount(TO_DETACH).await, "79.92");
}

#[tokio::test]
async fn get_payout_shows_every_stage() {
    let server = TestServer::start().await;
    let mut stages = Vec::new();
    for last in "123456789ABC".chars() {
        let response =
            get(&server, Key::MAIN, &format!("pay_01JV3N8Q5R000000000000000{last}")).await;
        stages.push(response.body["data"]["stage"].as_str().unwrap().to_owned());
    }
    stages.sort();
    stages.dedup();
    let every = "APPROVED BLOCKED DECLINED DRAFT FAILED PAID PENDING_INVOICE PENDING_PAYMENT \
                 PENDING_REVIEW POSTPONED SCHEDULED";
    assert_eq!(stages.join(" "), every);
}
