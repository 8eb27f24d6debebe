//! Null by every spelling: the validator, `breaking` and the reader of the generated server agree.

use openapi_codegen::Config;
use openapi_contract::breaking::changes;
use openapi_document::{Direction, Document};
use serde_json::{Value, json};

const TEXTS_OF_3_0: [&str; 15] = [
    "{ type: string }",
    "{ type: string, nullable: true }",
    "{ $ref: '#/components/schemas/Text' }",
    "{ $ref: '#/components/schemas/NullableText' }",
    "{ $ref: '#/components/schemas/Again' }",
    "{ description: It., allOf: [{ $ref: '#/components/schemas/NullableText' }] }",
    "{ nullable: true, allOf: [{ $ref: '#/components/schemas/Text' }] }",
    "{ type: string, nullable: true, allOf: [{ $ref: '#/components/schemas/Text' }] }",
    "{ type: string, allOf: [{ $ref: '#/components/schemas/NullableText' }] }",
    "{ anyOf: [{ $ref: '#/components/schemas/Text' }, { enum: [null] }] }",
    "{ oneOf: [{ type: object, nullable: true, enum: [null] }, { type: string }] }",
    "{ oneOf: [{ $ref: '#/components/schemas/NullableText' }, { enum: [null] }] }",
    "{ type: string, nullable: true, enum: [x] }",
    "{ type: string, nullable: true, enum: [x, null] }",
    "{ enum: [x, null] }",
];

const TEXTS_OF_3_1: [&str; 10] = [
    "{ type: string }",
    "{ type: string, nullable: true }",
    "{ type: [string, 'null'] }",
    "{ type: [string, 'null'], enum: [x] }",
    "{ type: ['null', string], enum: [x, null] }",
    "{ $ref: '#/components/schemas/Again' }",
    "{ anyOf: [{ $ref: '#/components/schemas/Text' }, { type: 'null' }] }",
    "{ oneOf: [{ const: null }, { $ref: '#/components/schemas/Text' }] }",
    "{ oneOf: [{ $ref: '#/components/schemas/NullableText' }, { type: 'null' }] }",
    "{ $ref: '#/components/schemas/Text', type: [string, 'null'] }",
];

const OBJECTS_OF_3_0: [&str; 6] = [
    "{ $ref: '#/components/schemas/Cat' }",
    "{ $ref: '#/components/schemas/NullableCat' }",
    "{ type: object, nullable: true, allOf: [{ $ref: '#/components/schemas/Cat' }] }",
    "{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { enum: [null] }] }",
    "{ anyOf: [{ $ref: '#/components/schemas/NullableCat' }] }",
    "{ type: object, anyOf: [{ $ref: '#/components/schemas/Cat' }, { enum: [null] }] }",
];

const UNIONS_OF_3_0: [&str; 5] = [
    "{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Text' }] }",
    "{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Text' }, { \
     enum: [null] }] }",
    "{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { type: string, nullable: true }] }",
    "{ oneOf: [{ $ref: '#/components/schemas/NullableCat' }, { type: string, nullable: true }] }",
    "{ oneOf: [{ $ref: '#/components/schemas/NullableCat' }, { $ref: \
     '#/components/schemas/Text' }] }",
];

const UNIONS_OF_3_1: [&str; 3] = [
    "{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Text' }] }",
    "{ oneOf: [{ type: 'null' }, { $ref: '#/components/schemas/Cat' }, { $ref: \
     '#/components/schemas/Text' }] }",
    "{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { type: [string, 'null'] }] }",
];

/// A document whose request and response have the property `a`.
struct Spelling {
    schema: String,
    document: Document,
    /// The verdict of the validator.
    admits_null: bool,
}

impl Spelling {
    fn new(version: &str, schema: &str) -> Self {
        let document = document(version, &format!("a: {schema}"));
        let validator = document.validator("/components/schemas/It", Direction::Either).unwrap();
        let admits_null = validator.is_valid(&json!({ "a": Value::Null }));
        Self { schema: format!("{version} {schema}"), document, admits_null }
    }

