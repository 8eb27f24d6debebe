//! R6 and R9: the number of items of a page, and the parameters that a list accepts.

use super::walk::{LISTS, execute, ids_in_table, page, walk};
use crate::support::{Key, TestServer};

#[tokio::test]
async fn every_limit_from_1_to_100_gives_that_many_and_none_gives_25() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    for (path, table) in LISTS {
        let all = ids_in_table(&superuser, table, "true").await;
        assert!(all.len() > 25);
        for limit in 1..=100 {
            let response = page(&server, path, &format!("limit={limit}")).await;
            assert_eq!(response.ids(), all[..limit.min(all.len())], "{path} by {limit}");
            assert_eq!(response.next_cursor().is_some(), limit < all.len(), "{path} by {limit}");
        }
        let unlimited = server.get(Key::MAIN, path).expect(200).await;
        assert_eq!(unlimited.ids(), all[..25]);
    }
}

#[tokio::test]
async fn a_last_page_that_is_full_has_no_next_cursor() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let count = ids_in_table(&superuser, "partners", "true").await.len();
    assert_eq!(count, 32);
    for limit in [1, 2, 4, 8, 16, 32] {
        let pages = walk(&server, "/api/v1/partners", "", &[limit]).await;
        assert_eq!(pages.len(), count / limit);
        assert!(pages.iter().all(|page| page.len() == limit), "by {limit}");
    }
    let last = page(&server, "/api/v1/partners", "limit=32").await;
    assert_eq!(last.body["pagination"], serde_json::json!({ "nextCursor": null }));
}

#[tokio::test]
async fn a_list_of_nothing_is_one_empty_page() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    execute(&superuser, "DELETE FROM commission_lines").await;
    let response = page(&server, "/api/v1/commission-lines", "limit=1").await;
    assert_eq!(
        response.body,
        serde_json::json!({ "data": [], "pagination": { "nextCursor": null } })
    );
}

#[tokio::test]
async fn what_is_no_limit_is_rejected() {
    let server = TestServer::start().await;
    let below = ["0", "-1", "-99999999999999999999"].map(|text| (text, "TOO_SMALL"));
    let above = ["101", "999", "1000", "99999999999999999999"].map(|text| (text, "TOO_LARGE"));
    let malformed = [
        "", "%2B5", "+5", "05", "-0", "1.0", "1e1", "ten", "%20", "5%20", "0x10", "%D9%A5", "null",
        "5;DROP",
    ];
    let malformed = malformed.map(|text| (text, "WRONG_TYPE"));
    for (path, _) in LISTS {
        for (limit, code) in below.iter().chain(&above).chain(&malformed) {
            let response = server.get(Key::MAIN, &format!("{path}?limit={limit}"));
            let issues = response.expect(422).await.issues();
            assert_eq!(issues, [format!("query /limit {code}")], "{limit:?}");
        }
    }
}

#[tokio::test]
async fn unknown_and_repeated_parameters_are_rejected_together() {
    let server = TestServer::start().await;
    for (path, _) in LISTS {
        for (query, expected) in [
            ("stage=PAID", vec!["query /stage UNKNOWN_PARAMETER"]),
            ("Limit=5", vec!["query /Limit UNKNOWN_PARAMETER"]),
            ("limit=5&limit=5", vec!["query /limit REPEATED_PARAMETER"]),
            (
                "offset=1&limit=101&page=2",
                vec![
                    "query /limit TOO_LARGE",
                    "query /offset UNKNOWN_PARAMETER",
                    "query /page UNKNOWN_PARAMETER",
                ],
            ),
        ] {
            let response = server.get(Key::MAIN, &format!("{path}?{query}")).expect(422).await;
            let mut issues = response.issues();
            issues.sort();
            assert_eq!(issues, expected, "{path}?{query}");
        }
    }
    let response = server.get(Key::MAIN, "/api/v1/partners?status=active").expect(422).await;
    assert_eq!(response.issues(), ["query /status UNKNOWN_PARAMETER"]);
}

#[tokio::test]
async fn a_broken_cursor_is_answered_before_broken_rules() {
    let server = TestServer::start().await;
    for (path, _) in LISTS {
        let response = server
            .get(Key::MAIN, &format!("{path}?cursor=broken&limit=0&unknown=1"))
            .expect(400)
            .await;
        assert_eq!(response.code(), "INVALID_CURSOR");
        let response = server
            .get(Key::MAIN, &format!("{path}?limit=0"))
            .header("api-version", "1999-01-01")
            .expect(400)
            .await;
        assert_eq!(response.code(), "UNSUPPORTED_API_VERSION");
    }
}
