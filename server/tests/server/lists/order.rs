//! R7: createdAt descending, then id descending, also where many rows share one time. The expected
//! order is the table's.

use super::walk::{LISTS, execute, ids_in_table, walk};
use crate::support::TestServer;

#[tokio::test]
async fn a_list_is_in_order_and_whole_also_among_equal_times() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    for (path, table) in LISTS {
        let expected = ids_in_table(&superuser, table, "true").await;
        assert_eq!(walk(&server, path, "", &[100]).await.concat(), expected);
        // About three rows each share a time, across the borders of pages.
        execute(
            &superuser,
            &format!("UPDATE {table} SET created_at = date_bin('3 days', created_at, 'epoch')"),
        )
        .await;
        execute(
            &superuser,
            &format!(
                "UPDATE {table} SET created_at = '2026-05-20' WHERE created_at > '2026-05-10'"
            ),
        )
        .await;
        let expected = ids_in_table(&superuser, table, "true").await;
        for limit in [1, 2, 7, 100] {
            assert_eq!(
                walk(&server, path, "", &[limit]).await.concat(),
                expected,
                "{path} by {limit}"
            );
        }
    }
}

#[tokio::test]
async fn milliseconds_report_rows_apart_across_pages() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    // One millisecond apart, against the order of ids.
    execute(
        &superuser,
        "UPDATE commission_lines SET created_at = timestamptz '2026-05-20'
                                                + n * interval '1 millisecond'
           FROM (SELECT id, row_number() OVER (ORDER BY id DESC) AS n
                   FROM commission_lines) AS numbered
          WHERE numbered.id = commission_lines.id",
    )
    .await;
    let expected = ids_in_table(&superuser, "commission_lines", "true").await;
    assert!(expected.is_sorted(), "the newest has the lowest id");
    assert_eq!(walk(&server, "/api/v1/commission-lines", "", &[3]).await.concat(), expected);
}
