//! Which form a value names: the document, the validator, lint, `breaking` and the generated server
//! read a discriminator alike.

use openapi_contract::{breaking::changes, codegen, lint};
use openapi_document::{Direction, Document};
use serde_json::json;

/// A document whose request and response are a union of `Card` and `Bank`.
fn document(union: &str, card: &str) -> Document {
    let body = "content: { application/json: { schema: { $ref: '#/components/schemas/It' } } }";
    let kind = "type: object, required: [kind], properties: { kind:";
    let text = format!(
        "openapi: 3.0.3
info: {{ title: T, version: '1' }}
paths:
  /things:
    post:
      operationId: createThing
      requestBody: {{ required: true, {body} }}
      responses: {{ '200': {{ description: Done., {body} }} }}
components:
  schemas:
    It: {{ {union} }}
    Card: {{ {kind} {card} }} }}
    Bank: {{ {kind} {{ type: string }} }} }}
"
    );
    Document::parse("api.yaml", &text).unwrap_or_else(|error| panic!("{union}: {error}"))
}

const FORMS: &str =
    "[{ $ref: '#/components/schemas/Card' }, { $ref: '#/components/schemas/Bank' }]";

fn generated(document: &Document) -> Result<String, String> {
    let config = codegen::Config::parse("").unwrap();
    let files = codegen::generate(document, &[], &config).map_err(|error| error.to_string())?;
    let types = files.into_iter().find(|file| file.path.ends_with("types.rs")).unwrap();
    Ok(types.text.split_whitespace().collect())
}

fn faults(document: &Document) -> Vec<String> {
    let config = codegen::Config::parse("").unwrap();
    let findings = lint::lint(document, &config, &lint::Severities::default()).into_iter();
    let findings = findings.filter(|finding| finding.rule == "discriminator");
    findings.map(|it| format!("{}:{}: {}", it.line, it.column, it.problem)).collect()
}

#[test]
fn every_name_of_a_form_is_read_by_all() {
    for (mapping, card, names) in [
        ("", "{ type: string }", ["Card", "Bank"]),
        ("", "{ type: string, enum: [card, credit] }", ["card|credit", "Bank"]),
        ("", "{ type: string, enum: [Card, Bank] }", ["Card", "Bank"]),
        (", mapping: { card: Card }", "{ type: string }", ["card", "Bank"]),
        (", mapping: { Card: Card, card: Card, b: Bank }", "{ type: string }", ["Card|card", "b"]),
        (", mapping: { c: '#/components/schemas/Card' }", "{ type: string }", ["c", "Bank"]),
    ] {
        for keyword in ["oneOf", "anyOf"] {
            let union =
                format!("{keyword}: {FORMS}, discriminator: {{ propertyName: kind{mapping} }}");
            let it = document(&union, card);
            assert_eq!(faults(&it), [] as [&str; 0], "{union}");
            let validator = it.validator("/components/schemas/It", Direction::Either).unwrap();
            let known: Vec<&str> = names.iter().flat_map(|all| all.split('|')).collect();
            for name in ["Card", "card", "credit", "c", "Bank", "b", "other"] {
                let is_known = known.contains(&name);
                assert_eq!(
                    validator.is_valid(&json!({ "kind": name })),
                    is_known,
                    "{union} {name}"
                );
            }
            let values = names.map(|all| format!("\"{}\"", all.replace('|', "\"|\"")));
            let expected = format!("union!(It,\"kind\",Card={},Bank={});", values[0], values[1]);
            assert!(generated(&it).unwrap().contains(&expected), "{union}: {expected}");
            let mut written =
                format!("oneOf: {FORMS}, discriminator: {{ propertyName: kind, mapping: {{");
            for (form, names) in ["Card", "Bank"].iter().zip(names) {
                names.split('|').for_each(|name| written += &format!(" {name}: {form},"));
            }
            let spelled_out = document(&(written + " } }"), card);
            assert_eq!(changes(&it, &spelled_out).len(), 0, "{union}");
        }
    }
}

#[test]
fn contradictions_are_findings_and_are_not_generated() {
    for (forms, mapping, card, fault) in [
        (
            FORMS,
            "{ Bank: Nowhere }",
            "{}",
            "`Bank` is mapped to `Nowhere`, which is no schema here",
        ),
        (
            FORMS,
            "{ Card: Card.yaml }",
            "{}",
            "`Card` is mapped to `Card.yaml`, which is no schema here",
        ),
        (FORMS, "{ it: It }", "{}", "`it` is mapped to `It`, which is none of the alternatives"),
        (FORMS, "{ Bank: Card }", "{}", "`kind: Bank` names two forms"),
        (
            FORMS,
            "{ c: Card }",
            "{ enum: [d] }",
            "`kind: c` names this form, whose `enum` excludes it",
        ),
        (
            "[{ $ref: '#/components/schemas/Card' }, { type: object, required: [kind] }]",
            "{}",
            "{}",
            "no value of `kind` names this form",
        ),
        (
            "[{ $ref: '#/components/schemas/Card' }, { properties: { kind: { enum: [x] } } }]",
            "{}",
            "{}",
            "no value of `kind` names this form",
        ),
    ] {
        let union =
            format!("oneOf: {forms}, discriminator: {{ propertyName: kind, mapping: {mapping} }}");
        let it = document(&union, card);
        let found = faults(&it);
        assert!(found.len() == 1 && found[0].ends_with(fault), "{union}: {found:?}");
        let rejected = generated(&it).unwrap_err();
        assert!(rejected.contains(fault), "{union}: {rejected}");
    }
}
