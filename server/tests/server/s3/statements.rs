//! A server that stores its PDFs in S3 signs no links of its own (S9).

use super::server as s3;
use crate::{
    statements::Statement,
    support::{TestServer, dataset::*},
};

#[tokio::test]
async fn statement_is_downloaded_from_the_store_by_its_own_link() {
    let server = TestServer::start().await;
    let store = s3::Server::start().await;
    let replica = server.replica_on(store.storage().await, server.options()).await;
    let generate = || replica.statement(ONE_LINE).expect(200);
    let first = Statement::of(&generate().await);
    let expected =
        format!("http://{}/statements/ours/{MAIN}/{}.pdf?", store.address, first.asset_id);
    assert!(first.url.starts_with(&expected), "{}", first.url);
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

    assert_eq!(Statement::of(&generate().await).asset_id, first.asset_id);
}

/// The store's own signature lets nobody see the damage before `assets verify` does.
#[tokio::test]
async fn damaged_pdf_in_s3_is_found_by_verify_and_made_again_by_the_next_request() {
    let server = TestServer::start().await;
    let store = s3::Server::start().await;
    let storage = store.storage().await;
    let replica = server.replica_on(storage, server.options()).await;
    let generate = async || {
        let request = replica.statement(ONE_LINE);
        Statement::of(&request.expect(200).await)
    };
    let first = generate().await;
    let folder = store.folder.path().join("statements/ours").join(MAIN);
    let file = folder.join(format!("{}.pdf", first.asset_id));
    let original = std::fs::read(&file).unwrap();
    std::fs::write(&file, &original[1..]).unwrap();
    assert_eq!(generate().await.asset_id, first.asset_id);
    assert_ne!(std::fs::read(&file).unwrap(), original, "nobody knows");

    let verify = std::process::Command::new(env!("CARGO_BIN_EXE_payout-server"))
        .args(["assets", "verify", "--bind", "--assets", "s3://statements/ours"])
        .args(["--s3-endpoint", &format!("http://{}", store.address)])
        .env("DATABASE_URL", server.database.app_url())
        .env("PAYOUT_DATA_DIR", server.folder())
        .env("AWS_ACCESS_KEY_ID", s3::ACCESS_KEY_ID)
        .env("AWS_SECRET_ACCESS_KEY", s3::SECRET_ACCESS_KEY)
        .env_remove("AWS_SESSION_TOKEN")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The store runs in this process.
    let output = tokio::task::spawn_blocking(|| verify.wait_with_output()).await.unwrap().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // The uploaded PDFs of the data set are in another store.
    assert_eq!(output.status.code(), Some(1), "{text}");
    let expected = format!("its object has {} bytes instead of", original.len() - 1);
    assert!(text.contains(&expected), "{text}");
    assert!(store.folder.path().join("statements/ours/database-id").exists());

    let again = generate().await;
    assert_eq!(again.asset_id, first.asset_id);
    let response = server.follow(&first.url).send().await.unwrap();
    assert_eq!(response.bytes().await.unwrap(), original, "the old link works again");
}
