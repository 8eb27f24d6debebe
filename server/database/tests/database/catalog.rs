//! The rules of `catalog.sql`: our schema breaks none but for the exemptions, and each rule finds a
//! planted violation.

use payout_database::TestDatabase;
use payout_database::testing::TEST_APP;
use sqlx::PgConnection;

use crate::{as_superuser, run};

const TABLES: &str = "forced row-level security";
const UNIQUE: &str = "unique by organisation";
const FOREIGN_KEY: &str = "foreign key by organisation";
const APP_ROLE: &str = "harmless app role";

/// Objects that may break a rule. `organizations` needs no exemption: it has no `organization_id`.
const EXEMPTIONS: [(&str, &str); 3] = [
    // The gate finds the organisation by the key, so it reads before it knows one.
    (TABLES, "api_keys"),
    // One admission statement counts requests of many organisations; the gate alone runs it.
    (TABLES, "meters"),
    // The hash of a key is looked up across organisations, and is no tenant's choice.
    (UNIQUE, "api_keys_hash_key"),
];

async fn violations(connection: &mut PgConnection) -> Vec<(String, String)> {
    let query = sqlx::query_as(include_str!("catalog.sql")).bind(TEST_APP);
    let mut found: Vec<(String, String)> = query.fetch_all(connection).await.unwrap();
    found.sort();
    found
}

#[tokio::test]
async fn migrated_schema_breaks_no_rule_and_needs_every_exemption() {
    let database = TestDatabase::create().await;
    let found = violations(&mut as_superuser(&database).await).await;
    let expected = EXEMPTIONS.map(|(rule, object)| (rule.to_owned(), object.to_owned()));
    assert_eq!(found, expected);
}

/// The statement, run as the superuser, adds these violations of one rule.
async fn assert_planted(statement: &str, rule: &str, objects: &[&str]) {
    let database = TestDatabase::create().await;
    let mut connection = as_superuser(&database).await;
    run(&mut connection, statement).await;
    let mut found = violations(&mut connection).await;
    found.retain(|(rule, object)| !EXEMPTIONS.contains(&(rule, object)));
    let expected = objects.iter().map(|object| (rule.to_owned(), (*object).to_owned()));
    assert_eq!(found, expected.collect::<Vec<_>>(), "{statement}");
}

const GUARDED: &str =
    "ALTER TABLE planted ENABLE ROW LEVEL SECURITY; ALTER TABLE planted FORCE ROW LEVEL SECURITY;";
const POLICY: &str =
    "CREATE POLICY tenant ON planted USING (organization_id = current_organization());";

#[tokio::test]
async fn tenant_table_without_forced_and_asking_policy_is_found() {
    let table = "CREATE TABLE planted (organization_id text);";
    for rest in [
        String::new(),
        POLICY.to_owned(),
        format!("{POLICY} ALTER TABLE planted ENABLE ROW LEVEL SECURITY"),
        GUARDED.to_owned(),
        format!("{GUARDED} CREATE POLICY open ON planted USING (true)"),
        format!("{GUARDED} {POLICY} CREATE POLICY open ON planted FOR SELECT USING (true)"),
    ] {
        assert_planted(&format!("{table} {rest}"), TABLES, &["planted"]).await;
    }
    assert_planted(&format!("{table} {GUARDED} {POLICY}"), TABLES, &[]).await;
}

#[tokio::test]
async fn key_without_the_organization_is_found() {
    for index in ["(id)", "(id, organization_id)", "(lower(id), organization_id)"] {
        let statement = format!(
            "CREATE TABLE planted (organization_id text, id text); {GUARDED} {POLICY}
             CREATE UNIQUE INDEX planted_key ON planted {index}"
        );
        assert_planted(&statement, UNIQUE, &["planted_key"]).await;
    }
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
    assert_planted(&statement, FOREIGN_KEY, &["planted_crossed", "planted_other"]).await;
}

#[tokio::test]
async fn forbidden_objects_and_rights_are_found() {
    for (statement, rule, object) in [
        (
            "CREATE TYPE colour AS ENUM ('red'); CREATE TABLE planted (colour colour)",
            "no enum",
            "planted.colour",
        ),
        (
            "CREATE TYPE colour AS ENUM ('red'); CREATE TABLE planted (colours colour[])",
            "no enum",
            "planted.colours",
        ),
        ("CREATE VIEW planted AS SELECT 1", "invoker view", "planted"),
        (
            "CREATE VIEW planted WITH (security_invoker = false) AS SELECT 1",
            "invoker view",
            "planted",
        ),
        ("CREATE MATERIALIZED VIEW planted AS SELECT 1", "no materialised view", "planted"),
        (
            "CREATE FUNCTION planted() RETURNS int LANGUAGE sql SECURITY DEFINER RETURN 1",
            "no security definer",
            "planted()",
        ),
        ("GRANT TRUNCATE ON partners TO payout_test_app", APP_ROLE, "TRUNCATE on partners"),
        (
            "GRANT CREATE ON SCHEMA payout TO payout_test_app",
            APP_ROLE,
            "CREATE in the schema payout",
        ),
    ] {
        assert_planted(statement, rule, &[object]).await;
    }
    let invoker = "CREATE VIEW planted WITH (security_invoker = true) AS SELECT 1";
    assert_planted(invoker, "", &[]).await;
}
