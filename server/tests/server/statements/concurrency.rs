//! Many requests at once to two servers on one database (S6, S7). The suite reaches one.

use std::collections::BTreeSet;

use futures_util::TryStreamExt as _;
use futures_util::future::join_all;
use poem::http::Method;

use super::{Statement, download};
use crate::support::{Key, TestServer, dataset::*};

#[tokio::test]
async fn concurrent_first_calls_on_two_servers_make_one_asset() {
    let server = TestServer::start().await;
    let replica = server.replica().await;
    let before: Vec<_> = server.storage().await.list().try_collect().await.unwrap();
    let path = format!("/api/v1/payouts/{FORTY_ONE}/statement");
    let key = server.key(Key::MAIN);
    let answers = join_all((0..32).map(|number| {
        let request = match number % 2 {
            0 => server.post(Key::MAIN, &path),
            _ => replica.request(Method::POST, &path, key),
        };
        request.expect(200)
    }))
    .await;
    let statements: Vec<Statement> = answers.iter().map(Statement::of).collect();
    let ids: BTreeSet<&str> = statements.iter().map(|one| one.asset_id.as_str()).collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
    let superuser_pool = server.superuser().await;
    let counts: (i64, i64, i64) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM assets WHERE fingerprint IS NOT NULL),
                (SELECT count(*) FROM asset_intents),
                (SELECT count(*) FROM history WHERE action = 'generate_statement')",
    )
    .fetch_one(&superuser_pool)
    .await
    .unwrap();
    assert_eq!(counts, (1, 0, 1), "assets, intents, rows of history");
    let objects: Vec<_> = server.storage().await.list().try_collect().await.unwrap();
    // The losers have removed their files.
    assert_eq!(objects.len(), before.len() + 1, "{objects:?}");
    let mut bytes = BTreeSet::new();
    for statement in &statements {
        bytes.insert(download(&server, &statement.url).await);
    }
    assert_eq!(bytes.len(), 1);
}

#[tokio::test]
async fn statement_shows_the_lines_of_one_instant() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let (detached, generated) = futures_util::join!(
        async {
            for last in "QRSTVWXYZ".chars() {
                server.detach(&format!("cln_01JV3N8Q5R000000000000001{last}")).expect(200).await;
            }
        },
        async {
            let mut statements = Vec::new();
            for _ in 0..12 {
                match server.statement(TO_DETACH).send().await {
                    response if response.status == 200 => statements.push(Statement::of(&response)),
                    response => panic!("{}", response.text),
                }
            }
            statements
        }
    );
    let () = detached;
    // Each document's fingerprint is of a state that existed: three lines less or more, and no
    // mixture.
    let documents: BTreeSet<&str> = generated.iter().map(|one| one.asset_id.as_str()).collect();
    let kept: i64 =
        sqlx::query_scalar("SELECT count(DISTINCT fingerprint) FROM assets WHERE payout_id = $1")
            .bind(TO_DETACH)
            .fetch_one(&superuser_pool)
            .await
            .unwrap();
    assert_eq!(kept, i64::try_from(documents.len()).unwrap());
    let last = super::generate(&server, TO_DETACH).await;
    assert_eq!(super::generate(&server, TO_DETACH).await.asset_id, last.asset_id);
}
