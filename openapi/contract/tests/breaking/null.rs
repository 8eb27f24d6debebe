//! Null by every spelling: the validator, `breaking` and the reader of the generated server agree.

use openapi_contract::breaking::changes;
use openapi_contract::codegen::Config;
use openapi_document::{Direction, Document};
use serde_json::{Value, json};

/// A document whose request and response have the property `a`.
struct Spelling {
    schema: String,
    document: Document,
    /// True if the validator accepts null.
    admits_null: bool,
}

impl Spelling {
    fn new(version: &str, schema: &str) -> Self {
        let document = document(version, &format!("a: {schema}"));
        let validator = document.validator("/components/schemas/It", Direction::Either).unwrap();
        let admits_null = validator.is_valid(&json!({ "a": Value::Null }));
        Self { schema: format!("{version} {schema}"), document, admits_null }
    }

    /// Reads the spellings of a group in `null.txt`.
    fn all(group: &str) -> Vec<Self> {
        let rows = rows().filter(|(one, ..)| *one == group);
        rows.map(|(_, version, schema)| Self::new(version, schema)).collect()
    }
}

/// Returns group, version and schema of each line of `null.txt`.
fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let lines = include_str!("null.txt").lines().skip(1);
    lines.map(|line| {
        let (group, rest) = line.split_once(" | ").unwrap();
        let (version, schema) = rest.split_once(" | ").unwrap();
        (group, version, schema)
    })
}

/// Makes a document whose request and response have these properties.
fn document(version: &str, properties: &str) -> Document {
    let nullable = |name: &str| match version {
        "3.1.0" => format!("type: [{name}, 'null']"),
        _ => format!("type: {name}, nullable: true"),
    };
    let (text, cat) = (nullable("string"), nullable("object"));
    let body = "content: { application/json: { schema: { $ref: '#/components/schemas/It' } } }";
    let text = format!(
        "openapi: {version}
info: {{ title: T, version: '1' }}
paths:
  /things:
    post:
      operationId: createThing
      requestBody: {{ required: true, {body} }}
      responses: {{ '200': {{ description: Done., {body} }} }}
components:
  schemas:
    Text: {{ type: string }}
    NullableText: {{ {text} }}
    Again: {{ $ref: '#/components/schemas/NullableText' }}
    Cat: {{ type: object, required: [purrs], properties: {{ purrs: {{ type: boolean }} }} }}
    NullableCat: {{ {cat}, required: [purrs], properties: {{ purrs: {{ type: boolean }} }} }}
    It: {{ type: object, properties: {{ {properties} }} }}
"
    );
    Document::parse("api.yaml", &text).unwrap_or_else(|error| panic!("{properties}: {error}"))
}

/// Both null rules must fire exactly where the validator changes its verdict.
#[track_caller]
fn agree(spellings: &[Spelling]) {
    for old in spellings {
        for new in spellings {
            let found = changes(&old.document, &new.document);
            for (rule, from, to) in
                [("-became-nullable", false, true), ("-became-not-nullable", true, false)]
            {
                let is_found = found.iter().any(|change| change.rule.ends_with(rule));
                let is_it = (old.admits_null, new.admits_null) == (from, to);
                assert_eq!(is_found, is_it, "{rule}: {} -> {}", old.schema, new.schema);
            }
        }
    }
    assert!(spellings.iter().any(|spelling| spelling.admits_null));
    assert!(spellings.iter().any(|spelling| !spelling.admits_null));
}

#[test]
fn breaking_judges_null_as_the_validator_does() {
    for group in ["text", "object", "union"] {
        agree(&Spelling::all(group));
    }
}

#[test]
fn generated_server_reads_null_where_the_validator_accepts_it() {
    for version in ["3.0.3", "3.1.0"] {
        let schemas = rows().filter(|(_, one, _)| *one == version).enumerate();
        let named: Vec<(String, &str)> =
            schemas.map(|(index, (.., schema))| (format!("p{index}"), schema)).collect();
        let properties = named.iter().map(|(name, schema)| format!("{name}: {schema}"));
        let document = document(version, &properties.collect::<Vec<_>>().join(", "));
        let config = Config::parse("").unwrap();
        let files = openapi_contract::codegen::generate(&document, &[], &config).unwrap();
        let decode = files.iter().find(|file| file.path.ends_with("decode.rs")).unwrap();
        for (name, schema) in named {
            let (before, _) = decode.text.split_once(&format!("(\"{name}\")")).unwrap();
            let (_, method) = before.rsplit_once("fields.").unwrap();
            let expected = if Spelling::new(version, schema).admits_null {
                "nullable::<"
            } else {
                "optional::<"
            };
            assert!(method.starts_with(expected), "{version} {schema}: {method}");
        }
    }
}
