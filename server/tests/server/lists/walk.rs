//! Walks a list page by page, and reads the same list from the tables.

use sqlx::{AssertSqlSafe, PgPool};

use crate::support::{Key, TestResponse, TestServer};

/// The data set's organisation that tests work in.
pub(super) const MAIN: &str = "org_01JV3N8Q5R0000000000000001";
/// Both lists and their tables.
pub(super) const LISTS: [(&str, &str); 2] =
    [("/api/v1/partners", "partners"), ("/api/v1/commission-lines", "commission_lines")];
const PAGES_LIMIT: usize = 500;

/// One page, with more parameters joined by `&`.
pub(super) async fn page(server: &TestServer, path: &str, parameters: &str) -> TestResponse {
    server.get(Key::MAIN, &format!("{path}?{parameters}")).expect(200).await
}

/// All pages of a list, each with the next of `limits` in turn; returns the ids of each page.
pub(super) async fn walk(
    server: &TestServer,
    path: &str,
    filters: &str,
    limits: &[usize],
) -> Vec<Vec<String>> {
    let mut pages: Vec<Vec<String>> = Vec::new();
    let mut cursor = String::new();
    while pages.len() < PAGES_LIMIT {
        let limit = limits[pages.len() % limits.len()];
        let response = page(server, path, &format!("limit={limit}{filters}{cursor}")).await;
        let ids = response.ids();
        let next = response.next_cursor();
        // A page is full unless it is the last, and only an empty list has an empty page.
        assert!(
            if next.is_some() { ids.len() == limit } else { ids.len() <= limit },
            "{}",
            response.text
        );
        assert!(!ids.is_empty() || pages.is_empty(), "an empty page follows a cursor");
        pages.push(ids);
        let Some(next) = next else {
            return pages;
        };
        cursor = format!("&cursor={next}");
    }
    panic!("{path} does not end within {PAGES_LIMIT} pages");
}

/// All ids of main in the order of R7 that meet the condition.
pub(super) async fn ids_in_table(superuser: &PgPool, table: &str, condition: &str) -> Vec<String> {
    let statement = format!(
        "SELECT id FROM payout.{table} WHERE organization_id = '{MAIN}' AND {condition}
           ORDER BY created_at DESC, id COLLATE \"C\" DESC"
    );
    sqlx::query_scalar(AssertSqlSafe(statement)).fetch_all(superuser).await.unwrap()
}

/// Runs a statement as the superuser and returns the number of affected rows.
pub(super) async fn execute(superuser: &PgPool, statement: &str) -> u64 {
    let done = sqlx::query(AssertSqlSafe(statement.to_owned())).execute(superuser).await;
    done.unwrap().rows_affected()
}
