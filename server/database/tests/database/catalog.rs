//! The catalog checks: our schema breaks no rule, and each rule finds a planted violation.

use payout_database::testing::TEST_APP;
use payout_database::{Rule, TestDatabase, Violation, catalog_violations};

use crate::{as_owner, as_superuser, run};

#[tokio::test]
async fn migrated_schema_breaks_no_rule() {
    let database = TestDatabase::create().await;
    let found = catalog_violations(&mut as_owner(&database).await, TEST_APP).await.unwrap();
    assert_eq!(found, [], "{found:#?}");
}

/// The violations that one statement, run as the superuser, adds.
async fn planted(statement: &str, app_role: &str) -> Vec<(Rule, String)> {
    let database = TestDatabase::create().await;
    let mut connection = as_superuser(&database).await;
    run(&mut connection, statement).await;
    let found = catalog_violations(&mut connection, app_role).await.unwrap();
    found.into_iter().map(|Violation { rule, object }| (rule, object)).collect()
}

const GUARDED: &str =
    "ALTER TABLE planted ENABLE ROW LEVEL SECURITY; ALTER TABLE planted FORCE ROW LEVEL SECURITY;";
const POLICY: &str =
    "CREATE POLICY tenant ON planted USING (organization_id = current_organization());";

#[tokio::test]
async fn tenant_table_without_forced_and_asking_policy_is_found() {
    let table = "CREATE TABLE planted (organization_id text);";
    let expected = [(Rule::ForcedRowSecurity, "planted".to_owned())];
    for rest in [
        String::new(),
        POLICY.to_owned(),
        format!("{POLICY} ALTER TABLE planted ENABLE ROW LEVEL SECURITY"),
        GUARDED.to_owned(),
        format!("{GUARDED} CREATE POLICY open ON planted USING (true)"),
        format!("{GUARDED} {POLICY} CREATE POLICY open ON planted FOR SELECT USING (true)"),
    ] {
        assert_eq!(planted(&format!("{table} {rest}"), TEST_APP).await, expected, "{rest}");
    }
    assert_eq!(planted(&format!("{table} {GUARDED} {POLICY}"), TEST_APP).await, []);
}

#[tokio::test]
async fn unique_index_not_led_by_the_organization_is_found() {
    for index in ["(id)", "(id, organization_id)", "(lower(id), organization_id)"] {
        let statement = format!(
            "CREATE TABLE planted (organization_id text, id text); {GUARDED} {POLICY}
             CREATE UNIQUE INDEX planted_key ON planted {index}"
        );
        let expected = [(Rule::UniqueByOrganization, "planted_key".to_owned())];
        assert_eq!(planted(&statement, TEST_APP).await, expected, "{index}");
    }
}

#[tokio::test]
async fn foreign_key_without_the_organization_on_both_sides_is_found() {
    let statement = format!(
        "CREATE TABLE planted (organization_id text COLLATE \"C\", other text COLLATE \"C\",
           id text COLLATE \"C\");
         {GUARDED} {POLICY}
         ALTER TABLE planted ADD CONSTRAINT planted_crossed FOREIGN KEY (id, organization_id)
             REFERENCES users (organization_id, id);
         ALTER TABLE planted ADD CONSTRAINT planted_other FOREIGN KEY (other, id)
           REFERENCES users (organization_id, id);
         ALTER TABLE planted ADD CONSTRAINT planted_fit FOREIGN KEY (organization_id, id)
             REFERENCES users (organization_id, id)"
    );
    let mut found = planted(&statement, TEST_APP).await;
    found.sort_by(|one, other| one.1.cmp(&other.1));
    let expected = ["planted_crossed", "planted_other"]
        .map(|name| (Rule::ForeignKeyByOrganization, name.to_owned()));
    assert_eq!(found, expected);
}

#[tokio::test]
async fn enums_views_and_definer_functions_are_found() {
    for (statement, rule, object) in [
        (
            "CREATE TYPE colour AS ENUM ('red'); CREATE TABLE planted (colour colour)",
            Rule::NoEnum,
            "planted.colour",
        ),
        (
            "CREATE TYPE colour AS ENUM ('red'); CREATE TABLE planted (colours colour[])",
            Rule::NoEnum,
            "planted.colours",
        ),
        ("CREATE VIEW planted AS SELECT 1", Rule::InvokerView, "planted"),
        (
            "CREATE VIEW planted WITH (security_invoker = false) AS SELECT 1",
            Rule::InvokerView,
            "planted",
        ),
        ("CREATE MATERIALIZED VIEW planted AS SELECT 1", Rule::NoMaterializedView, "planted"),
        (
            "CREATE FUNCTION planted() RETURNS int LANGUAGE sql SECURITY DEFINER RETURN 1",
            Rule::NoSecurityDefiner,
            "planted()",
        ),
    ] {
        assert_eq!(planted(statement, TEST_APP).await, [(rule, object.to_owned())], "{statement}");
    }
    let invoker = "CREATE VIEW planted WITH (security_invoker = true) AS SELECT 1";
    assert_eq!(planted(invoker, TEST_APP).await, []);
}

#[tokio::test]
async fn rights_of_the_app_role_around_row_security_are_found() {
    for (statement, rule, object) in [
        (
            "GRANT TRUNCATE ON partners TO payout_test_app",
            Rule::HarmlessAppRole,
            "TRUNCATE on partners",
        ),
        (
            "GRANT CREATE ON SCHEMA payout TO payout_test_app",
            Rule::HarmlessAppRole,
            "CREATE in the schema payout",
        ),
        (
            "CREATE TABLE planted (); ALTER TABLE planted OWNER TO payout_test_app",
            Rule::NothingOwnedByApp,
            "planted",
        ),
    ] {
        let found = planted(statement, TEST_APP).await;
        assert!(found.contains(&(rule, object.to_owned())), "{statement}: {found:?}");
    }
}

#[tokio::test]
async fn privileged_app_role_is_found() {
    let database = TestDatabase::create().await;
    let mut connection = as_superuser(&database).await;
    // Roles belong to the whole server, so this one has a unique name and is removed again.
    let role = format!("{}_app", database.name());
    for attribute in ["BYPASSRLS", "CREATEROLE", "CREATEDB"] {
        run(&mut connection, format!("CREATE ROLE {role} {attribute}")).await;
        let found = catalog_violations(&mut connection, &role).await.unwrap();
        run(&mut connection, format!("DROP ROLE {role}")).await;
        let expected =
            Violation { rule: Rule::HarmlessAppRole, object: format!("{attribute} of {role}") };
        assert_eq!(found, [expected]);
    }
}
