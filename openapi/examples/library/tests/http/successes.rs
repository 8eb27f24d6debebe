//! Handlers give every response that the document lists by its status.

use std::collections::BTreeSet;

use openapi_document::Status;
use serde_json::Value;

use crate::{
    document::DOCUMENT,
    server::{Server, WITH_KEY},
};

/// Requests of several sections with their responses, which depend on those before.
const EXCHANGES: &str = include_str!("exchanges.txt");

/// Sends the requests of the first sections, and compares the responses.
async fn replay(server: &Server, sections: usize) {
    for section in EXCHANGES.split("# ").skip(1).take(sections) {
        for exchange in section.split("> ").skip(1) {
            let (request, expected) = exchange.split_once("\n< ").unwrap();
            let (status, body) = expected.split_once(' ').unwrap();
            let response = server.send_line(request).await;
            assert_eq!(response.status.to_string(), status, "{request}: {response:?}");
            assert_eq!(response.body, serde_json::from_str::<Value>(body).unwrap(), "{request}");
        }
    }
}

#[tokio::test]
async fn every_listed_status_is_answered() {
    let server = Server::start();
    replay(&server, usize::MAX).await;
    let picture = "--x\r\ncontent-disposition: form-data; name=picture\r\n\
                   content-type: image/png\r\n\r\nPNG\r\n--x--";
    let form = "multipart/form-data; boundary=x";
    server.send_as("PUT", "/readers/R0002/picture", form, WITH_KEY, picture.to_owned()).await;
    let seen: BTreeSet<_> = server.seen.lock().unwrap().drain(..).collect();
    for operation in DOCUMENT.operations() {
        for response in &operation.responses {
            if let Status::Code(status) = response.status {
                let is_seen = seen.contains(&(operation.id.clone(), status));
                assert!(is_seen, "{} {status}", operation.id);
            }
        }
    }
}

#[tokio::test]
async fn headers_and_representations_are_those_that_the_handler_chooses() {
    let mut server = Server::start();
    replay(&server, 1).await;
    let place = r#"{"place":{"branch":"North","shelf":"A1"}}"#;
    let copy = server.send_line(&format!("POST /books/9780141439587/copies {place}")).await;
    assert_eq!(copy.headers["location"], "/books/9780141439587/copies");
    assert_eq!(copy.headers["x-shelf"], "A1");
    let found = server.send_line("GET /isbn/9780141439587").await;
    assert_eq!(
        (found.status, &found.headers["location"]),
        (303, &"/books/9780141439587".parse().unwrap())
    );
    for (accept, media_type) in [
        ("", "text/csv"),
        ("application/*", "application/vnd.library.books+json"),
        (
            "text/csv;q=0.1, application/vnd.library.books+json",
            "application/vnd.library.books+json",
        ),
    ] {
        server.accept = accept;
        let response = server.send_line("GET /catalogue").await;
        assert_eq!(response.headers["content-type"], media_type, "{accept}");
    }
}

#[tokio::test]
async fn catalogue_is_searched_by_every_parameter() {
    const EMMA: &str = "9780141439587";
    const WALDEN: &str = "9780691169347";
    let server = Server::start();
    // Books and their copies.
    replay(&server, 2).await;
    for (query, expected) in [
        ("", &[EMMA, WALDEN][..]),
        ("subject=art&subject=novel", &[EMMA, WALDEN]),
        ("subject=history&subject=art", &[WALDEN]),
        ("language=de,fr", &[WALDEN]),
        ("year=1815%7C1816", &[EMMA]),
        ("words=life%20woods", &[WALDEN]),
        ("words=life+emma", &[]),
        ("minRating=4.5", &[WALDEN]),
        ("minRating=4.75", &[]),
        ("available=true", &[EMMA]),
        ("available=false", &[WALDEN]),
        ("sort=-year", &[WALDEN, EMMA]),
        ("sort=year&perPage=1&page=2", &[WALDEN]),
        ("page=9223372036854775807&perPage=50", &[]),
    ] {
        let response = server.send_line(&format!("GET /books?{query}")).await;
        let books = response.body["books"].as_array().unwrap();
        let found: Vec<_> = books.iter().map(|book| book["isbn"].as_str().unwrap()).collect();
        assert_eq!(found, expected, "{query}");
        if query.contains("perPage=1&") {
            assert_eq!(response.body["total"], 2);
        }
    }
}
