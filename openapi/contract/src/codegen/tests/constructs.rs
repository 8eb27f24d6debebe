//! What the client makes of each construct: `tests/codegen/constructs.txt` has documents of one
//! operation, each with its call or with the reasons why it is rejected. A document of all accepted
//! ones is compiled in `openapi/client/tests/constructs`.

use std::{env, fs, path::Path};

use super::{data, document, folder, squeezed};
use crate::codegen::{Config, checked, client, coverage, name_collisions, server};

const MEND: &str = "where this is right: WRITE_EXPECTED=1 cargo test --workspace --lib codegen";

fn config() -> Config {
    let text = "command = 'WRITE_EXPECTED=1 cargo test --workspace --lib codegen'\ndocument = \
                'constructs.yaml'\nclient.file = 'generated.rs'";
    Config::parse(text).unwrap()
}

/// The document of a row: `METHOD PATH`, its operation, and components after `schemas:`.
fn of_row(row: &str) -> String {
    let (target, rest) = row.split_once('\n').unwrap();
    let (method, path) = target.split_once(' ').unwrap();
    let (operation, schemas) = rest.split_once("schemas:\n").unwrap_or((rest, ""));
    let done = "responses: { '204': { description: Done. } }\n";
    let responses = if operation.contains("responses:") { "" } else { done };
    let id = if operation.contains("operationId:") { "" } else { "operationId: getT\n" };
    let operation: String =
        [id, operation, responses].concat().lines().map(|it| format!("      {it}\n")).collect();
    let schemas: String = schemas.lines().map(|it| format!("    {it}\n")).collect();
    format!(
        "openapi: 3.0.3\ninfo: {{ title: T, version: '1' }}\npaths:\n  {path}:\n    {}:\n\
         {operation}components:\n  schemas:\n    Job: {{ type: object, properties: {{ a: {{ type: \
         string }} }} }}\n{schemas}",
        method.to_lowercase()
    )
}

