//! What a CRM, a caller, or a copy of the database cannot do.

use std::{fs, os::unix::fs::PermissionsExt as _};

use super::*;
use crate::support::{dataset::NORDWIND_EXTERNAL, log};

#[tokio::test]
async fn token_is_in_no_row_no_log_line_and_no_output() {
    log::begin();
    let (server, crm) = start().await;
    crm.answer([stub::Answer::status(401)]);
    assert_eq!(failure(&synced(&server, "PARTNER", "1").await), "CRM_UNAUTHORIZED");
    assert_eq!(synced(&server, "PARTNER", NORDWIND_EXTERNAL).await["status"], "SUCCEEDED");
    succeed(&server, &["crm", "show", "--organization", MAIN]).await;
    let test = ["crm", "test", "--organization", MAIN, "partner", "1"];
    let tested = succeed(&server, &[&test[..], &["--crm-allow-private-addresses"]].concat()).await;
    assert!(tested.contains("EMEA"), "{tested}");
    let tables = ["crm_connections", "crm_syncs", "crm_queue", "history"];
    for table in tables {
        let found =
            format!("SELECT count(*) FROM {table} AS row WHERE row::text LIKE $$%{TOKEN}%$$");
        assert_eq!(server.value::<i64>(found).await, 0, "{table}");
        // Bytes are shown in hexadecimal digits.
        let digits: String = TOKEN.bytes().map(|byte| format!("{byte:02x}")).collect();
        let found =
            format!("SELECT count(*) FROM {table} AS row WHERE row::text LIKE $$%{digits}%$$");
        assert_eq!(server.value::<i64>(found).await, 0, "{table}");
    }
    let lines = log::lines();
    assert!(!lines.is_empty());
    assert!(lines.iter().all(|line| !line.contains(TOKEN)));
    assert!(!server.metrics().contains(TOKEN));
}

#[tokio::test]
async fn sealed_token_of_another_organization_cannot_be_opened() {
    let (server, crm) = start().await;
    server
        .execute(format!(
            "UPDATE crm_connections AS theirs
                SET id = ours.id, token_key = ours.token_key, sealed_token = ours.sealed_token
               FROM crm_connections AS ours
              WHERE ours.organization_id = '{MAIN}' AND theirs.organization_id = '{OTHER}'"
        ))
        .await;
    let (id, _) = sync(&server, Key::OTHER, "PARTNER", NORDWIND_EXTERNAL).await;
    assert_eq!(failure(&ended(&server, Key::OTHER, &id).await), "CRM_UNAUTHORIZED");
    assert!(crm.seen().is_empty());
}

#[tokio::test]
async fn keys_are_rotated_without_connecting_again() {
    let (server, _) = start_with(|serve| serve.crm.crm_syncs = 0).await;
    // That of the data set cannot be opened by any key.
    server.execute("DELETE FROM crm_connections WHERE token_key = 'none'").await;
    let file = server.folder().join("crm-keys");
    let old = fs::read_to_string(&file).unwrap();
    let old = old.lines().last().unwrap();
    let new = format!("new {}", "ab".repeat(32));
    let write = |keys: &str| {
        fs::write(&file, keys).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    };
    write(&format!("{new}\n{old}\n"));
    let both = server.replica_with(|serve| serve.crm.crm_syncs = 1).await;
    let (id, _) = sync(&both, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
    assert_eq!(ended(&both, Key::MAIN, &id).await["status"], "SUCCEEDED");
    let said = succeed(&server, &["crm", "reseal"]).await;
    assert!(said.starts_with("2 tokens are sealed with the key new"), "{said}");
    let again = succeed(&server, &["crm", "reseal"]).await;
    assert!(again.starts_with("every token is sealed with the key new"), "{again}");
    write(&format!("{new}\n"));
    let shown = succeed(&server, &["crm", "show", "--organization", MAIN]).await;
    assert!(shown.contains("sealed with the key new"), "{shown}");
    both.stop().await.unwrap();
    let only_new = server.replica_with(|serve| serve.crm.crm_syncs = 1).await;
    let (id, _) = sync(&only_new, Key::MAIN, "PARTNER", NORDWIND_EXTERNAL).await;
    assert_eq!(ended(&only_new, Key::MAIN, &id).await["status"], "SUCCEEDED");
    let resealed: i64 =
        server.value("SELECT count(*) FROM history WHERE action = 'reseal_crm_token'").await;
    assert_eq!(resealed, 2);
}

#[tokio::test]
async fn private_address_is_not_connected_to_unless_it_is_allowed() {
    let (server, crm) =
        start_with(|serve| serve.crm.connection.crm_allow_private_addresses = false).await;
    // Connected where it was allowed, and moved: the server itself decides.
    for url in [
        crm.url(),
        format!("http://localhost:{}", crm.port),
        format!("https://127.0.0.1:{}", crm.port),
        format!("https://localhost:{}", crm.port),
        format!("https://[::ffff:127.0.0.1]:{}", crm.port),
        "https://169.254.169.254".to_owned(),
    ] {
        connect(&server, MAIN, &url).await;
        let sync = synced(&server, "PARTNER", NORDWIND_EXTERNAL).await;
        assert_eq!(failure(&sync), "CRM_UNAVAILABLE", "{url}");
        let message = sync["failure"]["message"].as_str().unwrap();
        assert!(!message.contains("127.0.0.1"), "{message}");
    }
    assert!(crm.seen().is_empty());
    let refused = command(
        &server,
        &[
            "crm",
            "connect",
            "--organization",
            MAIN,
            "--url",
            "https://127.0.0.1",
            "--partner-type=a",
            "--partner-properties=a",
            "--company-properties=a",
        ],
    )
    .await;
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no address of the public internet"));
}

#[tokio::test]
async fn object_id_is_one_segment_of_the_path_of_the_request() {
    let (server, crm) = start().await;
    for (sent, object) in [
        ("a%2F..%2F..%2Fadmin", "a/../../admin"),
        ("a%3FidProperty=b%23c", "a?idProperty=b#c"),
        ("%252e%252e", "%2e%2e"),
        ("a%0D%0Ax-b:%20c", "a\r\nx-b: c"),
        ("%40evil.example", "@evil.example"),
        ("%E4%BC%9A%E7%A4%BE", "会社"),
    ] {
        let (id, _) = sync(&server, Key::MAIN, "PARTNER", sent).await;
        assert_eq!(failure(&ended(&server, Key::MAIN, &id).await), "NO_PARTNER", "{sent}");
        let seen = crm.seen().pop().unwrap();
        assert_eq!((&*seen.object_type, &*seen.object_id), ("p_partners", object));
    }
}

/// No URL has such a segment: every parser, also that of the test's client, takes it away.
#[tokio::test]
async fn object_id_of_two_dots_leads_nowhere() {
    let (server, crm) = start_with(|serve| serve.crm.crm_syncs = 0).await;
    let (id, _) = sync(&server, Key::MAIN, "PARTNER", "dots").await;
    server.execute(format!("UPDATE crm_syncs SET object_id = '..' WHERE id = '{id}'")).await;
    let other = server.replica_with(|serve| serve.crm.crm_syncs = 1).await;
    assert_eq!(failure(&ended(&other, Key::MAIN, &id).await), "OBJECT_NOT_FOUND");
    assert!(crm.seen().is_empty());
}
