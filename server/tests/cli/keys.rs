//! `keys`: a key is shown once, listed without its secret, and revoked permanently.

use crate::support::{Deployment, errors};

fn organization(deployment: &Deployment) -> String {
    deployment.run(&["organizations", "create", "--name", "O"]).trim().to_owned()
}

#[tokio::test]
async fn a_key_is_shown_once_and_stored_nowhere() {
    let deployment = Deployment::create().await;
    let id = organization(&deployment);
    let create = [
        "keys",
        "create",
        "--organization",
        &id,
        "--name",
        "n",
        "--scope",
        "partners:read,partners:write",
    ];
    let output = deployment.command(&create).output().unwrap();
    let key = String::from_utf8(output.stdout.clone()).unwrap();
    let key = key.trim();
    assert!(key.starts_with("pcp_test_") && key.len() == 47, "{}", errors(&output));
    assert!(!errors(&output).contains(key), "standard error goes to logs");
    for listed in [deployment.run(&["keys", "list"]), deployment.run(&["keys", "list", "--json"])] {
        assert!(listed.contains(&key[43..]), "the last four characters distinguish keys: {listed}");
        assert!(!listed.contains(&key[9..43]), "{listed}");
    }
    let everything = "SELECT string_agg(to_jsonb(api_keys)::text, '')
                        || (SELECT string_agg(to_jsonb(history)::text, '') FROM payout.history)
                      FROM payout.api_keys";
    assert!(!deployment.value(everything).await.contains(&key[9..43]));
    let hash = "SELECT encode(hash, 'hex') FROM payout.api_keys";
    let expected = format!("SELECT encode(sha256('{key}'), 'hex')");
    let expected: String = {
        use sqlx::Connection as _;
        let mut connection =
            sqlx::PgConnection::connect(&deployment.database.superuser_url()).await.unwrap();
        sqlx::query_scalar(sqlx::AssertSqlSafe(expected)).fetch_one(&mut connection).await.unwrap()
    };
    assert_eq!(deployment.value(hash).await, expected);
}

#[tokio::test]
async fn revoking_twice_keeps_the_first_time() {
    let deployment = Deployment::create().await;
    let id = organization(&deployment);
    let made =
        deployment.json(&["keys", "create", "--organization", &id, "--name", "n", "--all-scopes"]);
    let key_id = made["id"].as_str().unwrap();
    assert!(deployment.run(&["keys", "revoke", key_id]).contains("is revoked since"));
    let since = "SELECT revoked_at::text FROM payout.api_keys";
    let first = deployment.value(since).await;
    assert!(deployment.run(&["keys", "revoke", key_id]).contains("was revoked before"));
    assert_eq!(deployment.value(since).await, first);
    let listed = deployment.json(&["keys", "list", "--organization", &id]);
    assert_eq!(listed[0]["state"], "revoked");
}

#[tokio::test]
async fn a_key_given_for_its_id_is_not_repeated() {
    let deployment = Deployment::create().await;
    let id = organization(&deployment);
    let key =
        deployment.run(&["keys", "create", "--organization", &id, "--name", "n", "--all-scopes"]);
    let error = deployment.reject(1, &["keys", "revoke", key.trim()]);
    assert!(error.contains("`payout-server keys list`"), "{error}");
    assert!(!error.contains(key.trim()), "{error}");
}

#[tokio::test]
async fn a_key_needs_scopes_and_a_bounded_life() {
    let deployment = Deployment::create().await;
    let id = organization(&deployment);
    let create = ["keys", "create", "--organization", &id, "--name", "n"];
    for rest in [
        vec![],
        vec!["--scope", "partners:delete"],
        vec!["--all-scopes", "--scope", "partners:read"],
        vec!["--all-scopes", "--expires-in-days", "366"],
        vec!["--all-scopes", "--expires-in-days", "0"],
    ] {
        deployment.reject(2, &[&create[..], &rest].concat());
    }
    assert_eq!(deployment.value("SELECT count(*)::text FROM payout.api_keys").await, "0");
}
