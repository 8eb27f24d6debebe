//! The client of the document `constructs.yaml`, which has each construct that the generator
//! accepts: it compiles with the support of this crate, writes requests as the document says, and
//! reads every success.

#![expect(clippy::unwrap_used, reason = "a panic names its line")]
#![allow(dead_code, unused_imports, unused_macros, reason = "another document uses more of it")]
#![allow(unreachable_pub, reason = "the client exports it")]
#![allow(clippy::disallowed_types, reason = "numbers of a document, no money")]

#[path = "../../src/alternatives.rs"]
mod alternatives;
#[allow(clippy::all, reason = "generated code")]
mod generated;
#[path = "../../src/open_sets.rs"]
mod open_sets;
#[path = "../../src/operation.rs"]
mod operation;
#[path = "../../src/api/pages.rs"]
mod pages;
#[path = "../../src/api/request.rs"]
mod request;
#[path = "../../src/api/response.rs"]
mod response;
#[path = "../../src/api/rules.rs"]
mod rules;
mod support;
#[path = "../../src/texts.rs"]
mod texts;

use payout_client::{Bytes, Change, Timestamp, UnknownFields};
use serde_json::json;

use self::{
    generated::{Client, ErrorCode, Operation, types},
    operation::Idempotency,
    pages::{Items, Pages},
    response::{Response, Success},
    support::{
        DecodeError, Error, ErrorResponse, Meters, TransportError, call, client, error_response,
        transport,
    },
};
use types::{
    Cat, Changes, ChangesHome, Form, Job, JobState, Mixed, MixedSize, Pet, Range, StartReply,
};

/// Sends a call of the client of a 204, and returns the request.
macro_rules! request {
    ($client:ident: $call:expr) => {{
        let $client = client(204, "");
        $call.send().await.unwrap();
        let sent = $client.inner.sent.lock().unwrap().clone();
        sent
    }};
}

#[tokio::test]
async fn parameters_are_written_as_their_names_and_styles_say() {
    let job = Job::builder("a").gen_(1).default(true);
    let sent = request!(client: client.r#gen(7, "acme", job)
        .x_trace("t").body_parameter("b").client("c").gen_("g").header_map("h").new_parameter("n")
        .p0("0").request_parameter("r").send_parameter("s").url("u").value("v"));
    let query = "body=b&client=c&gen=g&header_map=h&new=n&p0=0&request=r&send=s&url=u&value=v";
    let body = r#"{"id":"a","gen":1,"default":true}"#;
    let headers = "content-type: application/json x-tenant: acme x-trace: t";
    assert_eq!(sent, format!("PUT /names/7?{query} {headers} | {body}"));

    let range = Range::try_from(Range::builder().from(1)).unwrap();
    let list = || vec!["a".to_owned(), "b".to_owned()];
    let sent = request!(client: client.styles()
        .each(list()).comma(list()).pipe(vec![1, 2]).space(list())
        .deep(range.clone()).flat(range.clone()).joined(range.clone()).json(range));
    let query = "comma=a%2Cb&deep%5Bfrom%5D=1&each=a&each=b&from=1&joined=from%2C1\
                 &json=%7B%22from%22%3A1%7D&pipe=1%7C2&space=a+b";
    assert_eq!(sent, format!("GET /styles?{query}"));
}

