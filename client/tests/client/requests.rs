//! Requests: what is sent, and which values are errors before anything is sent.

use payout_client::{
    Change, Error,
    reqwest::Method,
    types::{CommissionLineStatus, CreatePartnerRequest, PartnerId, UpdatePartnerRequest},
};

use crate::{
    responses::{PARTNER, PAYOUT},
    stub::{KEY, Stub},
};

#[tokio::test]
async fn key_and_version_are_sent_once_and_shown_nowhere() {
    let stub = Stub::responding_json(PAYOUT).await;
    let client = stub.client();
    let request = client.get_payout("pay_1");
    assert!(!format!("{client:?} {request:?}").contains(KEY));
    request.send().await.unwrap();
    let sent = stub.request();
    assert!(sent.starts_with("GET /api/v1/payouts/pay_1 HTTP/1.1\r\n"), "{sent}");
    let count = |line: &str| sent.lines().filter(|sent| *sent == line).count();
    assert_eq!(count(&format!("x-api-key: {KEY}")), 1, "{sent}");
    assert_eq!(count("api-version: 2026-05-20"), 1, "{sent}");
    assert_eq!(count("accept: application/json"), 1, "{sent}");
}

#[tokio::test]
async fn dot_segments_and_empty_ids_are_errors_without_a_request() {
    let stub = Stub::responding_json(PAYOUT).await;
    let client = stub.client();
    for id in ["", ".", ".."] {
        let results = [
            client.get_payout(id).send().await.map(drop),
            client.get_partner(id).send().await.map(drop),
            client.update_partner(id, UpdatePartnerRequest::builder()).send().await.map(drop),
            client.detach_commission_line(id).send().await.map(drop),
        ];
        for result in results {
            let error = result.unwrap_err();
            assert!(matches!(error, Error::InvalidRequest { .. }), "{error:?}");
            assert!(error.to_string().starts_with("the request was not sent: /id: "), "{error}");
        }
    }
    assert!(stub.requests().is_empty());
}

#[tokio::test]
async fn id_of_any_characters_stays_one_segment() {
    let stub = Stub::responding_json(PARTNER).await;
    stub.client().get_partner(r"..\../a?b#c%2e é").send().await.unwrap();
    let sent = stub.request();
    let expected = "GET /api/v1/partners/..%5C..%2Fa%3Fb%23c%252e%20%C3%A9 HTTP/1.1";
    assert_eq!(sent.lines().next(), Some(expected));
}

#[tokio::test]
async fn domain_is_kept_cleared_or_set_on_the_wire() {
    let cases = [
        (Change::Keep, "{}"),
        (Change::Clear, r#"{"domain":null}"#),
        (Change::try_from("nordwind.example").unwrap(), r#"{"domain":"nordwind.example"}"#),
    ];
    for (domain, body) in cases {
        let stub = Stub::responding_json(PARTNER).await;
        let changes = UpdatePartnerRequest::builder().domain(domain);
        stub.client().update_partner("ptn_1", changes).send().await.unwrap();
        let sent = stub.request();
        assert!(sent.starts_with("PATCH /api/v1/partners/ptn_1 HTTP/1.1\r\n"), "{sent}");
        assert!(sent.contains("content-type: application/json\r\n"), "{sent}");
        assert_eq!(sent.split_once("\r\n\r\n").unwrap().1, body);
    }
}

#[tokio::test]
async fn field_outside_its_bounds_is_an_error_without_a_request() {
    let stub = Stub::responding_json(PARTNER).await;
    for changes in [
        UpdatePartnerRequest::builder().name("x".repeat(201)),
        UpdatePartnerRequest::builder().domain(""),
        UpdatePartnerRequest::builder().tier_id(""),
    ] {
        let result = stub.client().update_partner("ptn_1", changes).send().await;
        assert!(matches!(result, Err(Error::InvalidRequest { .. })), "{result:?}");
    }
    let error = stub.client().list_partners().limit(101).send().await.unwrap_err();
    assert_eq!(error.to_string(), "the request was not sent: /limit: must be at most 100");
    assert!(stub.requests().is_empty());
}

#[tokio::test]
async fn filters_are_sent_as_the_document_names_them() {
    let stub = Stub::responding_json(r#"{"data":[],"pagination":{"nextCursor":null}}"#).await;
    let partner = PartnerId::from("ptn_1");
    let client = stub.client();
    let request = client.list_commission_lines().partner_id(&partner).limit(2);
    request.status(CommissionLineStatus::InPayout).send().await.unwrap();
    let sent = stub.request();
    let expected = "GET /api/v1/commission-lines?limit=2&partnerId=ptn_1&status=IN_PAYOUT HTTP/1.1";
    assert_eq!(sent.lines().next(), Some(expected));
}

#[tokio::test]
async fn idempotency_key_is_a_header_and_a_replay_is_recognised() {
    for (replayed, header) in [(true, "idempotent-replayed: true\r\n"), (false, "")] {
        let stub = Stub::responding("201 Created", header, PARTNER).await;
        let partner = CreatePartnerRequest::builder("Nordwind");
        let client = stub.client();
        let request = client.create_partner(partner).idempotency_key("create-1");
        assert_eq!(request.send().await.unwrap().is_replayed(), replayed);
        let sent = stub.request();
        let count = sent.lines().filter(|line| *line == "idempotency-key: create-1").count();
        assert_eq!(count, 1, "{sent}");
    }
}

#[tokio::test]
async fn invalid_idempotency_key_is_an_error_without_a_request() {
    let stub = Stub::responding_json(PARTNER).await;
    for key in ["", "two\nlines", " x", "x ", &"x".repeat(256)] {
        let partner = CreatePartnerRequest::builder("Nordwind");
        let client = stub.client();
        let request = client.create_partner(partner).idempotency_key(key);
        assert!(matches!(request.send().await, Err(Error::InvalidRequest { .. })), "{key}");
        let any = client.request(Method::POST, "/api/v1/notes").idempotency_key(key);
        let result = any.send::<serde_json::Value>().await;
        assert!(matches!(result, Err(Error::InvalidRequest { .. })), "{key}");
    }
    assert!(stub.requests().is_empty());
}

#[tokio::test]
async fn redirect_does_not_carry_the_key_away() {
    let elsewhere = Stub::responding_json(PAYOUT).await;
    let location = format!("location: {}/stolen\r\n", elsewhere.base_url);
    let stub = Stub::responding("307 Temporary Redirect", &location, "").await;
    let error = stub.client().get_payout("pay_1").send().await.unwrap_err();
    assert_eq!(error.status().unwrap(), 307);
    assert!(elsewhere.requests().is_empty());
}
