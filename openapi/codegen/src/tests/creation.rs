//! What the generators write for an operation that creates something, and what they report in it.

use openapi_document::Document;

use super::{CREATE, changed, diagnostics, file_of, holds_in, model_of, reports_in};
use crate::index;

const OPERATION: &str = "/paths/~1things/post";
const PROPERTIES: &str = "/components/schemas/CreateThing/properties";

#[track_caller]
fn holds(name: &str, lines: &[&str]) {
    holds_in(CREATE, name, lines);
}

#[track_caller]
fn reports(from: &str, to: &str, pointer: &str, problem: &str) {
    reports_in(CREATE, from, to, pointer, problem);
}

#[test]
fn several_successes_are_an_enum_with_a_variant_for_each_status() {
    holds(
        "types.rs",
        &["pub enum CreateThingSuccess { /// Status 200. Ok(Thing), /// Status 201. \
           Created(Thing), }"],
    );
    holds(
        "traits.rs",
        &[
            "scope `things:write`, responds 200, 201.",
            "Result<CreateThingSuccess, Self::Failure>> + Send;",
        ],
    );
    holds(
        "routes.rs",
        &["responses! { CreateThingResponse: \"createThing\", ErrorCode -> \
             CreateThingSuccess Ok(200) Thing, Created(201) Thing; BadRequest(400),"],
    );
    holds("operations.rs", &["statuses: &[200, 201, 400, 415, 422, 500, 503]"]);
    let model = model_of(&Document::parse("small.yaml", CREATE).unwrap(), &[]);
    assert!(index::generate(&model).contains("200 201 400"));
}

#[test]
fn successes_may_have_different_schemas() {
    let other = "The thing of the first request.\n          content: { application/json: { schema: \
                 { $ref: \"#/components/schemas/Thing\" } } }";
    let document = CREATE.replace(other, &other.replace("schemas/Thing", "schemas/CreateThing"));
    holds_in(&document, "types.rs", &["Ok(CreateThing), /// Status 201. Created(Thing), }"]);
    let taken =
        CREATE.replace("    Name: {", "    CreateThingSuccess: { type: string }\n    Name: {");
    holds_in(&taken, "types.rs", &["pub enum CreateThingOperationSuccess {"]);
}

#[test]
fn idempotency_is_in_the_table_and_the_key_is_checked() {
    holds("operations.rs", &["idempotency: Idempotency::ByKey,"]);
    holds(
        "decode.rs",
        &[
            "let mut reader = Reader::new(request, &[]);",
            "let idempotency_key = reader.header::<IdempotencyKey>(\"idempotency-key\");",
            "idempotency_key?; Ok(Arguments::CreateThing(body?))",
        ],
    );
    holds(
        "types.rs",
        &["text!(IdempotencyKey, Text::ANY.at_least(1).at_most(255), \"^[!-~]+$\");"],
    );
    let key = "        - { $ref: \"#/components/parameters/IdempotencyKey\" }\n";
    let by_nature = CREATE.replace(key, "").replace("x-idempotent: key", "x-idempotent: true");
    holds_in(&by_nature, "operations.rs", &["idempotency: Idempotency::ByNature,"]);
    let none = CREATE.replace(key, "").replace("      x-idempotent: key\n", "");
    holds_in(&none, "operations.rs", &["idempotency: Idempotency::None,"]);
}

#[test]
fn idempotency_and_its_header_belong_together() {
    let at = format!("{OPERATION}/x-idempotent");
    for value in ["false", "header"] {
        let to = format!("x-idempotent: {value}");
        reports("x-idempotent: key", &to, &at, "is not a known `x-idempotent`");
    }
    let seconds = format!("{OPERATION}/x-time-limit");
    let to = "x-idempotent: key\n      x-time-limit: two minutes";
    reports("x-idempotent: key", to, &seconds, "is not a number of seconds");
    reports(
        "        - { $ref: \"#/components/parameters/IdempotencyKey\" }\n",
        "",
        &at,
        "there is no header parameter `idempotency-key`",
    );
    reports(
        "      x-idempotent: key\n",
        "",
        "/components/parameters/IdempotencyKey",
        "without `x-idempotent: key` has no effect",
    );
}

