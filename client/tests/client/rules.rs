//! Rules of the document: a request that breaks some is not sent, and the error names all of them.

use std::collections::HashMap;

use payout_client::{
    Change, Error, Money, Timestamp,
    types::{
        CreateCommissionLineRequest, CreatePayoutBatchRequest, CreatePayoutRequest, Cursor,
        DeclineCommissionLineRequest, PayoutId, UpdatePartnerRequest, UpdatePayoutRequest,
        Violation,
    },
};

use crate::{responses::PARTNER, stub::Stub};

const START: &str = "2026-05-01T00:00:00Z";
const END: &str = "2026-05-31T23:59:59Z";

/// Place, code and message of each violation of a request that was not sent.
#[track_caller]
fn violations<T: std::fmt::Debug>(result: Result<T, Error>) -> Vec<String> {
    let Err(Error::InvalidRequest { issues }) = result else { panic!("{result:?}") };
    let text =
        |issue: &Violation| format!("{}{} {} {}", issue.in_, issue.path, issue.code, issue.message);
    issues.iter().map(text).collect()
}

fn line(amount: &str, currency: &str) -> Result<CreateCommissionLineRequest, Error> {
    CreateCommissionLineRequest::builder("ptn_1", amount, currency, "Order 1").try_into()
}

#[tokio::test]
async fn every_violation_is_found_before_anything_is_sent() {
    let stub = Stub::responding_json(PARTNER).await;
    let client = stub.client();
    let line = CreateCommissionLineRequest::builder("", "0.00", "eur", "x".repeat(2001))
        .source_amount("1.005")
        .idempotency_key("");
    let result = client.create_commission_line(line).idempotency_key(" k ").send().await;
    let text = result.as_ref().unwrap_err().to_string();
    let found = violations(result);
    assert_eq!(
        found,
        [
            "header/idempotency-key BAD_FORMAT must consist of visible ASCII characters, without \
             spaces",
            "body/sourceAmount BAD_FORMAT `1.005` is not an amount: write up to 26 digits, a point \
             and two digits, like `-1234.50`",
            "body/partnerId TOO_SHORT must have at least 1 character, has 0",
            "body/amount ZERO must not be zero",
            "body/currency BAD_FORMAT must be a current ISO 4217 code in upper case, such as EUR",
            "body/description TOO_LONG must have at most 2000 characters, has 2001",
            "body/idempotencyKey TOO_SHORT must have at least 1 character, has 0",
        ]
    );
    assert!(text.starts_with("the request was not sent: "), "{text}");
    assert!(text.contains("/amount: must not be zero; /currency: must be"), "{text}");
    assert!(stub.requests().is_empty());
}

#[test]
fn amount_of_a_line_has_fewer_digits_than_a_sum() {
    line("999999999999999999.99", "EUR").unwrap();
    let found = violations(line("1000000000000000000.00", "EUR"));
    assert!(found[0].starts_with("body/amount BAD_FORMAT must have up to 18 digits"), "{found:?}");
}

#[test]
fn only_current_currencies_in_upper_case_are_sent() {
    for currency in ["eur", "EURO", "XXQ", ""] {
        assert_eq!(violations(line("1.00", currency)).len(), 1, "{currency}");
    }
}

#[test]
fn period_ends_after_its_start() {
    let payout = |start, end| {
        let payout = CreatePayoutRequest::builder("ptn_1", "EUR");
        CreatePayoutRequest::try_from(payout.period_start(start).period_end(end))
    };
    payout(START, END).unwrap();
    let expected = ["body/periodEnd TOO_SMALL must be later than periodStart"];
    assert_eq!(violations(payout(END, START)), expected);
    assert_eq!(violations(payout(START, START)), expected);
}

#[tokio::test]
async fn values_of_one_type_are_set_by_name_and_missing_ones_are_named() {
    let stub = Stub::responding_json(PARTNER).await;
    let batch = CreatePayoutBatchRequest::builder().period_end(END);
    let result = stub.client().create_payout_batch(batch).send().await;
    assert_eq!(violations(result), ["body/periodStart REQUIRED is missing"]);
    assert!(stub.requests().is_empty());
}

