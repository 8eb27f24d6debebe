//! Lines mature a chunk at a time: each statement reads expected lines by their index and looks the
//! others up by their keys, whatever the tables hold beside them.

use payout_server::commission_lines::maturity::{self, CHUNK_LINES, store};

use super::{
    explain::plans_of_change,
    rows::{MAIN, many_rows},
};
use crate::support::{TestServer, organization};

/// Conversions of each of two organisations.
const LINES: i64 = 20_000;
/// Those of main that are due.
const DUE: i64 = LINES / 10;

/// Matures what is due, and returns the lines of each chunk.
async fn mature(server: &TestServer) -> Vec<i64> {
    let tenants = server.tenants().await;
    let (mut after, mut chunks) = (maturity::start(), Vec::new());
    loop {
        let mut transaction = tenants.write(&organization(MAIN)).await.unwrap();
        let chunk = store::mature_due(&mut transaction, &after).await.unwrap();
        transaction.commit().await.unwrap();
        match chunk.last {
            Some(last) => (after, _) = (last, chunks.push(chunk.matured)),
            None => return chunks,
        }
    }
}

#[tokio::test]
async fn due_lines_mature_in_chunks_by_indexes_once_each_with_a_row_of_history() {
    let (server, tenants, main) = many_rows().await;
    let rows = include_str!("conversions.sql").replace("$LINES", &LINES.to_string());
    server.execute(rows).await;

    let mut transaction = tenants.write(&main).await.unwrap();
    let chunk = store::mature_due(&mut transaction, &maturity::start()).await.unwrap();
    assert!((1..CHUNK_LINES).contains(&chunk.matured), "{chunk:?}");
    let start = [MAIN, "1970-01-01T00:00:00Z", "", "5000", "operator"];
    for reads in plans_of_change(&mut transaction, &start).await {
        let tables = ["commission_lines", "conversions"];
        assert!(tables.iter().all(|table| reads.iter().any(|read| read.table == *table)));
        // No node reads a whole table: `plans_of_change` knows none that does.
        let by_key = reads.iter().filter(|read| read.how != "Bitmap Heap Scan");
        for read in by_key {
            assert!(read.condition.contains("organization_id = "), "{read:#?}");
        }
    }
    drop(transaction);

    let chunks = mature(&server).await;
    assert!(chunks.iter().all(|lines| *lines <= CHUNK_LINES), "{chunks:?}");
    assert_eq!(chunks.iter().sum::<i64>(), DUE);
    assert_eq!(mature(&server).await.iter().sum::<i64>(), 0, "nothing is left");
    let entries = "SELECT count(*) FROM history WHERE action = 'mature_commission_line'";
    assert_eq!(server.value::<i64>(entries).await, DUE);
    let wrong = "SELECT count(*) FROM commission_lines AS line
                   JOIN conversions AS conversion ON conversion.commission_line_id = line.id
                    AND conversion.organization_id = line.organization_id
                  WHERE starts_with(line.id, 'cln_order_') AND line.status <> CASE
                        WHEN right(line.id, 1) = '9' THEN 'EXPECTED'
                        WHEN right(line.id, 1) = '8' AND line.organization_id <> $main
                        THEN 'EXPECTED' ELSE 'PENDING' END";
    let wrong = wrong.replace("$main", &format!("'{MAIN}'"));
    assert_eq!(server.value::<i64>(wrong).await, 0, "of main, and due");
}
