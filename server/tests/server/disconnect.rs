//! A disconnecting client stops nothing half-way: an admitted change is completed and recorded. The
//! suite waits for each response. The test polls PostgreSQL instead of sleeping.

use crate::support::{
    Key, TestServer,
    dataset::BARE,
    until,
    wire::{Connection, head},
};

#[tokio::test]
async fn a_change_is_made_and_remembered_although_its_client_has_gone() {
    let server = TestServer::start().await;
    let lock = server.hold(format!("SELECT FROM partners WHERE id = '{BARE}' FOR UPDATE")).await;
    let body = r#"{"name":"Renamed for nobody"}"#;
    let headers = format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
    let line = format!("PATCH /api/v1/partners/{BARE}");
    let mut client = Connection::open(server.base_url()).await;
    client.send(head(&line, server.key(Key::MAIN), &headers) + body).await;
    until(async || server.waiting().await > 0).await;
    // A reset, which the server notices at once; after a half-close it would still respond.
    client.stream.set_zero_linger().unwrap();
    drop(client);
    for _ in 0..50 {
        assert_eq!(server.waiting().await, 1, "the change was broken off with its client");
    }
    lock.commit().await.unwrap();
    let recorded = "SELECT EXISTS (SELECT FROM history WHERE action = 'update_partner'";
    let recorded = format!("{recorded} AND resource_id = '{BARE}')");
    until(async || server.value::<bool>(&recorded).await).await;
    let partner = server.get(Key::MAIN, &format!("/api/v1/partners/{BARE}")).expect(200).await;
    assert_eq!(partner.text_at("/data/name"), "Renamed for nobody");
}
