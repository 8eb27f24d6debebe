//! Settings of a client: which are errors before anything is sent, and what shows the key.

use payout_client::{BuildError, Client};

fn build(url: &str, key: &str) -> Result<Client, BuildError> {
    Client::builder().base_url(url).key(key).build()
}

#[test]
fn usable_urls_make_a_client_without_sending() {
    for url in ["https://api.example.com", "http://127.0.0.1:1/", "https://example.com/payouts/"] {
        assert!(build(url, "pcp_test_key").is_ok(), "{url}");
    }
}

#[test]
fn unusable_urls_are_errors_that_say_how_to_fix_them() {
    let cases = [
        ("ftp://example.com", "begin it with `https://`"),
        ("https://user:hunter2@example.com", "pass the API key to `key`"),
        ("https://example.com?key=1", "end it before the `?`"),
        ("https://example.com/api/v1", "leave that path out"),
        ("api.example.com", "write it like `https://api.example.com`"),
    ];
    for (url, help) in cases {
        let error = build(url, "pcp_test_key").unwrap_err().to_string();
        assert!(error.contains(help), "{url}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn unusable_keys_are_errors_that_do_not_repeat_them() {
    for key in ["", "pcp_test_key\n"] {
        let error = build("https://example.com", key).unwrap_err();
        assert!(matches!(error, BuildError::UnusableKey { .. }), "{error:?}");
        assert!(!format!("{error} {error:?}").contains("pcp_test_key"));
    }
}

#[test]
fn missing_settings_are_named_with_the_way_to_set_them() {
    let error = Client::builder().key("pcp_test_key").build().unwrap_err().to_string();
    assert!(error.contains("base URL") && error.contains("PAYOUT_BASE_URL"), "{error}");
    let error = Client::builder().base_url("http://a.example").build().unwrap_err().to_string();
    assert!(error.contains("API key") && error.contains("PAYOUT_API_KEY"), "{error}");
}

#[test]
fn neither_client_nor_builder_shows_the_key() {
    let builder = Client::builder().base_url("https://example.com").key("pcp_test_secret");
    assert!(!format!("{builder:?}").contains("pcp_test_secret"));
    let client = builder.build().unwrap();
    assert!(!format!("{client:?}").contains("pcp_test_secret"));
}
