//! PDFs in S3, over real connections to an S3 server in this process (s3s-fs), which decides when a
//! link ends. The suite runs against a server with a folder.

mod server;
mod statements;

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::{Attribute, ObjectStoreExt as _, aws::AmazonS3Builder};
use payout_server::statements::{
    links::content_disposition,
    storage::{AssetKey, Content, MARKER, SetupError, SignedUrl, Storage, StorageError},
};
use reqwest::{Response, StatusCode};
use tokio::net::TcpListener;

use server::{ACCESS_KEY_ID, BUCKET, SECRET_ACCESS_KEY, Server, open};

const ORGANIZATION: &str = "org_01JV3N8Q5RHWXK2M4P6S7T9V0A";
const PDF: &[u8] = b"%PDF-1.7 and so on, 40 bytes in all ....";

fn key(attempt: u8) -> AssetKey {
    let key = format!("{ORGANIZATION}/ast_01JV3N8Q5RHWXK2M4P6S7T9V0{attempt}.pdf");
    AssetKey::parse(&key).unwrap()
}

async fn read(content: Content) -> Vec<u8> {
    let pieces: Vec<Bytes> = content.body.try_collect().await.unwrap();
    pieces.concat()
}

/// A storage with one PDF, and a link to it.
async fn linked(server: &Server, lifetime_seconds: u32) -> SignedUrl {
    let storage = server.storage().await;
    storage.put(&key(1), Bytes::from_static(PDF)).await.unwrap();
    let disposition = content_disposition("statement-Café & 上海-2026-05.pdf");
    let link = storage.link(&key(1), &disposition, lifetime_seconds).await.unwrap();
    link.unwrap()
}

async fn download(url: &str) -> Response {
    // reqwest is built with the server's TLS, which panics unless its cryptography is set. An error
    // means that another test has already set it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::get(url).await.unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers()[name].to_str().unwrap()
}

#[tokio::test]
async fn pdf_is_kept_read_listed_and_deleted() {
    let server = Server::start().await;
    let storage = server.storage().await;
    storage.put(&key(1), Bytes::from_static(PDF)).await.unwrap();
    storage.put(&key(2), Bytes::from_static(b"%PDF-2")).await.unwrap();
    assert!(server.folder.path().join("statements/ours").join(key(1).to_string()).exists());

    let whole = storage.get(&key(1)).await.unwrap();
    assert_eq!(whole.length_bytes, 40);
    assert_eq!(read(whole).await, PDF);

    let listed: Vec<_> = storage.list().try_collect().await.unwrap();
    let mut listed: Vec<_> =
        listed.into_iter().map(|object| (object.key, object.size_bytes)).collect();
    listed.sort();
    assert_eq!(listed, [(key(1), 40), (key(2), 6)]);

    storage.delete(&key(1)).await.unwrap();
    storage.delete(&key(1)).await.unwrap();
    let missing = storage.get(&key(1)).await.map(|_| ()).unwrap_err();
    assert!(matches!(missing, StorageError::NotFound { .. }), "{missing}");
}

#[tokio::test]
async fn pdf_of_the_greatest_size_passes() {
    let server = Server::start().await;
    let storage = server.storage().await;
    let bytes: Bytes = vec![b'a'; 25 * 1024 * 1024].into();
    storage.put(&key(1), bytes.clone()).await.unwrap();
    let read = read(storage.get(&key(1)).await.unwrap()).await;
    assert!(read == bytes);
}

#[tokio::test]
async fn other_prefixes_and_foreign_objects_are_not_listed() {
    let server = Server::start().await;
    let ours = server.storage().await;
    let others = server.open("s3://statements").await.unwrap();
    ours.put(&key(1), Bytes::from_static(PDF)).await.unwrap();
    others.put(&key(2), Bytes::from_static(PDF)).await.unwrap();
    std::fs::write(server.folder.path().join("statements/ours/readme.pdf"), "").unwrap();
    for (storage, expected) in [(ours, 1), (others, 2)] {
        let listed: Vec<_> = storage.list().try_collect().await.unwrap();
        let keys: Vec<_> = listed.into_iter().map(|object| object.key).collect();
        assert_eq!(keys, [key(expected)]);
    }
}

#[tokio::test]
async fn link_downloads_the_pdf_under_its_name_without_a_key() {
    let server = Server::start().await;
    let response = download(&linked(&server, 3_600).await.url).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(
        header(&response, "content-disposition"),
        content_disposition("statement-Café & 上海-2026-05.pdf")
    );
    assert_eq!(header(&response, "content-type"), "application/pdf");
    assert_eq!(header(&response, "cache-control"), "private, no-store");
    assert_eq!(response.bytes().await.unwrap(), PDF);
}

