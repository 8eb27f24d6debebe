//! Parameters of operations. Not supported: cookies, and objects and lists outside of the query.

use openapi_document::{Location, pointer::join};
use proc_macro2::Ident;
use serde_json::Value;

use super::{Names, Reader};
use crate::codegen::{
    config::ServerConfig,
    model::{Encoding, Format, Kind, Parameter, Schema, Type, kind},
    names,
};

/// The style of a single value in a path or a header: without another sign.
const SIMPLE: &str = "simple";
/// The style of objects whose properties are in brackets.
const DEEP: &str = "deepObject";

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
        if self.is_set(&join(at, "allowReserved")) {
            let problem = "`allowReserved` of a parameter is not supported";
            self.report(&join(at, "allowReserved"), problem, "leave it out");
        }
        let is_simple = parameter.style == SIMPLE || parameter.content_type.is_some();
        if parameter.location != Location::Query && !is_simple {
            let openapi_document::Parameter { style, location, .. } = parameter;
            let problem =
                format!("`style: {style}` of a parameter in a {location} is not supported");
            let help = "leave it out: the value is written as it is, with `style: simple`";
            self.report(&join(at, "style"), problem, help);
            return None;
        }
        let schema_at = parameter.schema_pointer.as_ref()?;
        let used = self.used_at(schema_at)?;
        let default = used.keywords.get("default").cloned();
        let default_at = join(&used.at, "default");
        // No text of a parameter is null.
        let may_be_empty = self.may_be_empty(parameter, &used.value)?;
        let found = Parameter { may_be_empty, ..of_type(parameter, used.value) };
        if parameter.content_type.is_some() {
            return self.in_content(parameter, found);
        }
        if let Type::List { items, .. } = &found.value
            && parameter.location == Location::Query
            && !items.is_structured(schemas)
            && parameter.style != DEEP
        {
            let separator = self.separator(parameter)?;
            return Some(Parameter { separator, ..found });
        }
        if found.value.is_structured(schemas) {
            return self.structured(parameter, schema_at, found, schemas);
        }
        let kind = found.value.name().and_then(|name| kind(schemas, name));
        let defaulted = matches!(kind, Some(Kind::Integer(_, Some(_))));
        let is_argument = !self.lists(parameter, |server| &server.handled_headers);
        let is_optional = parameter.location == Location::Query && !parameter.required;
        let default = default.filter(|_| is_optional);
        if let (Some(default), Some(written)) = (&default, self.written(schema_at)) {
            self.check_default(schema_at, written, &default_at, default);
        }
        Some(Parameter { defaulted, is_argument, default, ..found })
    }

    fn is_set(&self, at: &str) -> bool {
        self.written(at) == Some(&Value::Bool(true))
    }

    /// `allowEmptyValue`: an empty value is the same as none, unless an empty text is a value.
    fn may_be_empty(
        &mut self,
        parameter: &openapi_document::Parameter,
        value: &Type,
    ) -> Option<bool> {
        let at = join(&parameter.pointer, "allowEmptyValue");
        let is_allowed = self.is_set(&at) && parameter.location == Location::Query;
        if !is_allowed || *value == Type::String {
            return Some(false);
        }
        if parameter.required {
            let problem = "a required parameter that may be empty is not supported";
            self.report(&at, problem, "leave `required` or `allowEmptyValue` out");
            return None;
        }
        Some(true)
    }

    /// A parameter whose value is JSON.
    fn in_content(
        &mut self,
        parameter: &openapi_document::Parameter,
        found: Parameter,
    ) -> Option<Parameter> {
        let media_type = parameter.content_type.as_deref().unwrap_or_default();
        if Format::of(media_type) == Format::Json && parameter.location == Location::Query {
            return Some(Parameter { encoding: Some(Encoding::Json), ..found });
        }
        let problem = format!("a parameter of `{media_type}` is not supported here");
        let help = "give it a `schema`, or send JSON in the query";
        self.report(&join(&parameter.pointer, "content"), problem, help);
        None
    }

    /// An object, or a list of values that are none themselves, in the query.
    fn structured(
        &mut self,
        parameter: &openapi_document::Parameter,
        at: &str,
        found: Parameter,
        schemas: &[Schema],
    ) -> Option<Parameter> {
        let kind = found.value.name().and_then(|name| kind(schemas, name));
        let is_list = matches!(found.value, Type::List { .. });
        let is_object = !is_list && matches!(kind, Some(Kind::Object(_)));
        let is_plain = match kind {
            Some(Kind::Object(object)) => {
                object.others.is_none()
                    && object.fields.iter().all(|field| !field.value.is_structured(schemas))
            }
            _ => false,
        };
        let encoding = match (parameter.style.as_str(), parameter.explode) {
            _ if parameter.location != Location::Query => None,
            (DEEP, _) => Some(Encoding::Brackets),
            ("form", true) if is_object && is_plain => Some(Encoding::Exploded),
            ("form", false) if is_object && is_plain => Some(Encoding::Separated(',')),
            _ => None,
        };
        if encoding.is_none() {
            let problem = "an object or a list is not supported here as a parameter";
            let help = "send it in the query with `style: deepObject`, as an object of single \
                        values, or as `content` of JSON";
            self.report(at, problem, help);
            return None;
        }
        Some(Parameter { encoding, ..found })
    }

    /// Returns true if the server reads the parameter.
    pub(super) fn is_read(&self, parameter: &openapi_document::Parameter) -> bool {
        !self.lists(parameter, |server| &server.ignored_headers)
    }

    /// Returns true if the configuration lists a header parameter, by its name in lower case.
    fn lists(
        &self,
        parameter: &openapi_document::Parameter,
        list: fn(&ServerConfig) -> &Vec<String>,
    ) -> bool {
        let server = self.config.server.as_ref();
        parameter.location == Location::Header
            && server.is_some_and(|server| list(server).contains(&parameter.name.to_lowercase()))
    }

    /// Returns the separator of a list in the query.
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
        let arguments: &[fn(&str) -> Ident] = &[names::parameter, names::setter, names::local];
        let mut names = Names::new(arguments, "the argument", "rename one of them");
        for parameter in &operation.parameters {
            self.check_name(&mut names, &parameter.pointer, &parameter.name);
        }
    }

    /// Reports a path whose braces and path parameters do not agree.
    pub(super) fn check_path(&mut self, operation: &openapi_document::Operation) {
        let at = &operation.pointer;
        let in_path = match parameters_of(&operation.path) {
            Ok(in_path) => in_path,
            Err(problem) => {
                self.report(
                    at,
                    problem,
                    "write `{name}` for each parameter, and a text between two",
                );
                return;
            }
        };
        let is_whole = |segment: &str| segment.starts_with('{') && segment.ends_with('}');
        let has_sign = |segment: &&str| segment.contains(['{', '}', ':', '*', '<']);
        let mut segments = operation.path.split('/').filter(|segment| !is_whole(segment));
        let is_of_framework = self.config.server.as_ref().is_some_and(|server| server.poem_openapi);
        if let Some(segment) = segments.find(has_sign).filter(|_| is_of_framework) {
            let problem = format!("poem-openapi has no route for the segment `{segment}`");
            self.report(at, problem, "leave `poem-openapi` out of the configuration");
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

/// The names in the braces of a path.
fn parameters_of(path: &str) -> Result<Vec<&str>, String> {
    let mut names = Vec::new();
    for segment in path.split('/') {
        let mut parts = segment.split('{');
        let mut is_text_missing = false;
        let has_open_end = parts.next().is_some_and(|text| text.contains('}'));
        for part in parts {
            let (name, text) = part.split_once('}').unwrap_or_default();
            if name.is_empty() || text.contains('}') {
                return Err(format!("the braces of the segment `{segment}` name no parameter"));
            }
            if is_text_missing {
                return Err(format!("nothing ends the first parameter of the segment `{segment}`"));
            }
            if names.contains(&name) {
                return Err(format!("the path `{path}` has the parameter `{name}` twice"));
            }
            is_text_missing = text.is_empty();
            names.push(name);
        }
        if has_open_end {
            return Err(format!("the braces of the segment `{segment}` name no parameter"));
        }
    }
    Ok(names)
}

fn of_type(parameter: &openapi_document::Parameter, value: Type) -> Parameter {
    Parameter {
        name: parameter.name.clone(),
        location: parameter.location,
        description: parameter.description.clone().unwrap_or_default().trim().to_owned(),
        required: parameter.required,
        defaulted: false,
        default: None,
        may_be_empty: false,
        is_argument: true,
        value,
        separator: None,
        encoding: None,
    }
}
