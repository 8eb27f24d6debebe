//! The generated client calls the server.

use library_client::{
    Client, Connection, Error, File, StatusCode,
    types::{Adult, Failure, Frame, Member, NewBook, ReplacePictureRequest, Subject},
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

    let ada =
        desk.add_reader(Member::Adult(Adult::try_from(Adult::builder("adult", "Ada")).unwrap()));
    let card = ada.send().await.unwrap().card.clone();
    let png = File::new("ada.png", b"\x89PNG\r\n".to_vec()).content_type("image/png");
    let frame = Frame::try_from(Frame::builder().left(3).side(80).top(1)).unwrap();
    let picture = ReplacePictureRequest::builder(png).caption("In \"Emma\"").frame(frame.clone());
    let kept = desk.replace_picture(card.clone(), picture).send().await.unwrap();
    assert_eq!((kept.media_type.as_str(), kept.bytes), ("image/png", 6));
    assert_eq!((kept.caption.as_deref(), &kept.frame), (Some("In \"Emma\""), &Some(frame)));
    let text = File::from(b"text".to_vec()).content_type("text/plain");
    let refused = desk.replace_picture(card, ReplacePictureRequest::builder(text)).send().await;
    let refused = refused.unwrap_err();
    let failure: Failure = refused.response().unwrap().json().unwrap();
    assert_eq!(failure.error.reason, "VALIDATION_FAILED");

    let error = reader.remove_book(isbn).send().await.unwrap_err();
    let failure: Failure = error.response().unwrap().json().unwrap();
    assert_eq!(failure.error.reason, "UNAUTHORIZED");
    let Err(Error::InvalidRequest { issues }) = reader.list_books().per_page(51).send().await
    else {
        panic!("it was sent")
    };
    assert_eq!(issues[0].to_string(), "query /perPage: must be at most 50");
}
