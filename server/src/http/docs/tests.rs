use super::*;

#[path = "../../../tests/shared/browser.rs"]
mod browser;

/// Clicks the buttons of each element of `WANTED` until it shows all its texts, and then replaces
/// the page by what the elements show. The viewer needs a moment after each click.
const CLICKS: &str = r##"
(async () => {
  const shown = [];
  for (const { element, button, texts } of WANTED) {
    const text = () => document.querySelector(element)?.innerText.replace(/\s+/g, " ") ?? "";
    const isComplete = () => texts.every((wanted) => text().includes(wanted));
    for (let turn = 0; turn < 100 && !isComplete(); turn++) {
      document.querySelectorAll(`${element} ${button}`).forEach((found) => found.click());
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    shown.push(text());
  }
  const result = document.createElement("pre");
  result.id = "shown";
  result.textContent = JSON.stringify(shown);
  document.body.replaceChildren(result);
})();
"##;

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
    let Some(elements) = browser::elements(&format!("{}<script>{clicks}</script>", *PAGE)) else {
        return;
    };
    let (_, result) = elements.split_once("<pre id=\"shown\">").expect("the script ran");
    let (shown, _) = result.split_once("</pre>").unwrap();
    let shown: Vec<String> = serde_json::from_str(shown).unwrap();
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

#[test]
fn json_and_yaml_are_equal() {
    let json: serde_json::Value = serde_json::from_str(&JSON_TEXT).unwrap();
    let yaml = openapi_document::Document::parse("api.yaml", DOCUMENT).unwrap();
    assert_eq!(&json, yaml.value());
}
