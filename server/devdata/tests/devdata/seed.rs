//! `seed`: the data set, its key file, its target file, and generated lines.

use std::{os::unix::fs::PermissionsExt, process::Output};

use serde_json::Value;

use crate::support::{Deployment, errors};

#[tokio::test]
async fn keys_go_to_a_file_that_only_its_owner_can_read() {
    let deployment = Deployment::create().await;
    let path = deployment.folder.path().join("keys.env");
    std::fs::write(&path, "old").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let printed = deployment.run(&["seed"]);
    assert!(!printed.contains("pcp_test_"), "{printed}");
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let keys = std::fs::read_to_string(&path).unwrap();
    for name in [
        "MAIN_ALL",
        "MAIN_COMMISSIONS_READ",
        "MAIN_EXPIRED",
        "MAIN_REVOKED",
        "NO_BILLING_ALL",
        "UNLIMITED_ALL",
    ] {
        assert!(
            keys.contains(&format!("\nPAYOUT_KEY_{name}=pcp_test_")),
            "{name}: {keys}"
        );
    }
    let states = "SELECT string_agg(name, ' ' ORDER BY name) FROM payout.api_keys
                  WHERE revoked_at IS NOT NULL OR expires_at <= now()";
    assert_eq!(deployment.value(states).await, "expired revoked");
}

#[tokio::test]
async fn seeding_twice_asks_for_reset_which_touches_nobody_else() {
    let deployment = Deployment::create().await;
    let mine = deployment.run(&["organizations", "create", "--name", "mine"]);
    deployment.run(&["seed"]);
    let error = deployment.refuse(1, &["seed"]);
    assert!(error.contains("payout-server seed --reset"), "{error}");
    deployment.run(&["seed", "--reset"]);
    let names = "SELECT string_agg(name, ' ' ORDER BY name) FROM payout.organizations";
    assert_eq!(
        deployment.value(names).await,
        "exhausted main mine no_billing other tight unlimited"
    );
    assert!(
        deployment
            .run(&["organizations", "show", mine.trim()])
            .contains("mine")
    );
}

#[tokio::test]
async fn reset_as_the_servers_role_is_refused_with_the_flag_that_mends_it() {
    let deployment = Deployment::create().await;
    deployment.run(&["seed"]);
    let mut command = deployment.command(&["seed", "--reset"]);
    let output = command.env_remove("DATABASE_OWNER_URL").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(crate::support::errors(&output).contains("DATABASE_OWNER_URL"));
}

#[tokio::test]
async fn generated_lines_are_as_many_as_asked_and_obey_the_laws() {
    let deployment = Deployment::create().await;
    deployment.run(&["seed", "--lines", "2345"]);
    let generated =
        "SELECT count(*)::text FROM payout.commission_lines WHERE id LIKE 'cln\\_01BV%'";
    assert_eq!(deployment.value(generated).await, "2345");
    let wrong = "SELECT count(*)::text FROM payout.payouts p WHERE amount <> coalesce((SELECT sum(l.amount)
                 FROM payout.commission_lines l WHERE l.organization_id = p.organization_id AND l.payout_id = p.id), 0)";
    assert_eq!(deployment.value(wrong).await, "0");
    let spread = "SELECT count(DISTINCT status) || ' ' || count(DISTINCT partner_id) || ' ' || (count(DISTINCT payout_id) > 20)
                  FROM payout.commission_lines WHERE id LIKE 'cln\\_01BV%'";
    assert_eq!(deployment.value(spread).await, "4 3 true");
}

/// A deployment with a target file, and what is in that.
async fn target(arguments: &[&str]) -> (Deployment, Value) {
    let deployment = Deployment::create().await;
    let path = deployment.file("target.toml", "old");
    deployment.run(&[&["seed", "--target", &path], arguments].concat());
    let text = std::fs::read_to_string(&path).expect("written");
    for secret in ["pcp_", "postgres:", "postgresql:"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    (deployment, toml::from_str(&text).expect("TOML"))
}

/// Runs a hook as the suite does: its own words, placeholders filled, the environment of the server.
fn hook(deployment: &Deployment, target: &Value, name: &str, values: &[(&str, &str)]) -> Output {
    let words = target["hooks"][name].as_array().expect("a list").iter();
    let fill = |word: &Value| {
        let mut word = word.as_str().expect("text").to_owned();
        for (placeholder, value) in values {
            word = word.replace(&format!("{{{placeholder}}}"), value);
        }
        word
    };
    let words: Vec<String> = words.map(fill).collect();
    // The same program as the one under test: what the first word must name.
    assert_eq!(words[0], env!("CARGO_BIN_EXE_payout-server"));
    let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    deployment
        .command(&words)
        .output()
        .expect("the program runs")
}

fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}", errors(output));
    String::from_utf8(output.stdout.clone()).expect("text")
}

