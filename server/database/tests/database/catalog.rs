//! The rules of `catalog.sql`: our schema breaks none but for the exemptions, and each rule finds a
//! planted violation.

use payout_database::TestDatabase;
use payout_database::testing::TEST_APP;
use sqlx::PgConnection;

use crate::{as_superuser, run};

/// Objects that may break a rule. `organizations` needs no exemption: it has no `organization_id`.
const EXEMPTIONS: [(&str, &str); 6] = [
    // The redirect finds the organisation by the code of a link.
    ("forced row-level security", "affiliate_codes"),
    // The gate finds the organisation by the key, so it reads before it knows one.
    ("forced row-level security", "api_keys"),
    // A worker finds the organisation whose sync is next: times and numbers, and no tenant's data.
    ("forced row-level security", "crm_queue"),
    // One admission statement counts requests of many organisations; the gate alone runs it.
    ("forced row-level security", "meters"),
    // A code is random, and no tenant's choice.
    ("unique by organisation", "affiliate_codes_pkey"),
    // The hash of a key is looked up across organisations, and is no tenant's choice.
    ("unique by organisation", "api_keys_hash_key"),
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

/// Each section of `planted.sql` begins with the rule and the objects of the violations that its
/// statements add, when the superuser runs them.
#[tokio::test]
async fn planted_violations_are_found() {
    const GUARDED: &str = "ALTER TABLE planted ENABLE ROW LEVEL SECURITY;
                           ALTER TABLE planted FORCE ROW LEVEL SECURITY;";
    const POLICY: &str =
        "CREATE POLICY tenant ON planted USING (organization_id = current_organization());";
    let database = TestDatabase::create().await;
    let mut connection = as_superuser(&database).await;
    let sections = include_str!("planted.sql").split("-- Breaks ").skip(1);
    for section in sections {
        let (broken, statements) = section.split_once('\n').unwrap();
        let (rule, objects) = broken.split_once(": ").unwrap_or_default();
        let objects = objects.split(", ").filter(|object| !object.is_empty());
        let expected: Vec<_> = objects.map(|object| (rule.into(), object.into())).collect();
        let statements = statements.replace("{guarded}", GUARDED).replace("{policy}", POLICY);
        run(&mut connection, format!("BEGIN; {statements}")).await;
        let mut found = violations(&mut connection).await;
        found.retain(|(rule, object)| !EXEMPTIONS.contains(&(rule, object)));
        assert_eq!(found, expected, "{section}");
        run(&mut connection, "ROLLBACK").await;
    }
}
