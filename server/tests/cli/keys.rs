//! `keys`: a key is shown once, listed without its secret, and revoked permanently.

use sqlx::ConnectOptions as _;

use crate::{
    named::Names,
    serve::start,
    support::{Deployment, errors},
};

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

/// `revoked_at = NULL` undoes a revocation, as a restore to an earlier time does.
#[tokio::test]
async fn recorded_revocations_are_repeated_and_no_other_key_is_touched() {
    let deployment = Deployment::at_noon().await;
    deployment.file("file", "");
    let mut names = Names::default();
    let begin = "
organizations create --name O
keys create --organization '<org 1>' --name kept --all-scopes --json
keys create --organization '<org 1>' --name ended --all-scopes --json
keys revoke '<key 2>'
keys revoke '<key 2>'
keys revoke --recorded
sql UPDATE api_keys SET revoked_at = NULL WHERE name = 'ended' RETURNING id";
    let mut transcript = deployment.session(&mut names, begin).await;
    let ended = names.take("<key 2>");
    let record = deployment.folder.path().join("assets/revocations").join(&ended);
    transcript += &format!("{}\n\n", names.give(&std::fs::read_to_string(record).unwrap()));
    let end = "
keys revoke --recorded
sql SELECT string_agg(name, ' ') FROM api_keys WHERE revoked_at IS NOT NULL
sql SELECT string_agg(action, ' ' ORDER BY sequence) FROM history
keys revoke '<key 1>' --assets {folder}/file
keys revoke '<key 1>'
sql UPDATE api_keys SET revoked_at = NULL WHERE name = 'kept' RETURNING id
keys revoke --recorded
sql UPDATE api_keys SET revoked_at = NULL WHERE name = 'ended' RETURNING id";
    transcript += &deployment.session(&mut names, end).await;
    insta::assert_snapshot!(transcript);

    let mut command = deployment.command(&["serve", "--listen", "127.0.0.1:0"]);
    let (mut server, ..) = start(command.env("RUST_LOG", "warn"));
    // It prints its address once it accepts connections.
    let states = deployment.json(&["keys", "list"]);
    server.kill().unwrap();
    let log = errors(&server.wait_with_output().unwrap());
    assert!(log.contains("revoked again") && log.contains(&ended), "{log}");
    for key in states.as_array().unwrap() {
        assert_eq!(key["state"], "revoked", "{states}");
    }
    let since = |time| deployment.json(&["keys", "list", "--revoked-since", time]);
    assert_eq!(since("2026-01-01").as_array().unwrap().len(), 2);
    assert_eq!(since("2999-01-01"), serde_json::json!([]));
}
