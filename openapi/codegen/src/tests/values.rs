//! Schemas of documents of others: each as a type that reads and writes its values alone.

use super::{
    file_of, holds_in,
    subset::{REFERENCE, left_out, library},
};

/// The file `types.rs` for a body with these properties.
fn types(properties: &str) -> String {
    file_of(
        &library(&format!("{{ type: object, properties: {{ {properties} }} }}"), ""),
        "types.rs",
    )
}

#[track_caller]
fn holds(properties: &str, expected: &[&str]) {
    let text = types(properties);
    for expected in expected {
        assert!(text.contains(expected), "no {expected} in {text}");
    }
}

#[test]
fn value_sets_of_numbers_keep_their_values() {
    holds(
        "a: { type: integer, enum: [1, 2] }, b: { enum: [0.5, 1] }, c: { type: boolean, enum: \
         [true] }, d: { type: boolean, enum: [true, false] }",
        &[
            "\"int64\"; one_of(& [1, 2]) );",
            "Number::ANY.one_of(&[0.5, 1.0])",
            "constant!(CreateLoanRequestC, true);",
            "pub d: Option<bool>,",
        ],
    );
}

#[test]
fn multiples_are_rules_of_numbers() {
    holds(
        "a: { type: integer, multipleOf: 5 }, b: { type: number, multipleOf: 0.1 }",
        &["multiple_of(5)", "Number::ANY.multiple_of(0.1)"],
    );
}

#[test]
fn defaults_of_single_values_are_values() {
    holds(
        "a: { type: integer, default: 3 }, b: { type: string, default: x }, c: { type: number, \
         default: 2 }, d: { type: integer, minimum: 1, default: 4 }, e: { type: string, nullable: \
         true, default: x }",
        &[
            "pub a: i64,",
            "fn default_a() -> i64 { 3 }",
            "fn default_b() -> String { \"x\".to_owned() }",
            "fn default_c() -> f64 { 2.0 }",
            "fn default_d() -> CreateLoanRequestD { CreateLoanRequestD::new(4) }",
            "/// Where it is absent: `\"x\"`. #[serde(skip_serializing_if = \
             \"MaybeUndefined::is_undefined\")] pub e: MaybeUndefined<String>,",
        ],
    );
}

#[test]
fn null_is_kept_in_lists_and_maps() {
    holds(
        "a: { type: array, items: { type: string, nullable: true } }, b: { type: object, \
         additionalProperties: { type: integer, nullable: true } }",
        &[
            "pub a: Option<Vec<openapi_runtime::Nullable<String>>>,",
            "named_map!(CreateLoanRequestB, openapi_runtime::Nullable<i64>);",
        ],
    );
}

#[test]
fn object_has_values_beside_its_fields() {
    let loan = "    Loan: { type: object, required: [a], properties: { a: { type: integer } }, \
                additionalProperties: { type: string } }\n";
    let text = library(REFERENCE, loan);
    holds_in(
        &text,
        "types.rs",
        &[
            "#[serde(flatten)] pub others: std::collections::BTreeMap<String, String>,",
            "open_object!(Loan, [\"a\" : i64], [\"a\"], String);",
        ],
    );
    holds_in(&text, "decode.rs", &["let others = fields.others::<String>();"]);
}

#[test]
fn empty_closed_object_and_property_that_is_only_required_are_kept() {
    let loan = "    Loan: { type: object, additionalProperties: false }\n";
    holds_in(&library(REFERENCE, loan), "decode.rs", &["fields.close(); Ok(Self {})"]);
    let loan =
        "    Loan: { type: object, required: [a, b], properties: { a: { type: string } } }\n";
    holds_in(&library(REFERENCE, loan), "types.rs", &["pub a: String, pub b: Value,"]);
}

