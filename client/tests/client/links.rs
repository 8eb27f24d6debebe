//! Links to PDFs: secret in `Debug` and in errors, whole where they are read and written.

use payout_client::DownloadUrl;

const LINK: &str = "https://user:pw@files.example:8443/ast_1.pdf?signature=abc%2F%3D#part";

#[test]
fn signature_survives_reading_and_writing() {
    let link: DownloadUrl = serde_json::from_value(LINK.into()).unwrap();
    assert_eq!(link.as_str(), LINK);
    assert_eq!(serde_json::to_value(link).unwrap(), LINK);
}

#[test]
fn other_schemes_and_no_urls_are_errors_that_do_not_repeat_them() {
    for text in ["file:///tmp/secret", "data:,secret", "/links/secret", "https://:secret", ""] {
        let error = DownloadUrl::try_from(text).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("secret"));
    }
}
