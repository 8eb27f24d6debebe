//! Links to PDFs in local storage (S9): by the clock, across servers, without their row or object,
//! and beyond the limits of downloads. The suite waits for the end of a link, and sees one server.

use std::time::Duration;

use sqlx::AssertSqlSafe;

use super::{Statement, download, generate, rejection};
use crate::support::{Key, TestServer, dataset::*};

#[tokio::test]
async fn link_works_until_it_expires_and_not_a_millisecond_longer() {
    let server = TestServer::start().await;
    let statement = generate(&server, ONE_LINE).await;
    let advance = async |time| server.database.advance_clock(time).await.unwrap();
    advance(Duration::from_millis(3_599_999)).await;
    download(&server, &statement.url).await;
    advance(Duration::from_millis(1)).await;
    let expired = (403, "LINK_EXPIRED".to_owned());
    assert_eq!(rejection(server.follow(&statement.url)).await, expired);
    advance(Duration::from_secs(1)).await;
    assert_eq!(rejection(server.follow(&statement.url)).await, expired);
    let altered = statement.url.replace("expires=1", "expires=2");
    assert_eq!(rejection(server.follow(&altered)).await, (403, "LINK_INVALID".to_owned()));
}

#[tokio::test]
async fn lifetime_is_what_the_flag_says() {
    for (seconds, expires_at) in
        [(1, "2026-06-15T12:00:01.000Z"), (604_800, "2026-06-22T12:00:00.000Z")]
    {
        let server = TestServer::start_with(|options| {
            options.statements.links.link_lifetime_seconds = seconds;
        })
        .await;
        let statement = generate(&server, ONE_LINE).await;
        assert_eq!(statement.expires_at, expires_at);
        let lifetime = Duration::from_secs(seconds.into());
        server.database.advance_clock(lifetime).await.unwrap();
        let rejected = rejection(server.follow(&statement.url)).await;
        assert_eq!(rejected, (403, "LINK_EXPIRED".to_owned()));
    }
}

#[tokio::test]
async fn altered_link_is_rejected_before_anything_is_looked_up() {
    let server = TestServer::start().await;
    let statement = generate(&server, ONE_LINE).await;
    let superuser_pool = server.superuser().await;
    // Reading the file would fail now.
    sqlx::query("ALTER TABLE payout.assets RENAME TO assets_away")
        .execute(&superuser_pool)
        .await
        .unwrap();
    let other = generate_other(&statement.asset_id);
    for altered in [
        statement.url.replace(&statement.asset_id, &other),
        statement.url.replace(MAIN, "org_01JV3N8Q5R0000000000000002"),
        format!("{}0", statement.url),
        format!("{}&a=b", statement.url),
        statement.url.replace("statement-Nordwind", "statement-nordwind"),
        format!("{}/statements/", server.base_url()),
        format!("{}/statements/../../etc/passwd", server.base_url())
            .replace("../../", "..%2F..%2F"),
    ] {
        let rejected = rejection(server.follow(&altered)).await;
        assert_eq!(rejected, (403, "LINK_INVALID".to_owned()), "{altered}");
    }
    let (status, _) = rejection(server.follow(&statement.url)).await;
    assert_eq!(status, 500, "the sound link is looked up");
}

fn generate_other(id: &str) -> String {
    let last = if id.ends_with('0') { "1" } else { "0" };
    format!("{}{last}", &id[..id.len() - 1])
}

#[tokio::test]
async fn link_of_a_server_with_other_keys_is_rejected() {
    let server = TestServer::start().await;
    let statement = generate(&server, ONE_LINE).await;
    let stranger = TestServer::start().await;
    let there = statement.url.replace(server.base_url(), stranger.base_url());
    assert_eq!(rejection(stranger.follow(&there)).await, (403, "LINK_INVALID".to_owned()));
}

#[tokio::test]
async fn link_of_one_replica_works_on_the_other() {
    let public = |options: &mut payout_server::config::ServeOptions| {
        options.statements.links.public_url = Some("https://pay.example/base".parse().unwrap());
    };
    let server = TestServer::start_with(public).await;
    let replica = server.replica().await;
    let statement = generate(&server, ONE_LINE).await;
    let path = statement.url.strip_prefix("https://pay.example/base").unwrap();
    for base in [server.base_url(), replica.base_url()] {
        download(&server, &format!("{base}{path}")).await;
        // A proxy may keep the path of the public address.
        download(&server, &format!("{base}/base{path}")).await;
    }
}

