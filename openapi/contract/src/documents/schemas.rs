//! Schemas: of one value, of objects and lists, and of alternatives.

use proptest::{
    collection::vec,
    prelude::{BoxedStrategy, Just, Strategy as _, any},
    prop_oneof,
    sample::select,
};
use serde_json::{Value, json};

/// Components of every document, each of which may refer to any, and the forms of a union.
pub(super) const COMPONENTS: [&str; 4] = ["Pet", "PetName", "Option", "ServerError"];
pub(super) const FORMS: [&str; 2] = ["Cat", "Dog"];
pub(super) const NAMES: [&str; 15] = [
    "id", "name", "size", "gen", "self", "userName", "body", "request", "value", "client", "x-y",
    "@type", "2nd", "é", "kind",
];
/// Names that are the same as one of the others for a generator.
pub(super) const RARE_NAMES: [&str; 4] = ["user_name", "type", "Self", "x_y"];
const FORMATS: [&str; 10] =
    ["date", "date-time", "uuid", "email", "byte", "int32", "int64", "float", "decimal", "other"];
const PATTERNS: [&str; 4] = ["^[A-Z]{2}$", "^a", "^[0-9]+$", "^.{1,3}$"];
const RARE_PATTERNS: [&str; 3] = ["\\d+", "(a)\\1", "("];
/// Values for defaults, examples and enums, which need not fit.
const VALUES: [&str; 11] =
    ["null", "true", "0", "-1", "5.5", "9223372036854775808", "1e400", "\"a\"", "\"\"", "[]", "{}"];

pub(super) type Made = BoxedStrategy<Value>;

/// A schema of one value.
pub(super) fn plain() -> Made {
    let text = some_of(
        json!({ "type": "string" }),
        vec![
            ("minLength", (0..3).prop_map(Value::from).boxed()),
            ("maxLength", (0..9).prop_map(Value::from).boxed()),
            ("pattern", mostly(&PATTERNS, &RARE_PATTERNS).prop_map(Value::from).boxed()),
            ("format", select(FORMATS.to_vec()).prop_map(Value::from).boxed()),
            ("enum", rarely(json!(["a", "b-c", "2"]), json!(["a", "A", ""]))),
        ],
    );
    let bounds = || {
        vec![
            ("minimum", rarely(json!(0), json!(1.5))),
            ("maximum", rarely(json!(9), json!(9_223_372_036_854_775_808_u64))),
            ("multipleOf", rarely(json!(10), json!(0.01))),
            ("format", select(FORMATS.to_vec()).prop_map(Value::from).boxed()),
            ("enum", Just(json!([1, 2, 30])).boxed()),
        ]
    };
    let plain = prop_oneof![
        5 => text,
        3 => some_of(json!({ "type": "integer" }), bounds()),
        1 => Just(json!({ "type": "integer", "minimum": 0, "exclusiveMinimum": true })),
        2 => some_of(json!({ "type": "number" }), bounds()),
        1 => Just(json!({ "type": "boolean" })),
    ];
    some_beside(
        plain.boxed(),
        vec![
            ("nullable", Just(json!(true)).boxed()),
            ("description", Just(json!("Text.\n\n| a | `*/` |")).boxed()),
            ("deprecated", Just(json!(true)).boxed()),
        ],
    )
}

fn reference() -> Made {
    select(COMPONENTS.to_vec())
        .prop_map(|name| json!({ "$ref": format!("#/components/schemas/{name}") }))
        .boxed()
}

/// A schema that nests other schemas so often at most.
pub(super) fn schema(depth: u32) -> Made {
    let leaf = prop_oneof![6 => plain(), 4 => reference(), 1 => Just(json!({}))];
    let inner = move || schema(depth - 1);
    if depth == 0 {
        return leaf.boxed();
    }
    let map =
        inner().prop_map(|values| json!({ "type": "object", "additionalProperties": values }));
    let nullable = reference().prop_map(|it| json!({ "nullable": true, "allOf": [it] }));
    prop_oneof![
        30 => leaf,
        60 => object(inner()),
        20 => list(inner()),
        10 => map,
        10 => nullable,
        10 => vec(object(plain()), 1..=3).prop_map(|parts| json!({ "allOf": parts })),
        3 => vec(prop_oneof![reference(), inner()], 1..=3)
            .prop_map(|parts| json!({ "allOf": parts })),
        10 => union(),
        2 => vec(inner(), 1..=3).prop_map(|parts| json!({ "anyOf": parts })),
        2 => inner().prop_map(|part| json!({ "not": part })),
        2 => (inner(), any_value(), select(vec!["default", "example"])).prop_map(
            |(mut schema, value, keyword)| {
                schema[keyword] = value;
                schema
            },
        ),
    ]
    .boxed()
}