#[test]
fn rules_are_checked_between_the_fields_and_their_end() {
    holds(
        "decode.rs",
        &["let labels = fields.nullable::<Labels>(\"labels\"); fields.not_zero(\"amount\", \
           &amount); fields.later_than::<Timestamp>(\"end\", &end, \"start\", &start); \
           fields.required_when(\"note\", &note, \"reason\", &reason, Reason::Custom); \
           fields.close();"],
    );
}

#[test]
fn rules_that_cannot_be_checked() {
    let at = |property: &str, keyword: &str| format!("{PROPERTIES}/{property}/{keyword}");
    let (not_zero, later_than) = (at("amount", "x-not-zero"), at("end", "x-later-than"));
    reports("x-not-zero: true", "x-not-zero: yes", &not_zero, "is not known");
    reports(
        "urgent: { type: boolean, default: false }",
        "urgent: { type: boolean, x-not-zero: true }",
        &at("urgent", "x-not-zero"),
        "for properties of `Money` alone",
    );
    for other in ["begin", "end", "amount", "true"] {
        let to = format!("x-later-than: {other}");
        reports("x-later-than: start", &to, &later_than, "does not compare two instants");
    }
    reports(
        "x-not-zero: true",
        "x-later-than: start",
        &at("amount", "x-later-than"),
        "does not compare two instants",
    );
    let required_when = at("note", "x-required-when");
    for written in ["true", "{}", "{ reason: CUSTOM, name: x }", "{ reason: [CUSTOM] }"] {
        let to = format!("x-required-when: {written}");
        let problem = "is not one property and its value";
        reports("x-required-when: { reason: CUSTOM }", &to, &required_when, problem);
    }
    reports(
        "{ reason: CUSTOM }",
        "{ reason: OTHER }",
        &format!("{required_when}/reason"),
        "`OTHER` is not a value of `reason`",
    );
    for other in ["name", "unknown"] {
        reports(
            "{ reason: CUSTOM }",
            &format!("{{ {other}: CUSTOM }}"),
            &format!("{required_when}/{other}"),
            "is not a property with a closed value set",
        );
    }
    reports(
        "required: [amount, start]",
        "required: [amount, start, note]",
        &required_when,
        "needs a property that is optional",
    );
}

#[test]
fn rule_or_default_that_nothing_reads() {
    let end = "end: { allOf: [{ $ref: \"#/components/schemas/Timestamp\" }], x-later-than: start }";
    reports(
        end,
        "end: { $ref: \"#/components/schemas/Timestamp\", x-later-than: start }",
        &format!("{PROPERTIES}/end/x-later-than"),
        "beside `$ref` has no effect",
    );
    reports(
        "labels: { $ref: \"#/components/schemas/NullableLabels\" }",
        "labels: { $ref: \"#/components/schemas/NullableLabels\", default: {} }",
        &format!("{PROPERTIES}/labels/default"),
        "beside `$ref` has no effect",
    );
    reports(
        "labels: { $ref: \"#/components/schemas/NullableLabels\" }",
        "labels: { type: object, nullable: true, enum: [null] }",
        &format!("{PROPERTIES}/labels"),
        "a value that is always null has no Rust type",
    );
    reports(
        end,
        "end: { type: array, items: { type: boolean, default: true } }",
        &format!("{PROPERTIES}/end/items/default"),
        "for properties of objects alone",
    );
}