#[tokio::test]
async fn asset_that_is_gone_is_not_found_and_a_lost_object_is_a_failure() {
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let lost = generate(&server, FORTY_ONE).await;
    let file = format!("assets/{MAIN}/{}.pdf", lost.asset_id);
    std::fs::remove_file(server.folder().join(file)).unwrap();
    assert_eq!(rejection(server.follow(&lost.url)).await, (500, "INTERNAL_ERROR".to_owned()));
    let gone = generate(&server, ONE_LINE).await;
    for table in ["current_statements", "assets"] {
        let statement = format!("DELETE FROM payout.{table} WHERE payout_id = '{ONE_LINE}'");
        sqlx::query(AssertSqlSafe(statement)).execute(&superuser_pool).await.unwrap();
    }
    assert_eq!(rejection(server.follow(&gone.url)).await, (404, "NOT_FOUND".to_owned()));
}

/// Makes every download wait, until it is rolled back.
async fn lock_assets(pool: &sqlx::PgPool) -> sqlx::Transaction<'static, sqlx::Postgres> {
    let mut lock = pool.begin().await.unwrap();
    let statement = sqlx::query("LOCK TABLE payout.assets IN ACCESS EXCLUSIVE MODE");
    statement.execute(&mut *lock).await.unwrap();
    lock
}

#[tokio::test]
async fn downloads_beyond_their_limit_are_503_and_the_api_still_answers() {
    let server = TestServer::start_with(|options| {
        options.downloads_in_flight = 1;
        options.database_connections = 1;
        options.lock_seconds = 30;
        options.query_seconds = 30;
        options.acquire_seconds = 30;
    })
    .await;
    let statement = generate(&server, ONE_LINE).await;
    let superuser_pool = server.superuser().await;
    let lock = lock_assets(&superuser_pool).await;
    let waiting = tokio::spawn(server.follow(&statement.url).send());
    let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity
                 WHERE datname = current_database() AND wait_event_type = 'Lock')";
    while !sqlx::query_scalar::<_, bool>(waits).fetch_one(&superuser_pool).await.unwrap() {}
    let beyond = server.follow(&statement.url).send().await.unwrap();
    assert_eq!(beyond.headers()["cache-control"], "private, no-store");
    assert_eq!(beyond.status(), 503);
    let list = server.get(Key::MAIN, "/api/v1/partners");
    list.expect(200).await;
    lock.rollback().await.unwrap();
    assert_eq!(waiting.await.unwrap().unwrap().status(), 200);
    download(&server, &statement.url).await;
}

#[tokio::test]
async fn noisy_organisations_downloads_leave_places_to_a_quiet_one() {
    let server = TestServer::start_with(|options| {
        options.downloads_in_flight = 2;
        options.lock_seconds = 30;
        options.query_seconds = 30;
    })
    .await;
    let noisy = generate(&server, ONE_LINE).await;
    let quiet = server.post(Key::OTHER, &format!("/api/v1/payouts/{FOREIGN_PAYOUT}/statement"));
    let quiet = Statement::of(&quiet.expect(200).await);
    let superuser_pool = server.superuser().await;
    let lock = lock_assets(&superuser_pool).await;
    let waits = "SELECT count(*) FROM pg_stat_activity
                 WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let mut running = Vec::new();
    for (waiting, url) in [(1, &noisy.url), (2, &quiet.url)] {
        running.push(tokio::spawn(server.follow(url).send()));
        while sqlx::query_scalar::<_, i64>(waits).fetch_one(&superuser_pool).await.unwrap()
            < waiting
        {}
        if waiting == 1 {
            assert_eq!(server.follow(&noisy.url).send().await.unwrap().status(), 503);
        }
    }
    lock.rollback().await.unwrap();
    for response in running {
        assert_eq!(response.await.unwrap().unwrap().status(), 200);
    }
}
