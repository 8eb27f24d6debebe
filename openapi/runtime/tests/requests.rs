//! Forms, objects in a query, texts and bytes, as generated code reads them.

#![expect(clippy::unwrap_used, reason = "a panic names its line")]

use openapi_runtime::{
    Content, ErrorCode, Issue, IssueCode, MediaType, PathValues, Problem, RequestForm,
    Written as _, constant, media_type, message_with, number,
    reading::{
        BodyFormat, Encoding, Fields, FromJson, Invalid, List, OfText, Reader, Violations,
        object_of_text,
    },
};
use poem::http::{HeaderMap, HeaderValue, StatusCode, header::CONTENT_TYPE};
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Code {
    Json,
    MediaType,
    Invalid,
    Failed,
}

impl ErrorCode for Code {
    type Error = Value;

    const INVALID_JSON: Self = Self::Json;
    const UNSUPPORTED_MEDIA_TYPE: Self = Self::MediaType;
    const VALIDATION_FAILED: Self = Self::Invalid;
    const INTERNAL_ERROR: Self = Self::Failed;

    fn as_str(self) -> &'static str {
        "CODE"
    }

    fn status(self) -> StatusCode {
        match self {
            Self::Json => StatusCode::BAD_REQUEST,
            Self::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn error(self, message: String, _details: Option<Value>) -> Value {
        message.into()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Size(i64);
number!(Size, i64, [at_least(0), at_most(9000), one_of(&[512, 4096])]);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step(i64);
number!(Step, i64, [at_least(0), at_most(100), multiple_of(5)], 5);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gone;
constant!(Gone, true);

/// Which rows a request selects.
#[derive(Debug, Clone, PartialEq)]
struct Filter {
    size: Size,
    names: Option<Vec<String>>,
    inner: Option<Box<Filter>>,
}

type Names = List<String, 0, 2>;

impl FromJson for Filter {
    type Value = Self;

    fn from_json(
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<Self, Invalid> {
        let mut fields = Fields::of(value, pointer, violations)?;
        let size = fields.required::<Size>("size");
        let names = fields.optional::<Names>("names");
        let inner = fields.optional::<Box<Filter>>("inner");
        fields.close();
        Ok(Self { size: size?, names: names?, inner: inner? })
    }

    fn of_text(value: Value) -> Value {
        let fields: &[(&str, OfText)] = &[
            ("size", <Size as FromJson>::of_text),
            ("names", <Names as FromJson>::of_text),
            ("inner", <Box<Filter> as FromJson>::of_text),
        ];
        object_of_text(value, fields, None)
    }
}

fn filter(size: i64, names: &[&str]) -> Filter {
    let names = names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    Filter { size: Size::new(size), names: (!names.is_empty()).then_some(names), inner: None }
}

/// What is read of a request with this query and this body.
fn read<T>(
    query: &str,
    content_type: &str,
    body: &[u8],
    known: &[&'static str],
    read: impl FnOnce(&mut Reader<'_, Code>) -> Result<T, Invalid>,
) -> Result<T, (u16, Vec<String>)> {
    let mut headers = HeaderMap::new();
    if !content_type.is_empty() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_str(content_type).unwrap());
    }
    let path = PathValues::default();
    let request = RequestForm { path: &path, query: Some(query), headers: &headers, body };
    let mut reader = Reader::new(&request, known);
    let value = read(&mut reader);
    reader.finish(move || value).map_err(|problem: Problem<Code>| {
        let issues = problem.details.as_ref().and_then(|details| details["issues"].as_array());
        let text = |issue: &Value| format!("{} {} {}", issue["in"], issue["path"], issue["code"]);
        let issues = issues.into_iter().flatten().map(|issue| text(issue).replace('"', ""));
        (problem.status().as_u16(), issues.collect())
    })
}

const FORM: &str = "application/x-www-form-urlencoded";

fn form(body: &str) -> Result<Filter, (u16, Vec<String>)> {
    let formats =
        [BodyFormat::Json("application/json"), BodyFormat::Form(&[("inner", Encoding::Brackets)])];
    read("", FORM, body.as_bytes(), &[], |reader| reader.body_in::<Filter>(&formats))
}

#[test]
fn form_is_read_with_every_violation() {
    assert_eq!(form("size=512&names=a&names=b+c%21"), Ok(filter(512, &["a", "b c!"])));
    let nested = form("size=512&inner[size]=4096&inner[names][]=x").unwrap();
    assert_eq!(nested.inner, Some(Box::new(filter(4096, &["x"]))));
    let violations = |expected: &[&str]| {
        Err((422, expected.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()))
    };
    assert_eq!(
        form("size=513&names=a&names=b&names=c&colour=red"),
        violations(&[
            "body /size NOT_IN_ENUM",
            "body /names TOO_LONG",
            "body /colour UNKNOWN_FIELD",
        ])
    );
    assert_eq!(form("size=big"), violations(&["body /size WRONG_TYPE"]));
    assert_eq!(form("size=512&inner[size]=1"), violations(&["body /inner/size NOT_IN_ENUM"]));
    assert_eq!(form("size=512&size=512"), violations(&["body /size WRONG_TYPE"]));
}

#[test]
fn body_is_read_by_the_format_that_it_declares() {
    let formats = [BodyFormat::Json("application/vnd.rows+json"), BodyFormat::Form(&[])];
    let body = |content_type: &str, body: &str| {
        read("", content_type, body.as_bytes(), &[], |reader| reader.body_in::<Filter>(&formats))
    };
    let expected = Ok(filter(512, &[]));
    assert_eq!(body("application/vnd.rows+json; charset=utf-8", r#"{"size":512}"#), expected);
    assert_eq!(body(FORM, "size=512"), expected);
    // A text is no number in JSON.
    assert_eq!(body("application/vnd.rows+json", r#"{"size":"512"}"#).unwrap_err().0, 422);
    assert_eq!(body("application/json", r#"{"size":512}"#).unwrap_err().0, 415);
    assert_eq!(body("", "size=512").unwrap_err().0, 415);
}

#[test]
fn object_in_a_query_is_read_by_its_style() {
    let query = |query: &str, encoding: Encoding, known: &[&'static str]| {
        read(query, "", b"", known, |reader| reader.query_in::<Filter>("f", encoding))
    };
    let expected = Ok(Some(filter(512, &["a"])));
    let known = &["f[]", "f"];
    assert_eq!(query("f[size]=512&f%5Bnames%5D[0]=a", Encoding::Brackets, known), expected);
    assert_eq!(query("", Encoding::Brackets, known), Ok(None));
    let exploded = Encoding::Exploded(&["size", "names"]);
    assert_eq!(query("size=512&names=a", exploded, &["size", "names"]), expected);
    assert_eq!(query("f=size,512,names,a", Encoding::Separated(','), &["f"]), expected);
    let json = "f=%7B%22size%22%3A512%2C%22names%22%3A%5B%22a%22%5D%7D";
    assert_eq!(query(json, Encoding::Json, &["f"]), expected);
    for (text, encoding, known, expected) in [
        ("f[size]=1", Encoding::Brackets, &["f[]", "f"][..], "query /f/size NOT_IN_ENUM"),
        ("f=1", Encoding::Brackets, &["f[]", "f"], "query /f WRONG_TYPE"),
        ("g[size]=1", Encoding::Brackets, &["f[]", "f"], "query /g[size] UNKNOWN_PARAMETER"),
        ("size=1", exploded, &["size", "names"], "query /size NOT_IN_ENUM"),
        ("f=size", Encoding::Separated(','), &["f"], "query /f BAD_FORMAT"),
        ("f=%7B", Encoding::Json, &["f"], "query /f BAD_FORMAT"),
        ("f=1&f=2", Encoding::Json, &["f"], "query /f REPEATED_PARAMETER"),
    ] {
        assert_eq!(query(text, encoding, known), Err((422, vec![expected.to_owned()])), "{text}");
    }
    let missing = read("", "", b"", known, |reader| {
        reader.required_query_in::<Filter>("f", Encoding::Brackets)
    });
    assert_eq!(missing, Err((422, vec!["query /f REQUIRED".to_owned()])));
}

#[test]
fn text_and_bytes_are_read_as_they_are_sent() {
    let text = |content_type: &str, body: &[u8]| {
        read("", content_type, body, &[], |reader| reader.text_body(&["text/plain"]))
    };
    assert_eq!(text("text/plain; charset=utf-8", "é".as_bytes()), Ok("é".to_owned()));
    assert_eq!(text("text/plain", b"\xff"), Err((422, vec!["body  BAD_FORMAT".to_owned()])));
    assert_eq!(text("text/csv", b"a").unwrap_err().0, 415);
    let image = |content_type: &str| {
        read("", content_type, b"\0\xff", &[], |reader| reader.bytes_body(&["image/*"]))
    };
    assert_eq!(image("image/PNG"), Ok(vec![0, 255]));
    assert_eq!(image("text/plain").unwrap_err().0, 415);
    let none = read("", "", b"", &[], |reader| reader.optional_text_body(&["text/plain"]));
    assert_eq!(none, Ok(None));
}

#[test]
fn empty_value_is_the_same_as_none() {
    let query = |query: &str| {
        read(query, "", b"", &["a"], |reader| {
            reader.ignore_empty("a");
            reader.optional_query::<i64>("a")
        })
    };
    assert_eq!(query("a="), Ok(None));
    assert_eq!(query("a"), Ok(None));
    assert_eq!(query("a=3"), Ok(Some(3)));
}

#[test]
fn rules_of_numbers_and_constants_are_kept() {
    let read = |value: Value| {
        let mut violations = Violations::default();
        Step::from_json(value, "", &mut violations)
            .map_err(|_| violations.first_message().unwrap().to_owned())
    };
    assert_eq!(read(json!(10)), Ok(Step::new(10)));
    assert_eq!(read(json!(7)), Err("must be a multiple of 5".to_owned()));
    assert_eq!(Step::default(), Step::new(5));
    let mut violations = Violations::default();
    assert_eq!(Gone::from_json(json!(true), "", &mut violations), Ok(Gone));
    assert!(Gone::from_json(json!(false), "", &mut violations).is_err());
    assert_eq!(violations.first_message(), Some("must be true"));
    assert_eq!(serde_json::to_value(Gone).unwrap(), json!(true));
}

#[derive(Debug)]
pub struct CsvMedia;
media_type!(CsvMedia, "text/csv");

#[derive(Debug)]
pub struct ImageMedia;
media_type!(ImageMedia, "image/*");

#[test]
fn content_has_the_media_type_that_the_document_or_the_handler_names() {
    let content_type = |response: poem::Response| response.content_type().unwrap().to_owned();
    assert_eq!(content_type(Content::<CsvMedia>::new("a,b").into_body_response()), "text/csv");
    let png = Content::<ImageMedia>::of_type(vec![1], "image/png").into_body_response();
    assert_eq!(content_type(png), "image/png");
    assert_eq!(ImageMedia::NAME, "image/*");
}

#[test]
fn message_names_the_issues_where_the_error_has_no_details() {
    let issue = |path: &str| {
        let (code, message) = (IssueCode::TooSmall, "must be at least 1");
        Issue::body(path, code, message)
    };
    let problem: Problem<Code> = Problem::invalid(&[issue("/a"), issue("/b")]);
    assert_eq!(
        message_with(problem.message, problem.details),
        "2 values of the request break a rule: body /a must be at least 1; body /b must be at \
         least 1."
    );
    assert_eq!(message_with("No such loan.".to_owned(), None), "No such loan.");
}
