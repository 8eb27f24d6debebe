//! `keys`: a key is shown once, listed without its secret, and revoked permanently.

use sqlx::ConnectOptions as _;

use crate::support::{Deployment, errors};

#[tokio::test]
async fn a_key_is_shown_once_and_stored_nowhere() {
    let deployment = Deployment::create().await;
    let id = deployment.run(&["organizations", "create", "--name", "O"]);
    let scopes = "partners:read,partners:write";
    let create = ["keys", "create", "--organization", id.trim(), "--name", "n", "--scope", scopes];
    let output = deployment.command(&create).output().unwrap();
    let key = String::from_utf8(output.stdout.clone()).unwrap();
    let key = key.trim();
    assert!(key.starts_with("pcp_test_") && key.len() == 47, "{}", errors(&output));
    assert!(!errors(&output).contains(key), "standard error goes to logs");
    for listed in [deployment.run(&["keys", "list"]), deployment.run(&["keys", "list", "--json"])] {
        assert!(listed.contains(&key[43..]), "the last four characters distinguish keys: {listed}");
        assert!(!listed.contains(&key[9..43]), "{listed}");
    }
    let error = deployment.reject(1, &["keys", "revoke", key]);
    assert!(error.contains("`payout-server keys list`") && !error.contains(key), "{error}");
    let everything = "SELECT string_agg(to_jsonb(api_keys)::text, '')
                        || (SELECT string_agg(to_jsonb(history)::text, '') FROM payout.history)
                      FROM payout.api_keys";
    assert!(!deployment.value(everything).await.contains(&key[9..43]));
    let options = payout_database::owner_connect_options(&deployment.database.superuser_url());
    let mut superuser = options.unwrap().connect().await.unwrap();
    let is_hash = sqlx::query_scalar("SELECT hash = sha256($1::bytea) FROM api_keys");
    let is_hash: bool = is_hash.bind(key.as_bytes()).fetch_one(&mut superuser).await.unwrap();
    assert!(is_hash);
}

#[tokio::test]
async fn keys_that_expire_soon_are_listed() {
    let deployment = Deployment::create().await;
    let id = deployment.run(&["organizations", "create", "--name", "O"]);
    for (name, days) in [("soon", "7"), ("later", "9")] {
        let create = ["keys", "create", "--organization", id.trim(), "--all-scopes"];
        deployment.run(&[&create[..], &["--name", name, "--expires-in-days", days]].concat());
    }
    let listed = deployment.run(&["keys", "list", "--expiring-in-days", "7"]);
    assert!(listed.contains(" soon ") && !listed.contains(" later "), "{listed}");
    let listed = deployment.run(&["keys", "list", "--expiring-in-days", "9"]);
    assert!(listed.contains(" soon ") && listed.contains(" later "), "{listed}");
}
