//! Requests: what is sent of each, or which of its values break rules of the document.

use std::collections::HashMap;

use payout_client::{
    Change, Error, Money, Timestamp,
    reqwest::Method,
    types::{
        CommissionLineStatus, CreateCommissionLineRequest, CreatePartnerRequest,
        CreatePayoutBatchRequest, CreatePayoutRequest, Cursor, DeclineCommissionLineRequest,
        PartnerId, PayoutId, UpdatePartnerRequest, UpdatePayoutRequest,
    },
};
use serde_json::Value;

use crate::{
    responses::{PARTNER, PAYOUT},
    stub::{KEY, Stub},
};

const START: &str = "2026-05-01T00:00:00Z";
const END: &str = "2026-05-31T23:59:59Z";

/// Shows the requests that the server got, or the error with each violation's place and code.
fn shown(stub: &Stub, result: Result<(), Error>) -> String {
    let mut sent = String::new();
    for line in stub.take_requests().iter().flat_map(|request| request.split("\r\n")) {
        match line.split_once(": ") {
            // The tests of traces are about the last of them.
            Some(("host" | "user-agent" | "traceparent", _)) => {}
            Some(("idempotency-key", key)) if key.len() == 32 => sent += "idempotency-key: …\n",
            _ if line.is_empty() => {}
            _ => sent += &format!("{line}\n"),
        }
    }
    match &result {
        Err(error @ Error::InvalidRequest { issues }) => {
            let issues = issues.iter().map(|it| format!("  {}{} {}\n", it.in_, it.path, it.code));
            format!("{sent}{error}\n{}", issues.collect::<String>())
        }
        // The response may be another operation's.
        _ => sent,
    }
}

/// The requests, and what they show.
macro_rules! shown {
    ($stub:expr; $($request:expr;)*) => {
        [$({
            let result = $request.send().await.map(drop);
            format!("{}\n{}\n", stringify!($request), shown($stub, result))
        }),*].concat()
    };
}

fn map<const N: usize>(names: [String; N], value: &str) -> HashMap<String, String> {
    names.into_iter().map(|name| (name, value.to_owned())).collect()
}

#[tokio::test]
async fn each_request_is_sent_or_breaks_rules() {
    let stub = &Stub::responding_json(PARTNER).await;
    let client = stub.client();
    assert!(!format!("{client:?} {:?}", client.get_payout("pay_1")).contains(KEY));
    let status = CommissionLineStatus::InPayout;
    let (partner, cursor) = (PartnerId::from("ptn_1"), Cursor::from("c"));
    let update = || UpdatePartnerRequest::builder();
    let change = |update| client.update_partner("ptn_1", update);
    let mut unbuilt = UpdatePartnerRequest::default();
    unbuilt.name = Some("x".repeat(201).into());
    let domain = Some("nordwind.example".to_owned());
    let line = |amount, currency| {
        let line = CreateCommissionLineRequest::builder("ptn_1", amount, currency, "Order 1");
        client.create_commission_line(line)
    };
    let period = |start, end| {
        let payout = CreatePayoutRequest::builder("ptn_1", "EUR");
        client.create_payout(payout.period_start(start).period_end(end))
    };
    let texts =
        |texts| client.update_payout("pay_1", UpdatePayoutRequest::builder().metadata(texts));
    let decline = || DeclineCommissionLineRequest::builder("CUSTOM");
    let all = shown! { stub;
        client.get_payout("pay_1");
        client.get_partner(r"..\../a?b#c%2e é");
        client.list_commission_lines().partner_id(&partner).limit(2).status(status);
        client.list_commission_lines().status("PAID").limit(0);
        client.list_partners().limit(101);
        client.list_payouts().resume(Some(&cursor));
        client.list_payouts().resume(None::<&Cursor>);
        change(update().domain(Change::Keep));
        change(update().domain(Change::Clear));
        change(update().domain(Change::try_from("nordwind.example").unwrap()));
        change(update().domain(domain.as_deref()));
        change(update().domain(domain.as_ref()));
        change(update().domain(None::<String>));
        change(update().tier_id("").tier_id("tier_1").domain("").name("N").domain(Change::Keep));
        change(update().name("é👍".repeat(100)));
        change(update().name("👍".repeat(201)));
        change(update().domain(""));
        change(update().tier_id(""));
        client.update_partner("ptn_1", unbuilt);
        client.create_commission_line(
            CreateCommissionLineRequest::builder("", "0.00", "eur", "x".repeat(2001))
                .source_amount("1.005")
                .idempotency_key("")
        ).idempotency_key(" k ");
        line("999999999999999999.99", "EUR");
        line("1000000000000000000.00", "EUR");
        line("1.00", "EURO");
        line("1.00", "XXQ");
        line("1.00", "");
        client.create_payout_batch(CreatePayoutBatchRequest::builder().period_end(END));
        period(START, END);
        period(END, START);
        period(START, START);
        client.decline_commission_line("cln_1", decline().note("Returned"));
        client.decline_commission_line("cln_1", decline());
        texts(map(["x".repeat(65)], ""));
        texts(map(["a/b".to_owned()], &"y".repeat(2001)));
        texts(map(std::array::from_fn::<_, 51, _>(|name| name.to_string()), ""));
    };
    insta::assert_snapshot!(all);
}

#[tokio::test]
async fn each_id_and_idempotency_key_is_sent_or_breaks_rules() {
    let stub = &Stub::responding_json(PARTNER).await;
    let client = stub.client();
    let mut all = String::new();
    for id in ["", ".", ".."] {
        all += &shown! { stub;
            client.get_payout(id);
            client.get_partner(id);
            client.update_partner(id, UpdatePartnerRequest::builder());
            client.detach_commission_line(id);
        };
    }
    for key in ["create-1", "", "two\nlines", " x", "x ", &"x".repeat(256)] {
        let partner = CreatePartnerRequest::builder("Nordwind");
        all += &shown! { stub; client.create_partner(partner).idempotency_key(key); };
        let any = client.request(Method::POST, "/api/v1/notes").idempotency_key(key);
        all += &shown(stub, any.send::<Value>().await.map(drop));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn texts_and_values_convert_by_reference() {
    let (amount, time, cursor) = ("1.00".to_owned(), START.to_owned(), Cursor::from("c"));
    assert_eq!(Money::try_from(&amount), amount.parse());
    assert_eq!(Timestamp::try_from(&time), time.parse());
    assert_eq!(Cursor::from(&cursor), Cursor::from(&"c".to_owned()));
    assert_eq!(PayoutId::from(&PayoutId::from("pay_1")), PayoutId::from(&"pay_1".to_owned()));
}

#[tokio::test]
async fn replay_is_recognised() {
    for (replayed, header) in [(true, "idempotent-replayed: true\r\n"), (false, "")] {
        let stub = Stub::responding("201 Created", header, PARTNER).await;
        let partner = CreatePartnerRequest::builder("Nordwind");
        let response = stub.client().create_partner(partner).idempotency_key("create-1").send();
        assert_eq!(response.await.unwrap().is_replayed(), replayed);
    }
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