/// The method of the client and what its call returns, or the diagnostics.
fn made(row: &str) -> String {
    let (document, config) = (document(&of_row(row)), config());
    let model = match checked(&document, &[], &config) {
        Ok(model) => model,
        Err(found) => {
            let is_in_operation = found.iter().any(|it| it.pointer.starts_with("/paths"));
            let counted = coverage(&document, &config).map_or(0, |it| it.generated.len());
            assert!(counted == 0 || !is_in_operation, "{row}");
            return found.iter().map(|it| format!("> {it}\n")).collect();
        }
    };
    assert_eq!(name_collisions(&document, &config), [], "{row}");
    let text = client::generate(&model, &document, config.client.as_ref().unwrap()).unwrap();
    let between = |from: &str, to: &str| {
        let part = text.split(from).nth(1).and_then(|it| it.split(to).next()).unwrap_or_default();
        part.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let method = between("impl Client {", " -> builder::");
    let method = method
        .rsplit_once("pub fn ")
        .map_or("", |(_, it)| it)
        .replace(", Error: std::fmt::Display", "");
    let returned = between("openapi_client::Response<", ">, openapi_client::Error>");
    format!("> {method} -> {returned}\n").replace("crate::types::", "").replace("impl TryInto", "")
}

#[test]
fn each_construct_has_a_call_or_a_place_and_a_fix() {
    let file = data("constructs.txt");
    let rows = file.split("\n\n").map(|row| {
        let plain: Vec<&str> = row.lines().filter(|line| !line.starts_with('>')).collect();
        let row = plain.join("\n") + "\n";
        format!("{row}{}", made(&row))
    });
    let found: String = rows.collect::<Vec<_>>().join("\n");
    if env::var_os("WRITE_EXPECTED").is_some() {
        fs::write(folder().join("constructs.txt"), &found).unwrap();
    }
    assert!(found == file, "{}\n{MEND}", super::rejected::difference(&file, &found));
}

#[test]
fn client_of_all_constructs_is_the_compiled_one() {
    let client_tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/tests/constructs");
    let read = |name: &str| fs::read_to_string(client_tests.join(name)).unwrap();
    let config = Config { server: None, ..config() };
    let document = document(&read("constructs.yaml"));
    let model = checked(&document, &[], &config).unwrap();
    let found = client::generate(&model, &document, config.client.as_ref().unwrap()).unwrap();
    if env::var_os("WRITE_EXPECTED").is_some() {
        fs::write(client_tests.join("generated.rs"), &found).unwrap();
    }
    let file = read("generated.rs");
    assert!(found == file, "{}\n{MEND}", super::rejected::difference(&file, &found));
}

#[test]
fn configuration_resolves_names_that_are_the_same() {
    let text = of_row(
        "GET /t\nschemas:\nFoo: { type: object, properties: { barBaz: { enum: [a] } } }\nFooBar: { \
         type: object, properties: { baz: { enum: [b] } } }",
    );
    let mut config = config();
    assert_eq!(name_collisions(&document(&text), &config).len(), 1);
    let pointer = "/components/schemas/FooBar/properties/baz".to_owned();
    config.names.insert(pointer, "FooBarOtherBaz".to_owned());
    let model = checked(&document(&text), &[], &config).unwrap();
    assert!(model.schemas.iter().any(|schema| schema.name == "FooBarOtherBaz"));
}

/// The types in place of a document whose components are in another order are the same.
#[test]
fn order_of_components_changes_no_name() {
    let of = |schemas: [&str; 2]| {
        let schemas = schemas.map(|it| format!("    {it}\n")).concat();
        let text = of_row(&format!("GET /t\nschemas:\n{}", schemas.replace("    ", "")));
        let model = checked(&document(&text), &[], &config()).unwrap();
        let mut names: Vec<_> = model.schemas.into_iter().map(|it| it.name).collect();
        names.sort();
        names
    };
    let foo = "Foo: { type: object, properties: { bar: { enum: [a] }, baz: { enum: [c] } } }";
    let other = "FooBaz2: { type: object, properties: { baz: { enum: [b] } } }";
    assert_eq!(of([foo, other]), of([other, foo]));
    assert!(of([foo, other]).contains(&"FooBaz".to_owned()), "{:?}", of([foo, other]));
}

/// Objects that contain equal schemas are equal, too; a component shares its type with nobody.
#[test]
fn equal_schemas_in_place_are_one_type_with_the_name_of_each_place() {
    let pet = "pet: { type: object, properties: { kind: { enum: [cat, dog] } } }";
    let text = of_row(&format!(
        "GET /t\nschemas:\nOwner: {{ type: object, properties: {{ {pet} }} }}\nOwnerInput: {{ \
         type: object, properties: {{ {pet} }} }}\nKind: {{ enum: [cat, dog] }}"
    ));
    let model = checked(&document(&text), &[], &config()).unwrap();
    let same = model
        .schemas
        .iter()
        .filter_map(|schema| Some((schema.name.as_str(), schema.same_as.as_deref()?)));
    let same: Vec<_> = same.collect();
    assert_eq!(same, [("OwnerInputPetKind", "OwnerPetKind"), ("OwnerInputPet", "OwnerPet")]);
    let types = server::generate(&model).unwrap();
    assert!(squeezed(&types, "types.rs").contains("pubtypeOwnerInputPet=OwnerPet;"));
}

/// A component has the name of the configuration wherever it is used.
#[test]
fn configuration_names_components() {
    let loan = "content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }";
    let text = of_row(&format!(
        "POST /t\nrequestBody: {{ required: true, {loan} }}\nresponses: {{ '200': {{ description: \
         Done., {loan} }} }}\nschemas:\nLoan: {{ type: object, properties: {{ id: {{ type: string, \
         readOnly: true }}, next: {{ allOf: [{{ $ref: '#/components/schemas/LoanRequest' }}], \
         deprecated: true }} }} }}\nLoanRequest: {{ type: object, properties: {{ a: {{ enum: \
         [b] }} }} }}"
    ));
    let mut config = config();
    assert_eq!(checked(&document(&text), &[], &config).unwrap_err().len(), 1);
    let pointer = "/components/schemas/LoanRequest".to_owned();
    config.names.insert(pointer, "LoanOrder".to_owned());
    let model = checked(&document(&text), &[], &config).unwrap();
    let names: Vec<_> = model.schemas.iter().map(|schema| schema.name.as_str()).collect();
    for name in ["Loan", "LoanRequest", "LoanOrder", "LoanOrderA"] {
        assert!(names.contains(&name), "{names:?}");
    }
}

#[test]
fn error_with_a_configured_name_has_a_type_in_the_client() {
    let text = of_row(
        "GET /t\nresponses: { '204': { description: Done. }, '404': { description: None., content: \
         { application/json: { schema: { $ref: '#/components/schemas/Failure' } } } } }\nschemas:\n\
         Failure: { type: object, properties: { why: { type: string } } }",
    );
    let mut config = config();
    let pointer = "/components/schemas/Failure".to_owned();
    config.names.insert(pointer, "Refusal".to_owned());
    let document = document(&text);
    let model = checked(&document, &[], &config).unwrap();
    let text = client::generate(&model, &document, config.client.as_ref().unwrap()).unwrap();
    assert!(text.contains("pub struct Refusal {"), "{text}");
}
