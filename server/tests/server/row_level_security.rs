//! Row-level security: the database's behaviour where a statement lacks its `WHERE
//! organization_id`. The suite sees only statements that have it.

use payout_server::postgres::Tenants;
use sqlx::{AssertSqlSafe, PgConnection};

use crate::support::{Key, TestServer, dataset::*, organization};

/// Every table with row-level security, by the catalog.
pub(crate) async fn tenant_tables(server: &TestServer) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT relname::text FROM pg_class
          WHERE relnamespace = 'payout'::regnamespace AND relkind IN ('r', 'p')
            AND relrowsecurity ORDER BY relname",
    )
    .fetch_all(&server.superuser)
    .await
    .unwrap()
}

async fn count(connection: &mut PgConnection, table: &str, condition: &str) -> i64 {
    let statement = format!("SELECT count(*) FROM payout.{table} WHERE {condition}");
    sqlx::query_scalar(AssertSqlSafe(statement)).fetch_one(connection).await.unwrap()
}

#[tokio::test]
async fn tenant_transaction_sees_its_own_rows_alone_in_every_table() {
    let server = TestServer::start().await;
    fill_every_table(&server).await;
    let tables = tenant_tables(&server).await;
    assert!(tables.len() >= 13, "{tables:?}");
    let tenants = server.tenants().await;
    for table in &tables {
        for (own, foreign) in [(MAIN, OTHER), (OTHER, MAIN)] {
            let is_own = format!("organization_id = '{own}'");
            let expected =
                count(&mut server.superuser.acquire().await.unwrap(), table, &is_own).await;
            let mut transaction = tenants.read(&organization(own)).await.unwrap();
            assert_eq!(count(&mut transaction, table, "true").await, expected, "{table}");
            let is_foreign = format!("organization_id = '{foreign}'");
            assert_eq!(count(&mut transaction, table, &is_foreign).await, 0, "{table}");
            assert!(expected > 0 || table == "history", "the data set has no row in {table}");
        }
    }
}

/// Rows for the tables that the data set leaves empty, except the history, which is written
/// automatically.
async fn fill_every_table(server: &TestServer) {
    let payouts = [(Key::MAIN, "00"), (Key::OTHER, "02")];
    for (key, organization) in payouts {
        let path = format!("/api/v1/payouts/pay_01JV3N8Q5R{organization}00000000000001/statement");
        server.post(key, &path).expect(200).await;
    }
    for organization in [MAIN, OTHER] {
        for statement in [
            "INSERT INTO statement_templates (organization_id, title) VALUES ($1, 'Title')
               ON CONFLICT DO NOTHING",
            "INSERT INTO asset_intents (organization_id, id) VALUES ($1, 'ast_test')",
            "INSERT INTO idempotent_requests (organization_id, operation, key, request_hash, status,
                                              body)
             VALUES ($1, 'test', 'test', sha256(''), 200, '')",
            "INSERT INTO portal_users (organization_id, partner_id, email)
             SELECT $1, id, 'test@example.com' FROM partners WHERE organization_id = $1 LIMIT 1",
            "INSERT INTO portal_sessions (organization_id, id, partner_id, email, link_hash,
                                          link_expires_at)
             SELECT $1, 'pse_test', id, 'test@example.com', sha256(''), now()
               FROM partners WHERE organization_id = $1 LIMIT 1",
            "INSERT INTO crm_connections (organization_id, id, base_url, partner_type,
                                          company_type, partner_properties, company_properties)
             VALUES ($1, 'crm_test', 'https://crm.example', 'a', 'b', '{}', '{}')
               ON CONFLICT DO NOTHING",
            "INSERT INTO crm_syncs (organization_id, id, object_type, object_id, actor, request_id,
                                    due_at)
             VALUES ($1, 'syn_test', 'PARTNER', 'test', 'key_test', 'test', now())",
        ] {
            server.execute(statement.replace("$1", &format!("'{organization}'"))).await;
        }
    }
}