#[test]
fn note_is_required_for_a_reason_of_ones_own() {
    let builder = DeclineCommissionLineRequest::builder("CUSTOM");
    DeclineCommissionLineRequest::try_from(builder.clone().note("Returned")).unwrap();
    let found = violations(DeclineCommissionLineRequest::try_from(builder));
    assert_eq!(found, ["body/note REQUIRED is missing; reason CUSTOM needs it"]);
}

#[test]
fn maps_have_limits_of_names_and_values() {
    let texts = HashMap::from([("x".repeat(65), String::new()), ("a/b".into(), "y".repeat(2001))]);
    let update = UpdatePayoutRequest::builder().metadata(texts);
    let mut found = violations(UpdatePayoutRequest::try_from(update));
    found.sort_unstable();
    let name = format!(
        "body/metadata/{} TOO_LONG the name must have at most 64 characters, has 65",
        "x".repeat(65)
    );
    let value = "body/metadata/a~1b TOO_LONG must have at most 2000 characters, has 2001";
    assert_eq!(found, [value.to_owned(), name]);
    let many: HashMap<_, _> = (0..51).map(|name| (name.to_string(), String::new())).collect();
    let update = UpdatePayoutRequest::builder().metadata(many);
    let found = violations(UpdatePayoutRequest::try_from(update));
    assert_eq!(found, ["body/metadata TOO_LONG must have at most 50 names, has 51"]);
}

#[tokio::test]
async fn value_set_of_a_filter_is_closed() {
    let stub = Stub::responding_json(PARTNER).await;
    let result = stub.client().list_commission_lines().status("PAID").limit(0).send().await;
    let expected = [
        "query/limit TOO_SMALL must be at least 1",
        "query/status NOT_IN_ENUM must be one of EXPECTED, PENDING, IN_PAYOUT, VOIDED",
    ];
    assert_eq!(violations(result), expected);
    assert!(stub.requests().is_empty());
}

#[tokio::test]
async fn value_that_no_builder_made_is_checked_too() {
    let stub = Stub::responding_json(PARTNER).await;
    let mut update = UpdatePartnerRequest::default();
    update.name = Some("x".repeat(201).into());
    let result = stub.client().update_partner("ptn_1", update).send().await;
    assert_eq!(violations(result).len(), 1);
    assert!(stub.requests().is_empty());
}

#[test]
fn characters_are_counted_as_the_server_counts_them() {
    let name = |name: String| {
        UpdatePartnerRequest::try_from(UpdatePartnerRequest::builder().name(name)).map(drop)
    };
    name("é👍".repeat(100)).unwrap();
    assert_eq!(violations(name("👍".repeat(201))).len(), 1);
}

#[test]
fn later_value_of_a_member_replaces_an_invalid_one() {
    let update = UpdatePartnerRequest::builder().tier_id("").tier_id("tier_1").domain("").name("N");
    let update = UpdatePartnerRequest::try_from(update.domain(Change::Keep)).unwrap();
    assert_eq!(serde_json::to_string(&update).unwrap(), r#"{"name":"N","tierId":"tier_1"}"#);
}

#[test]
fn optional_text_of_a_response_sets_or_clears() {
    let written = |builder| {
        let update = UpdatePartnerRequest::try_from(builder).unwrap();
        serde_json::to_string(&update).unwrap()
    };
    let domain = Some("nordwind.example".to_owned());
    let set = r#"{"domain":"nordwind.example"}"#;
    assert_eq!(written(UpdatePartnerRequest::builder().domain(domain.as_deref())), set);
    assert_eq!(written(UpdatePartnerRequest::builder().domain(domain.as_ref())), set);
    let cleared = UpdatePartnerRequest::builder().domain(None::<String>);
    assert_eq!(written(cleared), r#"{"domain":null}"#);
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
async fn list_resumes_at_a_cursor_or_begins() {
    let stub = Stub::responding_json(r#"{"data":[],"pagination":{"nextCursor":null}}"#).await;
    let (client, cursor) = (stub.client(), Cursor::from("c"));
    client.list_payouts().resume(Some(&cursor)).send().await.unwrap();
    client.list_payouts().resume(None::<&Cursor>).send().await.unwrap();
    let sent = stub.requests();
    assert!(sent[0].starts_with("GET /api/v1/payouts?cursor=c HTTP"), "{sent:?}");
    assert!(sent[1].starts_with("GET /api/v1/payouts HTTP"), "{sent:?}");
}
