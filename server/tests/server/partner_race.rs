//! Two changes of one partner at once: the second waits, and then sees all that the first did. The
//! test polls PostgreSQL instead of sleeping.

use serde_json::json;

use crate::support::{Key, TestServer};

const PARTNER: &str = "ptn_01JV3N8Q5R0000000000000001";
const NEW_OWNER: &str = "user_01JV3N8Q5R0000000000000002";

#[tokio::test]
async fn a_change_that_waited_answers_the_owner_that_the_first_one_set() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let mut first = superuser.begin().await.unwrap();
    let changed = sqlx::query("UPDATE partners SET owner_id = $1 WHERE id = $2")
        .bind(NEW_OWNER)
        .bind(PARTNER);
    assert_eq!(changed.execute(&mut *first).await.unwrap().rows_affected(), 1);
    let second = server.patch(Key::MAIN, &format!("/api/v1/partners/{PARTNER}"), json!({}));
    let second = tokio::spawn(second.expect(200));
    let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
                   AND wait_event_type = 'Lock')";
    while !sqlx::query_scalar::<_, bool>(waits).fetch_one(&superuser).await.unwrap() {
        assert!(!second.is_finished(), "the second did not wait");
        tokio::task::yield_now().await;
    }
    first.commit().await.unwrap();
    let response = second.await.unwrap();
    assert_eq!(response.body["data"]["owner"]["id"], NEW_OWNER);
}
