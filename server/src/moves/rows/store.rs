//! The tables with rows of organisations, from the catalog, and the statements that copy them.
//! Names of tables and columns in their texts come from the catalog, ids from [`OrganizationId`].

use futures_util::TryStreamExt as _;
use sqlx::{AssertSqlSafe, Executor as _, PgConnection, Row as _};

use crate::{
    id::OrganizationId,
    moves::{
        MoveError,
        model::{Table, in_order},
    },
    postgres::TenantTransaction,
};

/// Columns that say where an organisation is. They belong to a cell, and are not moved.
pub const STATE: [(&str, &str); 5] = [
    ("organizations", "stopped_at"),
    ("organizations", "moved_to"),
    ("organizations", "imported_at"),
    ("api_keys", "stopped_at"),
    ("api_keys", "moved_to"),
];

const PIECE_BYTES: usize = 64 * 1024;

/// Far beyond what others write between two statements. Numbers that are left out cost nothing.
const RESERVED_NUMBERS: i64 = 1_000_000;

/// One number, date or byte string has one text, whatever the database is set to. The transaction
/// may wait for files between two statements.
const SETTINGS: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '10s';
    SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL jit = off;
    SET LOCAL datestyle = 'ISO'; SET LOCAL intervalstyle = 'postgres';
    SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 1;
    SET LOCAL xmlbinary = 'base64'; SET LOCAL lc_monetary = 'C'; SET LOCAL app.importing = 'on'";

/// Prepares a transaction for copies. Triggers count nothing in it, because the counters are copied
/// too.
pub(in crate::moves) async fn prepare(
    transaction: &mut TenantTransaction,
) -> Result<(), sqlx::Error> {
    transaction.execute(SETTINGS).await.map(drop)
}

/// Lists the tables that have rows of organisations, in the order in which they can be filled.
pub async fn list_tables(connection: &mut PgConnection) -> Result<Vec<Table>, MoveError> {
    let (tables, columns): (Vec<&str>, Vec<&str>) = STATE.into_iter().unzip();
    let listed = sqlx::query!(
        r#"SELECT c.relname::text AS "name!",
                  CASE WHEN c.relname = 'organizations' THEN 'id' ELSE 'organization_id' END
                      AS "owner!",
                  ARRAY(SELECT attname::text FROM pg_attribute AS a
                         WHERE a.attrelid = c.oid AND attnum > 0 AND NOT attisdropped
                           AND attgenerated = ''
                           AND NOT EXISTS (SELECT FROM unnest($1::text[], $2::text[])
                                               AS state (relname, attname)
                                            WHERE state.relname = c.relname
                                              AND state.attname = a.attname)
                         ORDER BY attnum) AS "columns!",
                  ARRAY(SELECT attname::text
                          FROM pg_index AS i
                         CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (attnum, place)
                          JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.attnum
                         WHERE i.indrelid = c.oid AND i.indisprimary
                         ORDER BY k.place) AS "key!",
                  ARRAY(SELECT DISTINCT parent.relname::text
                          FROM pg_constraint AS f
                          JOIN pg_class AS parent ON parent.oid = f.confrelid
                         WHERE f.contype = 'f' AND f.conrelid = c.oid AND f.confrelid <> c.oid)
                      AS "parents!"
             FROM pg_class AS c
            WHERE c.relnamespace = 'payout'::regnamespace AND c.relkind IN ('r', 'p')
              AND (c.relname = 'organizations'
                   OR EXISTS (SELECT FROM pg_attribute AS a
                               WHERE a.attrelid = c.oid AND attname = 'organization_id'
                                 AND NOT attisdropped))
            ORDER BY c.relname"#,
        &tables as _,
        &columns as _
    )
    .map(|row| Table {
        name: row.name,
        owner: row.owner,
        columns: row.columns,
        key: row.key,
        parents: row.parents,
    })
    .fetch_all(connection)
    .await?;
    if let Some(table) = listed.iter().find(|table| table.key.is_empty()) {
        return Err(MoveError::rejected(format!("{} has no primary key", table.name)));
    }
    let circle = || MoveError::rejected("the tables' foreign keys have no order");
    in_order(listed).ok_or_else(circle)
}

/// Reads the organisation's rows of a table, in the order of its key.
pub(super) async fn copy_out(
    connection: &mut PgConnection,
    organization: &OrganizationId,
    table: &Table,
    mut each: impl FnMut(&[u8]) -> Result<(), MoveError>,
) -> Result<(), MoveError> {
    let Table { name, owner, .. } = table;
    let (columns, key) = (quoted(&table.columns), quoted(&table.key));
    let statement = format!(
        "COPY (SELECT {columns} FROM payout.{name} WHERE {owner} = '{organization}' \
               ORDER BY {key}) TO STDOUT"
    );
    let mut rows = connection.copy_out_raw(&statement).await?;
    while let Some(piece) = rows.try_next().await? {
        each(&piece)?;
    }
    Ok(())
}

/// Inserts rows, which `read` gives in pieces. `COPY` cannot fill a table that has row-level
/// security, so it fills a temporary one.
pub(super) async fn insert(
    transaction: &mut TenantTransaction,
    table: &Table,
    read: &mut (impl FnMut(&mut [u8]) -> Result<usize, MoveError> + Send),
) -> Result<(), MoveError> {
    let name = &table.name;
    let columns = quoted(&table.columns);
    let create = format!(
        "CREATE TEMPORARY TABLE staged ON COMMIT DROP \
             AS SELECT {columns} FROM payout.{name} WITH NO DATA"
    );
    transaction.execute(AssertSqlSafe(create)).await?;
    let copy = format!("COPY pg_temp.staged ({columns}) FROM STDIN");
    let mut copy = transaction.copy_in_raw(&copy).await?;
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match read(&mut piece)? {
            0 => break,
            length => copy.send(&piece[..length]).await?,
        };
    }
    copy.finish().await?;
    let insert = format!(
        "INSERT INTO payout.{name} ({columns}) OVERRIDING SYSTEM VALUE \
         SELECT {columns} FROM pg_temp.staged; DROP TABLE pg_temp.staged"
    );
    transaction.execute(AssertSqlSafe(insert)).await?;
    Ok(())
}

/// Lets the history of this database go on after the organisation's rows. Its numbers only rise,
/// also where others take some at the same time.
pub(in crate::moves) async fn raise_history_sequence(
    transaction: &mut TenantTransaction,
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    let statement = format!(
        "SELECT setval('payout.history_sequence_seq', latest + {RESERVED_NUMBERS}) \
           FROM (SELECT max(sequence) AS latest FROM payout.history \
                  WHERE organization_id = '{organization}') AS own, \
                payout.history_sequence_seq \
          WHERE latest > last_value"
    );
    let raised = sqlx::raw_sql(AssertSqlSafe(statement)).fetch_optional(&mut **transaction).await?;
    if let Some(row) = raised {
        let _: i64 = row.try_get(0)?;
    }
    Ok(())
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}
