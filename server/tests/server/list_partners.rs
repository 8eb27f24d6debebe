//! §4.1: list partners.

use crate::support::{Key, TestServer, dataset::*, snapshot};

const PATH: &str = "/api/v1/partners";

#[tokio::test]
async fn list_partners_answers_a_page_of_whole_partners_newest_first() {
    let server = TestServer::start().await;
    let response = server.get(Key::MAIN, "/api/v1/partners?limit=3").expect(200).await;
    snapshot("list_partners", "first_page", &response);
    let response = server.get(Key::OTHER, PATH).expect(200).await;
    snapshot("list_partners", "last_page", &response);
}

#[tokio::test]
async fn list_partners_shows_each_partner_as_get_partner_does() {
    let server = TestServer::start().await;
    let list = server.get(Key::MAIN, "/api/v1/partners?limit=100").expect(200).await;
    let partners = list.body["data"].as_array().unwrap();
    assert_eq!(partners.len(), 32);
    for partner in partners {
        let path = format!("{PATH}/{}", partner["id"].as_str().unwrap());
        let single = server.get(Key::MAIN, &path).expect(200).await;
        assert_eq!(&single.body["data"], partner);
    }
}

#[tokio::test]
async fn list_partners_holds_25_without_a_limit_and_from_1_to_100_with_one() {
    let server = TestServer::start().await;
    let count = async |query: &str| {
        let response = server.get(Key::MAIN, &format!("{PATH}{query}")).expect(200).await;
        (response.ids().len(), response.next_cursor().is_some())
    };
    assert_eq!(count("").await, (25, true));
    assert_eq!(count("?limit=1").await, (1, true));
    assert_eq!(count("?limit=32").await, (32, false));
    assert_eq!(count("?limit=100").await, (32, false));
}

#[tokio::test]
async fn list_partners_rejects_a_limit_that_is_no_plain_number_from_1_to_100() {
    let server = TestServer::start().await;
    let wrong = [
        ("0", "TOO_SMALL"),
        ("-1", "TOO_SMALL"),
        ("101", "TOO_LARGE"),
        ("99999999999999999999", "TOO_LARGE"),
        ("", "WRONG_TYPE"),
        ("+5", "WRONG_TYPE"),
        ("05", "WRONG_TYPE"),
        ("5.0", "WRONG_TYPE"),
        ("1e1", "WRONG_TYPE"),
        ("%205", "WRONG_TYPE"),
        ("five", "WRONG_TYPE"),
        ("%D9%A3", "WRONG_TYPE"),
    ];
    for (limit, code) in wrong {
        let path = format!("{PATH}?limit={limit}");
        let response = server.get(Key::MAIN, &path).expect(422).await;
        assert_eq!(response.issues(), [format!("query /limit {code}")], "{limit:?}");
    }
    let response = server.get(Key::MAIN, "/api/v1/partners?limit=101").expect(422).await;
    snapshot("list_partners", "limit_too_large", &response);
}

#[tokio::test]
async fn list_partners_rejects_a_cursor_that_is_none_of_its_own() {
    let server = TestServer::start().await;
    let response = server.get(Key::MAIN, "/api/v1/partners?cursor=abc").expect(400).await;
    snapshot("list_partners", "malformed_cursor", &response);
    let lines = server.get(Key::MAIN, "/api/v1/commission-lines?limit=1").expect(200).await;
    let cursor = lines.next_cursor().unwrap();
    let path = format!("{PATH}?cursor={cursor}");
    let response = server.get(Key::MAIN, &path).expect(400).await;
    snapshot("list_partners", "cursor_of_another_list", &response);
}

#[tokio::test]
async fn list_partners_shows_an_update_at_once() {
    let server = TestServer::start().await;
    server.update(BARE, serde_json::json!({"name": "Renamed"})).expect(200).await;
    let response = server.get(Key::MAIN, "/api/v1/partners?limit=100").expect(200).await;
    let partners = response.body["data"].as_array().unwrap();
    let renamed = partners.iter().find(|partner| partner["id"] == BARE).unwrap();
    assert_eq!(renamed["name"], "Renamed");
}
