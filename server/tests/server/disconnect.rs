//! A disconnecting client stops nothing half-way: an admitted change is completed and recorded. The
//! suite waits for each response. The test polls PostgreSQL instead of sleeping.

use std::time::Duration;

use tokio::{io::AsyncWriteExt, net::TcpStream};

use crate::support::{Key, TestServer, operator, raw};

const PARTNER: &str = "ptn_01JV3N8Q5R0000000000000001";

#[tokio::test]
async fn a_change_is_made_and_remembered_although_its_client_has_gone() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let mut holder = superuser.begin().await.unwrap();
    sqlx::query("SELECT FROM partners WHERE id = $1 FOR UPDATE")
        .bind(PARTNER)
        .execute(&mut *holder)
        .await
        .unwrap();

    let body = r#"{"name":"Renamed for nobody"}"#;
    let headers = format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
    let path = format!("/api/v1/partners/{PARTNER}");
    let mut request = raw::head("PATCH", &path, server.key(Key::MAIN), &headers);
    request.extend(body.as_bytes());
    let address = server.base_url().strip_prefix("http://").unwrap();
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(&request).await.unwrap();
    let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
                   AND wait_event_type = 'Lock')";
    let waiting = async || {
        let row = sqlx::query_scalar::<_, bool>(waits);
        row.fetch_one(&superuser).await.unwrap()
    };
    while !waiting().await {}
    // A reset, which the server notices at once; after a half-close it would still respond.
    client.set_zero_linger().unwrap();
    drop(client);
    for _ in 0..50 {
        assert!(waiting().await, "the change was broken off with its client");
    }

    holder.commit().await.unwrap();
    let history = async {
        loop {
            let rows = operator::history(&superuser, PARTNER).await;
            if !rows.is_empty() {
                return rows;
            }
        }
    };
    let rows = tokio::time::timeout(Duration::from_secs(10), history).await;
    let rows = rows.expect("the change is made");
    assert_eq!(rows[0].action, "update_partner");
    let partner = server.get(Key::MAIN, &path).expect(200).await;
    assert_eq!(partner.body["data"]["name"], "Renamed for nobody");
}
