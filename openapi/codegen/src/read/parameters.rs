//! Parameters of operations. Not supported: cookies, objects, and lists outside of the query.

use openapi_document::{Location, pointer::join};
use serde_json::Value;

use super::{Names, Reader};
use crate::{
    model::{Kind, Parameter, Schema, Type},
    names,
};

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
        for keyword in ["allowReserved", "allowEmptyValue", "content"] {
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
        let kind = match &used.value {
            Type::Named(name) => {
                schemas.iter().find(|schema| schema.name == *name).map(|schema| &schema.kind)
            }
            _ => None,
        };
        if let Type::List { items, .. } = &used.value
            && parameter.location == Location::Query
            && !used.nullable
            && !items.is_structured(schemas)
        {
            let separator = self.separator(parameter)?;
            return Some(of_type(parameter, used.value, separator));
        }
        if used.value.is_structured(schemas) || used.nullable {
            let help =
                "give it a text, a whole number, a boolean or a value set that is not nullable";
            self.report(schema_at, "a parameter must be a scalar", help);
            return None;
        }
        let defaulted = matches!(kind, Some(Kind::Integer(integer)) if integer.default.is_some());
        let is_argument = parameter.location != Location::Header || !self.handles(&parameter.name);
        Some(Parameter { defaulted, is_argument, ..of_type(parameter, used.value, None) })
    }

    /// Whether the server handles a header before it calls a handler.
    fn handles(&self, header: &str) -> bool {
        let server = self.config.server.as_ref();
        let handled = server.map(|server| server.handled_headers.as_slice()).unwrap_or_default();
        handled.contains(&header.to_lowercase())
    }

    /// What is between the elements of a list in the query.
    #[expect(clippy::option_option, reason = "none is between parameters of their own")]
    fn separator(&mut self, parameter: &openapi_document::Parameter) -> Option<Option<char>> {
        Some(match (parameter.style.as_str(), parameter.explode) {
            ("form" | "spaceDelimited" | "pipeDelimited", true) => None,
            ("form", false) => Some(','),
            ("spaceDelimited", false) => Some(' '),
            ("pipeDelimited", false) => Some('|'),
            (style, _) => {
                let problem = format!("`style: {style}` of a list is not supported");
                let help = "write form, spaceDelimited or pipeDelimited";
                self.report(&join(&parameter.pointer, "style"), problem, help);
                return None;
            }
        })
    }

    /// Reports parameters that would have the same name in Rust, or one of the generated code.
    pub(super) fn check_names(&mut self, operation: &openapi_document::Operation) {
        let mut names = Names::new(names::field);
        for parameter in &operation.parameters {
            let name = &parameter.name;
            if let Some((rust, first)) = names.collision(name) {
                let problem = format!("`{first}` and `{name}` would both be the argument `{rust}`");
                self.report(&parameter.pointer, problem, "rename one of them");
            } else if names::is_reserved_value(&names::field(name)) {
                let problem = format!("the generated code uses the name `{name}` itself");
                self.report(&parameter.pointer, problem, "rename the parameter");
            }
        }
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

fn of_type(
    parameter: &openapi_document::Parameter,
    value: Type,
    separator: Option<char>,
) -> Parameter {
    Parameter {
        name: parameter.name.clone(),
        location: parameter.location,
        description: parameter.description.clone().unwrap_or_default().trim().to_owned(),
        required: parameter.required,
        defaulted: false,
        is_argument: true,
        value,
        separator,
    }
}
