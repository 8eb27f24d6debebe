//! The client of the document `constructs.yaml`, which has each construct that the generator
//! accepts: it writes requests as the document says, and reads every response.

#![expect(clippy::unwrap_used, reason = "a panic names its line")]
#![allow(clippy::disallowed_types, reason = "numbers of a document, no money")]

#[allow(clippy::all, dead_code, unreachable_pub, reason = "generated code")]
mod generated;
mod server;

use openapi_client::{Change, Connection, Error, File, Response};
use serde_json::{Value, json};

use self::{
    generated::{Client, Operation, types},
    server::{Served, connect},
};
use types::{
    Cat, Changes, ChangesHome, EitherId, EitherId1, Form, Job, JobPage, JobState, Mixed, MixedSize,
    Pagination, PartsRequest, Pet, ProblemSchema, Range, StartReply,
};

/// Sends a call of the client of a 204, and returns the request.
macro_rules! request {
    ($client:ident: $call:expr) => {{
        let served = Served::new(204, "");
        let $client = &served.client;
        $call.send().await.unwrap();
        served.sent()
    }};
}

/// A form of parts, with a boundary that none of them contains.
const PARTS: &str = r#"POST /parts content-type: multipart/form-data; boundary=part-of-the-form-1 |
--part-of-the-form-1
content-disposition: form-data; name="photo"; filename="photo"
content-type: image/png

� part-of-the-form-0
--part-of-the-form-1
content-disposition: form-data; name="pages"; filename="a %22b%22.txt"
content-type: text/plain

one
--part-of-the-form-1
content-disposition: form-data; name="pages"; filename="pages"
content-type: application/octet-stream

two
--part-of-the-form-1
content-disposition: form-data; name="caption"

a
b
--part-of-the-form-1
content-disposition: form-data; name="tags"

x
--part-of-the-form-1
content-disposition: form-data; name="tags"

y
--part-of-the-form-1
content-disposition: form-data; name="range"
content-type: application/json

{"from":1}
--part-of-the-form-1--
"#;

/// The client of a server with this response.
fn client(status: u16, body: &str) -> Client {
    Served::new(status, body).client
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

    assert_eq!(request!(client: client.either(EitherId::Integer(7))), "GET /either/7");
    let me = EitherId::EitherId1(EitherId1::Me);
    assert_eq!(request!(client: client.either(me)), "GET /either/me");

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
    let page = File::new("a \"b\".txt", "one").content_type("text/plain");
    let range = Range::try_from(Range::builder().from(1)).unwrap();
    let parts = PartsRequest::builder(b"\xff part-of-the-form-0".to_vec())
        .pages(vec![page, File::from("two")])
        .caption("a\nb")
        .tags(vec!["x".to_owned(), "y".to_owned()])
        .range(range);
    let sent = request!(client: client.parts(parts));
    assert_eq!(sent.replace("\r\n", "\n").replace("| --", "|\n--"), PARTS);
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
async fn error_has_the_type_of_the_document() {
    let error = client(409, r#"{"title":"busy","retry":3}"#).fail().send().await.unwrap_err();
    let response = error.response().unwrap();
    assert_eq!(response.status, 409);
    assert_eq!(response.json::<ProblemSchema>().unwrap().retry, Some(3));
    assert_eq!(error.to_string(), r#"409 Conflict: {"title":"busy","retry":3}"#);
    let error = client(502, "bad\u{7} gateway").fail().send().await.unwrap_err();
    assert!(error.response().unwrap().json::<ProblemSchema>().is_err());
    assert_eq!(error.to_string(), r"502 Bad Gateway: bad\u{7} gateway");
}

#[tokio::test]
async fn connection_has_headers_and_limits() {
    let served = Served::new(200, "a long text");
    let connection = connect(served.client.connection.base_url()).unwrap();
    let connection = connection.header("x-tenant", "all").unwrap().bearer("secret").unwrap();
    assert!(!format!("{connection:?}").contains("secret"));
    let client = Client::new(connection.clone().body_limit(4));
    let Err(Error::Decode(error)) = client.text().send().await else { panic!("it was read") };
    assert_eq!(error.problem, "its body is larger than 4 bytes");
    assert_eq!(served.sent(), "GET /text x-tenant: all authorization: Bearer secret");
    // A call's own header wins.
    let client = Client::new(connection);
    client.r#gen(7, "acme", Job::builder("a")).send().await.unwrap();
    let sent = served.sent();
    assert!(sent.contains("x-tenant: acme") && !sent.contains("x-tenant: all"), "{sent}");
    let unreachable = Client::new(connect("http://127.0.0.1:1/base/").unwrap());
    let error = unreachable.empty().send().await.unwrap_err();
    assert!(matches!(error, Error::Transport(_)), "{error}");
    for url in ["api.example.com", "ftp://api.example.com", "http://api.example.com?key=1"] {
        assert!(matches!(connect(url), Err(Error::Setting(_))), "{url}");
    }
}

#[test]
fn unknown_members_survive_reading_and_writing() {
    let newer = json!({ "data": [], "pagination": { "nextCursor": "a" }, "total": { "of": 3 } });
    let page: JobPage = serde_json::from_value(newer.clone()).unwrap();
    assert_eq!(page.unknown_fields["total"]["of"], 3);
    assert_eq!(serde_json::to_value(&page).unwrap(), newer);
    let last: Pagination = serde_json::from_str(r#"{"next\u0043ursor":"a"}"#).unwrap();
    assert!(last.unknown_fields.is_empty());
}

#[test]
fn absent_repeated_and_other_members_are_errors() {
    let error = |text| serde_json::from_str::<Pagination>(text).unwrap_err().to_string();
    assert!(error("{}").starts_with("missing field `nextCursor`"));
    let repeated = error(r#"{"nextCursor":"a","nextCursor":"b"}"#);
    assert!(repeated.contains("duplicate field `nextCursor`"), "{repeated}");
    let other = serde_json::from_value::<Pagination>(Value::from(3)).unwrap_err().to_string();
    assert!(other.contains("an object of the type Pagination"), "{other}");
}

#[test]
fn the_three_states_survive_reading() {
    let read = |text| serde_json::from_str::<Changes>(text).unwrap().note;
    assert_eq!(read("{}"), Change::Keep);
    assert_eq!(read(r#"{"note":null}"#), Change::Clear);
    assert_eq!(read(r#"{"note":"a"}"#), Change::Set("a".to_owned()));
}

#[test]
fn operations_are_those_of_the_document() {
    let start = Operation::ALL.iter().find(|operation| operation.id() == "start").unwrap();
    assert_eq!((start.method(), start.path()), ("POST", "/several"));
}

#[tokio::test]
async fn alternatives_are_those_that_the_value_names() {
    let dog = r#"{"kind":"dog","tricks":["sit"]}"#;
    let served = Served::new(200, dog);
    let cat = Cat::try_from(Cat::builder("cat").lives(9)).unwrap();
    let pet = served.client.pet(Pet::Cat(cat)).send().await.unwrap().into_inner();
    assert!(matches!(&pet, Pet::Dog(_)), "{pet:?}");
    let body = r#"POST /pet content-type: application/json | {"kind":"cat","lives":9}"#;
    assert_eq!(served.sent(), body);
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
