//! R8: changes between pages never duplicate or skip a row that is there all the time. Rows change
//! before, behind and at the cursor.

use std::collections::HashMap;

use super::walk::{LISTS, MAIN, execute, ids_in_table, page};
use crate::support::TestServer;

/// The columns of each table that a copied row keeps.
const COLUMNS: [(&str, &str); 2] = [
    ("partners", "organization_id, name, status"),
    (
        "commission_lines",
        "organization_id, partner_id, payout_id, description, amount, source_amount, currency, \
         status, plan_name, period_end",
    ),
];

/// Copies one row of a table under a new id, at a time given as SQL.
fn insert(table: &str, id: &str, created_at: &str) -> String {
    let (_, columns) = COLUMNS.iter().find(|(known, _)| *known == table).expect("it is a list");
    format!(
        "INSERT INTO payout.{table} (id, created_at, {columns})
         SELECT '{id}', {created_at}, {columns}
           FROM payout.{table} AS row WHERE organization_id = '{MAIN}' ORDER BY id LIMIT 1"
    )
}

#[tokio::test]
async fn rows_that_come_and_change_between_pages_neither_double_nor_hide_another() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    for (path, table) in LISTS {
        let there_all_the_time = ids_in_table(&superuser, table, "true").await;
        let mut seen: HashMap<String, usize> = HashMap::new();
        let mut parameters = "limit=5".to_owned();
        for number in 0.. {
            let response = page(&server, path, &parameters).await;
            for id in response.ids() {
                *seen.entry(id).or_default() += 1;
            }
            let Some(cursor) = response.next_cursor() else {
                break;
            };
            parameters = format!("limit=5&cursor={cursor}");
            let last = response.ids().pop().unwrap();
            let time_of_last =
                format!("(SELECT created_at FROM payout.{table} WHERE id = '{last}')");
            let changes = [
                insert(table, &format!("new_newest_{number}"), "timestamptz '2026-12-01'"),
                insert(table, &format!("new_oldest_{number:03}"), "timestamptz '2020-01-01'"),
                // At exactly the cursor's time, on both sides of its id.
                insert(table, &format!("AAA_beside_{number}"), &time_of_last),
                insert(table, &format!("zzz_beside_{number}"), &time_of_last),
                format!(
                    "UPDATE payout.{table} SET updated_at = updated_at + interval '1 day'
                       WHERE organization_id = '{MAIN}'"
                ),
            ];
            for change in changes {
                assert!(execute(&superuser, &change).await > 0, "{change}");
            }
        }
        for id in &there_all_the_time {
            assert_eq!(seen.get(id), Some(&1), "{id} of {table}");
        }
        assert!(seen.values().all(|times| *times == 1), "no row is shown twice: {seen:?}");
        let came_behind = seen.keys().any(|id| id.starts_with("new_oldest"));
        let came_before = seen.keys().any(|id| id.starts_with("new_newest"));
        assert!(
            came_behind && !came_before,
            "a row behind the cursor shows, one before it does not"
        );
    }
}

#[tokio::test]
async fn a_cursor_goes_on_where_its_row_was_when_the_row_is_gone() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let path = "/api/v1/commission-lines";
    let all = ids_in_table(&superuser, "commission_lines", "true").await;
    let first = page(&server, path, "limit=10").await;
    execute(&superuser, &format!("DELETE FROM commission_lines WHERE id = '{}'", all[9])).await;
    let second =
        page(&server, path, &format!("limit=10&cursor={}", first.next_cursor().unwrap())).await;
    assert_eq!(second.ids(), all[10..20]);
}

#[tokio::test]
async fn a_line_that_leaves_the_filter_hides_no_other_line() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let path = "/api/v1/commission-lines";
    let condition = "payout_id = 'pay_01JV3N8Q5R0000000000000002'";
    let all = ids_in_table(&superuser, "commission_lines", condition).await;
    assert_eq!(all.len(), 41);
    let filter = "limit=10&payoutId=pay_01JV3N8Q5R0000000000000002";
    let first = page(&server, path, filter).await;
    // Before, at and after the cursor.
    for gone in [2, 9, 12] {
        let detach = format!(
            "UPDATE commission_lines SET payout_id = NULL, status = 'PENDING' WHERE id = '{}'",
            all[gone]
        );
        assert_eq!(execute(&superuser, &detach).await, 1);
    }
    let second =
        page(&server, path, &format!("{filter}&cursor={}", first.next_cursor().unwrap())).await;
    let expected = [&all[10..12], &all[13..21]].concat();
    assert_eq!(second.ids(), expected);
}
