//! The server rejects requests that break the document, and says why.

use openapi_document::Operation;
use serde_json::{Value, json};

use crate::{
    document::{DOCUMENT, any_path},
    server::{Response, Server, WITH_KEY},
};

fn reason(response: &Response) -> &str {
    response.body["error"]["reason"].as_str().unwrap()
}

fn operations() -> impl Iterator<Item = (&'static Operation, &'static str, String)> {
    DOCUMENT
        .operations()
        .iter()
        .map(|operation| (operation, operation.method.as_str(), any_path(operation)))
}

#[tokio::test]
async fn parameters_are_read_by_their_rules() {
    let server = Server::start();
    for (path, expected) in [
        ("/books?subject=art&subject=cooking", "/subject NOT_IN_ENUM"),
        ("/books?subject=art,music", "/subject NOT_IN_ENUM"),
        ("/books?subject=art&subject=art&subject=art&subject=art", "/subject TOO_LONG"),
        ("/books?language=de,english", "/language BAD_FORMAT"),
        ("/books?language=de&language=en", "/language REPEATED_PARAMETER"),
        ("/books?language=de,de,de,de,de,de", "/language TOO_LONG"),
        ("/books?language=", "/language BAD_FORMAT"),
        ("/books?year=1815%7C1300", "/year TOO_SMALL"),
        ("/books?year=1815,1816", "/year WRONG_TYPE"),
        ("/books?words=north%20a", "/words TOO_SHORT"),
        ("/books?words=ab+ab+ab+ab+ab", "/words TOO_LONG"),
        ("/books?minRating=high", "/minRating WRONG_TYPE"),
        ("/books?minRating=NaN", "/minRating WRONG_TYPE"),
        ("/books?available=yes", "/available WRONG_TYPE"),
        ("/books?sort=author", "/sort NOT_IN_ENUM"),
        ("/books?page=0", "/page TOO_SMALL"),
        ("/books?perPage=51", "/perPage TOO_LARGE"),
        ("/books?page=1&page=2", "/page REPEATED_PARAMETER"),
        ("/books?colour=red", "/colour UNKNOWN_PARAMETER"),
        ("/books?words=%ff", "/words BAD_FORMAT"),
        ("/books/1234", "/isbn BAD_FORMAT"),
        ("/readers/A1", "/card BAD_FORMAT"),
        ("/loans?copies=1,0", "/copies TOO_SMALL"),
        ("/catalogue?years[from]=1300", "/years/from TOO_SMALL"),
        ("/catalogue?years%5Bto%5D=late", "/years/to WRONG_TYPE"),
        ("/catalogue?years[of]=1800", "/years/of UNKNOWN_FIELD"),
        ("/catalogue?years=1800", "/years WRONG_TYPE"),
        ("/catalogue?separator=bar", "/separator NOT_IN_ENUM"),
    ] {
        assert_eq!(server.get(path).await.violations(), [expected], "{path}");
    }
    for (path, expected) in [
        ("/loans/0/renewal", "/loan TOO_SMALL"),
        ("/loans/first/renewal", "/loan WRONG_TYPE"),
        ("/loans/1/return", "/day REQUIRED"),
        ("/loans/1/return?day=tomorrow", "/day BAD_FORMAT"),
        ("/loans/1/return?day=2024-02-30", "/day BAD_FORMAT"),
    ] {
        assert_eq!(server.send("POST", path, None).await.violations(), [expected], "{path}");
    }
}

