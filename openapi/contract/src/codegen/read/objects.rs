//! Named objects: those with properties, and maps. A map of texts may limit its names and values.

use openapi_document::pointer::join;
use serde_json::{Map, Value};

use super::{Names, Reader};
use crate::codegen::{
    model::{Field, Kind, Object, Text, TextMap, Type},
    names,
};

const PROPERTY_NAMES: &str = "x-property-names";

impl Reader<'_> {
    pub(super) fn object_kind(&mut self, at: &str, schema: &Map<String, Value>) -> Option<Kind> {
        if is_text_map(schema) {
            return Some(Kind::TextMap(self.text_map(at, schema)));
        }
        self.report_other_keywords(at, schema, &["additionalProperties", "properties", "required"]);
        if schema.contains_key(PROPERTY_NAMES) {
            let problem = format!("`{PROPERTY_NAMES}` is supported for maps of texts alone");
            self.report(&join(at, PROPERTY_NAMES), problem, "leave it out");
        }
        let extra = schema.get("additionalProperties");
        let is_closed = extra == Some(&Value::Bool(false));
        let properties = schema.get("properties").and_then(Value::as_object);
        let has_fields = properties.is_some() || schema.contains_key("required");
        if has_fields || is_closed {
            let fields = self.fields(at, schema, properties.unwrap_or(&Map::new()));
            let others = match extra.filter(|values| values.is_object()) {
                Some(values) => Some(self.map_values(&join(at, "additionalProperties"), values)?),
                None => None,
            };
            let rules = Vec::new();
            return Some(Kind::Object(Object { closed: is_closed, fields, others, rules }));
        }
        let Some(values) = extra.filter(|values| values.is_object()) else {
            return Some(Kind::ValueMap);
        };
        Some(match self.map_values(&join(at, "additionalProperties"), values)? {
            Type::Any => Kind::ValueMap,
            values => Kind::Map(values),
        })
    }

    fn map_values(&mut self, at: &str, values: &Value) -> Option<Type> {
        let used = self.property(at, values)?;
        self.report_property_keywords(at);
        Some(used.in_a_whole())
    }

    fn text_map(&mut self, at: &str, schema: &Map<String, Value>) -> TextMap {
        let known = ["additionalProperties", "maxProperties"];
        self.report_other_keywords(at, schema, &known);
        TextMap {
            max_names: schema.get("maxProperties").and_then(Value::as_u64),
            names: self.lengths(at, schema, PROPERTY_NAMES),
            values: self.lengths(at, schema, "additionalProperties"),
        }
    }

    /// The lengths in the schema of a text that is a member of `schema`.
    fn lengths(&mut self, at: &str, schema: &Map<String, Value>, member: &str) -> Text {
        let Some(limits) = schema.get(member).and_then(Value::as_object) else {
            if schema.contains_key(member) {
                let help = "write `{ minLength: 1, maxLength: 64 }`";
                self.report(&join(at, member), format!("`{member}` is not an object"), help);
            }
            return Text::default();
        };
        self.report_other_keywords(&join(at, member), limits, &["maxLength", "minLength"]);
        let length = |keyword: &str| limits.get(keyword).and_then(Value::as_u64);
        Text {
            min_length: length("minLength").unwrap_or(0),
            max_length: length("maxLength"),
            ..Text::default()
        }
    }

    fn fields(
        &mut self,
        at: &str,
        schema: &Map<String, Value>,
        properties: &Map<String, Value>,
    ) -> Vec<Field> {
        let required = schema.get("required").and_then(Value::as_array);
        let required: Vec<&str> =
            required.into_iter().flatten().filter_map(Value::as_str).collect();
        let mut names = Names::new(names::field, "the field", "rename one of them");
        let mut fields = Vec::new();
        for (name, value) in properties {
            let at = join(&join(at, "properties"), name);
            self.check_name(&mut names, &at, name);
            let Some(found) = self.property(&at, value) else {
                continue;
            };
            fields.push(Field {
                name: name.clone(),
                description: found.description,
                required: required.contains(&name.as_str()),
                nullable: found.nullable,
                default: value.get("default").cloned(),
                value: found.value,
            });
        }
        // A property that is only required may have any value.
        for name in required.iter().filter(|name| !properties.contains_key(**name)) {
            self.check_name(&mut names, &join(at, "required"), name);
            fields.push(Field {
                name: (*name).to_owned(),
                description: String::new(),
                required: true,
                nullable: false,
                default: None,
                value: Type::Any,
            });
        }
        fields
    }
}

/// Returns true for an object with any names, whose values are texts.
pub(super) fn is_text_map(schema: &Map<String, Value>) -> bool {
    let values = schema.get("additionalProperties").and_then(|values| values.get("type"));
    !schema.contains_key("properties") && values.and_then(Value::as_str) == Some("string")
}