    fn all(of_3_0: &[&str], of_3_1: &[&str]) -> Vec<Self> {
        let of = |version: &'static str, schemas: &[&str]| -> Vec<Self> {
            schemas.iter().map(|schema| Self::new(version, schema)).collect()
        };
        [of("3.0.3", of_3_0), of("3.1.0", of_3_1)].into_iter().flatten().collect()
    }
}

/// A document whose request and response have these properties.
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
    agree(&Spelling::all(&TEXTS_OF_3_0, &TEXTS_OF_3_1));
    agree(&Spelling::all(&OBJECTS_OF_3_0, &[]));
    agree(&Spelling::all(&UNIONS_OF_3_0, &UNIONS_OF_3_1));
}

#[test]
fn generated_server_reads_null_where_the_validator_accepts_it() {
    let of_3_0 = [&TEXTS_OF_3_0[..], &OBJECTS_OF_3_0, &UNIONS_OF_3_0].concat();
    let of_3_1 = [&TEXTS_OF_3_1[..], &UNIONS_OF_3_1].concat();
    for (version, schemas) in [("3.0.3", of_3_0), ("3.1.0", of_3_1)] {
        let named = schemas.iter().enumerate();
        let named = named.map(|(index, schema)| (format!("p{index}"), *schema));
        let properties = named.clone().map(|(name, schema)| format!("{name}: {schema}"));
        let document = document(version, &properties.collect::<Vec<_>>().join(", "));
        let config = Config::parse("").unwrap();
        let files = openapi_codegen::generate(&document, &[], &config).unwrap();
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

/// One change is told once: the rule of types says that any value is valid, null among them.
#[test]
fn null_of_any_value_is_no_change_of_its_own() {
    let spellings = Spelling::all(&["{}", "{ type: string }"], &[]);
    for (old, new, rule) in [(0, 1, "-type-narrowed"), (1, 0, "-type-widened")] {
        let found = changes(&spellings[old].document, &spellings[new].document);
        assert!(
            !found.is_empty() && found.iter().all(|change| change.rule.ends_with(rule)),
            "{found:?}"
        );
    }
}

/// The union says that null became valid; its alternatives correspond in spite of it.
#[test]
fn alternatives_that_may_be_null_are_the_same_alternatives() {
    let union = |cat: &str, text: &str| {
        let schemas = [cat, text].map(|name| format!("{{ $ref: '#/components/schemas/{name}' }}"));
        Spelling::new("3.0.3", &format!("{{ anyOf: [{}] }}", schemas.join(", ")))
    };
    let (old, new) = (union("Cat", "Text"), union("NullableCat", "NullableText"));
    let found = changes(&old.document, &new.document);
    assert!(!found.is_empty());
    assert!(found.iter().all(|change| change.rule.ends_with("-became-nullable")), "{found:?}");
}

/// A change that only spells null in another way is no change.
#[test]
fn respelling_null_is_no_change() {
    for (old, new) in [
        ("{ type: string, nullable: true }", "{ $ref: '#/components/schemas/Again' }"),
        (
            "{ $ref: '#/components/schemas/NullableText' }",
            "{ anyOf: [{ $ref: '#/components/schemas/Text' }, { enum: [null] }] }",
        ),
        (
            "{ $ref: '#/components/schemas/Text' }",
            "{ nullable: true, allOf: [{ $ref: '#/components/schemas/Text' }] }",
        ),
        (
            "{ oneOf: [{ $ref: '#/components/schemas/Text' }, { enum: [null] }] }",
            "{ oneOf: [{ type: object, nullable: true, enum: [null] }, { type: string }] }",
        ),
    ] {
        let [old, new] = [old, new].map(|schema| Spelling::new("3.0.3", schema));
        let found = changes(&old.document, &new.document);
        assert!(found.is_empty(), "{} -> {}: {found:?}", old.schema, new.schema);
    }
}
