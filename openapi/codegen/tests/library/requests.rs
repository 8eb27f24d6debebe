//! The generated code reads requests by the document's rules, and writes the documented responses.

use openapi_runtime::{ErrorCode as _, OperationResponse, PathValues, RequestForm};
use poem::{
    IntoResponse,
    http::{
        HeaderMap, HeaderValue, Method, StatusCode,
        header::{CONTENT_TYPE, IF_NONE_MATCH},
    },
};
use poem_openapi::{registry::Registry, types::Type as _};
use serde_json::{Value, json};

use crate::contract::{
    Arguments, ErrorCode, Found, Operation, Problem, decode,
    routes::{CreateLoanResponse, EndLoanResponse, ListLoansResponse},
    types::{
        CreateLoanReply, CreateLoanRequestReader, CreateLoanResponseBody409, ListLoansQuery,
        ListLoansReply, Medium,
    },
};

fn read(method: &Method, path: &str, query: &str, body: &str) -> Result<Arguments, Problem> {
    let Found::Operation { operation, path } = Operation::find(method, path) else {
        panic!("no operation for {method} {path}");
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(IF_NONE_MATCH, HeaderValue::from_static("7"));
    let (query, body) = (Some(query), body.as_bytes());
    decode(operation, &RequestForm { path: &path, query, headers: &headers, body })
}

fn list(query: &str) -> Result<ListLoansQuery, String> {
    match read(&Method::GET, "/loans", query, "") {
        Ok(Arguments::ListLoans(query, version)) if version.as_str() == "7" => Ok(query),
        Ok(other) => panic!("{other:?}"),
        Err(problem) => Err(format!("{problem:?}")),
    }
}

/// The paths of the violations of a body.
fn violations(body: &Value) -> Vec<String> {
    let problem =
        read(&Method::POST, "/loans", "", &body.to_string()).expect_err("a rule is broken");
    let details = problem.details.unwrap_or_default();
    let issues = details["issues"].as_array().cloned().unwrap_or_default();
    issues.iter().filter_map(|issue| issue["path"].as_str().map(str::to_owned)).collect()
}

fn loan() -> Value {
    json!({
        "book": "01890a5d-ac96-774b-bcce-b302099a8057",
        "address": { "street": "Main" },
        "marks": [1, 2],
        "reader": "emma",
        "media": { "kind": "chart", "scale": 2.5 },
        "due": null,
        "grid": [[1], []],
        "counts": { "a": 1 },
        "fields": ["x"],
    })
}

#[test]
fn lists_in_a_query_are_read_by_their_style() {
    let query = list("ids=a&ids=b&tags=1%7C2&ratio=0.5&all=true&after=x").unwrap();
    let ids: Vec<String> = query.ids.unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(ids, ["a", "b"]);
    assert_eq!(query.tags, [1, 2]);
    assert_eq!(
        (query.ratio, query.all, query.after.as_deref()),
        (Some(0.5), Some(true), Some("x"))
    );
    assert_eq!(query.size.to_string(), "10");
    for wrong in ["", "tags=1&tags=2", "tags=a", "tags=1&ids=a&ids=b&ids=c&ids=d", "tags=1&ids="] {
        assert!(list(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn objects_in_place_are_read_with_their_rules() {
    let Ok(Arguments::CreateLoan(read)) = read(&Method::POST, "/loans", "", &loan().to_string())
    else {
        panic!("the request is valid");
    };
    assert!(matches!(read.media, Medium::Chart(chart) if chart.scale == 2.5));
    assert_eq!(read.grid.unwrap(), [vec![1], vec![]]);
    assert!(
        matches!(read.reader, Some(CreateLoanRequestReader::Name(name)) if name.as_str() == "emma")
    );
    for (pointer, value, expected) in [
        ("/reader", json!(0), "/reader"),
        ("/reader", json!("12"), "/reader"),
        ("/reader", json!({ "name": "emma" }), "/reader"),
        ("/marks", json!([1, 2, 1]), "/marks"),
        ("/weight", json!(0), "/weight"),
        ("/book", json!("b"), "/book"),
        ("/weight", json!("1"), "/weight"),
        ("/address/street", json!("longer than nine"), "/address/street"),
        ("/media/kind", json!("film"), "/media/kind"),
        ("/media/scale", json!("2"), "/media/scale"),
        ("/grid/0/0", json!(0.5), "/grid/0/0"),
        ("/counts/a", json!("1"), "/counts/a"),
    ] {
        let mut changed = loan();
        if pointer == "/weight" {
            changed["weight"] = json!(1);
        }
        *changed.pointer_mut(pointer).unwrap() = value;
        assert_eq!(violations(&changed), [expected]);
    }
}

#[test]
fn body_may_be_absent_only_where_it_is_optional() {
    let ended = read(&Method::DELETE, "/loans/7", "", "").unwrap();
    assert_eq!(ended, Arguments::EndLoan(7, None));
    let reason = r#"{ "text": "late" }"#;
    let Ok(Arguments::EndLoan(7, Some(reason))) = read(&Method::DELETE, "/loans/7", "", reason)
    else {
        panic!("the request is valid");
    };
    assert!(!reason.urgent);
    let problem = read(&Method::PUT, "/loans/7", "", "").unwrap_err();
    assert_eq!(problem.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn responses_have_the_documented_statuses_and_bodies() {
    let none = EndLoanResponse::success(()).into_response();
    assert_eq!(none.status(), StatusCode::NO_CONTENT);
    assert_eq!(none.into_body().into_bytes().await.unwrap().len(), 0);
    let same = ListLoansResponse::success(ListLoansReply::NotModified).into_response();
    assert_eq!(same.status(), StatusCode::NOT_MODIFIED);
    let conflict = CreateLoanResponseBody409 { until: "tomorrow".to_owned() };
    let response = CreateLoanResponse::success(CreateLoanReply::Conflict(conflict)).into_response();
    assert_eq!(response.status(), StatusCode::CONFLICT);
    assert_eq!(response.into_body().into_string().await.unwrap(), r#"{"until":"tomorrow"}"#);
    let problem = Problem::new(ErrorCode::TooManyRequests, "Slow down.");
    let limited = CreateLoanResponse::from_problem(problem).into_response();
    assert_eq!(limited.status(), StatusCode::TOO_MANY_REQUESTS);
    let body: Value =
        serde_json::from_slice(&limited.into_body().into_bytes().await.unwrap()).unwrap();
    assert_eq!(body, json!({ "message": "Slow down.", "trace": "" }));
}

#[test]
fn framework_knows_the_objects_of_a_union_and_what_tells_them_apart() {
    let mut registry = Registry::new();
    Medium::register(&mut registry);
    for object in ["Book", "Chart"] {
        assert_eq!(registry.schemas[object].ty, "object");
    }
    let discriminator = registry.schemas["Medium"].discriminator.as_ref().unwrap();
    assert_eq!(discriminator.property_name, "kind");
    let chart = ("chart".to_owned(), "#/components/schemas/Chart".to_owned());
    assert_eq!(discriminator.mapping[1], chart);
}

#[test]
fn document_without_codes_has_one_for_each_status() {
    assert_eq!(ErrorCode::VALIDATION_FAILED.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(ErrorCode::TooManyRequests.as_str(), "TOO_MANY_REQUESTS");
    assert!(Operation::ListLoans.is_open() && !Operation::EndLoan.is_open());
    assert_eq!(PathValues::default().get("id"), None);
}
