//! Named objects: those with properties, and maps. A map of texts may limit its names and values.

use openapi_document::{Direction, pointer::join};
use proc_macro2::Ident;
use serde_json::{Map, Value};

use super::{
    Keywords, Names, Reader,
    property_rules::OF_PROPERTIES,
    used::{Site, Use},
};
use crate::codegen::{
    model::{Field, Kind, Object, Text, TextMap, Type},
    names,
};

const PROPERTY_NAMES: &str = "x-property-names";
const VALUES: &str = "additionalProperties";
pub(super) const MIN: &str = "minProperties";
pub(super) const MAX: &str = "maxProperties";

impl Reader<'_> {
    pub(super) fn object_kind(
        &mut self,
        at: &str,
        schema: &mut Keywords,
        name: &str,
    ) -> Option<Kind> {
        schema.shift_remove("format");
        let is_empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
        let properties = schema.get("properties").filter(|it| !is_empty(it));
        let properties = properties.and_then(Value::as_object);
        let fields = self.fields(at, schema, properties.unwrap_or(&Map::new()), name);
        let extra = schema.get(VALUES);
        let values = extra.filter(|values| values.is_object() && !is_empty(values));
        let values_at = join(at, VALUES);
        let others = match values {
            None => None,
            Some(Value::Object(texts)) if properties.is_none() && is_texts(schema, texts) => {
                return Some(Kind::TextMap(self.text_map(at, schema, &values_at, texts)));
            }
            Some(values) => {
                let hint = format!("{name}-value");
                let site = Site::new(&values_at, &hint, Use::Other);
                let used = self.used(site, values)?;
                let is_map_of_texts = properties.is_none() && !used.nullable;
                if let Some(texts) = used.text.as_ref().filter(|_| is_map_of_texts) {
                    return Some(Kind::TextMap(self.text_map(at, schema, &used.at, texts)));
                }
                self.report_elsewhere(&used, &OF_PROPERTIES);
                Some(used.in_a_whole())
            }
        };
        self.report_other_keywords(at, schema, &[VALUES, MAX, MIN, "properties", "required"]);
        if schema.contains_key(PROPERTY_NAMES) {
            let problem = format!("`{PROPERTY_NAMES}` is supported for maps of texts alone");
            self.report(&join(at, PROPERTY_NAMES), problem, "leave it out");
        }
        self.check_own_fields(at, &fields, others.is_some());
        let closed = extra == Some(&Value::Bool(false));
        if properties.is_some() || schema.contains_key("required") || closed {
            let (rules, ignored) = (Vec::new(), Vec::new());
            return Some(Kind::Object(Object { closed, fields, others, rules, ignored }));
        }
        Some(match others {
            None | Some(Type::Any) => Kind::ValueMap,
            Some(values) => Kind::Map(values),
        })
    }

    /// Reports properties that would be a field that the generated code adds.
    fn check_own_fields(&mut self, at: &str, fields: &[Field], has_others: bool) {
        let added = [("others", has_others), ("unknown_fields", self.config.client.is_some())];
        for Field { name, .. } in fields {
            let rust = names::value_name(name);
            if let Some((own, _)) = added.iter().find(|(own, is_added)| *is_added && rust == own) {
                let problem = format!("the generated code has a field `{own}` itself");
                let at = join(&join(at, "properties"), name);
                self.report_collision(&at, problem, "rename the property");
            }
        }
    }

    fn text_map(
        &mut self,
        at: &str,
        schema: &Keywords,
        values_at: &str,
        values: &Keywords,
    ) -> TextMap {
        self.report_other_keywords(at, schema, &[VALUES, MAX, MIN]);
        let names_at = join(at, PROPERTY_NAMES);
        let names = match schema.get(PROPERTY_NAMES) {
            None => Text::default(),
            Some(Value::Object(names)) => self.lengths(&names_at, names),
            Some(_) => {
                let help = "write `{ minLength: 1, maxLength: 64 }`";
                self.report(&names_at, format!("`{PROPERTY_NAMES}` is not an object"), help);
                Text::default()
            }
        };
        TextMap { names, values: self.lengths(values_at, values) }
    }

    fn lengths(&mut self, at: &str, limits: &Keywords) -> Text {
        self.report_other_keywords(at, limits, &["maxLength", "minLength"]);
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
        schema: &Keywords,
        properties: &Keywords,
        name: &str,
    ) -> Vec<Field> {
        let required = schema.get("required").and_then(Value::as_array);
        let required: Vec<&str> =
            required.into_iter().flatten().filter_map(Value::as_str).collect();
        let fields: &[fn(&str) -> Ident] = &[names::value_name];
        let mut names = Names::new(fields, "the field", "rename one of them");
        let mut fields = Vec::new();
        for (property, value) in properties {
            let property_at = join(&join(at, "properties"), property);
            self.check_name(&mut names, &property_at, property);
            let hint = format!("{name}-{}", names::upper_camel(property));
            let site = Site::new(&property_at, &hint, Use::Property);
            let Some(mut used) = self.used(site, value) else { continue };
            let is_required = required.contains(&property.as_str());
            if is_required {
                used.describe_default();
            }
            let default = used.keywords.get("default").cloned();
            if let Some(default) = default.as_ref().filter(|_| !used.is_reference) {
                self.check_default(&property_at, value, &join(&used.at, "default"), default);
            }
            fields.push(Field {
                name: property.clone(),
                description: std::mem::take(&mut used.description),
                required: is_required,
                nullable: used.nullable,
                default,
                read_only: !self.document.is_sent(value, Direction::Request),
                write_only: !self.document.is_sent(value, Direction::Response),
                value: used.value.clone(),
            });
            self.note_rules(at, property, used);
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
                read_only: false,
                write_only: false,
                value: Type::Any,
            });
        }
        fields
    }
}

/// Returns true if the values of a map are texts with lengths.
fn is_texts(schema: &Keywords, values: &Keywords) -> bool {
    const KNOWN: [&str; 5] = ["type", "maxLength", "minLength", "description", "example"];
    // Only a map of texts has limits of its names.
    values.get("type").is_some_and(|name| name == "string")
        && (schema.contains_key(PROPERTY_NAMES)
            || values.keys().all(|name| KNOWN.contains(&name.as_str())))
}
