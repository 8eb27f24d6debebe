//! PDFs in a directory. Buckets are tested against an S3 server.

use std::{fs, path::Path as FilePath};

use super::{super::*, *};

const ORGANIZATION: &str = "org_01JV3N8Q5RHWXK2M4P6S7T9V0A";

async fn storage(folder: &FilePath) -> Storage {
    AssetOptions::default().open(folder).await.unwrap()
}

fn key(attempt: u8) -> AssetKey {
    let key = format!("{ORGANIZATION}/ast_01JV3N8Q5RHWXK2M4P6S7T9V0{attempt}.pdf");
    AssetKey::parse(&key).unwrap()
}

#[tokio::test]
async fn listing_names_ours_alone() {
    let folder = tempfile::tempdir().unwrap();
    let storage = storage(folder.path()).await;
    let expected =
        [key(1), key(2), AssetKey::parse(&key(1).to_string().replace("0A/", "0B/")).unwrap()];
    for key in &expected {
        storage.put(key, Bytes::from_static(b"abc")).await.unwrap();
    }
    let root = folder.path().join("assets");
    fs::create_dir_all(root.join(ORGANIZATION).join("deeper")).unwrap();
    let foreign = ["notes.txt", "a.pdf", "deeper/a.pdf", "ä.pdf"]
        .map(|name| format!("{ORGANIZATION}/{name}"));
    let foreign = foreign.into_iter().chain(["readme.pdf".into(), format!("{}#1", key(3))]);
    for foreign in foreign {
        fs::write(root.join(foreign), "").unwrap();
    }
    let mut found: Vec<StoredObject> = storage.list().try_collect().await.unwrap();
    found.sort_by(|one, two| one.key.cmp(&two.key));
    let keys: Vec<&AssetKey> = found.iter().map(|object| &object.key).collect();
    assert_eq!(keys, expected.iter().collect::<Vec<_>>());
    assert!(found.iter().all(|object| object.size_bytes == 3));
}

#[tokio::test]
async fn folder_removed_while_running_is_reported_and_made_again_by_the_next_put() {
    let folder = tempfile::tempdir().unwrap();
    let storage = storage(folder.path()).await;
    fs::remove_dir_all(folder.path().join("assets")).unwrap();
    assert!(
        storage.list().try_next().await.is_err()
            || storage.list().try_next().await.unwrap().is_none()
    );
    storage.put(&key(1), Bytes::from_static(b"a")).await.unwrap();
    assert_eq!(storage.get(&key(1)).await.unwrap().length_bytes, 1);
}

#[tokio::test]
async fn endpoint_without_a_bucket_is_rejected_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let options = AssetOptions {
        s3_endpoint: Some("https://minio.example.com".parse().unwrap()),
        ..AssetOptions::default()
    };
    let message = options.open(folder.path()).await.err().unwrap().to_string();
    assert!(message.contains("--assets s3://BUCKET"), "{message}");
}

#[tokio::test]
async fn small_object_beyond_the_limit_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let storage = storage(folder.path()).await;
    let limit = usize::try_from(SMALL_OBJECT_LIMIT_BYTES).unwrap();
    for (bytes, is_read) in [(limit, true), (limit + 1, false)] {
        storage.put_small("a", vec![b'a'; bytes].into()).await.unwrap();
        assert_eq!(storage.get_small("a").await.is_ok(), is_read, "{bytes}");
    }
}
