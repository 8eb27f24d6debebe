//! R8: a cursor is valid for its own list and filters only. Its content is opaque here too.

use super::walk::{LISTS, ids_in_table, page, walk};
use crate::support::{Key, TestServer};

const LINES: &str = "/api/v1/commission-lines";
const FILTERS: [&str; 5] = [
    "",
    "&partnerId=ptn_01JV3N8Q5R0000000000000001",
    "&payoutId=pay_01JV3N8Q5R0000000000000002",
    "&status=IN_PAYOUT",
    "&partnerId=ptn_01JV3N8Q5R0000000000000001&status=IN_PAYOUT",
];

#[tokio::test]
async fn a_cursor_is_rejected_with_other_filters_and_on_another_list() {
    let server = TestServer::start().await;
    let mut cursors = Vec::new();
    for filters in FILTERS {
        let response = page(&server, LINES, &format!("limit=2{filters}")).await;
        cursors.push((LINES, filters, response.next_cursor().unwrap().to_owned()));
    }
    let partners = page(&server, "/api/v1/partners", "limit=2").await;
    cursors.push(("/api/v1/partners", "", partners.next_cursor().unwrap().to_owned()));
    for (path, filters, _) in &cursors {
        for (its_path, its_filters, cursor) in &cursors {
            let request =
                server.get(Key::MAIN, &format!("{path}?limit=5&cursor={cursor}{filters}"));
            if (path, filters) == (its_path, its_filters) {
                request.expect(200).await;
            } else {
                assert_eq!(request.expect(400).await.code(), "INVALID_CURSOR");
            }
        }
    }
}

#[tokio::test]
async fn the_order_and_the_spelling_of_parameters_do_not_bind_a_cursor() {
    let server = TestServer::start().await;
    let filters = "&status=IN_PAYOUT&partnerId=ptn_01JV3N8Q5R0000000000000001";
    let first = page(&server, LINES, &format!("limit=2{filters}")).await;
    let cursor = first.next_cursor().unwrap();
    let plain = page(&server, LINES, &format!("limit=2{filters}&cursor={cursor}")).await;
    let turned = format!(
        "cursor={cursor}&partnerId=ptn%5F01JV3N8Q5R0000000000000001&status=%49N_PAYOUT&limit=2"
    );
    assert_eq!(page(&server, LINES, &turned).await.body, plain.body);
}

#[tokio::test]
async fn a_tampered_cursor_is_rejected_or_leads_into_the_same_list_and_never_fails() {
    let server = TestServer::start().await;
    for (path, _) in LISTS {
        let first = page(&server, path, "limit=2").await;
        let cursor = first.next_cursor().unwrap();
        let mut rejected = 0;
        for position in 0..cursor.len() {
            for replacement in ["A", "_", "=", "%00"] {
                let (before, after) = (&cursor[..position], &cursor[position + 1..]);
                let response = server
                    .get(Key::MAIN, &format!("{path}?cursor={before}{replacement}{after}"))
                    .send()
                    .await;
                match response.status.as_u16() {
                    // It is another position in the caller's own list, and grants no access.
                    200 => {}
                    400 => {
                        assert_eq!(response.code(), "INVALID_CURSOR");
                        rejected += 1;
                    }
                    422 => assert_eq!(replacement, "%00", "{}", response.text),
                    other => panic!("{other}: {}", response.text),
                }
            }
        }
        assert!(rejected > cursor.len(), "{rejected} of {}", 4 * cursor.len());
        for length in 0..cursor.len() {
            let response =
                server.get(Key::MAIN, &format!("{path}?cursor={}", &cursor[..length])).send().await;
            assert!([200, 400].contains(&response.status.as_u16()), "{length}: {}", response.text);
        }
    }
}

#[tokio::test]
async fn what_was_never_a_cursor_is_rejected() {
    let server = TestServer::start().await;
    let long = "A".repeat(8_000);
    for (path, _) in LISTS {
        for cursor in [
            "",
            "null",
            "0",
            "2",
            "%20",
            "../..",
            "eyJpZCI6MX0",
            "eyJpZCI6MX0=",
            "%F0%9F%9A%80",
            "'%20OR%201=1",
            &long,
        ] {
            let response =
                server.get(Key::MAIN, &format!("{path}?cursor={cursor}")).expect(400).await;
            assert_eq!(response.code(), "INVALID_CURSOR", "{cursor:?}");
        }
    }
}

#[tokio::test]
async fn the_limit_may_change_from_page_to_page() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    for (path, table) in LISTS {
        let expected = ids_in_table(&superuser, table, "true").await;
        let pages = walk(&server, path, "", &[1, 7, 2, 13, 3]).await;
        assert_eq!(pages.concat(), expected);
        assert_eq!(pages[1].len(), 7);
    }
}

#[tokio::test]
async fn a_cursor_can_be_used_again() {
    let server = TestServer::start().await;
    let first = page(&server, LINES, "limit=10").await;
    let again = format!("limit=10&cursor={}", first.next_cursor().unwrap());
    assert_eq!(page(&server, LINES, &again).await.body, page(&server, LINES, &again).await.body);
}
