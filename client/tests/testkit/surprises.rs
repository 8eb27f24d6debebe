//! Each surprise, as a client sees it.

use std::time::Duration;

use payout_client::{
    Error, Operation,
    testkit::{Server, Surprise},
    types::{CreateCommissionLineRequest, PartnerStatus, PayoutStage},
};

use crate::server::{payout, raw, statement};

/// A server that surprises the callers of `getPayout`.
async fn surprising(surprise: Surprise) -> Server {
    let server = Server::start().await;
    assert!(surprise.applies_to(Operation::GetPayout), "{surprise:?}");
    server.surprise(Operation::GetPayout, surprise);
    server
}

#[tokio::test]
async fn unknown_fields_break_no_client() {
    let server = surprising(Surprise::UnknownFields).await;
    let body = raw(&server, "GET /api/v1/payouts/a");
    assert_eq!(body.matches("fieldOfANewerServer").count(), 4, "{body}");
    assert!(payout(&server.client()).await.is_ok());
}

#[tokio::test]
async fn new_values_arrive_as_unknown_ones() {
    let server = surprising(Surprise::NewValues).await;
    let payout = payout(&server.client()).await.unwrap();
    assert!(matches!(payout.data.stage, PayoutStage::Unknown(_)));
    server.surprise(Operation::GetPartner, Surprise::NewValues);
    let partner = server.client().get_partner("ptn_1").send().await.unwrap();
    assert!(matches!(partner.data.status, PartnerStatus::Unknown(_)));
    assert_ne!(partner.data.external_id_type.as_ref().unwrap().as_str(), "PARTNER");
}

#[tokio::test]
async fn headers_that_are_optional_can_be_absent() {
    const CREDITS: &str = "x-service-credits-remaining-month";
    let server = Server::start().await;
    assert!(payout(&server.client()).await.unwrap().headers().contains_key(CREDITS));
    server.surprise(Operation::GetPayout, Surprise::NoOptionalHeaders);
    let answer = payout(&server.client()).await.unwrap();
    assert!(!answer.headers().contains_key(CREDITS));
    assert!(answer.request_id().is_some());
}

/// The client repeats what is safe to repeat, without pauses.
#[tokio::test]
async fn one_error_comes_before_success() {
    for surprise in [Surprise::RateLimitedOnce, Surprise::UnavailableOnce] {
        let server = surprising(surprise).await;
        assert!(payout(&server.client()).await.is_ok(), "{surprise:?}");
        assert_eq!(server.requests().len(), 2, "{surprise:?}");
    }
    let server = Server::start().await;
    server.surprise(Operation::CreateCommissionLine, Surprise::InProgressOnce);
    let line = CreateCommissionLineRequest::builder("ptn_1", "1.00", "EUR", "Order 1");
    let created = server.client().create_commission_line(line).send().await.unwrap();
    assert!(!created.is_replayed());
    let requests = server.requests();
    let keys: Vec<_> = requests.iter().map(|sent| &sent.headers["idempotency-key"]).collect();
    assert_eq!(keys.len(), 2);
    assert_eq!(keys[0], keys[1]);
}

#[tokio::test]
async fn slow_answer_ends_with_the_deadline() {
    let server = surprising(Surprise::Slow).await;
    let client = server.client().with_deadline(Duration::from_millis(100));
    let error = payout(&client).await.unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
}

#[tokio::test]
async fn connection_ends_before_the_head_or_in_the_body() {
    for surprise in [Surprise::CutInHead, Surprise::CutInBody] {
        let server = surprising(surprise).await;
        let error = payout(&server.client()).await.unwrap_err();
        assert!(matches!(error, Error::Transport { .. }), "{surprise:?}: {error:?}");
    }
}

#[tokio::test]
async fn page_of_a_proxy_has_a_status_and_no_code() {
    let server = surprising(Surprise::BadGateway).await;
    let error = payout(&server.client()).await.unwrap_err();
    assert_eq!(error.status().unwrap(), 502);
    assert_eq!(error.code(), None);
}

#[tokio::test]
async fn redirect_is_not_followed() {
    let server = surprising(Surprise::Redirect).await;
    assert_eq!(payout(&server.client()).await.unwrap_err().status().unwrap(), 307);
}

#[tokio::test]
async fn links_expire_and_downloads_end_early() {
    for surprise in [Surprise::LinkExpired, Surprise::DownloadCut] {
        assert!(!surprise.applies_to(Operation::GetPayout));
        assert!(surprise.applies_to(Operation::GenerateStatement));
        let server = Server::start().await;
        server.surprise(Operation::GenerateStatement, surprise);
        let client = server.client();
        let statement = statement(&client).await;
        let download = client.download_statement(&statement).send().await;
        let error = match download {
            Ok(download) => download.bytes().await.unwrap_err(),
            Err(error) => error,
        };
        let is_expected = match surprise {
            Surprise::LinkExpired => matches!(error, Error::LinkExpired { .. }),
            _ => matches!(error, Error::Transport { .. }),
        };
        assert!(is_expected, "{surprise:?}: {error:?}");
    }
}

#[test]
fn surprises_apply_where_the_document_has_their_cause() {
    let with = |surprise: Surprise| {
        Operation::ALL.iter().filter(move |known| surprise.applies_to(**known)).count()
    };
    assert_eq!(with(Surprise::CutInBody), Operation::ALL.len());
    assert!((1..Operation::ALL.len()).contains(&with(Surprise::InProgressOnce)));
    assert_eq!(with(Surprise::LinkExpired), 1);
}
