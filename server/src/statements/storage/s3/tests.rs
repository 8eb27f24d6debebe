//! The S3 client without a server: its credentials, its addresses, the time of its links. Nothing
//! is sent.

use super::{super::*, *};

const DISPOSITION: &str = "attachment; filename=\"Cafe.pdf\"; filename*=UTF-8''Caf%C3%A9.pdf";

fn variables(set: &[(&'static str, &'static str)]) -> impl Fn(&str) -> Option<String> {
    move |name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
}

async fn link(options: &AssetOptions, bucket: &str, prefix: &str) -> SignedUrl {
    let credentials =
        Credentials::read(variables(&[(ACCESS_KEY_ID, "id"), (SECRET_ACCESS_KEY, "secret")]));
    let connector = Connector::new(options).unwrap();
    let storage = options.bucket(bucket, prefix, credentials.unwrap(), connector).unwrap();
    let key = AssetKey::parse("org_01JV3N8Q5RHWXK2M4P6S7T9V0A/ast_01JV3N8Q5RHWXK2M4P6S7T9V0B.pdf")
        .unwrap();
    storage.link(&key, DISPOSITION, 3_600).await.unwrap().unwrap()
}

#[test]
fn missing_credential_is_named() {
    let read = |set: &[(&'static str, &'static str)]| Credentials::read(variables(set));
    assert!(read(&[(ACCESS_KEY_ID, "a"), (SECRET_ACCESS_KEY, "b")]).is_ok());
    assert!(read(&[(ACCESS_KEY_ID, "a"), (SECRET_ACCESS_KEY, "b"), (SESSION_TOKEN, "")]).is_ok());
    for (set, missing) in [
        (&[][..], ACCESS_KEY_ID),
        (&[(SECRET_ACCESS_KEY, "b")], ACCESS_KEY_ID),
        (&[(ACCESS_KEY_ID, "a")], SECRET_ACCESS_KEY),
        (&[(ACCESS_KEY_ID, "a"), (SECRET_ACCESS_KEY, "")], SECRET_ACCESS_KEY),
    ] {
        let message = read(set).unwrap_err().to_string();
        assert!(message.starts_with(&format!("{missing} is not set")), "{message}");
    }
}

#[test]
fn temporary_credentials_are_rejected_because_links_would_end_with_them() {
    let set = [(ACCESS_KEY_ID, "a"), (SECRET_ACCESS_KEY, "b"), (SESSION_TOKEN, "c")];
    let message = Credentials::read(variables(&set)).unwrap_err().to_string();
    assert!(message.starts_with("AWS_SESSION_TOKEN is set: "), "{message}");
}

#[test]
fn debug_shows_neither_credentials_nor_a_link() {
    let credentials =
        Credentials::read(variables(&[(ACCESS_KEY_ID, "id"), (SECRET_ACCESS_KEY, "secret")]));
    assert_eq!(format!("{:?}", credentials.unwrap()), "Credentials");
    let link = SignedUrl { url: "https://secret".into(), expires_at: DateTime::UNIX_EPOCH };
    assert_eq!(format!("{link:?}"), "SignedUrl until 1970-01-01 00:00:00 UTC");
}

#[tokio::test]
async fn amazon_has_the_bucket_in_the_host_and_others_in_the_path() {
    let amazon = AssetOptions { s3_region: "eu-central-1".into(), ..AssetOptions::default() };
    let other = AssetOptions {
        s3_endpoint: Some("http://127.0.0.1:9000".parse().unwrap()),
        ..AssetOptions::default()
    };
    for (options, bucket, prefix, address) in [
        (&amazon, "statements", "", "https://statements.s3.eu-central-1.amazonaws.com/"),
        (&amazon, "my.statements", "", "https://s3.eu-central-1.amazonaws.com/my.statements/"),
        (&amazon, "statements", "a/b", "https://statements.s3.eu-central-1.amazonaws.com/a/b/"),
        (&other, "statements", "a", "http://127.0.0.1:9000/statements/a/"),
    ] {
        let url = link(options, bucket, prefix).await.url;
        let object = "org_01JV3N8Q5RHWXK2M4P6S7T9V0A/ast_01JV3N8Q5RHWXK2M4P6S7T9V0B.pdf?";
        assert!(url.starts_with(&format!("{address}{object}")), "{url}");
    }
}

#[test]
fn expiry_is_read_from_the_link_alone() {
    let read =
        |query: &str| expiry(&Url::parse(&format!("https://s3.example.com/a?{query}")).unwrap());
    let date = "X-Amz-Date=20260520T093000Z";
    assert_eq!(
        read(&format!("{date}&X-Amz-Expires=604800")),
        Some("2026-05-27T09:30:00Z".parse().unwrap())
    );
    for query in [
        "",
        date,
        "X-Amz-Expires=1",
        "X-Amz-Date=20260520&X-Amz-Expires=1",
        &format!("{date}&X-Amz-Expires=a"),
    ] {
        assert_eq!(read(query), None, "{query}");
    }
}
