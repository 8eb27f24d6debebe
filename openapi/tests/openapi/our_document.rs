//! Our own document follows its conventions. `contract lint` checks the rest, such as examples.

use std::path::Path;

use openapi_document::{Document, MediaType, Response};

fn our_document() -> Document {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("api.yaml");
    Document::load(&file).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns every response of every operation, and those to paths without an operation.
fn responses(document: &Document) -> impl Iterator<Item = &Response> {
    let of_operations = document.operations().iter().flat_map(|operation| &operation.responses);
    of_operations.chain(document.unrouted_responses())
}

#[test]
fn every_schema_has_an_example() {
    let document = our_document();
    let schemas = document.value()["components"]["schemas"].as_object().unwrap();
    assert!(!schemas.is_empty());
    for name in schemas.keys() {
        let pointer = format!("/components/schemas/{name}");
        let has_example = document.resolve(&pointer).unwrap().value.get("example").is_some();
        assert!(has_example, "{}: {name} has no example", document.place(&pointer));
    }
}

#[test]
fn every_request_and_response_has_an_example() {
    let document = our_document();
    let bodies = document.operations().iter().filter_map(|operation| operation.body.as_ref());
    let requests = bodies.flat_map(|body| &body.content);
    let answers = responses(&document).flat_map(|response| &response.content);
    for MediaType { examples, pointer, .. } in requests.chain(answers) {
        assert!(!examples.is_empty(), "{}: {pointer} has no example", document.place(pointer));
    }
}

#[test]
fn every_error_has_the_one_shape_and_an_example_of_each_of_its_codes() {
    let document = our_document();
    let errors: Vec<&Response> =
        responses(&document).filter(|response| response.status.is_error()).collect();
    assert!(!errors.is_empty());
    for response in errors {
        let place = document.place(&response.pointer);
        let [body] = response.content.as_slice() else {
            panic!("{place}: an error has one media type");
        };
        let schema = body.schema_pointer.as_ref().unwrap();
        let schema = document.resolve(schema).unwrap().pointer;
        assert_eq!(schema, "/components/schemas/Error", "{place}");
        assert!(!response.error_codes.is_empty(), "{place}: no x-error-codes");
        let mut shown: Vec<&str> = body
            .examples
            .iter()
            .map(|example| example.value["error"]["code"].as_str().unwrap())
            .collect();
        let mut listed: Vec<&str> = response.error_codes.iter().map(String::as_str).collect();
        shown.sort_unstable();
        shown.dedup();
        listed.sort_unstable();
        assert_eq!(shown, listed, "{place}: the codes shown are the codes listed");
    }
}

/// V4. The crate says that VED has replaced VES; ISO 4217 lists both.
#[test]
fn currencies_of_requests_are_the_current_codes_of_iso_4217() {
    use iso_currency::{Currency, IntoEnumIterator};

    let document = our_document();
    let schema = &document.value()["components"]["schemas"]["CurrencyCode"];
    let pattern = schema["pattern"].as_str().unwrap();
    let codes = pattern.strip_prefix("^(").and_then(|rest| rest.strip_suffix(")$")).unwrap();
    let documented: Vec<&str> = codes.split('|').collect();
    let is_current = |currency: &Currency| {
        (currency.is_superseded().is_none() || *currency == Currency::VES)
            && !["XXX", "XTS"].contains(&currency.code())
    };
    let current = Currency::iter().filter(is_current);
    let mut current: Vec<&str> = current.map(|currency| currency.code()).collect();
    current.sort_unstable();
    assert_eq!(documented, current);
}

/// V13: a viewer may hide extensions.
#[test]
fn descriptions_name_the_known_values_of_open_sets_and_the_codes_with_details() {
    let document = our_document();
    let schemas = document.value()["components"]["schemas"].as_object().unwrap();
    let mut open_sets = 0;
    let mut requires = |schema: &serde_json::Value, word: &str| {
        let description = schema["description"].as_str().unwrap();
        assert!(description.contains(&format!("`{word}`")), "{word} is not in: {description}");
        open_sets += 1;
    };
    for schema in schemas.values() {
        for value in schema["x-known-values"].as_array().into_iter().flatten() {
            requires(schema, value.as_str().unwrap());
        }
    }
    let details = &schemas["ErrorObject"]["properties"]["details"];
    details["x-by-code"].as_object().unwrap().keys().for_each(|code| requires(details, code));
    assert!(open_sets > 30);
}

#[test]
fn every_member_and_every_schema_has_a_description() {
    let document = our_document();
    let mut missing = Vec::new();
    for (name, schema) in document.value()["components"]["schemas"].as_object().unwrap() {
        let members = schema["properties"].as_object().into_iter().flatten();
        let members = members.filter(|(_, member)| member.get("$ref").is_none());
        let all = members.map(|(member, schema)| (format!("{name}.{member}"), schema));
        let all = all.chain([(name.clone(), schema)]);
        missing.extend(all.filter(|(_, it)| it["description"].is_null()).map(|(name, _)| name));
    }
    assert!(missing.is_empty(), "without a description: {missing:?}");
}
