//! Changes of an emitted document, each noticed with its place and sentence.

use std::{fs, path::Path};

use openapi_document::Document;
use serde_json::{Value, json};

use super::{Ledger, Report, judge};

const DOCUMENT: &str = r##"openapi: 3.0.3
info: { title: A library, version: "1" }
paths:
  /loans/{id}:
    patch:
      operationId: updateLoan
      parameters:
        - { name: id, in: path, required: true, schema: { $ref: "#/components/schemas/Id" } }
        - { name: days, in: query, schema: { type: integer, format: int32, maximum: 30 } }
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: "#/components/schemas/Loan" } } }
      responses:
        "200":
          description: The loan.
          headers: { x-rest: { schema: { type: string } } }
          content: { application/json: { schema: { $ref: "#/components/schemas/Loan" } } }
        "404": { description: No such loan. }
components:
  schemas:
    Id: { type: string, minLength: 1 }
    Loan:
      description: One loan.
      type: object
      required: [id]
      properties:
        id: { $ref: "#/components/schemas/Id" }
        state: { type: string, enum: [open, closed] }
        note:
          description: A note.
          anyOf:
            - { $ref: "#/components/schemas/Id" }
            - { enum: [null] }
        parts: { type: array, items: { $ref: "#/components/schemas/Loan" } }
"##;

const OPERATION: &str = "/paths/~1loans~1{id}/patch";
const LOAN: &str = "/components/schemas/Loan";

fn document() -> Document {
    Document::parse("api.yaml", DOCUMENT).unwrap()
}

/// Judges the document against itself after a change, by the rules of a ledger.
fn judged(ledger: &str, change: impl FnOnce(&mut Value)) -> Report {
    let document = document();
    let mut emitted = document.value().clone();
    change(&mut emitted);
    let emitted = Document::parse("emitted.json", &emitted.to_string()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("round-trip.toml");
    fs::write(&file, ledger).unwrap();
    fs::write(folder.path().join("tests.rs"), "fn id_is_checked() {}").unwrap();
    let ledger = Ledger::load(&file).unwrap();
    judge(&document, &emitted, &ledger, folder.path(), Path::new("round-trip.toml"))
}

fn findings(report: &Report) -> Vec<String> {
    let findings = report.findings.iter();
    findings.map(|finding| format!("{}: {}", finding.place, finding.message)).collect()
}

fn member<'v>(document: &'v mut Value, pointer: &str) -> &'v mut Value {
    document.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}"))
}

fn remove(document: &mut Value, pointer: &str, name: &str) {
    let removed = member(document, pointer).as_object_mut().unwrap().remove(name);
    assert!(removed.is_some(), "{pointer}/{name}");
}

#[test]
fn document_keeps_all_of_itself() {
    let report = judged("", |_| {});
    assert_eq!(findings(&report), [""; 0]);
    let total = report.total();
    assert_eq!((total.by_type, total.all()), (total.all(), total.all()));
    assert!(total.all() > 40, "{total:?}");
}

#[test]
fn another_spelling_of_the_same_is_kept() {
    let report = judged("", |emitted| {
        let title = json!("Loan");
        member(emitted, LOAN)["title"] = title;
        member(emitted, LOAN)["description"] = json!("One\nloan.");
        // The framework writes what it adds to a reference twice.
        *member(emitted, &format!("{LOAN}/properties/note")) = json!({
            "description": "A note.", "nullable": true,
            "allOf": [{ "$ref": "#/components/schemas/Id" }, { "nullable": true }],
        });
        *member(emitted, &format!("{LOAN}/properties/id")) =
            json!({ "type": "string", "minLength": 1, "deprecated": false });
        let days = member(emitted, &format!("{OPERATION}/parameters/1"));
        days["schema"]["maximum"] = json!(30.0);
        days["schema"]["minimum"] = json!(-2_147_483_648.0);
        days["explode"] = json!(true);
        days["required"] = json!(false);
        let content = member(emitted, &format!("{OPERATION}/requestBody/content"));
        let media = content["application/json"].take();
        *content = json!({ "application/json; charset=utf-8": media });
        let headers = member(emitted, &format!("{OPERATION}/responses/200/headers"));
        let header = headers["x-rest"].take();
        *headers = json!({ "X-REST": header });
    });
    assert_eq!(findings(&report), [""; 0]);
}