#[test]
fn second_schema_of_a_name_gets_a_number() {
    holds(
        "a_b: { type: object, properties: { c: {} } }, a: { type: object, properties: { \
         b: { type: object, properties: { d: {} } } } }",
        &["pub struct CreateLoanRequestAb {", "pub struct CreateLoanRequestAb2 {"],
    );
    let text = library("{ type: object, properties: { a: { type: string } } }", "");
    let text = text.replace("Plain: {", "CreateLoanReply: { type: string }\n    Plain: {");
    holds_in(&text, "types.rs", &["pub struct CreateLoanReply(String);"]);
}

#[test]
fn part_that_only_describes_excludes_nothing() {
    holds(
        "a: { allOf: [{ type: integer }, { description: Described. }] }, b: { allOf: [{ $ref: \
         '#/components/schemas/Plain' }, { type: object, nullable: true, description: Other. }] }",
        &[
            "/// Described. #[oai(skip_serializing_if_is_none)]",
            "/// Other.",
            "pub b: Option<Plain>,",
        ],
    );
    let found = left_out("{ allOf: [{ type: string, minLength: 1 }, { maxLength: 3 }] }", "");
    assert!(found.contains("`allOf` of anything but open objects"), "{found}");
}

#[test]
fn parts_with_the_same_property_keep_the_stricter_one() {
    let part = |property: &str| format!("{{ type: object, properties: {{ a: {property} }} }}");
    let loan = |first: &str, second: &str| {
        format!("    Loan: {{ allOf: [{}, {}] }}\n", part(first), part(second))
    };
    let described = loan("{ type: string, description: A. }", "{ type: string, maxLength: 3 }");
    holds_in(&library(REFERENCE, &described), "types.rs", &["Text::ANY.at_most(3)"]);
    let found = left_out(REFERENCE, &loan("{ type: string }", "{ type: integer }"));
    assert!(found.contains("different properties `a`"), "{found}");
}

#[test]
fn names_of_values_and_schemas_are_found_for_any_text() {
    holds("a: { type: string, enum: ['', '>=', x] }", &["enum_schema!(CreateLoanRequestA);"]);
    let text = library("{ type: string, enum: ['', '>=', x] }", "");
    let sets = file_of(&text, "value_sets.rs");
    assert!(sets.contains("Empty = \"\", U3eU3d = \">=\", X = \"x\","), "{sets}");
    let text = library(
        "{ $ref: '#/components/schemas/APILoan' }",
        "    APILoan: { type: object, \
                        properties: { a: {} } }\n",
    );
    holds_in(&text, "types.rs", &["pub struct ApiLoan {"]);
    let text = library(
        "{ $ref: '#/components/schemas/Problem' }",
        "    Problem: { type: object, \
                        properties: { a: {} } }\n",
    );
    holds_in(&text, "types.rs", &["pub struct ProblemSchema {"]);
}

#[test]
fn handler_chooses_one_of_several_objects_in_a_response() {
    let objects = "anyOf: [{ type: object, properties: { a: { type: string } } }, { type: object, \
                   properties: { b: { type: string } } }]";
    let text = library("{ type: string }", "").replacen(
        "{ '204': { description: Done. } }",
        &format!(
            "{{ '200': {{ description: Done., content: {{ application/json: {{ schema: {{ \
             {objects} }} }} }} }} }}"
        ),
        1,
    );
    holds_in(&text, "types.rs", &["pub enum CreateLoanResponseBody {"]);
}

#[test]
fn keywords_that_exclude_no_value_are_ignored() {
    holds(
        "a: { type: string, enum: [x, yy], maxLength: 2 }, b: { type: string, minimum: 3 }, c: { \
         type: array, items: {}, required: [d] }",
        &[
            "enum_schema!(CreateLoanRequestA);",
            "pub b: Option<String>,",
            "pub c: Option<Vec<Value>>,",
        ],
    );
    let found = left_out("{ type: string, enum: [x, yy], maxLength: 1 }", "");
    assert!(found.contains("`maxLength` is not supported here"), "{found}");
}
