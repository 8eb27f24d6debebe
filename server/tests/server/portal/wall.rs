//! The wall between partners: what the database shows a transaction of the portal, whatever its
//! statements ask for (X17).

use sqlx::{AssertSqlSafe, PgConnection};

use super::{ANA, JO, PORTAL_PARTNER, Visitor};
use crate::{
    row_level_security::tenant_tables,
    support::{
        TestServer,
        dataset::{MAIN, NORDWIND},
    },
};

/// Forms are for every partner; all else belongs to one, or to none.
const SHARED: [&str; 2] = ["forms", "form_versions"];
/// These name a partner, and no visitor sees them.
const HIDDEN: [&str; 1] = ["crm_syncs"];

async fn begin(connection: &mut PgConnection, partner: &str) {
    let begin = format!(
        "BEGIN; SET LOCAL app.organization_id = '{MAIN}'; SET LOCAL app.partner_id = '{partner}'"
    );
    sqlx::raw_sql(AssertSqlSafe(begin)).execute(&mut *connection).await.unwrap();
}

async fn count(connection: &mut PgConnection, table: &str, condition: &str) -> i64 {
    let statement = format!("SELECT count(*) FROM payout.{table} WHERE {condition}");
    sqlx::query_scalar(AssertSqlSafe(statement)).fetch_one(connection).await.unwrap()
}

#[tokio::test]
async fn portal_transaction_sees_its_partners_rows_alone_in_every_table() {
    let server = TestServer::start().await;
    for (partner, email) in [(NORDWIND, JO), (PORTAL_PARTNER, ANA)] {
        Visitor::enter(&server, partner, email).await;
    }
    server
        .execute(format!(
            "UPDATE payouts SET partner_id = '{PORTAL_PARTNER}' WHERE id IN
        (SELECT id FROM payouts WHERE organization_id = '{MAIN}' AND line_count = 0 LIMIT 1)"
        ))
        .await;
    let pool = server.app_pool().await;
    let mut connection = pool.acquire().await.unwrap();
    let mut seen = 0;
    for table in tenant_tables(&server).await {
        let in_main = format!("organization_id = '{MAIN}'");
        let column = if table == "partners" { "id" } else { "partner_id" };
        let mut superuser = server.superuser.acquire().await.unwrap();
        let columns = format!(
            "(SELECT count(*) FROM pg_attribute WHERE attrelid = 'payout.{table}'::regclass
               AND attname = 'partner_id') > 0"
        );
        let has_partner =
            table == "partners" || server.value::<bool>(format!("SELECT {columns}")).await;
        for partner in [NORDWIND, PORTAL_PARTNER, "none"] {
            let expected = match &*table {
                _ if SHARED.contains(&&*table) => count(&mut superuser, &table, &in_main).await,
                _ if !has_partner || HIDDEN.contains(&&*table) => 0,
                "comments" => {
                    let own = format!("{column} = '{partner}' AND visibility = 'PARTNER'");
                    count(&mut superuser, &table, &own).await
                }
                _ => count(&mut superuser, &table, &format!("{column} = '{partner}'")).await,
            };
            begin(&mut connection, partner).await;
            assert_eq!(count(&mut connection, &table, "true").await, expected, "{table} {partner}");
            sqlx::raw_sql("ROLLBACK").execute(&mut *connection).await.unwrap();
            seen += expected;
        }
    }
    assert!(seen > 100, "the data set has rows to see: {seen}");
}

#[tokio::test]
async fn portal_transaction_writes_nothing_for_another_partner() {
    let server = TestServer::start().await;
    let pool = server.app_pool().await;
    let mut connection = pool.acquire().await.unwrap();
    let statements = [
        format!(
            "INSERT INTO comments (organization_id, id, partner_id, thread_id, text, visibility)
             VALUES ('{MAIN}', 'cmt_x', '{PORTAL_PARTNER}', 'cmt_x', 'x', 'PARTNER')"
        ),
        format!(
            "INSERT INTO comments (organization_id, id, partner_id, thread_id, text, visibility)
             VALUES ('{MAIN}', 'cmt_x', '{NORDWIND}', 'cmt_x', 'x', 'INTERNAL')"
        ),
        format!(
            "INSERT INTO portal_users (organization_id, partner_id, email)
             VALUES ('{MAIN}', '{PORTAL_PARTNER}', 'x@x')"
        ),
        format!("INSERT INTO users VALUES ('{MAIN}', 'user_x', 'x', 'x@x')"),
        format!("UPDATE payouts SET partner_id = '{PORTAL_PARTNER}' "),
    ];
    for statement in statements {
        begin(&mut connection, NORDWIND).await;
        let rejected =
            sqlx::query(AssertSqlSafe(statement.clone())).execute(&mut *connection).await;
        let error = rejected.expect_err(&statement);
        let code = error.as_database_error().unwrap().code();
        assert_eq!(code.as_deref(), Some("42501"), "{statement}: {error}");
        sqlx::raw_sql("ROLLBACK").execute(&mut *connection).await.unwrap();
    }
    begin(&mut connection, NORDWIND).await;
    let update = format!("UPDATE payouts SET stage = 'PAID' WHERE partner_id <> '{NORDWIND}'");
    let updated = sqlx::query(AssertSqlSafe(update)).execute(&mut *connection).await.unwrap();
    assert_eq!(updated.rows_affected(), 0);
}