#[tokio::test]
async fn bodies_are_read_by_their_rules() {
    let server = Server::start();
    let book = |name: &str, value: Value| {
        let mut book = json!({
            "isbn": "9780141439587", "title": "Emma", "language": "en", "year": 1815,
            "subjects": ["novel"],
        });
        book[name] = value;
        ("POST", "/books", book)
    };
    let member = |body: Value| ("POST", "/readers", body);
    let change = |body: Value| ("PATCH", "/books/9780141439587", body);
    let copy = |body: Value| ("POST", "/books/9780141439587/copies", body);
    let subjects = |body: Value| ("PUT", "/books/9780141439587/subjects", body);
    let pay = |body: Value| ("POST", "/fines/1/payments", body);
    let place = json!({ "branch": "North", "shelf": "A1" });
    let chapter = "a".repeat(81);
    for ((method, path, body), expected) in [
        (book("title", json!("a".repeat(121))), "/title TOO_LONG"),
        (book("title", json!("")), "/title TOO_SHORT"),
        (book("title", Value::Null), "/title NOT_NULLABLE"),
        (book("year", json!("1815")), "/year WRONG_TYPE"),
        (book("year", json!(1815.5)), "/year WRONG_TYPE"),
        (book("subjects", json!([])), "/subjects TOO_SHORT"),
        (book("contents", json!([["A"], ["B", chapter]])), "/contents/1/1 TOO_LONG"),
        (change(json!({ "colour": "red" })), "/colour UNKNOWN_FIELD"),
        (change(json!({ "rating": "high" })), "/rating WRONG_TYPE"),
        (change(json!({ "rating": 5.5 })), "/rating TOO_LARGE"),
        (change(json!({ "summary": "a".repeat(501) })), "/summary TOO_LONG"),
        (change(json!({ "title": null })), "/title NOT_NULLABLE"),
        (subjects(json!([])), " TOO_SHORT"),
        (subjects(json!(["art", "cooking"])), "/1 NOT_IN_ENUM"),
        (subjects(json!({})), " WRONG_TYPE"),
        (copy(json!({})), "/place REQUIRED"),
        (copy(json!({ "place": { "branch": "North", "shelf": "12" } })), "/place/shelf BAD_FORMAT"),
        (copy(json!({ "place": place, "weightKilograms": true })), "/weightKilograms WRONG_TYPE"),
        (member(json!({ "name": "Ada" })), "/kind REQUIRED"),
        (member(json!({ "kind": "robot", "name": "Ada" })), "/kind NOT_IN_ENUM"),
        (member(json!({ "kind": "adult" })), "/name REQUIRED"),
        (
            member(json!({ "kind": "child", "name": "Ben", "guardian": "R9999" })),
            "/guardian INVALID_REFERENCE",
        ),
        (pay(json!({ "method": "gold", "cents": 1 })), "/method NOT_IN_ENUM"),
        (pay(json!({ "method": "card", "cents": 1, "receipt": "none" })), "/receipt BAD_FORMAT"),
        (pay(json!({ "method": "cash", "cents": 0 })), "/cents TOO_SMALL"),
        (("POST", "/loans/1/renewal", json!({ "days": 61 })), "/days TOO_LARGE"),
        (("PUT", "/readers/R0001/preferences", json!([])), " WRONG_TYPE"),
    ] {
        let response = server.send(method, path, Some(body)).await;
        assert_eq!(response.violations(), [expected], "{method} {path}");
    }
    let (method, path, mut all) = book("year", json!(1));
    all["language"] = json!("English");
    let violations = server.send(method, &format!("{path}?a=1"), Some(all)).await.violations();
    assert_eq!(violations, ["/a UNKNOWN_PARAMETER", "/language BAD_FORMAT", "/year TOO_SMALL"]);
}

#[tokio::test]
async fn key_is_required_but_for_open_operations() {
    let server = Server::start();
    for (operation, method, path) in operations() {
        for authorization in ["", "Bearer wrong", "Basic secret"] {
            let response = server.send_as(method, &path, "", authorization, String::new()).await;
            let is_refused = response.status == 401;
            assert_eq!(is_refused, !operation.security.is_empty(), "{}", operation.id);
            if is_refused {
                assert_eq!(reason(&response), "UNAUTHORIZED");
            }
        }
    }
}

#[tokio::test]
async fn body_is_json_and_absent_only_where_it_is_optional() {
    let server = Server::start();
    for (operation, method, path) in operations() {
        let Some(body) = &operation.body else { continue };
        let text = server.send_as(method, &path, "text/plain", WITH_KEY, "{}".to_owned()).await;
        assert_eq!((text.status, reason(&text)), (415, "UNSUPPORTED_MEDIA_TYPE"));
        let json = "application/json";
        if body.content[0].content_type != json {
            continue;
        }
        for broken in ["{", r#"{"a": 1, "a": 2}"#, "{} {}"] {
            let response = server.send_as(method, &path, json, WITH_KEY, broken.to_owned()).await;
            assert_eq!((response.status, reason(&response)), (400, "INVALID_JSON"), "{broken}");
        }
        let absent = server.send_as(method, &path, json, WITH_KEY, String::new()).await;
        assert_eq!(absent.status == 400, body.required, "{}", operation.id);
        let large = format!("\"{}\"", "a".repeat(openapi_runtime::BODY_LIMIT));
        assert_eq!(server.send_as(method, &path, json, WITH_KEY, large).await.status, 413);
    }
}

#[tokio::test]
async fn unknown_things_paths_and_methods_are_refused() {
    let server = Server::start();
    for (method, path, body) in [
        ("GET", "/books/9780141439587", None),
        ("DELETE", "/books/9780141439587", None),
        ("PATCH", "/books/9780141439587", Some(json!({}))),
        ("PUT", "/books/9780141439587/subjects", Some(json!(["art"]))),
        ("GET", "/books/9780141439587/copies", None),
        ("GET", "/readers/R0001", None),
        ("GET", "/readers/R0001/fines", None),
        ("POST", "/loans/1/renewal", None),
        ("POST", "/loans/1/return?day=2024-05-01", None),
        ("POST", "/fines/1/payments", Some(json!({ "method": "cash", "cents": 1 }))),
        ("GET", "/book", None),
        ("GET", "/books/", None),
        ("GET", "/", None),
    ] {
        let response = server.send(method, path, body).await;
        assert_eq!((response.status, reason(&response)), (404, "NOT_FOUND"), "{method} {path}");
    }
    let response = server.send("PUT", "/books", Some(json!({}))).await;
    assert_eq!((response.status, reason(&response)), (405, "METHOD_NOT_ALLOWED"));
    assert_eq!(response.headers["allow"], "GET, POST");
    let body = json!({ "isbn": "9780141439587", "card": "R0001", "day": "2024-05-01" });
    let response = server.send("POST", "/loans", Some(body)).await;
    assert_eq!(response.violations(), ["/isbn INVALID_REFERENCE"]);
}
