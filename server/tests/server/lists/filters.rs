//! §4.4 and R10: each filter alone and combined with the others equals filtering the whole list
//! here.

use serde_json::Value;

use super::walk::{page, walk};
use crate::support::{Key, TestServer};

const PATH: &str = "/api/v1/commission-lines";
const STATUSES: [&str; 4] = ["EXPECTED", "PENDING", "IN_PAYOUT", "VOIDED"];

/// Every line, from the unfiltered list.
async fn every_line(server: &TestServer) -> Vec<Value> {
    let first = page(server, PATH, "limit=100").await;
    let mut lines = first.body["data"].as_array().unwrap().clone();
    let mut next = first.next_cursor().map(ToOwned::to_owned);
    while let Some(cursor) = next {
        let response = page(server, PATH, &format!("limit=100&cursor={cursor}")).await;
        lines.extend(response.body["data"].as_array().unwrap().clone());
        next = response.next_cursor().map(ToOwned::to_owned);
    }
    lines
}

/// The distinct values of a field, and an unknown one.
fn values(lines: &[Value], field: &str, nobody: &str) -> Vec<Option<String>> {
    let mut values: Vec<String> =
        lines.iter().filter_map(|line| line[field].as_str().map(ToOwned::to_owned)).collect();
    values.sort();
    values.dedup();
    values.push(nobody.to_owned());
    [None].into_iter().chain(values.into_iter().map(Some)).collect()
}

#[tokio::test]
async fn every_set_of_filters_chooses_what_a_filter_over_the_whole_list_chooses() {
    let server = TestServer::start().await;
    let lines = every_line(&server).await;
    assert!(lines.len() > 100);
    let partners = values(&lines, "partnerId", "ptn_01JV3N8Q5RZZZZZZZZZZZZZZZZ");
    let payouts = values(&lines, "payoutId", "pay_01JV3N8Q5RZZZZZZZZZZZZZZZZ");
    let statuses: Vec<Option<String>> =
        [None].into_iter().chain(STATUSES.map(|status| Some(status.to_owned()))).collect();
    let mut sets_with_rows = [false; 8];
    for partner in &partners {
        for payout in &payouts {
            for status in &statuses {
                let filters = [("partnerId", partner), ("payoutId", payout), ("status", status)];
                let given =
                    filters.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
                let given: Vec<(&str, &str)> = given.collect();
                let holds = |line: &&Value| given.iter().all(|(name, value)| line[*name] == *value);
                let expected: Vec<&Value> = lines.iter().filter(holds).collect();
                let parameters: String =
                    given.iter().map(|(name, value)| format!("&{name}={value}")).collect();
                let response = page(&server, PATH, &format!("limit=100{parameters}")).await;
                let found: Vec<&Value> = response.body["data"].as_array().unwrap().iter().collect();
                let first_page = &expected[..expected.len().min(100)];
                assert_eq!(found, first_page, "{parameters}");
                let set = usize::from(partner.is_some())
                    + 2 * usize::from(payout.is_some())
                    + 4 * usize::from(status.is_some());
                sets_with_rows[set] |= !found.is_empty();
            }
        }
    }
    assert_eq!(sets_with_rows, [true; 8], "each of the eight sets of filters has chosen a row");
}

#[tokio::test]
async fn every_set_of_filters_is_walked_page_by_page() {
    let server = TestServer::start().await;
    let lines = every_line(&server).await;
    // The payout of 41 lines, so that each set has more than one page of 7.
    let choice = [
        ("partnerId", "ptn_01JV3N8Q5R0000000000000001"),
        ("payoutId", "pay_01JV3N8Q5R0000000000000002"),
        ("status", "IN_PAYOUT"),
    ];
    for set in 0..8 {
        let given: Vec<_> = choice
            .iter()
            .enumerate()
            .filter(|(index, _)| set & (1 << index) != 0)
            .map(|(_, filter)| filter)
            .collect();
        let parameters: String =
            given.iter().map(|(name, value)| format!("&{name}={value}")).collect();
        let holds = |line: &&Value| given.iter().all(|(name, value)| line[*name] == *value);
        let expected: Vec<&str> =
            lines.iter().filter(holds).map(|line| line["id"].as_str().unwrap()).collect();
        let pages = walk(&server, PATH, &parameters, &[7]).await;
        assert!(pages.len() > 5, "{parameters}");
        assert_eq!(pages.concat(), expected, "{parameters}");
    }
}

#[tokio::test]
async fn a_filter_that_names_what_is_foreign_or_absent_gives_an_empty_page() {
    let server = TestServer::start().await;
    for filter in [
        "partnerId=ptn_01JV3N8Q5R0200000000000001",
        "partnerId=ptn_01JV3N8Q5RZZZZZZZZZZZZZZZZ",
        "payoutId=pay_01JV3N8Q5R0200000000000001",
        "payoutId=pay_01JV3N8Q5RZZZZZZZZZZZZZZZZ",
        // A filter takes the service id, not the externalId of nordwind.
        "partnerId=4815162342",
        "partnerId=null",
        "payoutId=null",
        // Attached to a payout and also pending: no line is both.
        "payoutId=pay_01JV3N8Q5R0000000000000002&status=PENDING",
    ] {
        let response = page(&server, PATH, filter).await;
        let nothing = serde_json::json!({ "data": [], "pagination": { "nextCursor": null } });
        assert_eq!(response.body, nothing, "{filter}");
    }
}

#[tokio::test]
async fn an_empty_filter_or_an_unknown_status_is_rejected() {
    let server = TestServer::start().await;
    for (query, expected) in [
        ("partnerId=", "query /partnerId TOO_SHORT"),
        ("payoutId=", "query /payoutId TOO_SHORT"),
        ("status=", "query /status NOT_IN_ENUM"),
        ("status=pending", "query /status NOT_IN_ENUM"),
        ("status=PAID", "query /status NOT_IN_ENUM"),
        ("status=PENDING,VOIDED", "query /status NOT_IN_ENUM"),
        ("status=PENDING&status=VOIDED", "query /status REPEATED_PARAMETER"),
    ] {
        let response = server.get(Key::MAIN, &format!("{PATH}?{query}")).expect(422).await;
        assert_eq!(response.issues(), [expected], "{query}");
    }
}
