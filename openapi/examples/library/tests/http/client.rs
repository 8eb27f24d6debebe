//! The generated client calls the server.

use library_client::{
    Client, Connection, Error, StatusCode,
    types::{Failure, NewBook, Subject},
};

use crate::server::{KEY, Server};

#[tokio::test]
async fn generated_client_calls_the_server() {
    let server = Server::start();
    let connection = Connection::new(&format!("http://{}", server.address)).unwrap();
    let desk = Client::new(connection.clone().bearer(KEY).unwrap());
    let isbn = "9780141439587";
    let emma = NewBook::builder(isbn, "en", vec![Subject::from("novel")], "Emma", 1815);
    let added = desk.add_book(emma.clone()).send().await.unwrap();
    assert_eq!((added.status(), added.title.as_str()), (StatusCode::CREATED, "Emma"));
    let known = desk.add_book(emma).send().await.unwrap();
    assert_eq!(known.status(), StatusCode::OK);

    let reader = Client::new(connection);
    let found = reader.list_books().language(vec!["de".into(), "en".into()]).send().await.unwrap();
    assert_eq!((found.total, found.books[0].isbn.as_str()), (1, isbn));
    // The server prefers CSV, unless it is asked for JSON.
    let exported = reader.export_books().send().await.unwrap();
    assert_eq!(exported[0].isbn.as_str(), isbn);
    let address = reader.find_book(isbn).send().await.unwrap();
    assert_eq!(address.headers()["location"], format!("/books/{isbn}"));

    let error = reader.remove_book(isbn).send().await.unwrap_err();
    let failure: Failure = error.response().unwrap().json().unwrap();
    assert_eq!(failure.error.reason, "UNAUTHORIZED");
    let Err(Error::InvalidRequest { issues }) = reader.list_books().per_page(51).send().await
    else {
        panic!("it was sent")
    };
    assert_eq!(issues[0].to_string(), "query /perPage: must be at most 50");
}