#[tokio::test]
async fn hooks_of_a_target_do_what_their_names_say() {
    let (deployment, target) = target(&[]).await;
    let run = |name: &str, values: &[(&str, &str)]| done(&hook(&deployment, &target, name, values));
    let fixture = |name: &str| target["fixtures"][name].as_str().unwrap();
    let noted = fixture("payout_noted");

    run("set_note", &[("payout", noted), ("note", "--clear")]);
    run("set_po_number", &[("payout", noted), ("po_number", "-7")]);
    let printed = "SELECT (metadata->>'statementNote') || ' ' || po_number FROM payout.payouts
                   WHERE id = 'pay_01JV3N8Q5R0000000000000006'";
    assert_eq!(deployment.value(printed).await, "--clear -7");
    run("clear_note", &[("payout", noted)]);
    run("clear_po_number", &[("payout", noted)]);
    let cleared =
        "SELECT (coalesce(metadata->>'statementNote', '') || coalesce(po_number, ''))::text
                   FROM payout.payouts WHERE id = 'pay_01JV3N8Q5R0000000000000006'";
    assert_eq!(deployment.value(cleared).await, "");

    let title = "SELECT coalesce(min(title), 'none') FROM payout.statement_templates
                 WHERE organization_id = 'org_01JV3N8Q5R0000000000000001'";
    run("set_template", &[("title", "--no-title")]);
    assert_eq!(deployment.value(title).await, "--no-title");
    run("clear_template", &[]);
    assert_eq!(deployment.value(title).await, "none");

    let pdf = deployment.file("a.pdf", "%PDF-1.4 a");
    let one_line = fixture("payout");
    let uploaded = run("upload_statement", &[("payout", one_line), ("file", &pdf)]);
    assert!(uploaded.contains("ast_"), "{uploaded}");
    let removed = run("remove_upload", &[("payout", one_line)]);
    assert!(removed.contains("no longer returned"), "{removed}");
}

#[tokio::test]
async fn hooks_of_a_target_print_what_the_suite_reads() {
    let (deployment, target) = target(&[]).await;
    let run = |name: &str, values: &[(&str, &str)]| done(&hook(&deployment, &target, name, values));
    let created: Value = serde_json::from_str(&run("create_key", &[("name", "suite")])).unwrap();
    assert!(created["key"].as_str().unwrap().starts_with("pcp_test_"));
    let id = created["id"].as_str().unwrap();
    let revoked = run("revoke_key", &[("key_id", id)]);
    assert!(revoked.starts_with(id), "{revoked}");

    let partner = target["fixtures"]["partner"].as_str().unwrap();
    let values = [("partner", partner), ("currency", "EUR")];
    let payout: Value = serde_json::from_str(&run("create_payout", &values)).unwrap();
    assert!(payout["id"].as_str().unwrap().starts_with("pay_"));
    assert_eq!(payout["lines"], 30);

    run("set_credits", &[("credits", "3")]);
    let organizations = deployment.json(&["organizations", "list"]);
    let mut all = organizations.as_array().unwrap().iter();
    let exhausted = all.find(|organization| organization["name"] == "exhausted");
    assert_eq!(exhausted.unwrap()["creditsPerMonth"], 3);
}

#[tokio::test]
async fn target_tells_what_was_seeded_and_where_the_server_will_be() {
    let (_deployment, plain) = target(&[]).await;
    assert_eq!(plain["base_url"], "http://127.0.0.1:8080");
    assert_eq!(
        plain["features"],
        serde_json::json!(["seeded", "links_local"])
    );
    let (_deployment, grown) = target(&[
        "--lines",
        "100",
        "--target-url",
        "https://staging.example/pay/",
    ])
    .await;
    assert_eq!(grown["base_url"], "https://staging.example/pay");
    assert_eq!(grown["features"], serde_json::json!(["links_local"]));
}