pub(super) fn object(inner: Made) -> Made {
    let access = prop_oneof![
        8 => Just(None),
        1 => Just(Some("readOnly")),
        1 => Just(Some("writeOnly")),
    ];
    let property = (mostly(&NAMES, &RARE_NAMES), inner, access, any::<bool>());
    vec(property, 0..=4)
        .prop_flat_map(|properties| {
            let mut object = json!({ "type": "object", "properties": {} });
            let mut required = Vec::new();
            for (name, mut schema, access, is_required) in properties {
                if let (Some(access), None) = (access, schema.get("$ref")) {
                    schema[access] = json!(true);
                }
                object["properties"][name] = schema;
                if is_required && !required.contains(&name) {
                    required.push(name);
                }
            }
            object["required"] = json!(required);
            some_of(
                object,
                vec![
                    ("additionalProperties", Just(json!(false)).boxed()),
                    ("minProperties", (0..3).prop_map(Value::from).boxed()),
                    ("maxProperties", (0..5).prop_map(Value::from).boxed()),
                    ("nullable", Just(json!(true)).boxed()),
                ],
            )
        })
        .boxed()
}

/// Alternatives: forms that a member tells apart, or others, sometimes by a mapping that leads
/// nowhere.
fn union() -> Made {
    let forms = || FORMS.map(|name| json!({ "$ref": format!("#/components/schemas/{name}") }));
    let mappings = vec![
        Value::Null,
        json!({ "cat": "#/components/schemas/Cat" }),
        json!({ "a": "Cat", "b": "Cat", "Dog": "Dog" }),
    ];
    let nowhere = vec![
        json!({ "x": "#/components/schemas/Nowhere" }),
        json!({ "x": "other.yaml#/Cat" }),
        json!({ "a": "Pet" }),
    ];
    let discriminator =
        |mapping| without_null(json!({ "propertyName": "kind", "mapping": mapping }));
    prop_oneof![
        8 => select(mappings).prop_map(move |mapping| {
            json!({ "oneOf": forms(), "discriminator": discriminator(mapping) })
        }),
        1 => select(nowhere).prop_map(move |mapping| {
            json!({ "oneOf": forms(), "discriminator": discriminator(mapping) })
        }),
        4 => Just(json!({ "oneOf": [{ "type": "string" }, { "type": "integer" }] })),
        1 => vec(prop_oneof![reference(), plain()], 1..=3)
            .prop_map(|parts| json!({ "oneOf": parts })),
    ]
    .boxed()
}

pub(super) fn without_null(mut value: Value) -> Value {
    value.as_object_mut().expect("it is an object").retain(|_, member| !member.is_null());
    value
}

pub(super) fn list(items: Made) -> Made {
    let list = items.prop_map(|items| json!({ "type": "array", "items": items }));
    let limits = vec![
        ("minItems", (0..3).prop_map(Value::from).boxed()),
        ("maxItems", (3..5).prop_map(Value::from).boxed()),
        ("uniqueItems", Just(json!(true)).boxed()),
    ];
    some_beside(list.boxed(), limits)
}

/// One of the usual texts, rarely another.
pub(super) fn mostly(usual: &[&'static str], rare: &[&'static str]) -> BoxedStrategy<&'static str> {
    prop_oneof![30 => select(usual.to_vec()), 1 => select(rare.to_vec())].boxed()
}

fn some_of(base: Value, members: Vec<(&'static str, Made)>) -> Made {
    some_beside(Just(base).boxed(), members)
}

/// An object, with one in eight of these members.
fn some_beside(base: Made, members: Vec<(&'static str, Made)>) -> Made {
    let members: Vec<_> = members
        .into_iter()
        .map(|(name, value)| (Just(name), proptest::option::weighted(0.125, value)))
        .collect();
    (base, members)
        .prop_map(|(mut base, members)| {
            for (name, value) in members {
                if let Some(value) = value {
                    base[name] = value;
                }
            }
            base
        })
        .boxed()
}

pub(super) fn any_value() -> Made {
    let values = VALUES.iter().map(|text| serde_json::from_str(text).unwrap_or_default());
    select(values.collect::<Vec<Value>>()).boxed()
}

pub(super) fn rarely(usual: Value, rare: Value) -> Made {
    rarely_of(Just(usual).boxed(), Just(rare).boxed())
}

pub(super) fn rarely_of(usual: Made, rare: Made) -> Made {
    prop_oneof![20 => usual, 1 => rare].boxed()
}