#[test]
fn property_with_a_default_always_has_a_value() {
    holds(
        "types.rs",
        &[
            "pub struct CreateThing { pub amount: Money,",
            "#[oai(default = \"Self::default_fee\")] pub fee: Money,",
            "#[oai(default = \"Self::default_name\")] pub name: Name,",
            "#[oai(default = \"Self::default_urgent\")] pub urgent: bool,",
            "pub(super) fn default_fee() -> Money { Money::parse(\"0.00\")",
            "pub(super) fn default_name() -> Name { Name::new(\"\") }",
            "pub(super) fn default_urgent() -> bool { false }",
            "pub(super) fn default_reason() -> Reason { Reason::Bonus }",
        ],
    );
    holds(
        "decode.rs",
        &[
            "let fee = fields.defaulted::<Money>(\"fee\", Self::default_fee);",
            "let urgent = fields.defaulted::<bool>(\"urgent\", Self::default_urgent);",
        ],
    );
    // `Default` would have other defaults than the document.
    let optional = CREATE.replace("      required: [amount, start]\n", "");
    assert!(!file_of(&optional, "types.rs").contains("Serialize, Default)] #[oai"));
}

#[test]
fn defaults_that_break_their_schema() {
    let at = |property: &str| format!("{PROPERTIES}/{property}/default");
    for (from, to, property) in [
        ("default: \"0.00\"", "default: \"0\"", "fee"),
        ("default: \"0.00\"", "default: 0", "fee"),
        ("default: \"\"", "default: longer", "name"),
        ("default: false", "default: \"no\"", "urgent"),
        ("default: BONUS", "default: bonus", "reason"),
    ] {
        reports(from, to, &at(property), "breaks its schema");
    }
}

#[test]
fn default_without_a_literal_is_described() {
    let instant = CREATE.replace("x-later-than: start", "default: \"2026-01-01T00:00:00.000Z\"");
    holds_in(&instant, "types.rs", &["/// Where it is absent: `\"2026-01-01T00:00:00.000Z\"`."]);
    let required = CREATE.replace("required: [amount, start]", "required: [amount, start, urgent]");
    holds_in(&required, "types.rs", &["/// Where it is absent: `false`. pub urgent: bool,"]);
}

#[test]
fn map_of_texts_carries_its_limits() {
    holds(
        "types.rs",
        &[
            "use openapi_runtime::reading::{Text, TextMap};",
            "pub struct Labels(pub BTreeMap<String, String>); named_map!( Labels, String, \
             TextMap::ANY .at_most(50) .names(Text::ANY.at_least(1).at_most(64)) \
             .values(Text::ANY.at_most(2000)) );",
            "pub labels: MaybeUndefined<Labels>,",
        ],
    );
}

#[test]
fn map_without_limits_of_its_texts_needs_no_rule_for_them() {
    let only_count = CREATE
        .replace("      x-property-names: { minLength: 1, maxLength: 64 }\n", "")
        .replace("type: string, maxLength: 2000", "type: string");
    holds_in(&only_count, "types.rs", &["named_map!(Labels, String, TextMap::ANY.at_most(50));"]);
}

#[test]
fn limits_that_no_map_keeps() {
    let map = "/components/schemas/NullableLabels";
    reports(
        "maxProperties: 50",
        "minProperties: 50",
        &format!("{map}/minProperties"),
        "the generated code would lose it",
    );
    reports(
        "type: string, maxLength: 2000",
        "type: string, pattern: a",
        &format!("{map}/additionalProperties/pattern"),
        "the generated code would lose it",
    );
    reports(
        "{ minLength: 1, maxLength: 64 }",
        "{ minLength: 1, pattern: a }",
        &format!("{map}/x-property-names/pattern"),
        "the generated code would lose it",
    );
    reports(
        "x-property-names: { minLength: 1, maxLength: 64 }",
        "x-property-names: 64",
        &format!("{map}/x-property-names"),
        "is not an object",
    );
    reports(
        "additionalProperties: { type: string, maxLength: 2000 }",
        "additionalProperties: true",
        &format!("{map}/x-property-names"),
        "for maps of texts alone",
    );
}

#[test]
fn all_rules_are_reported_at_once() {
    let document = CREATE.replace("x-not-zero: true", "x-not-zero: 1").replace("0.00", "0");
    let document = changed(&document, "x-later-than: start", "x-later-than: begin");
    assert_eq!(diagnostics(&document).len(), 3);
}