#[tokio::test]
async fn organization_ends_with_its_transaction() {
    let server = TestServer::start().await;
    let tables = tenant_tables(&server).await;
    let pool = server.app_pool().await;
    let tenants = Tenants::from(&pool);
    for ending in ["none yet", "dropped", "committed", "failed"] {
        match ending {
            "none yet" => {}
            "dropped" => drop(tenants.write(&organization(MAIN)).await.unwrap()),
            "committed" => {
                tenants.write(&organization(MAIN)).await.unwrap().commit().await.unwrap()
            }
            _ => {
                let mut transaction = tenants.write(&organization(MAIN)).await.unwrap();
                sqlx::query("SELECT 1 / 0").execute(&mut *transaction).await.unwrap_err();
            }
        }
        // The pool has one connection, so this uses the same one.
        let mut connection = pool.acquire().await.unwrap();
        for table in &tables {
            assert_eq!(
                count(&mut connection, table, "true").await,
                0,
                "{table} after a transaction {ending}"
            );
        }
    }
}

#[tokio::test]
async fn no_row_can_be_written_into_another_organization() {
    let server = TestServer::start().await;
    fill_every_table(&server).await;
    let tenants = server.tenants().await;
    for table in tenant_tables(&server).await {
        let columns = "SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
                        WHERE attrelid = $1::regclass AND attnum > 0 AND attgenerated = ''";
        let columns = sqlx::query_scalar::<_, String>(columns).bind(format!("payout.{table}"));
        let columns = columns.fetch_one(&server.superuser).await.unwrap();
        let insert = format!(
            "INSERT INTO payout.{table} ({columns}) OVERRIDING SYSTEM VALUE
             SELECT {columns} FROM (
                 SELECT (jsonb_populate_record(row, '{{\"organization_id\": \"{OTHER}\"}}')).*
                   FROM payout.{table} AS row LIMIT 1) AS copied"
        );
        let update = format!("UPDATE payout.{table} SET organization_id = '{OTHER}'");
        for statement in [insert, update] {
            // A row to copy, also in the tables that the data set leaves empty.
            let mut transaction = tenants.write(&organization(MAIN)).await.unwrap();
            if table == "history" {
                let own = "INSERT INTO history (organization_id, actor, action, resource_id)
                             VALUES ($1, 'test', 'test', 'test')";
                sqlx::query(own).bind(MAIN).execute(&mut *transaction).await.unwrap();
            }
            let rejected =
                sqlx::query(AssertSqlSafe(statement.clone())).execute(&mut *transaction).await;
            let error = rejected.expect_err(&statement);
            let error = error.as_database_error().unwrap();
            assert_eq!(error.code().as_deref(), Some("42501"), "{statement}: {error}");
            // The history, comments and versions of forms can never be updated.
            let is_kept = ["history", "comments", "form_versions"].contains(&&*table);
            let reason = if is_kept && statement.starts_with("UPDATE") {
                "permission denied"
            } else {
                "row-level security"
            };
            assert!(error.message().contains(reason), "{statement}: {error}");
        }
    }
}

#[tokio::test]
async fn rows_of_another_organization_can_be_neither_changed_nor_locked() {
    let server = TestServer::start().await;
    let tenants = server.tenants().await;
    let mut transaction = tenants.write(&organization(MAIN)).await.unwrap();
    let foreign = format!("organization_id = '{OTHER}'");
    for table in ["partners", "payouts", "commission_lines", "users"] {
        let update = format!("UPDATE payout.{table} SET id = id WHERE {foreign}");
        let updated = sqlx::query(AssertSqlSafe(update)).execute(&mut *transaction).await.unwrap();
        assert_eq!(updated.rows_affected(), 0, "{table}");
        let lock = format!("SELECT id FROM payout.{table} WHERE {foreign} FOR UPDATE");
        let locked = sqlx::query(AssertSqlSafe(lock)).fetch_all(&mut *transaction).await.unwrap();
        assert_eq!(locked.len(), 0, "{table}");
    }
}
