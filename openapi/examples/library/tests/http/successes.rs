//! Handlers give every response that the document lists by its status.

use std::collections::BTreeSet;

use openapi_document::Status;
use serde_json::{Value, json};

use crate::{
    document::DOCUMENT,
    server::{Server, WITH_KEY},
};

const EMMA: &str = "9780141439587";
const WALDEN: &str = "9780691169347";

fn emma() -> Value {
    json!({
        "isbn": EMMA,
        "title": "Emma",
        "language": "en",
        "year": 1815,
        "contents": [["Volume I"], ["Volume II", "Volume III"]],
        "subjects": ["novel"],
    })
}

fn walden() -> Value {
    json!({
        "isbn": WALDEN, "title": "Walden or life in the woods", "language": "de", "year": 1854,
        "subjects": ["science", "art", "art"],
    })
}

fn with(mut object: Value, name: &str, value: impl Into<Value>) -> Value {
    object[name] = value.into();
    object
}

async fn catalogue(server: &Server) {
    let added = with(emma(), "available", false);
    server.send("POST", "/books", Some(emma())).await.is(201, added.clone());
    let again = with(emma(), "title", "Another title");
    server.send("POST", "/books", Some(again)).await.is(200, added.clone());
    server.send("POST", "/books", Some(walden())).await;
    server.get(&format!("/books/{EMMA}")).await.is(200, added.clone());

    let listed = json!({ "total": 1, "books": [added] });
    server.get("/books?language=en").await.is(200, listed);

    let table = server.get("/catalogue?years[from]=1800&years[to]=1850&separator=tab").await;
    table.is(200, json!("9780141439587\t1815\t\"Emma\"\r\n"));
    let form = |text: &str| {
        let (path, kind) = (format!("/books/{EMMA}/reviews"), "application/x-www-form-urlencoded");
        let text = text.to_owned();
        async move { server.send_as("POST", &path, kind, WITH_KEY, text).await }
    };
    let first = form("text=So+witty&words=wit&words=love").await;
    let number = first.body["number"].clone();
    let original =
        json!({ "number": number, "text": "So witty", "stars": 3, "words": ["wit", "love"] });
    first.is(201, original.clone());
    let answer = form(&format!("text=No%21&stars=1&answers={number}")).await;
    assert_eq!((answer.status, &answer.body["original"]), (201, &original));

    let path = format!("/books/{WALDEN}");
    let rated = with(with(walden(), "available", false), "subjects", json!(["art", "science"]));
    let rated = with(rated, "rating", 4.5);
    let change = json!({ "rating": 4.5, "summary": "Two years in a hut." });
    let summary = with(rated.clone(), "summary", "Two years in a hut.");
    server.send("PATCH", &path, Some(change)).await.is(200, summary);
    server.send("PATCH", &path, Some(json!({ "summary": null }))).await.is(200, rated);
    let subjects = json!(["novel", "history", "novel"]);
    let replaced = server.send("PUT", &format!("{path}/subjects"), Some(subjects)).await;
    replaced.is(200, json!(["history", "novel"]));
}

async fn copies(server: &Server) {
    let place = json!({ "branch": "North", "shelf": "A12", "floor": -1 });
    let body = json!({ "place": place, "weightKilograms": 0.4 });
    let path = format!("/books/{EMMA}/copies");
    let copy = json!({
        "number": 1, "isbn": EMMA, "branch": "North", "shelf": "A12", "floor": -1,
        "weightKilograms": 0.4,
    });
    server.send("POST", &path, Some(body)).await.is(201, copy.clone());
    let listed = json!({ "copies": [copy], "onShelf": { "North": 1 } });
    server.get(&path).await.is(200, listed);
}

async fn readers(server: &Server) {
    let adult = json!({ "kind": "adult", "name": "Ada", "email": "ada@example.com" });
    let account = json!({ "card": "R0002", "member": adult });
    server.send("POST", "/readers", Some(adult)).await.is(201, account.clone());
    let child = json!({ "kind": "child", "name": "Ben", "guardian": "R0002" });
    let added = server.send("POST", "/readers", Some(child.clone())).await;
    added.is(201, json!({ "card": "R0003", "member": child }));
    let school = json!({ "kind": "school", "name": "Park School", "classes": ["5a", "5b"] });
    server.send("POST", "/readers", Some(school)).await;
    let preferences = json!({ "call": { "before": 18 }, "large print": true });
    let path = "/readers/R0002/preferences";
    server.send("PUT", path, Some(preferences.clone())).await.is(204, Value::Null);
    server.get("/readers/R0002").await.is(200, with(account, "preferences", preferences));
}

