use super::*;

#[path = "../../../tests/shared/browser.rs"]
mod browser;

/// Clicks the buttons of each element of `WANTED` until it shows all its texts, and then replaces
/// the page by what the elements show. The viewer needs a moment after each click.
const CLICKS: &str = include_str!("clicks.js");

/// Keeps what the policy forbids.
const WATCH: &str = r#"
const violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
    violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
"#;

/// An element of the page, the buttons that open it, and texts that a reader finds in it.
fn wanted(element: &str, button: &str, texts: Vec<String>) -> Value {
    json!({ "element": element, "button": button, "texts": texts })
}

const FOLDED: &str = "[aria-expanded=false]";

/// All scopes, in the dialog for the key.
fn scopes() -> Value {
    let scopes = JSON["components"]["securitySchemes"]["ApiKey"]["x-scopes"].as_object().unwrap();
    let texts = scopes.iter().map(|(name, use_)| {
        let words: Vec<_> = use_.as_str().unwrap().split_whitespace().collect();
        format!("{name}: {}", words.join(" "))
    });
    wanted(".scheme-container", ".authorize", texts.collect())
}

/// The scope of the first operation.
fn required_scope() -> Value {
    let operations = JSON["paths"].as_object().unwrap().values().flat_map(|path| path.as_object());
    let operation = operations.flat_map(serde_json::Map::values).next().unwrap();
    let text = |name: &str| operation[name].as_str().unwrap();
    let tag = operation["tags"][0].as_str().unwrap();
    let element = format!("#operations-{tag}-{}", text("operationId"));
    let scope = format!("x-required-scope \"{}\"", text("x-required-scope"));
    wanted(&element, FOLDED, vec![scope])
}

/// The first open set, with its values.
fn open_set() -> Value {
    let mut schemas = JSON["components"]["schemas"].as_object().unwrap().iter();
    let values = |schema: &Value| Some(schema["x-known-values"].as_array()?.clone());
    let (name, values) = schemas.find_map(|(name, schema)| Some((name, values(schema)?))).unwrap();
    let values: Vec<_> = values.iter().map(Value::to_string).collect();
    let text = format!("x-known-values: List [ {} ]", values.join(", "));
    wanted(&format!("#model-{name}"), FOLDED, vec![text])
}

/// The error, with the schema of each code's details.
fn details() -> Value {
    let by_code =
        &JSON["components"]["schemas"]["ErrorObject"]["properties"]["details"]["x-by-code"];
    let texts = by_code.as_object().unwrap().iter().map(|(code, shape)| {
        let name = shape["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        format!("\"{code}\":\"{name}\"")
    });
    wanted("#model-ErrorObject", FOLDED, texts.collect())
}

#[test]
fn page_shows_scopes_open_sets_and_details_in_a_browser() {
    let wanted = json!([scopes(), required_scope(), open_set(), details()]);
    let clicks = CLICKS.replacen("WANTED", &wanted.to_string(), 1);
    let page = format!("<script>{WATCH}</script>{}<script>{clicks}</script>", *PAGE);
    // A page in a file has no headers.
    let policy =
        format!("<meta http-equiv=\"content-security-policy\" content=\"{}\">", policy(&page));
    let Some(elements) = browser::elements(&format!("{policy}{page}")) else {
        return;
    };
    let (_, result) = elements.split_once("<pre id=\"shown\">").expect("the script ran");
    let (shown, _) = result.split_once("</pre>").unwrap();
    let shown: Vec<String> = serde_json::from_str(shown).unwrap();
    assert_eq!(shown.len(), wanted.as_array().unwrap().len(), "violations: {shown:?}");
    for (wanted, shown) in wanted.as_array().unwrap().iter().zip(shown) {
        for text in wanted["texts"].as_array().unwrap() {
            let text = text.as_str().unwrap();
            assert!(shown.contains(text), "{} has no {text}: {shown}", wanted["element"]);
        }
    }
}

#[test]
fn page_has_our_document_and_loads_nothing_from_elsewhere() {
    assert!(PAGE.contains("\"operationId\":\"detachCommissionLine\""));
    assert!(PAGE.contains(HEAD));
    assert!(PAGE.contains("\"description\":\"This server\""));
    assert!(!PAGE.contains("<script src"));
    assert!(!PAGE.contains("<link "));
}

fn get(headers: &[(&str, &str)]) -> Response {
    let request = Request::builder().uri_str("/docs");
    let request =
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    answer(&request.finish()).unwrap()
}

#[tokio::test]
async fn page_is_compressed_for_those_who_accept_it() {
    for (accepted, is_compressed) in
        [("gzip, br", true), ("br;q=1, GZIP;q=0.5", true), ("gzip;q=0", false), ("br", false)]
    {
        let response = get(&[("accept-encoding", accepted)]);
        let encoding = response.headers().get(header::CONTENT_ENCODING).cloned();
        assert_eq!(encoding.is_some(), is_compressed, "{accepted}");
        let body = response.into_body().into_bytes().await.unwrap();
        if is_compressed {
            let mut text = String::new();
            let mut decoder = flate2::read::GzDecoder::new(&*body);
            std::io::Read::read_to_string(&mut decoder, &mut text).unwrap();
            assert!(text == *PAGE && body.len() < PAGE.len() / 3);
        } else {
            assert!(body == PAGE.as_bytes());
        }
    }
}

#[test]
fn known_tag_is_answered_without_a_body() {
    let tag = get(&[]).headers()[header::ETAG].to_str().unwrap().to_owned();
    let compressed = get(&[("accept-encoding", "gzip")]).headers()[header::ETAG].clone();
    assert_ne!(tag.as_str(), compressed);
    let weak = format!("\"other\", W/{tag}");
    for known in [tag.as_str(), &weak, "*"] {
        assert_eq!(get(&[("if-none-match", known)]).status(), 304, "{known}");
    }
    assert_eq!(get(&[("if-none-match", compressed.to_str().unwrap())]).status(), 200);
}

#[test]
fn page_is_in_no_frame_and_runs_its_own_scripts_only() {
    let response = get(&[]);
    let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
    assert!(policy.contains("frame-ancestors 'none'") && policy.contains("script-src 'sha256-"));
    assert!(!policy.contains("eval") && policy.matches("unsafe").count() == 1, "{policy}");
}
