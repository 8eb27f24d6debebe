//! What fills the bodies of errors. The configuration names the members, and RFC 9457 those that it
//! does not.

use openapi_document::{Direction, Response};
use serde_json::{Map, Value, json};

use super::{Reader, bodies::json_of};
use crate::codegen::{
    formats::Format,
    model::{ErrorForm, Field, Fill, Kind, Member, Object, Schema, Type, kind, object},
};

/// Why an error cannot be written, and the remedy.
pub(super) type Unfilled = (String, String);

const ANY: &str = "*/*";
const JSON: &str = "application/json";

/// The names of the text for people, where the configured one is none.
const MESSAGES: [&str; 2] = ["detail", "title"];

impl Reader<'_> {
    /// The schema of the usual errors.
    pub(super) fn error_schema(&self) -> &str {
        match self.error_forms.first() {
            Some(ErrorForm::Json { schema, .. }) => schema,
            _ => "",
        }
    }

    /// The number of the form of a response to an error.
    pub(super) fn error_form(
        &mut self,
        response: &Response,
        schemas: &[Schema],
    ) -> Result<usize, Unfilled> {
        let form = self.form(response, schemas)?;
        let known = self.error_forms.iter().position(|known| *known == form);
        Ok(known.unwrap_or_else(|| {
            self.error_forms.push(form);
            self.error_forms.len() - 1
        }))
    }

    fn form(&mut self, response: &Response, schemas: &[Schema]) -> Result<ErrorForm, Unfilled> {
        if response.content.is_empty() {
            return Ok(ErrorForm::Empty);
        }
        // JSON is one of any media types.
        let any = || response.content.iter().find(|media| media.content_type.trim() == ANY);
        let Some(media) = json_of(&response.content).or_else(any) else {
            let text = response.content.iter().map(|media| media.content_type.trim());
            let mut texts = text.filter(|name| Format::of(name) == Format::Text);
            let plain = texts.find(|name| name.starts_with("text/plain"));
            let help = "give it a representation in JSON, or `text/plain`";
            return plain
                .map(|name| ErrorForm::Text(name.to_owned()))
                .ok_or_else(|| ("it has no JSON".to_owned(), help.to_owned()));
        };
        let written = media.content_type.trim();
        let media_type = if written == ANY { JSON } else { written }.to_owned();
        let at = media.schema_pointer.as_deref().unwrap_or_default();
        let value = match at {
            "" => Some(Type::Any),
            at => self.used_at(at).map(|used| used.value),
        };
        let schema = match value {
            Some(Type::Named(schema)) => schema,
            // Any JSON is valid.
            Some(Type::Any) => {
                return Ok(match &self.error_forms[0] {
                    ErrorForm::Json { schema, fill, .. } => {
                        ErrorForm::Json { media_type, schema: schema.clone(), fill: fill.clone() }
                    }
                    _ => unreachable!("the usual form is JSON"),
                });
            }
            _ => {
                let help = "write an object with a member for the message";
                return Err(("its schema is no object".to_owned(), help.to_owned()));
            }
        };
        let fill = self.fill(schemas, &schema, &media_type, at)?;
        Ok(ErrorForm::Json { media_type, schema, fill })
    }

    /// What fills a schema, which is at a pointer.
    pub(super) fn fill(
        &self,
        schemas: &[Schema],
        name: &str,
        media_type: &str,
        at: &str,
    ) -> Result<Fill, Unfilled> {
        if self.config.error.by_hand.iter().any(|known| self.name_of(known) == name) {
            return Ok(Fill::ByHand);
        }
        let help = || {
            format!(
                "name the members in `[error]`, and give others a constant in `[error.members]`; \
                 or write `by-hand = [\"{name}\"]` there, and implement `FillError` in the server"
            )
        };
        let Some(error) = object(schemas, name) else {
            return Err((format!("`{name}` is no object with properties"), help()));
        };
        let wrapped = error.wrapped(schemas);
        let whole = self.filled(schemas, error, media_type).map(|members| {
            let body = sample(error, &members, schemas);
            (Fill::Members { object: name.to_owned(), members }, body)
        });
        let inside = wrapped.and_then(|(field, name, inner)| {
            let members = self.filled(schemas, inner, media_type).ok()?;
            let body = sample(inner, &members, schemas);
            let is_list = matches!(field.value, Type::List { .. });
            let body = if is_list { json!([body]) } else { body };
            let fill = Fill::Members { object: name.to_owned(), members };
            Some((fill, json!({ &field.name: body })))
        });
        let (fill, body) = match (whole, inside) {
            (Ok(whole), _) => whole,
            (Err(_), Some(inside)) => inside,
            (Err(problem), None) => return Err((format!("{problem} in `{name}`"), help())),
        };
        let validator = self.document.validator(at, Direction::Response);
        let violations = validator.map(|validator| validator.validate(&body)).unwrap_or_default();
        match violations.first() {
            Some(violation) => Err((format!("{body} breaks `{name}`: {violation}"), help())),
            None => Ok(fill),
        }
    }

    fn filled(
        &self,
        schemas: &[Schema],
        object: &Object,
        media_type: &str,
    ) -> Result<Vec<Member>, String> {
        let config = &self.config.error;
        let is_member = |name: &&str| object.fields.iter().any(|field| field.name == **name);
        let given = config.members.iter().filter(|(_, value)| *value == "{message}");
        let given = given.map(|(name, _)| name.as_str());
        let mut messages = given.chain([config.message.as_str()]).chain(MESSAGES);
        let message = messages.find(is_member).ok_or("no member has the message")?;
        let is_problem = media_type.to_ascii_lowercase().starts_with("application/problem+json");
        let member = |field: &Field| {
            let name = field.name.as_str();
            let found = match config.members.get(name) {
                Some(value) => meant(value),
                None if name == message => Member::Message,
                None if name == config.code => Member::Code,
                None if name == config.details => Member::Details,
                None if name == "status" => Member::Status,
                None if name == "title" => Member::Reason,
                None if name == "type" && is_problem && field.is_always_set() => {
                    Member::Constant(json!("about:blank"))
                }
                None => Member::Absent,
            };
            if fits(&found, field, schemas) {
                return Ok(found);
            }
            match (&field.default, config.members.contains_key(name) || name == message) {
                (Some(default), false) => Ok(Member::Constant(default.clone())),
                (None, false) if !field.required || field.nullable => Ok(Member::Absent),
                _ => Err(format!("nothing fills `{name}`")),
            }
        };
        object.fields.iter().map(member).collect()
    }

    /// Reports a configured member that no error of the server has.
    pub(super) fn check_error_members(&mut self, schemas: &[Schema]) {
        let names = self.error_forms.iter().filter_map(|form| match form {
            ErrorForm::Json { fill: Fill::Members { object: name, .. }, .. } => {
                object(schemas, name)
            }
            _ => None,
        });
        let known: Vec<&Field> = names.flat_map(|object| &object.fields).collect();
        if !self.diagnostics.is_empty() {
            return;
        }
        let members = self.config.error.members.keys();
        let unknown = members.filter(|name| !known.iter().any(|field| field.name == **name));
        for name in unknown.collect::<Vec<_>>() {
            let problem = format!("`[error.members]` names `{name}`, which no error has");
            self.report("/components", problem, "remove it, or correct its name");
        }
        for (name, value) in &self.config.error.members {
            let is_meant = matches!(meant(value), Member::Constant(_));
            let text = value.as_str().filter(|text| text.starts_with('{') && text.ends_with('}'));
            if let Some(text) = text.filter(|_| is_meant) {
                let problem = format!("`[error.members]` fills `{name}` with the unknown `{text}`");
                let help = "write {code}, {message}, {reason} or {status}, or a constant";
                self.report("/components", problem, help);
            }
        }
    }
}