async fn loans(server: &Server) {
    let request = |card: &str, day: &str| json!({ "isbn": EMMA, "card": card, "day": day });
    let loan = json!({
        "number": 5, "copy": 1, "card": "R0002", "due": "2024-03-28", "state": "at-home",
    });
    let lent = server.send("POST", "/loans", Some(request("R0002", "2024-02-29"))).await;
    lent.is(201, loan.clone());
    let renewed = with(loan, "due", "2024-04-25");
    server.send("POST", "/loans/5/renewal", None).await.is(200, renewed.clone());
    let renewed = with(renewed, "due", "2024-05-02");
    let body = json!({ "days": 7 });
    server.send("POST", "/loans/5/renewal", Some(body)).await.is(200, renewed.clone());
    server.get("/loans?card=R0002&copies=1,7&state=at-home").await.is(200, json!([renewed]));
    server.get("/loans?state=returned").await.is(200, json!([]));

    let waiting = server.send("POST", "/loans", Some(request("R0003", "2024-04-01"))).await;
    waiting.is(202, json!({ "number": 6, "isbn": EMMA, "card": "R0003" }));
    server.send("POST", "/loans/5/renewal", None).await.is(409, Value::Null);
    let remove = server.send("DELETE", &format!("/books/{EMMA}"), None).await;
    remove.is(409, json!({ "loans": [5] }));
    server.send("DELETE", "/reservations/6", None).await.is(204, Value::Null);
    server.send("DELETE", "/reservations/6", None).await.is(404, Value::Null);
}

async fn fines(server: &Server) {
    let damage = json!({ "damage": { "what": "tea", "cents": 300 } });
    let fine = json!({
        "number": 7, "card": "R0002", "cents": 350, "reasons": ["2 days late", "tea"],
    });
    let returned = server.send("POST", "/loans/5/return?day=2024-05-04", Some(damage)).await;
    returned.is(200, fine.clone());
    server.get("/readers/R0002/fines").await.is(200, json!([fine]));
    let body = json!({ "isbn": EMMA, "card": "R0002", "day": "2024-05-04", "days": 1 });
    let refused = server.send("POST", "/loans", Some(body.clone())).await;
    refused.is(402, json!({ "cents": 350 }));

    let receipt = "01890a5d-ac96-774b-bcce-b302099a8057";
    let by_card = json!({ "method": "card", "cents": 300, "receipt": receipt });
    let paid = server.send("POST", "/fines/7/payments", Some(by_card.clone())).await;
    paid.is(200, with(fine, "cents", 50));
    assert_eq!(
        server.send("POST", "/fines/7/payments", Some(with(by_card, "cents", 1))).await.status,
        409
    );
    let cash = json!({ "method": "cash", "cents": 50 });
    server.send("POST", "/fines/7/payments", Some(cash)).await.is(204, Value::Null);

    server.send("POST", "/loans", Some(body)).await;
    let path = "/loans/8/return?day=2024-06-01";
    let excuse = json!({ "excused": true });
    server.send("POST", path, Some(excuse)).await.is(204, Value::Null);
    assert_eq!(server.send("POST", path, None).await.status, 409);
    server.send("DELETE", &format!("/books/{EMMA}"), None).await.is(204, Value::Null);
}

#[tokio::test]
async fn every_listed_status_is_answered() {
    let server = Server::start();
    catalogue(&server).await;
    copies(&server).await;
    readers(&server).await;
    loans(&server).await;
    fines(&server).await;
    let seen: BTreeSet<_> = server.seen.lock().unwrap().drain(..).collect();
    for operation in DOCUMENT.operations() {
        for response in &operation.responses {
            if let Status::Code(status) = response.status {
                assert!(
                    seen.contains(&(operation.id.clone(), status)),
                    "{} {status}",
                    operation.id
                );
            }
        }
    }
}

#[tokio::test]
async fn catalogue_is_searched_by_every_parameter() {
    let server = Server::start();
    catalogue(&server).await;
    copies(&server).await;
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
        let response = server.get(&format!("/books?{query}")).await;
        let books = response.body["books"].as_array().unwrap();
        let found: Vec<_> = books.iter().map(|book| book["isbn"].as_str().unwrap()).collect();
        assert_eq!(found, expected, "{query}");
        if query.contains("perPage=1&") {
            assert_eq!(response.body["total"], 2);
        }
    }
}
