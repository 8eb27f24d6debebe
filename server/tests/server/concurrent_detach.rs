//! §3.1 under concurrency: of many detaches of one line one succeeds, and each line of a payout
//! counts once.

use std::sync::Arc;

use futures_util::future::join_all;
use poem::http::Method;

use crate::support::{Key, TestResponse, TestServer, dataset::*, operator};

/// Detaches these lines all at once, alternating between two replicas.
async fn detach_at_once(lines: Vec<String>) -> (Arc<TestServer>, Vec<TestResponse>) {
    let server = Arc::new(TestServer::start_with(|options| options.acquire_seconds = 30).await);
    let replica = Arc::new(server.replica().await);
    let answers = lines.into_iter().enumerate().map(|(number, line)| {
        let (server, replica) = (Arc::clone(&server), Arc::clone(&replica));
        tokio::spawn(async move {
            let path = format!("/api/v1/commission-lines/{line}/detach");
            match number % 2 {
                0 => server.post(Key::MAIN, &path).send().await,
                _ => replica.request(Method::POST, &path, server.key(Key::MAIN)).send().await,
            }
        })
    });
    let answers = join_all(answers).await;
    (server, answers.into_iter().map(Result::unwrap).collect())
}

fn count(answers: &[TestResponse], status: u16) -> usize {
    answers.iter().filter(|response| response.status == status).count()
}

async fn amount(server: &TestServer) -> serde_json::Value {
    let path = format!("/api/v1/payouts/{TO_DETACH}");
    let response = server.get(Key::MAIN, &path).expect(200).await;
    response.body["data"]["amount"]["value"].clone()
}

#[tokio::test]
async fn of_32_concurrent_detaches_of_a_line_one_succeeds() {
    let (server, answers) = detach_at_once(vec![DETACHABLE.to_owned(); 32]).await;
    assert_eq!((count(&answers, 200), count(&answers, 422)), (1, 31));
    assert_eq!(amount(&server).await, "72.15");
    let superuser_pool = server.superuser().await;
    let rows = operator::history(&superuser_pool, DETACHABLE).await;
    assert_eq!(rows.len(), 1, "{rows:?}");
    let credits = operator::meter(&superuser_pool, MAIN).await.month_used;
    assert_eq!(credits, 33, "each of them, and the look at the payout, cost one");
}

#[tokio::test]
async fn two_concurrent_detaches_of_a_line_end_in_one_200_and_one_422() {
    let (server, answers) = detach_at_once(vec![DETACHABLE.to_owned(); 2]).await;
    assert_eq!((count(&answers, 200), count(&answers, 422)), (1, 1));
    assert_eq!(amount(&server).await, "72.15");
}

#[tokio::test]
async fn concurrent_detaches_of_a_payouts_lines_each_lower_it_once() {
    let lines: Vec<String> =
        "QRSTVWXYZ".chars().map(|last| format!("cln_01JV3N8Q5R000000000000001{last}")).collect();
    let twice = [lines.clone(), lines].concat();
    let (server, answers) = detach_at_once(twice).await;
    assert_eq!((count(&answers, 200), count(&answers, 422)), (9, 9));
    assert_eq!(amount(&server).await, "9.99");
    let superuser_pool = server.superuser().await;
    let sum: String =
        sqlx::query_scalar("SELECT sum(amount)::text FROM commission_lines WHERE payout_id = $1")
            .bind(TO_DETACH)
            .fetch_one(&superuser_pool)
            .await
            .unwrap();
    assert_eq!(sum, "9.99", "the payout is the sum of its lines");
}
