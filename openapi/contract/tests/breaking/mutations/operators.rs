//! The edits of schemas, with their levels in a request and in a response.

use serde_json::{Value, json};

/// Members to set, and their values; null removes one.
type Edits = Vec<(String, Value)>;

/// Its rule, the levels, and the edits of one schema: the member to set, and its value.
pub(super) struct Operator {
    pub(super) rule: &'static str,
    pub(super) request: &'static str,
    pub(super) response: &'static str,
    pub(super) edits: fn(&Value) -> Vec<Edits>,
}

const B: &str = "breaking";
const C: &str = "compatible";
const W: &str = "warning";

pub(super) const OPERATORS: &[Operator] = &[
    Operator {
        rule: "property-removed",
        request: B,
        response: B,
        edits: |schema| {
            if is_closed(schema) { property_removed(schema) } else { Vec::new() }
        },
    },
    Operator {
        rule: "property-removed",
        request: W,
        response: B,
        edits: |schema| {
            if is_closed(schema) { Vec::new() } else { property_removed(schema) }
        },
    },
    Operator {
        rule: "optional-property-added",
        request: C,
        response: C,
        edits: |schema| {
            let added = schema.get("properties").map(|_| (at("properties/zz"), json!({})));
            added.into_iter().map(|edit| vec![edit]).collect()
        },
    },
    Operator {
        rule: "required-property-added",
        request: B,
        response: C,
        edits: |schema| {
            if schema.get("properties").is_none() {
                return Vec::new();
            }
            let mut required = names(schema);
            required.push("zz".to_owned());
            vec![vec![(at("properties/zz"), json!({})), (at("required"), json!(required))]]
        },
    },
    Operator {
        rule: "property-became-required",
        request: B,
        response: C,
        edits: |schema| {
            let required = names(schema);
            let optional = properties(schema).into_iter().filter(|name| !required.contains(name));
            optional
                .map(|name| vec![(at("required"), json!([required.clone(), vec![name]].concat()))])
                .collect()
        },
    },
    Operator {
        rule: "property-became-optional",
        request: C,
        response: B,
        edits: |schema| {
            let required = names(schema);
            let fewer = required.iter().map(|name| without(&required, name));
            fewer.map(|names| vec![(at("required"), names)]).collect()
        },
    },
    Operator {
        rule: "additional-properties-forbidden",
        request: B,
        response: C,
        edits: |schema| {
            let is_open =
                schema["type"] == "object" && schema.get("additionalProperties").is_none();
            is_open.then(|| vec![(at("additionalProperties"), json!(false))]).into_iter().collect()
        },
    },
    Operator {
        rule: "additional-properties-allowed",
        request: C,
        response: C,
        edits: |schema| {
            let edit = || vec![(at("additionalProperties"), Value::Null)];
            is_closed(schema).then(edit).into_iter().collect()
        },
    },
    Operator {
        rule: "max-length-decreased",
        request: B,
        response: C,
        edits: |schema| number(schema, "maxLength", |length| json!(length - 1)),
    },
    Operator {
        rule: "max-length-increased",
        request: C,
        response: B,
        edits: |schema| number(schema, "maxLength", |_| Value::Null),
    },
    Operator {
        rule: "min-length-increased",
        request: B,
        response: C,
        edits: |schema| number(schema, "minLength", |length| json!(length + 1)),
    },
    Operator {
        rule: "min-length-decreased",
        request: C,
        response: B,
        edits: |schema| number(schema, "minLength", |_| Value::Null),
    },
    Operator {
        rule: "maximum-decreased",
        request: B,
        response: C,
        edits: |schema| number(schema, "maximum", |bound| json!(bound - 1)),
    },
    Operator {
        rule: "minimum-decreased",
        request: C,
        response: B,
        edits: |schema| number(schema, "minimum", |bound| json!(bound - 1)),
    },
    Operator {
        rule: "max-items-increased",
        request: C,
        response: B,
        edits: |schema| number(schema, "maxItems", |bound| json!(bound + 1)),
    },
    Operator {
        rule: "enum-value-removed",
        request: B,
        response: C,
        edits: |schema| {
            list(schema, "enum", |values| {
                values.pop();
            })
        },
    },
    Operator {
        rule: "enum-value-added",
        request: C,
        response: B,
        edits: |schema| list(schema, "enum", |values| values.push(json!("ZZ"))),
    },
    Operator {
        rule: "enum-opened",
        request: C,
        response: B,
        edits: |schema| {
            let edit = |_| vec![(at("enum"), Value::Null)];
            schema.get("enum").map(edit).into_iter().collect()
        },
    },
    Operator {
        rule: "known-value-added",
        request: C,
        response: C,
        edits: |schema| list(schema, "x-known-values", |values| values.push(json!("ZZ"))),
    },
    Operator {
        rule: "known-value-removed",
        request: W,
        response: C,
        edits: |schema| {
            list(schema, "x-known-values", |values| {
                values.pop();
            })
        },
    },
    Operator {
        rule: "type-changed",
        request: B,
        response: B,
        edits: |schema| {
            let is_text = schema["type"] == "string" && schema.get("enum").is_none();
            is_text.then(|| vec![(at("type"), json!("boolean"))]).into_iter().collect()
        },
    },
    Operator {
        rule: "became-nullable",
        request: C,
        response: B,
        edits: |schema| {
            let has = |keyword| schema.get(keyword).is_some();
            // A set without null keeps its veto.
            let is_it = has("type") && !has("nullable") && !has("enum");
            is_it.then(|| vec![(at("nullable"), json!(true))]).into_iter().collect()
        },
    },
    Operator {
        rule: "became-not-nullable",
        request: B,
        response: C,
        edits: |schema| {
            let is_it = schema.get("type").is_some() && schema["nullable"] == true;
            is_it.then(|| vec![(at("nullable"), Value::Null)]).into_iter().collect()
        },
    },
    Operator {
        rule: "pattern-removed",
        request: C,
        response: B,
        edits: |schema| {
            let edit = |_| vec![(at("pattern"), Value::Null)];
            schema.get("pattern").map(edit).into_iter().collect()
        },
    },
    Operator {
        rule: "pattern-changed",
        request: W,
        response: W,
        edits: |schema| {
            let edit = |_| vec![(at("pattern"), json!("^zz$"))];
            schema.get("pattern").map(edit).into_iter().collect()
        },
    },
    Operator {
        rule: "format-added",
        request: B,
        response: C,
        edits: |schema| {
            let is_it = schema["type"] == "string" && schema.get("format").is_none();
            is_it.then(|| vec![(at("format"), json!("uuid"))]).into_iter().collect()
        },
    },
    Operator {
        rule: "format-removed",
        request: C,
        response: B,
        edits: |schema| {
            let edit = |_| vec![(at("format"), Value::Null)];
            schema.get("format").map(edit).into_iter().collect()
        },
    },
    Operator {
        rule: "default-changed",
        request: B,
        response: C,
        edits: |schema| number(schema, "default", |value| json!(value + 1)),
    },
];

