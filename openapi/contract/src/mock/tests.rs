//! The requests of `tests/data/mock.txt` to the document `mock.yaml` beside it.

use poem::{Body, http::Method};

use super::*;

const DOCUMENT: &str = include_str!("../../tests/data/mock.yaml");
const REQUESTS: &str = include_str!("../../tests/data/mock.txt");

#[tokio::test]
async fn requests_get_the_answers_of_the_table() {
    let document = Document::parse("library.yaml", DOCUMENT).unwrap();
    let (mock, notes) = Mock::of(&document, &ErrorConfig::default());
    assert_eq!(notes, [""; 0]);
    let mut wrong = Vec::new();
    for text in REQUESTS.split("\n\n").skip(1) {
        let (line, rest) = text.split_once('\n').unwrap();
        let (method, uri) = line.split_once(' ').unwrap();
        let mut request = Request::builder()
            .method(Method::from_bytes(method.as_bytes()).unwrap())
            .uri(uri.parse().unwrap());
        let (mut body, mut expected) = ("", "");
        for line in rest.lines() {
            if let Some(text) = line.strip_prefix("> ") {
                body = text;
            } else if let Some(text) = line.strip_prefix("= ") {
                expected = text;
            } else {
                let (name, value) = line.split_once(": ").unwrap();
                request = request.header(name, value);
            }
        }
        let response = mock.respond(request.body(Body::from(body))).await;
        let media_type = response.content_type().unwrap_or_default();
        let head = format!("{} {media_type}", response.status().as_u16());
        let total = response.header("x-total").unwrap_or_default().to_owned();
        let body = total + " " + &response.into_body().into_string().await.unwrap();
        let part = expected.strip_prefix(head.trim()).map(str::trim);
        if part.is_none_or(|part| !body.contains(part)) {
            wrong.push(format!("{text}\n-> {head} {body}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn answer_that_breaks_its_schema_is_noted_with_its_place() {
    let text = DOCUMENT.replace("minLength: 2 }, days", "pattern: '^x$' }, days");
    let document = Document::parse("library.yaml", &text).unwrap();
    let (_, notes) = Mock::of(&document, &ErrorConfig::default());
    let problem = "the answer breaks its schema: /title must match the pattern ^x$";
    assert_eq!(notes, [format!("library.yaml:22:49: {problem}; add an `example`")]);
}
