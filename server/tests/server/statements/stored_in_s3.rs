//! A server that stores its PDFs in S3: links are the store's, and the store decides their expiry
//! (S9).

use poem::http::Method;

use super::Statement;
use crate::support::{Key, TestServer, dataset::*};

#[path = "../../s3/server.rs"]
#[allow(dead_code, reason = "the tests of the storage itself use the rest")]
mod s3;

#[tokio::test]
async fn statement_is_downloaded_from_the_store_by_its_own_link() {
    let server = TestServer::start().await;
    let store = s3::Server::start().await;
    let replica = server.replica_on(store.storage().await, server.options()).await;
    let path = format!("/api/v1/payouts/{ONE_LINE}/statement");
    let key = server.key(Key::MAIN);
    let first = Statement::of(&replica.request(Method::POST, &path, key).expect(200).await);
    assert!(first.url.starts_with(&format!(
        "http://{}/statements/ours/{MAIN}/{}.pdf?",
        store.address, first.asset_id
    )));
    let response = server.follow(&first.url).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/pdf");
    let disposition = response.headers()["content-disposition"].to_str().unwrap();
    assert!(
        disposition.contains("filename=\"statement-Nordwind-Handels-GmbH-2026-05.pdf\""),
        "{disposition}"
    );
    assert!(response.bytes().await.unwrap().starts_with(b"%PDF-"));

    let query: std::collections::HashMap<String, String> =
        url::Url::parse(&first.url).unwrap().query_pairs().into_owned().collect();
    let signed =
        chrono::NaiveDateTime::parse_from_str(&query["X-Amz-Date"], "%Y%m%dT%H%M%SZ").unwrap();
    let lifetime = chrono::TimeDelta::seconds(query["X-Amz-Expires"].parse().unwrap());
    let ends = (signed + lifetime).format("%Y-%m-%dT%H:%M:%S.000Z").to_string();
    assert_eq!(first.expires_at, ends, "what is promised is what was signed");

    let again = Statement::of(&replica.request(Method::POST, &path, key).expect(200).await);
    assert_eq!(again.asset_id, first.asset_id);
}