#[tokio::test]
async fn bodies_are_written_in_their_media_type() {
    let json = |body: &str| format!("content-type: application/json | {body}");
    let sent = request!(client: client.two_media(types::Ticket::builder(1)));
    assert_eq!(sent, format!("POST /two-media {}", json(r#"{"number":1}"#)));
    let sent = request!(client: client.vendor(types::Ticket::builder(1)));
    assert_eq!(sent, r#"POST /vendor content-type: application/vnd.acme.v1+json | {"number":1}"#);
    let range = Range::try_from(Range::builder().from(1)).unwrap();
    let form = Form::builder("a b").tags(vec!["x".to_owned(), "y".to_owned()]).range(range);
    let sent = request!(client: client.form(form));
    let body = "name=a+b&tags=x&tags=y&range=%7B%22from%22%3A1%7D";
    assert_eq!(
        sent,
        format!("POST /form content-type: application/x-www-form-urlencoded | {body}")
    );
    let sent = request!(client: client.upload(b"raw".to_vec()));
    assert_eq!(sent, "PUT /upload content-type: application/octet-stream | raw");
    assert_eq!(request!(client: client.note()), "PUT /note");
    let sent = request!(client: client.note().body("hello"));
    assert_eq!(sent, "PUT /note content-type: text/plain | hello");
    assert_eq!(request!(client: client.optional()), "POST /optional");
    let sent = request!(client: client.optional().body(Job::builder("a")));
    assert_eq!(sent, format!("POST /optional {}", json(r#"{"id":"a"}"#)));
}

#[tokio::test]
async fn null_is_sent_where_the_document_admits_it() {
    let home = ChangesHome::try_from(ChangesHome::builder().street(Change::Clear)).unwrap();
    let changes = Changes::builder()
        .note(Change::Clear)
        .home(Change::Set(home))
        .tags(vec![Some("a".to_owned()), None]);
    let sent = request!(client: client.clear(changes));
    let body = r#"{"note":null,"home":{"street":null},"tags":["a",null]}"#;
    assert_eq!(sent, format!("PATCH /clear content-type: application/json | {body}"));
}

#[tokio::test]
async fn every_success_is_read() {
    let job = r#"{"id":"a","state":"unknown"}"#;
    client(204, "").empty().send().await.unwrap();
    client(202, "").accepted().send().await.unwrap();
    client(200, "").exists("a").send().await.unwrap();
    client(302, "").moved().send().await.unwrap();
    let jobs = client(200, &format!("[{job}]")).list_all().send().await.unwrap();
    assert_eq!(jobs[0].state, Some(JobState::UnknownValue));
    assert_eq!(*client(200, "a;b").text().send().await.unwrap(), "a;b");
    assert_eq!(client(200, "%PDF").bytes().send().await.unwrap().to_vec(), b"%PDF");
    assert_eq!(*client(200, "[1]").any().send().await.unwrap(), json!([1]));
    assert_eq!(client(201, job).by_default().send().await.unwrap().id, "a");
    assert_eq!(*client(200, "null").nullable().send().await.unwrap(), None);
    let started = |status, body| async move {
        client(status, body).start().send().await.map(Response::into_inner)
    };
    assert!(matches!(started(200, job).await.unwrap(), StartReply::Ok(job) if job.id == "a"));
    let ticket = started(202, r#"{"number":3}"#).await.unwrap();
    assert!(matches!(ticket, StartReply::Accepted(ticket) if ticket.number == 3));
    assert_eq!(started(204, "").await.unwrap(), StartReply::NoContent);
    assert_eq!(started(303, "").await.unwrap(), StartReply::SeeOther);
    let Err(Error::Decode(error)) = started(206, "").await else { panic!("206 is no response") };
    assert_eq!(error.problem, "the operation has no response 206");
    assert!(matches!(client(302, "").empty().send().await, Err(Error::Response(_))));
}

#[tokio::test]
async fn alternatives_are_those_that_the_value_names() {
    let dog = r#"{"kind":"dog","tricks":["sit"]}"#;
    let client = client(200, dog);
    let cat = Cat::try_from(Cat::builder("cat").lives(9)).unwrap();
    let pet = client.pet(Pet::Cat(cat)).send().await.unwrap().into_inner();
    assert!(matches!(&pet, Pet::Dog(_)), "{pet:?}");
    let body = r#"POST /pet content-type: application/json | {"kind":"cat","lives":9}"#;
    assert_eq!(*client.inner.sent.lock().unwrap(), body);
    let bird = serde_json::from_str::<Pet>(r#"{"kind":"bird"}"#).unwrap_err().to_string();
    assert!(bird.contains("names no alternative"), "{bird}");
    let mixed: Mixed = serde_json::from_str(r#"{"size":1.5,"other":2.5}"#).unwrap();
    assert_eq!(mixed.size, Some(MixedSize::Number(1.5)));
    assert_eq!(mixed.others["other"], 2.5);
}

#[tokio::test]
async fn missing_header_is_a_violation() {
    let call = client(204, "").r#gen(7, "", Job::builder("a"));
    let Err(Error::InvalidRequest { issues }) = call.send().await else { panic!("it was sent") };
    assert_eq!(issues[0].path, "/X-Tenant");
}
