//! A2, A8 with a change under load: a revocation, the end of a month, payouts that take detached
//! lines.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use futures_util::future::{join, join_all};
use payout_server::gate::Environment;
use poem::http::Method;

use crate::support::{Key, TestResponse, TestServer, dataset::*, operator};

const PATH: &str = "/api/v1/partners?limit=1";

async fn server() -> Arc<TestServer> {
    // No request times out in a queue: the test is about exactness, not overload.
    Arc::new(TestServer::start_with(|options| options.acquire_seconds = 30).await)
}

#[tokio::test]
async fn no_request_that_begins_after_a_revocation_passes() {
    let server = server().await;
    let replica = Arc::new(server.replica().await);
    let life = (Environment::Test, 365);
    let (id, key, _) = operator::create_key(&server, MAIN, &["partners:read"], life).await;
    let revoked = Arc::new(AtomicBool::new(false));
    let clients = (0..8).map(|number| {
        let (server, replica) = (Arc::clone(&server), Arc::clone(&replica));
        let (revoked, key) = (Arc::clone(&revoked), key.clone());
        tokio::spawn(async move {
            let mut passed = 0;
            loop {
                let is_late = revoked.load(Ordering::SeqCst);
                let response = match number % 2 {
                    0 => server.request(Method::GET, PATH).header("x-api-key", &key).send().await,
                    _ => replica.request(Method::GET, PATH, &key).send().await,
                };
                if response.status == 401 {
                    return passed;
                }
                assert_eq!(response.status, 200);
                assert!(!is_late, "a request passed that began after the revocation");
                passed += 1;
            }
        })
    });
    let clients: Vec<_> = clients.collect();
    let superuser_pool = server.superuser().await;
    while operator::meter(&superuser_pool, MAIN).await.month_used < 20 {
        tokio::task::yield_now().await;
    }
    operator::revoke_key(&server, MAIN, &id).await;
    revoked.store(true, Ordering::SeqCst);
    let passed: Vec<i64> = join_all(clients).await.into_iter().map(Result::unwrap).collect();
    let charged = operator::meter(&superuser_pool, MAIN).await.month_used;
    assert_eq!(passed.iter().sum::<i64>(), charged, "each that passed was charged, and no other");
}

#[tokio::test]
async fn month_that_ends_under_load_overspends_neither_month() {
    let server = server().await;
    let replica = server.replica().await;
    server.database.set_clock("2026-06-30T23:59:59.999Z").await.unwrap();
    operator::set_limits(&server, MAIN, 100_000, Some(50)).await;
    let superuser_pool = server.superuser().await;
    let load = join_all((0..120).map(|number| {
        let request = match number % 2 {
            0 => server.get(Key::MAIN, PATH),
            _ => replica.request(Method::GET, PATH, server.key(Key::MAIN)),
        };
        request.send()
    }));
    let turn = async {
        while operator::meter(&superuser_pool, MAIN).await.month_used < 5 {
            tokio::task::yield_now().await;
        }
        server.database.set_clock("2026-07-01T00:00:00.000Z").await.unwrap();
    };
    let (mut answers, ()) = join(load, turn).await;
    // July's credits are used up, so that each of its places is known.
    for _ in 0..51 {
        answers.push(server.get(Key::MAIN, PATH).send().await);
    }
    let left =
        |response: &TestResponse| response.number("x-service-credits-remaining-month").unwrap();
    let granted: Vec<i64> =
        answers.iter().filter(|response| response.status == 200).map(left).collect();
    let june = granted.len() - 50;
    assert!((5..=50).contains(&june), "{june} credits of June");
    let mut expected: Vec<i64> = (0..50).chain((0..50).rev().take(june)).collect();
    let mut seen = granted;
    expected.sort_unstable();
    seen.sort_unstable();
    assert_eq!(seen, expected, "each place in June and in July once");
    let rejected = answers.iter().filter(|response| response.status == 402);
    assert!(rejected.map(left).all(|left| left == 0));
}

#[tokio::test]
async fn lines_that_are_detached_while_payouts_take_them_are_in_one_place_each() {
    let server = server().await;
    let partner = "ptn_01JV3N8Q5R000000000000000G";
    let detaches = "QRSTVWXYZ".chars().map(|last| {
        let request = server.detach(&format!("cln_01JV3N8Q5R000000000000001{last}"));
        request.expect(200)
    });
    let ids: Vec<String> =
        (0..4).map(|number| format!("pay_01JV3N8Q5R00000000000000Z{number}")).collect();
    let payouts = ids.iter().map(|id| operator::create_payout(&server, MAIN, id, partner));
    let (_, made) = join(join_all(detaches), join_all(payouts)).await;
    let superuser_pool = server.superuser().await;
    let wrong: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM payouts
          WHERE amount <> (SELECT coalesce(sum(line.amount), 0) FROM commission_lines AS line
                            WHERE line.organization_id = payouts.organization_id
                              AND line.payout_id = payouts.id)",
    )
    .fetch_one(&superuser_pool)
    .await
    .unwrap();
    assert_eq!(wrong, 0, "a payout is the sum of its lines");
    let attached: i64 =
        sqlx::query_scalar("SELECT count(*) FROM history WHERE action = 'attach_commission_line'")
            .fetch_one(&superuser_pool)
            .await
            .unwrap();
    assert_eq!(made.iter().map(|payout| payout.lines).sum::<i64>(), attached);
    let detached: i64 =
        sqlx::query_scalar("SELECT count(*) FROM history WHERE action = 'detach_commission_line'")
            .fetch_one(&superuser_pool)
            .await
            .unwrap();
    assert_eq!(detached, 9);
}
