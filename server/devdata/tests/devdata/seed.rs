//! `seed` and `generate`: the data set, its key file, and generated lines.

use std::os::unix::fs::PermissionsExt;

use sqlx::Connection as _;

use crate::support::{Deployment, errors};

#[tokio::test]
async fn keys_go_to_a_file_that_only_its_owner_can_read() {
    let deployment = Deployment::create().await;
    let path = deployment.folder.path().join("keys.env");
    std::fs::write(&path, "old").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let printed = deployment.run(&["seed"]);
    assert!(!printed.contains("pcp_test_"), "{printed}");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let keys = std::fs::read_to_string(&path).unwrap();
    for name in [
        "MAIN_ALL",
        "MAIN_COMMISSIONS_READ",
        "MAIN_EXPIRED",
        "MAIN_REVOKED",
        "NO_BILLING_ALL",
        "UNLIMITED_ALL",
    ] {
        assert!(keys.contains(&format!("\nPAYOUT_KEY_{name}=pcp_test_")), "{name}: {keys}");
    }
    let states = "SELECT string_agg(name, ' ' ORDER BY name) FROM payout.api_keys
                  WHERE revoked_at IS NOT NULL OR expires_at <= now()";
    assert_eq!(deployment.value(states).await, "expired revoked");
}

#[tokio::test]
async fn seeding_twice_requires_reset_which_keeps_other_organizations() {
    let deployment = Deployment::create().await;
    let mine = r#"{"organizations": [{"name": "mine"}]}"#;
    deployment.run(&["import", &deployment.file("mine.json", mine)]);
    deployment.run(&["seed"]);
    let error = deployment.reject(1, &["seed"]);
    assert!(error.contains("payout-devdata seed --reset"), "{error}");
    deployment.run(&["seed", "--reset"]);
    let names = "SELECT string_agg(name, ' ' ORDER BY name) FROM payout.organizations";
    assert_eq!(
        deployment.value(names).await,
        "exhausted main mine no_billing other sandbox tight unlimited"
    );
}

#[tokio::test]
async fn reset_as_the_servers_role_is_rejected_with_the_flag_that_helps() {
    let deployment = Deployment::create().await;
    deployment.run(&["seed"]);
    let mut command = deployment.command(&["seed", "--reset"]);
    let output = command.env_remove("DATABASE_OWNER_URL").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("DATABASE_OWNER_URL"));
}

#[tokio::test]
async fn generated_lines_have_the_given_number_and_keep_the_invariants() {
    let deployment = Deployment::create().await;
    deployment.run(&["seed"]);
    deployment.run(&["generate", "2345"]);
    let generated =
        "SELECT count(*)::text FROM payout.commission_lines WHERE id LIKE 'cln\\_01BV%'";
    assert_eq!(deployment.value(generated).await, "2345");
    let wrong = "SELECT count(*)::text FROM payout.payouts p
                  WHERE amount <> coalesce((SELECT sum(l.amount) FROM payout.commission_lines l
                                             WHERE l.organization_id = p.organization_id
                                               AND l.payout_id = p.id), 0)";
    assert_eq!(deployment.value(wrong).await, "0");
    let spread = "SELECT count(DISTINCT status) || ' ' || count(DISTINCT partner_id) || ' '
                      || (count(DISTINCT payout_id) > 20)
                  FROM payout.commission_lines WHERE id LIKE 'cln\\_01BV%'";
    assert_eq!(deployment.value(spread).await, "4 3 true");
}

#[tokio::test]
async fn lines_are_generated_once_and_only_for_an_organization_that_exists() {
    let deployment = Deployment::create().await;
    let error = deployment.reject(1, &["generate", "10"]);
    assert!(error.contains("payout-devdata seed"), "{error}");
    deployment.run(&["seed"]);
    deployment.run(&["generate", "10"]);
    let error = deployment.reject(1, &["generate", "10"]);
    assert!(error.contains("seed --reset"), "{error}");
}

#[tokio::test]
async fn database_without_schema_is_rejected() {
    let deployment = Deployment::create().await;
    let superuser_url = deployment.database.superuser_url();
    let mut connection = sqlx::PgConnection::connect(&superuser_url).await.unwrap();
    let drop = "DROP SCHEMA payout CASCADE; CREATE SCHEMA payout AUTHORIZATION payout_test_owner";
    sqlx::raw_sql(drop).execute(&mut connection).await.unwrap();
    let error = deployment.reject(1, &["seed"]);
    assert!(error.contains("run `payout-server migrate`"), "{error}");
}