/// The object's own type shows in a tool of the store, which has no link.
#[tokio::test]
async fn object_itself_says_that_it_is_a_pdf() {
    let server = Server::start().await;
    server.storage().await.put(&key(1), Bytes::from_static(PDF)).await.unwrap();
    let store = AmazonS3Builder::new()
        .with_endpoint(format!("http://{}", server.address))
        .with_allow_http(true)
        .with_bucket_name(BUCKET)
        .with_access_key_id(ACCESS_KEY_ID)
        .with_secret_access_key(SECRET_ACCESS_KEY);
    let path = format!("ours/{}", key(1));
    let object = store.build().unwrap().get(&path.into()).await.unwrap();
    let content_type = object.attributes.get(&Attribute::ContentType).unwrap();
    assert_eq!(content_type.as_ref(), "application/pdf");
}

#[tokio::test]
async fn altered_link_is_rejected_by_the_store() {
    let server = Server::start().await;
    let link = linked(&server, 3_600).await.url;
    for (ours, theirs) in [
        ("V01.pdf", "V02.pdf"),
        ("org_01", "org_02"),
        ("X-Amz-Expires=3600", "X-Amz-Expires=604800"),
        ("attachment", "inline"),
        ("statement-Caf", "statement-Bar"),
        ("private", "public"),
        ("application%2Fpdf", "text%2Fhtml"),
        (ACCESS_KEY_ID, "another-key-id"),
    ] {
        let altered = link.replacen(ours, theirs, 1);
        assert_ne!(altered, link, "{ours}");
        assert_eq!(download(&altered).await.status(), StatusCode::FORBIDDEN, "{altered}");
    }
    let added = format!("{link}&response-expires=0");
    assert_eq!(download(&added).await.status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn store_answers_a_link_no_more_when_it_has_expired() {
    let server = Server::start().await;
    let link = linked(&server, 1).await;
    tokio::time::sleep(std::time::Duration::from_millis(2_100)).await;
    let response = download(&link.url).await;
    assert_eq!(response.status(), StatusCode::FORBIDDEN);
    assert!(response.text().await.unwrap().contains("expired"));
}

#[tokio::test]
async fn what_is_wrong_with_a_bucket_is_reported_at_the_start() {
    let server = Server::start().await;
    let message =
        |outcome: Result<Storage, SetupError>| outcome.map(|_| ()).unwrap_err().to_string();
    let missing = message(server.open("s3://payslips").await);
    assert!(missing.contains("s3://payslips at http://127.0.0.1:"), "{missing}");
    assert!(missing.contains("Create the bucket"), "{missing}");
    let rejected = message(open(server.address, "s3://statements", "wrong").await);
    assert!(rejected.contains("Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"), "{rejected}");
    for message in [missing, rejected] {
        assert!(!message.contains(SECRET_ACCESS_KEY), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn server_that_rejects_or_hangs_is_reported_at_the_start() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    // The system accepts connections, and no response ever comes.
    let begun = tokio::time::Instant::now();
    let hangs = open(address, "s3://statements", SECRET_ACCESS_KEY).await.map(|_| ()).unwrap_err();
    assert!(begun.elapsed().as_secs() <= 10);
    drop(listener);
    let rejects =
        open(address, "s3://statements", SECRET_ACCESS_KEY).await.map(|_| ()).unwrap_err();
    for error in [hangs, rejects] {
        assert!(error.to_string().contains("reachable from here"), "{error}");
    }
}

#[tokio::test]
async fn small_objects_are_replaced_listed_and_read_beside_the_pdfs() {
    let server = Server::start().await;
    let storage = server.storage().await;
    assert_eq!(storage.get_small(MARKER).await.unwrap(), None);
    for text in ["first", "second"] {
        storage.put_small(MARKER, text.into()).await.unwrap();
    }
    storage.put_small("list/b", "b".into()).await.unwrap();
    storage.put_small("list/a", "a".into()).await.unwrap();
    storage.put(&key(1), Bytes::from_static(PDF)).await.unwrap();
    assert_eq!(storage.get_small(MARKER).await.unwrap().unwrap(), "second");
    assert_eq!(storage.list_small("list").await.unwrap(), ["list/a", "list/b"]);
    assert!(server.folder.path().join("statements/ours/database-id").exists());
    let listed: Vec<_> = storage.list().try_collect().await.unwrap();
    assert_eq!(listed.len(), 1, "no PDF: {listed:?}");
}

#[tokio::test]
async fn bound_bucket_that_lost_its_marker_has_lost_no_pdf() {
    let server = Server::start().await;
    let storage = server.storage().await.with_marker("ours");
    storage.put_small(MARKER, "ours".into()).await.unwrap();
    let missing = storage.get(&key(1)).await.map(|_| ()).unwrap_err();
    assert!(matches!(missing, StorageError::NotFound { .. }), "{missing}");
    storage.put_small(MARKER, "theirs".into()).await.unwrap();
    let unavailable = storage.get(&key(1)).await.map(|_| ()).unwrap_err();
    assert!(matches!(unavailable, StorageError::Unavailable { .. }), "{unavailable}");
}
