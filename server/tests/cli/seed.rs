//! `seed`: the data set, its key file, and generated lines.

use std::os::unix::fs::PermissionsExt;

use crate::support::Deployment;

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
