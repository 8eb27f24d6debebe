//! Parameters of operations. Not supported: cookies, styles, and values that are not scalars.

use openapi_document::{Location, pointer::join};
use serde_json::Value;

use super::Reader;
use crate::model::{Kind, Parameter, Schema, Type};

impl Reader<'_> {
    pub(super) fn parameter(
        &mut self,
        parameter: &openapi_document::Parameter,
        schemas: &[Schema],
    ) -> Option<Parameter> {
        let at = &parameter.pointer;
        if parameter.location == Location::Cookie {
            let help = "send it in a header or in the query";
            self.report(at, "a cookie parameter is not supported", help);
            return None;
        }
        for keyword in ["style", "explode", "allowReserved", "allowEmptyValue", "content"] {
            if self.written(&join(at, keyword)).is_some() {
                let problem = format!("`{keyword}` of a parameter is not supported");
                self.report(
                    &join(at, keyword),
                    problem,
                    "leave it out and give the parameter a `schema`",
                );
            }
        }
        let schema_at = parameter.schema_pointer.as_ref()?;
        let used = self.property(schema_at, self.written(schema_at)?)?;
        self.report_property_keywords(schema_at);
        if parameter.location == Location::Header && parameter.required {
            let help = "leave `required` out";
            self.report(at, "a required header parameter is not supported", help);
        }
        if parameter.location != Location::Header && !matches!(used.value, Type::Named(_)) {
            let problem = format!("the schema of the parameter `{}` has no name", parameter.name);
            let help = "name it under `components/schemas` and refer to it";
            self.report(schema_at, problem, help);
        }
        let kind = match &used.value {
            Type::Named(name) => {
                schemas.iter().find(|schema| schema.name == *name).map(|schema| &schema.kind)
            }
            _ => None,
        };
        let is_structured = matches!(used.value, Type::List { .. } | Type::Any)
            || matches!(kind, Some(Kind::Object(_) | Kind::ValueMap | Kind::TextMap(_)));
        if is_structured || used.nullable {
            let help =
                "give it a text, a whole number, a boolean or a value set that is not nullable";
            self.report(schema_at, "a parameter must be a scalar", help);
            return None;
        }
        Some(Parameter {
            name: parameter.name.clone(),
            location: parameter.location,
            description: parameter.description.clone().unwrap_or_default().trim().to_owned(),
            required: parameter.required,
            defaulted: matches!(kind, Some(Kind::Integer(integer)) if integer.default.is_some()),
            value: used.value,
        })
    }

    /// Reports a path whose braces and path parameters do not agree.
    pub(super) fn check_path(&mut self, operation: &openapi_document::Operation) {
        let at = &operation.pointer;
        let mut in_path = Vec::new();
        for segment in operation.path.split('/') {
            let name = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            match name {
                Some(name) => in_path.push(name),
                None if segment.contains(['{', '}', ':', '*', '<']) => {
                    let problem = format!("the segment `{segment}` mixes a parameter with text");
                    self.report(at, problem, "let a parameter be a whole segment: `/{id}/`");
                }
                None => {}
            }
        }
        let declared = operation.parameters.iter();
        let declared = declared.filter(|parameter| parameter.location == Location::Path);
        let declared: Vec<&str> = declared.map(|parameter| parameter.name.as_str()).collect();
        let agree = in_path.iter().all(|name| declared.contains(name))
            && declared.iter().all(|name| in_path.contains(name));
        if !agree {
            let problem =
                format!("the path `{}` and its path parameters do not agree", operation.path);
            self.report(at, problem, "declare exactly the parameters in braces, with `in: path`");
        }
        let at_path = join("/paths", &operation.path);
        if self.written(&join(&at_path, "$ref")).is_some_and(Value::is_string) {
            self.report(&at_path, "a referred path item is not supported", "write it in place");
        }
    }
}
