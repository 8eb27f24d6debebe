//! What a database holds, as one checksum per table: the proof that a read-only run changes no
//! business data. Tables that are left out are listed, so that a new table counts by itself.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

/// Tables that a read-only run may write to, and why.
const LEFT_OUT: [(&str, &str); 1] =
    [("payout.meters", "every request counts there, and a metered one takes a credit")];
/// The tables of every schema but PostgreSQL's own, quoted.
const TABLES: &str = "
    SELECT format('%I.%I', nspname, relname)
      FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE relkind IN ('r', 'p') AND nspname <> 'information_schema' AND nspname !~ '^pg_'
     ORDER BY 1";

/// The number of rows and the checksum of each table at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tables(BTreeMap<String, (i64, String)>);

impl Tables {
    /// Reads every table; row-level security must not apply to the connection's role.
    pub(super) async fn read(connection: &mut PgConnection) -> Result<Self, sqlx::Error> {
        // One snapshot for all tables.
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        let mut transaction = connection.begin_with(begin).await?;
        let mut names: Vec<String> =
            sqlx::query_scalar(TABLES).fetch_all(&mut *transaction).await?;
        names.retain(|name| LEFT_OUT.iter().all(|(left_out, _)| left_out != name));
        let mut tables = BTreeMap::new();
        for name in names {
            // PostgreSQL quoted the name.
            let sql = format!(
                "SELECT count(*), coalesce(md5(string_agg(hash, '' ORDER BY hash)), '')
                   FROM (SELECT md5(whole::text) AS hash FROM {name} AS whole) AS hashes"
            );
            let rows = sqlx::query_as(AssertSqlSafe(sql)).fetch_one(&mut *transaction).await?;
            tables.insert(name, rows);
        }
        transaction.rollback().await?;
        Ok(Self(tables))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Tables that hold something else later, each as a sentence.
    pub(super) fn changes(&self, later: &Self) -> Vec<String> {
        let names: BTreeSet<&String> = self.0.keys().chain(later.0.keys()).collect();
        let changed = names.into_iter().filter(|name| self.0.get(*name) != later.0.get(*name));
        let changes = changed.map(|name| {
            let [before, after] = [self, later].map(|tables| tables.0.get(name).map_or(0, |t| t.0));
            format!("{name}: {before} rows before, {after} after, not the same ones")
        });
        changes.collect()
    }
}

#[cfg(test)]
mod tests {
    use payout_database::{TestDatabase, owner_connect_options};

    use super::*;

    async fn connect(database: &TestDatabase) -> PgConnection {
        let options = owner_connect_options(&database.superuser_url()).unwrap();
        PgConnection::connect_with(&options).await.unwrap()
    }

    async fn run(connection: &mut PgConnection, statements: &'static str) {
        sqlx::raw_sql(statements).execute(connection).await.unwrap();
    }

    #[tokio::test]
    async fn changed_row_and_new_table_are_named_and_another_order_is_no_change() {
        let database = TestDatabase::create().await;
        let mut connection = connect(&database).await;
        let rows = "INSERT INTO organizations (id, name) VALUES ('org_a', 'A'), ('org_b', 'B')";
        run(&mut connection, rows).await;
        let before = Tables::read(&mut connection).await.unwrap();
        let moved = "CREATE TABLE kept AS SELECT * FROM organizations; DELETE FROM organizations;
                     INSERT INTO organizations SELECT * FROM kept ORDER BY id DESC;
                     DROP TABLE kept;
                     INSERT INTO meters (organization_id, requests_per_minute) VALUES ('org_a', 5)";
        run(&mut connection, moved).await;
        let after = Tables::read(&mut connection).await.unwrap();
        assert_eq!(before.changes(&after), [""; 0], "each table that is left out may change");
        let tables: Vec<String> =
            sqlx::query_scalar(TABLES).fetch_all(&mut connection).await.unwrap();
        assert_eq!(before.len() + LEFT_OUT.len(), tables.len(), "{LEFT_OUT:?}");

        let changed = "UPDATE organizations SET name = 'C'; CREATE TABLE fresh AS SELECT 1 AS one";
        run(&mut connection, changed).await;
        let after = Tables::read(&mut connection).await.unwrap();
        assert_eq!(
            before.changes(&after),
            [
                "payout.fresh: 0 rows before, 1 after, not the same ones",
                "payout.organizations: 2 rows before, 2 after, not the same ones"
            ]
        );
    }
}
