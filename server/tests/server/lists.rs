//! R7, R8, R10: lists among equal times, pages while rows go, and each set of filters, which has a
//! statement of its own. The tests write times that no request can. `plans` shows that each page
//! begins behind a position, whatever comes and goes before it.

use sqlx::AssertSqlSafe;

use crate::support::{
    Key, TestResponse, TestServer,
    commission::{create, may},
    dataset::*,
};

/// The lists and their tables.
const LISTS: [(&str, &str); 2] =
    [("/api/v1/partners", "partners"), ("/api/v1/commission-lines", "commission_lines")];
const LINES: &str = LISTS[1].0;

async fn page(server: &TestServer, path: &str, parameters: &str) -> TestResponse {
    server.get(Key::MAIN, &format!("{path}?{parameters}")).expect(200).await
}

/// Reads a list to its end; returns the ids of all pages, which are full but for the last.
async fn walk(server: &TestServer, path: &str, limit: usize) -> Vec<String> {
    let mut ids = Vec::new();
    let mut parameters = format!("limit={limit}");
    loop {
        let response = page(server, path, &parameters).await;
        let on_page = response.ids();
        assert!(!on_page.is_empty() && on_page.len() <= limit, "{}", response.text);
        let is_full = on_page.len() == limit;
        ids.extend(on_page);
        let Some(cursor) = response.next_cursor() else {
            return ids;
        };
        assert!(is_full, "{}", response.text);
        parameters = format!("limit={limit}&cursor={cursor}");
    }
}

/// The ids of main's rows that meet the condition, in the order of R7.
async fn ids_in_table(server: &TestServer, table: &str, condition: &str) -> Vec<String> {
    let statement = format!(
        "SELECT id FROM payout.{table} WHERE organization_id = '{MAIN}' AND {condition}
           ORDER BY created_at DESC, id COLLATE \"C\" DESC"
    );
    sqlx::query_scalar(AssertSqlSafe(statement)).fetch_all(&server.superuser).await.unwrap()
}

#[tokio::test]
async fn list_is_whole_and_in_order_among_equal_times() {
    let server = TestServer::start().await;
    for (path, table) in LISTS {
        // About three rows share a time, and many the last one, across the borders of pages.
        let times = "CASE WHEN created_at > '2026-05-10' THEN timestamptz '2026-05-20'
                          ELSE date_bin('3 days', created_at, 'epoch') END";
        server.execute(&format!("UPDATE {table} SET created_at = {times}")).await;
        let expected = ids_in_table(&server, table, "true").await;
        for limit in [1, 2, 7, 100] {
            assert_eq!(walk(&server, path, limit).await, expected, "{path} by {limit}");
        }
    }
}

#[tokio::test]
async fn rows_one_millisecond_apart_are_distinguished_across_pages() {
    let server = TestServer::start().await;
    // Against the order of ids.
    let times = "UPDATE commission_lines SET created_at = timestamptz '2026-05-20'
                                                        + n * interval '1 millisecond'
                   FROM (SELECT id, row_number() OVER (ORDER BY id DESC) AS n
                           FROM commission_lines) AS numbered
                  WHERE numbered.id = commission_lines.id";
    server.execute(times).await;
    let expected = ids_in_table(&server, "commission_lines", "true").await;
    assert!(expected.is_sorted(), "the newest has the lowest id");
    assert_eq!(walk(&server, LINES, 3).await, expected);
}

#[tokio::test]
async fn list_of_nothing_is_one_empty_page() {
    let server = TestServer::start().await;
    server.execute("DELETE FROM commission_lines").await;
    let response = page(&server, LINES, "limit=1").await;
    let nothing = serde_json::json!({ "data": [], "pagination": { "nextCursor": null } });
    assert_eq!(response.body, nothing);
}

/// Requires that each set of these filters lists the rows that meet all of them. A filter is a
/// parameter, its column and its value.
async fn assert_filtered(
    server: &TestServer,
    (path, table): (&str, &str),
    filters: [(&str, &str, &str); 3],
) {
    for set in 0..8 {
        let is_given = |index: &usize| set & (1 << index) != 0;
        let given: Vec<_> = (0..3).filter(is_given).map(|index| filters[index]).collect();
        let parameters: String =
            given.iter().map(|(name, _, value)| format!("&{name}={value}")).collect();
        let condition: String =
            given.iter().map(|(_, column, value)| format!(" AND {column} = '{value}'")).collect();
        let expected = ids_in_table(server, table, &format!("true{condition}")).await;
        let listed = page(server, path, &format!("limit=100{parameters}")).await.ids();
        assert_eq!(listed, expected[..expected.len().min(100)], "{path}: {parameters}");
    }
}

#[tokio::test]
async fn each_set_of_filters_lists_the_rows_that_meet_all_of_them() {
    let server = TestServer::start().await;
    let batch = create(&server, "payout-batches", &may(None)).await;
    for status in ["IN_PAYOUT", "VOIDED"] {
        let filters = [
            ("partnerId", "partner_id", NORDWIND),
            ("payoutId", "payout_id", FORTY_ONE),
            ("status", "status", status),
        ];
        assert_filtered(&server, (LINES, "commission_lines"), filters).await;
    }
    for stage in ["DRAFT", "PAID"] {
        let filters = [
            ("partnerId", "partner_id", NORDWIND),
            ("batchId", "batch_id", &batch),
            ("stage", "stage", stage),
        ];
        assert_filtered(&server, ("/api/v1/payouts", "payouts"), filters).await;
    }
}

#[tokio::test]
async fn line_that_leaves_the_filter_hides_no_other_line() {
    let server = TestServer::start().await;
    let condition = format!("payout_id = '{FORTY_ONE}'");
    let all = ids_in_table(&server, "commission_lines", &condition).await;
    assert_eq!(all.len(), 41);
    let filter = format!("limit=10&payoutId={FORTY_ONE}");
    let first = page(&server, LINES, &filter).await;
    // Before, at and after the cursor.
    for gone in [2, 9, 12] {
        server.detach(&all[gone]).expect(200).await;
    }
    let next = format!("{filter}&cursor={}", first.next_cursor().unwrap());
    assert_eq!(page(&server, LINES, &next).await.ids(), [&all[10..12], &all[13..21]].concat());
}
