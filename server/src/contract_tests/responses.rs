//! Responses have documented statuses, content types and shapes only.

use poem::{IntoResponse, http::StatusCode};
use serde_json::{Value, json};

use openapi_runtime::{Issue, IssueCode, Money, OperationResponse, responses};

use crate::contract::{
    Problem,
    routes::{GetPayoutResponse, ListPartnersResponse},
    types::ErrorCode,
};

async fn sent(response: impl IntoResponse) -> (StatusCode, Option<String>, Value) {
    let response = response.into_response();
    let (status, content_type) = (response.status(), response.content_type().map(str::to_owned));
    let text = response.into_body().into_string().await.unwrap();
    (status, content_type, serde_json::from_str(&text).unwrap())
}

#[tokio::test]
async fn documented_problem_is_sent_unchanged() {
    let problem = Problem::new(ErrorCode::NotFound, "No such payout.");
    let (status, content_type, body) = sent(GetPayoutResponse::from_problem(problem)).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert_eq!(content_type.as_deref(), Some("application/json"));
    assert_eq!(body, json!({"error": {"code": "NOT_FOUND", "message": "No such payout."}}));
}

pub enum PutAmount {
    Ok(Money),
    Created(Money),
}

responses! {
    PutAmountResponse: "putAmount", ErrorCode -> PutAmount
    Ok(200) Money, Created(201) Money;
    NotFound(404), InternalServerError(500)
}

#[tokio::test]
async fn each_success_has_its_own_status() {
    let amount = Money::parse("1.50").unwrap();
    for (success, expected) in
        [(PutAmount::Ok(amount), StatusCode::OK), (PutAmount::Created(amount), StatusCode::CREATED)]
    {
        let response = PutAmountResponse::from_result::<Problem>(Ok(success));
        let (status, content_type, body) = sent(response).await;
        assert_eq!(status, expected);
        assert_eq!(content_type.as_deref(), Some("application/json"));
        assert_eq!(body, json!("1.50"));
    }
    let missing = Problem::new(ErrorCode::NotFound, "No such amount.");
    let (status, ..) = sent(PutAmountResponse::from_problem(missing)).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn undocumented_status_becomes_a_500_without_details() {
    let problem = Problem::new(ErrorCode::NotFound, "A list is always found.");
    let (status, _, body) = sent(ListPartnersResponse::from_problem(problem)).await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(body["error"]["code"], "INTERNAL_ERROR");
    assert!(!body.to_string().contains("always found"), "{body}");
}

#[tokio::test]
async fn issues_are_sent_in_the_details() {
    let issue =
        Issue::body("/tierId", IssueCode::InvalidReference, "the organisation has no such tier");
    let (status, _, body) = sent(Problem::invalid(&[issue])).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    let expected = json!([{
        "in": "body", "path": "/tierId", "code": "INVALID_REFERENCE",
        "message": "the organisation has no such tier"
    }]);
    assert_eq!(body["error"]["details"]["issues"], expected);
}