/// A change of the emitted document, and what it is reported as, without the words that each
/// sentence has.
#[track_caller]
fn reports(change: impl FnOnce(&mut Value), expected: &[&str]) {
    let found = findings(&judged("", change)).into_iter().map(|finding| {
        let finding = finding.trim_start_matches("api.yaml:").to_owned();
        let finding = finding.replace(" of PATCH /loans/{id}:", ":");
        let finding = finding.replace("the emitted document alone has", "added");
        let finding = finding.replace(" in the emitted document", " emitted");
        finding.replace(" is not emitted", " missing")
    });
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn lost_property_is_reported_where_requests_and_responses_have_it() {
    reports(
        |emitted| remove(emitted, &format!("{LOAN}/properties"), "state"),
        &[
            "28:9: body: body.schema.property \"state\" missing",
            "28:9: response 200: response.schema.property \"state\" missing",
            "28:18: body state: body.schema.type \"string\" missing",
            "28:18: response 200 state: response.schema.type \"string\" missing",
            "28:39: body state: body.schema.enum \"open\" missing",
            "28:39: response 200 state: response.schema.enum \"open\" missing",
            "28:45: body state: body.schema.enum \"closed\" missing",
            "28:45: response 200 state: response.schema.enum \"closed\" missing",
        ],
    );
}

#[test]
fn another_status_is_reported_on_both_sides() {
    reports(
        |emitted| {
            let responses = member(emitted, &format!("{OPERATION}/responses"));
            let response = responses.as_object_mut().unwrap().remove("404").unwrap();
            responses["410"] = response;
        },
        &[
            "13:7: PATCH /loans/{id}: added response \"410\"",
            "18:9: response 404: response \"404\" missing",
            "18:18: response 404: response.description \"No such loan.\" missing",
        ],
    );
}

#[test]
fn changed_type_is_reported_with_both() {
    reports(
        |emitted| member(emitted, "/components/schemas/Id")["type"] = json!("integer"),
        &[
            "21:11: path id: path.schema.type is \"string\", and \"integer\" emitted",
            "21:11: body id: body.schema.type is \"string\", and \"integer\" emitted \
             (used 2 times)",
            "21:11: response 200 id: response.schema.type is \"string\", and \"integer\" emitted \
             (used 2 times)",
        ],
    );
}

#[test]
fn lost_bounds_values_and_null_are_reported() {
    reports(
        |emitted| {
            remove(emitted, "/components/schemas/Id", "minLength");
            remove(emitted, &format!("{OPERATION}/parameters/1/schema"), "maximum");
            *member(emitted, &format!("{LOAN}/properties/note")) = json!({
                "description": "A note.", "allOf": [{ "$ref": "#/components/schemas/Id" }],
            });
            *member(emitted, &format!("{LOAN}/properties/state/enum")) = json!(["open", "lost"]);
        },
        &[
            "9:76: query days: query.schema.maximum 30 missing",
            "21:25: path id: path.schema.minLength 1 missing",
            "21:25: body id: body.schema.minLength 1 missing (used 2 times)",
            "21:25: response 200 id: response.schema.minLength 1 missing (used 2 times)",
            "28:32: body state: added body.schema.enum \"lost\"",
            "28:32: response 200 state: added response.schema.enum \"lost\"",
            "28:45: body state: body.schema.enum \"closed\" missing",
            "28:45: response 200 state: response.schema.enum \"closed\" missing",
            "29:9: body note: body.schema.nullable true missing",
            "29:9: response 200 note: response.schema.nullable true missing",
        ],
    );
}

#[test]
fn added_operation_parameter_and_property_are_reported() {
    reports(
        |emitted| {
            member(emitted, "/paths")["/loans"] =
                json!({ "get": { "responses": { "200": { "description": "All." } } } });
            let parameter =
                json!({ "name": "all", "in": "query", "schema": { "type": "boolean" } });
            member(emitted, &format!("{OPERATION}/parameters"))
                .as_array_mut()
                .unwrap()
                .push(parameter);
            member(emitted, &format!("{LOAN}/properties"))["extra"] = json!({ "type": "string" });
        },
        &[
            "3:1: the document: added operation \"GET /loans\"",
            "5:5: PATCH /loans/{id}: added query \"all\"",
            "22:5: body: added body.schema.property \"extra\"",
            "22:5: response 200: added response.schema.property \"extra\"",
        ],
    );
}

#[test]
fn finding_is_a_sentence_with_its_place() {
    let found = findings(&judged("", |emitted| remove(emitted, LOAN, "description")));
    let expected = "api.yaml:23:7: body of PATCH /loans/{id}: body.schema.description \
                    \"One loan.\" is not in the emitted document";
    assert_eq!(found.first().map(String::as_str), Some(expected));
}

#[test]
fn lost_operation_is_reported_with_all_of_it() {
    let report = judged("", |emitted| *member(emitted, "/paths") = json!({}));
    let total = report.total();
    assert_eq!(total.by_type, 2, "only info is left: {:?}", report.kinds);
    assert_eq!(report.findings.len(), total.open);
}

const NO_LENGTH: fn(&mut Value) = |emitted| remove(emitted, "/components/schemas/Id", "minLength");

#[test]
fn test_that_exists_proves_an_element_and_another_does_not() {
    let rule =
        |by: &str| format!("[[proved]]\nelements = [\"*.schema.minLength\"]\nby = [\"{by}\"]\n");
    let report = judged(&rule("tests.rs::id_is_checked"), NO_LENGTH);
    assert_eq!(findings(&report), [""; 0]);
    assert_eq!(report.total().by_case, 3);
    for absent in ["tests.rs::id_is_check", "other.rs::id_is_checked", "other.rs"] {
        let found = findings(&judged(&rule(absent), NO_LENGTH));
        let expected = format!(
            "round-trip.toml:1:1: there is no `{absent}`; name a test that there is, or write it"
        );
        assert!(found.contains(&expected), "{found:#?}");
        assert_eq!(found.len(), 4, "each element is open: {found:#?}");
    }
    let found = findings(&judged(&rule("{operation}.rs"), NO_LENGTH));
    assert!(found.len() > 2, "no file has the name of the operation: {found:#?}");
}

fn recorded(count: &str) -> String {
    format!(
        "[[ledger]]\nelements = [\"*.schema.minLength\"]\ncount = {count}\nreason = \"A test.\"\n"
    )
}

#[test]
fn count_of_the_ledger_is_exact() {
    assert_eq!(findings(&judged(&recorded("3"), NO_LENGTH)), [""; 0]);
    assert_eq!(
        findings(&judged(&recorded("4"), NO_LENGTH)),
        ["round-trip.toml:1:1: the ledger has 4 of *.schema.minLength, and 3 are left; lower the \
          count with `contract round-trip --update`"]
    );
    let found = findings(&judged(&recorded("2"), NO_LENGTH));
    assert_eq!(found.len(), 4, "{found:#?}");
    let last = "round-trip.toml:1:1: 3 of *.schema.minLength are not in the emitted document, and \
                the ledger allows 2; prove the others, or let the generator keep them";
    assert_eq!(found.last().map(String::as_str), Some(last));
    assert_eq!(
        findings(&judged(&recorded("3"), |_| {})),
        ["round-trip.toml:1:1: the rule of *.schema.minLength matches no element; remove it"]
    );
}

#[test]
fn rule_of_all_is_one_of_a_kind_that_is_never_kept() {
    assert_eq!(findings(&judged(&recorded("\"all\""), NO_LENGTH)), [""; 0]);
    let rule = recorded("\"all\"").replace("minLength", "enum");
    let found = findings(&judged(&rule, |emitted| {
        *member(emitted, &format!("{LOAN}/properties/state/enum")) = json!(["open"]);
    }));
    let place = "api.yaml:28:45: body state of PATCH /loans/{id}: body.schema.enum \"closed\" ";
    assert!(found[0].starts_with(place), "{found:#?}");
    assert_eq!(
        found[2..],
        ["round-trip.toml:1:1: the rule is of all *.schema.enum, and the emitted document has 1 \
          body.schema.enum; give the others a rule with their count, or let the generator keep \
          them"]
    );
}

#[test]
fn rule_that_proves_nothing_is_a_finding() {
    let rule = "[[proved]]\nelements = [\"body.schema.default\"]\nby = [\"tests.rs\"]\n";
    assert_eq!(
        findings(&judged(rule, |_| {})),
        ["round-trip.toml:1:1: the rule of body.schema.default proves nothing; remove it"]
    );
}