/// The meaning of a configured member.
fn meant(value: &Value) -> Member {
    match value.as_str() {
        Some("{code}") => Member::Code,
        Some("{message}") => Member::Message,
        Some("{reason}") => Member::Reason,
        Some("{status}") => Member::Status,
        _ => Member::Constant(value.clone()),
    }
}

/// Returns true if the field can have the member, or may be absent.
fn fits(member: &Member, field: &Field, schemas: &[Schema]) -> bool {
    let named = field.value.name().and_then(|name| kind(schemas, name));
    let is_list = matches!(field.value, Type::List { .. });
    let is_text = field.value == Type::String || matches!(named, Some(Kind::Text(_)) if !is_list);
    let is_number = is_whole_number(&field.value, schemas);
    match member {
        Member::Absent => !field.is_always_set() || field.nullable,
        Member::Code | Member::Status => is_text || is_number,
        Member::Message | Member::Reason => is_text,
        Member::Details => {
            field.value == Type::Any || matches!(named, Some(Kind::ValueMap) if !is_list)
        }
        // A sample of the whole body says whether it is valid.
        Member::Constant(Value::Array(items)) => is_list && items.is_empty(),
        Member::Constant(value) => !value.is_object() && !field.value.is_structured(schemas),
    }
}

pub(in crate::codegen) fn is_whole_number(value: &Type, schemas: &[Schema]) -> bool {
    match value {
        Type::Integer32 | Type::Integer64 => true,
        Type::Named(name) => matches!(kind(schemas, name), Some(Kind::Integer(..))),
        _ => false,
    }
}

/// How many characters a text may have; the server shortens longer ones.
pub(in crate::codegen) fn max_length(value: &Type, schemas: &[Schema]) -> Option<u64> {
    match kind(schemas, value.name()?) {
        Some(Kind::Text(text)) => text.max_length,
        _ => None,
    }
}

/// An error as the server writes it, to be validated.
fn sample(object: &Object, members: &[Member], schemas: &[Schema]) -> Value {
    let member = |(field, member): (&Field, &Member)| {
        let is_number = is_whole_number(&field.value, schemas);
        let value = match member {
            Member::Code if !is_number => json!("INTERNAL_ERROR"),
            Member::Code | Member::Status if is_number => json!(500),
            Member::Code | Member::Status => json!("500"),
            Member::Constant(value) => value.clone(),
            Member::Message | Member::Reason => {
                let most = max_length(&field.value, schemas).unwrap_or(u64::MAX);
                let most = usize::try_from(most).unwrap_or(usize::MAX);
                json!("The server failed.".chars().take(most).collect::<String>())
            }
            Member::Details if field.required => json!({}),
            Member::Absent if field.required => Value::Null,
            Member::Absent | Member::Details => return None,
        };
        Some((field.name.clone(), value))
    };
    let members: Map<String, Value> =
        object.fields.iter().zip(members).filter_map(member).collect();
    Value::Object(members)
}
