//! `target`: what the file contains about the data set and the server.

use serde_json::{Value, json};

use crate::support::Deployment;

/// The target file that these arguments give. The program of the hooks only has to exist.
async fn target(arguments: &[&str]) -> Value {
    let deployment = Deployment::create().await;
    let path = deployment.file("target.toml", "old");
    deployment.run(&[&["target", &path, "--server", crate::PROGRAM], arguments].concat());
    let text = std::fs::read_to_string(&path).expect("written");
    for secret in ["pcp_", "postgres:", "postgresql:"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    toml::from_str(&text).expect("TOML")
}

#[tokio::test]
async fn target_says_what_the_server_holds_and_where_it_is() {
    let plain = target(&[]).await;
    assert_eq!(plain["base_url"], "http://127.0.0.1:8080");
    assert_eq!(plain["features"], json!(["seeded", "links_local"]));
    let url = "https://staging.example/pay/";
    let generated = target(&["--with-generated-lines", "--url", url]).await;
    assert_eq!(generated["base_url"], "https://staging.example/pay");
    assert_eq!(generated["features"], json!(["links_local"]));
    let short = target(&["--short-links", "--profile", "core"]).await;
    assert_eq!(short["features"], json!(["seeded", "links_local", "short_links"]));
    assert_eq!((&plain["profile"], &short["profile"]), (&json!("extended"), &json!("core")));
    let bare = target(&["--without-fixtures"]).await;
    let names: Vec<&String> = bare.as_object().unwrap().keys().collect();
    assert_eq!(names, ["base_url", "keys", "name", "profile"]);
}

#[tokio::test]
async fn missing_server_program_is_an_error() {
    let deployment = Deployment::create().await;
    let path = deployment.file("target.toml", "old");
    let error = deployment.reject(1, &["target", &path, "--server", "/nowhere/payout-server"]);
    assert!(error.contains("cargo build --workspace --bin payout-server"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
}
