use super::*;

#[path = "../../../tests/shared/browser.rs"]
mod browser;

/// Unfolds each element of `WANTED` as a person would, until it has all its words, and writes the
/// texts of the elements to the body. What the viewer unfolds appears a moment later.
const PERSON: &str = r##"
(async () => {
  const texts = [];
  for (const [id, words] of WANTED) {
    const text = () => document.getElementById(id)?.innerText ?? "";
    const isComplete = () => words.every((word) => text().includes(word));
    for (let turn = 0; turn < 100 && !isComplete(); turn++) {
      document.querySelectorAll(`#${id} [aria-expanded=false]`).forEach((element) => element.click());
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    texts.push(text());
  }
  const told = document.createElement("pre");
  told.id = "told";
  told.textContent = JSON.stringify(texts);
  document.body.replaceChildren(told);
})();
"##;

/// An element of the page, and words that a reader finds in it.
type Wanted = (String, Vec<String>);

/// The first operation, with its scope.
fn scope() -> Wanted {
    let operations = JSON["paths"].as_object().unwrap().values().flat_map(|path| path.as_object());
    let operation = operations.flat_map(serde_json::Map::values).next().unwrap();
    let text = |name: &str| operation[name].as_str().unwrap();
    let id =
        format!("operations-{}-{}", operation["tags"][0].as_str().unwrap(), text("operationId"));
    (id, vec!["x-required-scope".to_owned(), format!("{:?}", text("x-required-scope"))])
}

/// The first open set, with its values.
fn open_set() -> Wanted {
    let mut schemas = JSON["components"]["schemas"].as_object().unwrap().iter();
    let values = |schema: &Value| Some(schema["x-known-values"].as_array()?.clone());
    let (name, values) = schemas.find_map(|(name, schema)| Some((name, values(schema)?))).unwrap();
    let words = values.iter().map(Value::to_string);
    (format!("model-{name}"), ["x-known-values".to_owned()].into_iter().chain(words).collect())
}

/// The error, with the schema of each code's details.
fn details() -> Wanted {
    let by_code =
        &JSON["components"]["schemas"]["ErrorObject"]["properties"]["details"]["x-by-code"];
    let words = by_code.as_object().unwrap().iter().map(|(code, shape)| {
        let name = shape["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        format!("{code:?}:{name:?}")
    });
    ("model-ErrorObject".to_owned(), words.collect())
}

#[test]
fn page_shows_scopes_open_sets_and_details_in_a_browser() {
    let wanted = [scope(), open_set(), details()];
    let person = PERSON.replacen("WANTED", &serde_json::to_string(&wanted).unwrap(), 1);
    let Some(elements) = browser::elements(&format!("{}<script>{person}</script>", *PAGE)) else {
        return;
    };
    let (_, told) = elements.split_once("<pre id=\"told\">").expect("the script ran");
    let (texts, _) = told.split_once("</pre>").unwrap();
    let texts: Vec<String> = serde_json::from_str(texts).unwrap();
    for ((id, words), text) in wanted.iter().zip(texts) {
        for word in words {
            assert!(text.contains(word), "{id} has no {word}: {text}");
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

#[test]
fn json_and_yaml_are_equal() {
    let json: serde_json::Value = serde_json::from_str(&JSON_TEXT).unwrap();
    let yaml = openapi_document::Document::parse("api.yaml", DOCUMENT).unwrap();
    assert_eq!(&json, yaml.value());
}
