//! §3.1: a detached line waits in the pending pool, and the next payout may take it.

use crate::support::{Key, TestServer, dataset::*, operator};

const NEXT: &str = "pay_01JV3N8Q5R00000000000000ZZ";
const PARTNER: &str = "ptn_01JV3N8Q5R000000000000000G";

#[tokio::test]
async fn detached_line_is_taken_by_the_next_payout() {
    let server = TestServer::start().await;
    server.detach(DETACHABLE).expect(200).await;
    let made = operator::create_payout(&server, MAIN, NEXT, PARTNER).await;
    assert_eq!((made.lines, made.amount.to_string()), (1, "7.77".to_owned()));
    let path = format!("/api/v1/commission-lines?payoutId={NEXT}");
    let lines = server.get(Key::MAIN, &path).expect(200).await;
    assert_eq!(lines.ids(), [DETACHABLE]);
    assert_eq!(lines.body["data"][0]["status"], "IN_PAYOUT");
    let payout = server.get(Key::MAIN, &format!("/api/v1/payouts/{NEXT}")).expect(200).await;
    assert_eq!(payout.body["data"]["amount"]["value"], "7.77");
    let former = server.get(Key::MAIN, &format!("/api/v1/payouts/{TO_DETACH}")).expect(200).await;
    assert_eq!(former.body["data"]["amount"]["value"], "72.15");
}

#[tokio::test]
async fn line_goes_round_again_and_again() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    for round in 0..3 {
        server.detach(DETACHABLE).expect(200).await;
        let id = format!("pay_01JV3N8Q5R00000000000000Z{round}");
        let made = operator::create_payout(&server, MAIN, &id, PARTNER).await;
        assert_eq!(made.lines, 1);
    }
    let rows = operator::history(&superuser_pool, DETACHABLE).await;
    let actions: Vec<&str> = rows.iter().map(|row| row.action.as_str()).collect();
    let once = ["detach_commission_line", "attach_commission_line"];
    assert_eq!(actions, [once, once, once].concat());
}

#[tokio::test]
async fn payout_takes_pending_lines_of_its_partner_and_currency_alone() {
    let server = TestServer::start().await;
    let made = operator::create_payout(&server, MAIN, NEXT, NORDWIND).await;
    assert_eq!((made.lines, made.amount.to_string()), (30, "151.50".to_owned()));
    let path = "/api/v1/commission-lines?limit=100&status=PENDING";
    let left = server.get(Key::MAIN, path).expect(200).await;
    assert_eq!(left.ids().len(), 3, "one in dollars, two of other partners");
}
