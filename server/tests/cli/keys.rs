//! `keys`: a key is shown once, listed without its secret, and revoked permanently.

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
};

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

/// Undoes a revocation, as a restore to an earlier time does.
const REVIVE: &str = "UPDATE payout.api_keys SET revoked_at = NULL WHERE id = $1";

async fn revive(deployment: &Deployment, key_id: &str) {
    use sqlx::Connection as _;
    let mut connection =
        sqlx::PgConnection::connect(&deployment.database.superuser_url()).await.unwrap();
    sqlx::query(REVIVE).bind(key_id).execute(&mut connection).await.unwrap();
}

fn create(deployment: &Deployment, organization: &str) -> String {
    let create = ["keys", "create", "--organization", organization, "--name", "n", "--all-scopes"];
    let made = deployment.json(&create);
    made["id"].as_str().unwrap().to_owned()
}

fn states(deployment: &Deployment) -> Vec<(String, String)> {
    let listed = deployment.json(&["keys", "list"]);
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let keys = listed.as_array().unwrap().iter();
    keys.map(|key| (text(&key["id"]), text(&key["state"]))).collect()
}

#[tokio::test]
async fn recorded_revocations_are_repeated_and_no_other_key_is_touched() {
    let deployment = Deployment::create().await;
    let organization = organization(&deployment);
    let [kept, ended] = [(); 2].map(|()| create(&deployment, &organization));
    deployment.run(&["keys", "revoke", &ended]);
    let record = deployment.folder.path().join("assets/revocations").join(&ended);
    let record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
    assert_eq!(record["organizationId"], organization);
    assert_eq!(record.as_object().unwrap().len(), 2, "{record}");
    let nothing = deployment.run(&["keys", "revoke", "--recorded"]);
    assert_eq!(nothing, "0 recorded keys were not revoked, and are now\n");

    revive(&deployment, &ended).await;
    let again = deployment.run(&["keys", "revoke", "--recorded"]);
    assert!(again.contains(&format!("{ended} is revoked again\n")), "{again}");
    let mut found = states(&deployment);
    found.sort();
    let mut expected = [(kept, "active".to_owned()), (ended, "revoked".to_owned())];
    expected.sort();
    assert_eq!(found, expected);
    let history = "SELECT string_agg(action, ' ' ORDER BY sequence) FROM payout.history";
    let actions = deployment.value(history).await;
    assert!(actions.ends_with("revoke_key revoke_recorded_key"), "{actions}");
}

#[tokio::test]
async fn server_revokes_revived_keys_before_it_accepts_a_connection() {
    let deployment = Deployment::create().await;
    let ended = create(&deployment, &organization(&deployment));
    deployment.run(&["keys", "revoke", &ended]);
    revive(&deployment, &ended).await;
    let mut command = deployment.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("RUST_LOG", "warn").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = command.spawn().unwrap();
    // It prints its address once it accepts connections.
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let found = states(&deployment);
    server.kill().unwrap();
    let log = errors(&server.wait_with_output().unwrap());
    assert_eq!(found, [(ended.clone(), "revoked".to_owned())], "{log}");
    assert!(log.contains("revoked again") && log.contains(&ended), "{log}");
}

#[tokio::test]
async fn revocation_without_a_record_holds_and_is_to_be_repeated() {
    let deployment = Deployment::create().await;
    let ended = create(&deployment, &organization(&deployment));
    let file = deployment.file("file", "");
    let error = deployment.reject(1, &["keys", "revoke", &ended, "--assets", &file]);
    assert!(error.contains(&format!("payout-server keys revoke {ended}")), "{error}");
    assert_eq!(states(&deployment), [(ended.clone(), "revoked".to_owned())]);
    assert!(deployment.run(&["keys", "revoke", &ended]).contains("was revoked before"));
    revive(&deployment, &ended).await;
    assert!(deployment.run(&["keys", "revoke", "--recorded"]).contains(&ended));
}

#[tokio::test]
async fn keys_revoked_since_a_time_are_listed() {
    let deployment = Deployment::create().await;
    let organization = organization(&deployment);
    let [_, ended] = [(); 2].map(|()| create(&deployment, &organization));
    deployment.run(&["keys", "revoke", &ended]);
    let since = |time| deployment.json(&["keys", "list", "--revoked-since", time]);
    let listed = since("2026-01-01");
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["id"], ended);
    assert_eq!(since("2999-01-01"), serde_json::json!([]));
}