fn at(member: &str) -> String {
    member.to_owned()
}

fn is_closed(schema: &Value) -> bool {
    schema["additionalProperties"] == false
}

pub(super) fn properties(schema: &Value) -> Vec<String> {
    schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

fn names(schema: &Value) -> Vec<String> {
    let names = schema["required"].as_array().into_iter().flatten();
    names.map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// The list without a name; null where it would be empty.
fn without(names: &[String], name: &str) -> Value {
    let others: Vec<&String> = names.iter().filter(|other| *other != name).collect();
    if others.is_empty() { Value::Null } else { json!(others) }
}

fn property_removed(schema: &Value) -> Vec<Edits> {
    let required = names(schema);
    let removed = properties(schema).into_iter().map(|name| {
        let required = (at("required"), without(&required, &name));
        vec![(format!("properties/{name}"), Value::Null), required]
    });
    removed.collect()
}

fn number(schema: &Value, member: &str, edit: fn(i64) -> Value) -> Vec<Edits> {
    let edited = schema.get(member).and_then(Value::as_i64).map(edit);
    edited.map(|value| vec![(at(member), value)]).into_iter().collect()
}

fn list(schema: &Value, member: &str, edit: fn(&mut Vec<Value>)) -> Vec<Edits> {
    let values = schema.get(member).and_then(Value::as_array).filter(|values| values.len() > 1);
    let edited = values.map(|values| {
        let mut values = values.clone();
        edit(&mut values);
        vec![(at(member), Value::Array(values))]
    });
    edited.into_iter().collect()
}
