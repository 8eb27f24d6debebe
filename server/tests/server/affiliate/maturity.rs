//! Expected lines become pending when their hold is over (X19).

use payout_server::commission_lines::maturity::{self, store};

use super::{line_of, order, reverse};
use crate::support::{
    TestServer,
    dataset::{MAIN, OTHER},
};

/// Matures what is due in main; returns how many lines.
async fn mature(server: &TestServer) -> i64 {
    let mut transaction = server.write(MAIN).await;
    let chunk = store::mature_due(&mut transaction, &maturity::start()).await.unwrap();
    transaction.commit().await.unwrap();
    chunk.matured
}

#[tokio::test]
async fn line_matures_when_the_hold_of_its_conversion_is_over_and_once() {
    let server = TestServer::start().await;
    let conversion = order(&server, "o-1").await;
    let reversed = order(&server, "o-2").await;
    reverse(&server, &reversed.id()).await;
    // The data set has one that is due four days later.
    server.database.set_clock("2026-06-19T10:38:00.000Z").await.unwrap();
    assert_eq!(mature(&server).await, 1);
    server.database.set_clock("2026-07-15T11:59:59.999Z").await.unwrap();
    assert_eq!(mature(&server).await, 0);
    assert_eq!(line_of(&server, &conversion).await.text_at("/data/status"), "EXPECTED");
    server.database.set_clock("2026-07-15T12:00:00.000Z").await.unwrap();
    assert_eq!(mature(&server).await, 1);
    assert_eq!(mature(&server).await, 0);
    assert_eq!(line_of(&server, &conversion).await.text_at("/data/status"), "PENDING");
    assert_eq!(line_of(&server, &reversed).await.text_at("/data/status"), "VOIDED");
    let entries = "SELECT count(*) FROM history WHERE action = 'mature_commission_line'
                     AND actor = 'operator' AND before ->> 'status' = 'EXPECTED'
                     AND after ->> 'status' = 'PENDING'";
    assert_eq!(server.value::<i64>(entries).await, 2);
    let others = format!(
        "SELECT count(*) FROM commission_lines
          WHERE organization_id = '{OTHER}' AND status = 'EXPECTED'"
    );
    assert_eq!(server.value::<i64>(others).await, 1);
}

#[tokio::test]
async fn line_without_a_conversion_matures_by_its_id_alone() {
    let server = TestServer::start().await;
    let lone = "cln_01JV3N8Q5R000000000000003K".to_owned();
    server.database.set_clock("2030-01-01T00:00:00.000Z").await.unwrap();
    mature(&server).await;
    let status = format!("SELECT status FROM commission_lines WHERE id = '{lone}'");
    assert_eq!(server.value::<String>(status.clone()).await, "EXPECTED");
    let mut transaction = server.write(MAIN).await;
    let pending = "cln_01JV3N8Q5R0000000000000023".to_owned();
    let ids = [lone.clone(), pending, "cln_01JV3N8Q5R0200000000000004".to_owned()];
    assert_eq!(store::mature_lines(&mut transaction, &ids).await.unwrap(), [lone]);
    transaction.commit().await.unwrap();
    assert_eq!(server.value::<String>(status).await, "PENDING");
}
