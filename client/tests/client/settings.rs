//! Settings of a client: which are errors before anything is sent, and what shows the key.

use std::fmt::Write as _;

use payout_client::Client;

const KEY: &str = "pcp_test_secret";

#[test]
fn each_setting_makes_a_client_or_an_error_that_says_how_to_fix_it() {
    let mut shown = String::new();
    for (url, key) in [
        ("https://api.example.com", KEY),
        ("http://127.0.0.1:1/", KEY),
        ("https://example.com/payouts/", KEY),
        ("ftp://example.com", KEY),
        ("https://user:hunter2@example.com", KEY),
        ("https://example.com?key=1", KEY),
        ("https://example.com/api/v1", KEY),
        ("api.example.com", KEY),
        ("https://example.com", ""),
        ("https://example.com", "pcp_test_secret\n"),
    ] {
        let builder = Client::builder().base_url(url).key(key);
        let debug = format!("{builder:?}");
        let built = builder.build();
        let text = built.as_ref().map_or_else(ToString::to_string, |_| "a client".to_owned());
        for secret in [KEY, "hunter2"] {
            assert!(!format!("{text} {debug} {built:?}").contains(secret), "{text}");
        }
        writeln!(shown, "{url} {key:?}\n  {text}").unwrap();
    }
    for builder in [Client::builder().key(KEY), Client::builder().base_url("http://a.example")] {
        writeln!(shown, "{}", builder.build().unwrap_err()).unwrap();
    }
    insta::assert_snapshot!(shown);
}
