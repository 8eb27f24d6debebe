//! The JSON Schema of what a form takes, and what of a submission does not fit it. The schema that
//! the API shows is the one that submissions are checked by.

use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use openapi_runtime::{Issue, IssueCode};
use serde_json::{Map, Value, json};

use super::definition::Field;
use crate::contract::value_sets::FormFieldType;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// The rule of `Money` in the document; a test compares them.
pub(crate) const MONEY: &str = r"^(0\.00|-?0\.(0[1-9]|[1-9][0-9])|-?[1-9][0-9]{0,17}\.[0-9]{2})$";
const EMAIL_LIMIT_CHARACTERS: usize = 320;

/// The schema of a submission's `fields`.
pub(super) fn schema(fields: &[Field]) -> Map<String, Value> {
    let required = fields.iter().filter(|field| field.required);
    let required: Vec<&str> = required.map(|field| field.key.as_str()).collect();
    let properties = fields.iter().map(|field| (field.key.clone(), property(field)));
    let schema = json!({
        "$schema": DIALECT,
        "type": "object",
        "properties": properties.collect::<Map<_, _>>(),
        "required": required,
        "additionalProperties": false,
    });
    object(schema)
}

/// No text and no list may be empty: what is not filled in is left out.
fn property(field: &Field) -> Value {
    let values: Vec<&str> = field.options.iter().map(|option| option.value.as_str()).collect();
    let rules = match field.r#type {
        FormFieldType::Text | FormFieldType::LongText => {
            json!({ "type": "string", "minLength": 1, "maxLength": field.max_length })
        }
        FormFieldType::Email => {
            json!({ "type": "string", "format": "email", "maxLength": EMAIL_LIMIT_CHARACTERS })
        }
        FormFieldType::Money => json!({ "type": "string", "pattern": MONEY }),
        FormFieldType::Date => json!({ "type": "string", "format": "date" }),
        FormFieldType::Boolean => json!({ "type": "boolean" }),
        FormFieldType::Select => json!({ "type": "string", "enum": values }),
        FormFieldType::MultiSelect => json!({
            "type": "array",
            "items": { "type": "string", "enum": values },
            "minItems": 1,
            "uniqueItems": true,
        }),
    };
    let mut property = object(json!({ "title": field.label }));
    property.extend(field.help.iter().map(|help| ("description".to_owned(), json!(help))));
    property.extend(object(rules));
    property.into()
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => unreachable!("a schema is an object"),
    }
}

/// Everything in `values` that does not fit the form, in the order of its fields.
pub(super) fn issues(fields: &[Field], values: &Value) -> Vec<Issue> {
    let validator = validator(fields);
    let mut issues: Vec<_> = validator.iter_errors(values).flat_map(|error| read(&error)).collect();
    let place = |issue: &Issue| {
        let is_field = |field: &Field| {
            let own = format!("/fields/{}", field.key);
            issue.path == own || issue.path.starts_with(&format!("{own}/"))
        };
        fields.iter().position(is_field).unwrap_or(fields.len())
    };
    issues.sort_by_key(place);
    issues
}

fn validator(fields: &[Field]) -> Validator {
    let options = jsonschema::draft202012::options().should_validate_formats(true);
    options.build(&schema(fields).into()).expect("the schema of a form is one")
}

/// The issues of one error: several where it is about several members.
fn read(error: &ValidationError<'_>) -> Vec<Issue> {
    let at = format!("/fields{}", error.instance_path());
    let member = |key: &str| format!("/fields{}", error.instance_path().join(key));
    let instance = error.instance();
    let length = || instance.as_str().map_or(0, |text| text.chars().count());
    let one = |code, message: String| vec![Issue::body(at.clone(), code, message)];
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let message = "is not a field of this form; leave it out";
            let issue = |key: &String| Issue::body(member(key), IssueCode::UnknownField, message);
            unexpected.iter().map(issue).collect()
        }
        ValidationErrorKind::Required { property } => {
            let key = property.as_str().unwrap_or_default();
            vec![Issue::body(member(key), IssueCode::Required, "is missing")]
        }
        ValidationErrorKind::Type { .. } => {
            one(IssueCode::WrongType, "has a value of another type than the field".to_owned())
        }
        ValidationErrorKind::MinLength { .. } | ValidationErrorKind::MinItems { .. } => {
            let message = "must not be empty; leave out what is not filled in";
            one(IssueCode::TooShort, message.to_owned())
        }
        ValidationErrorKind::MaxLength { limit } => {
            let message = format!("must have at most {limit} characters, has {}", length());
            one(IssueCode::TooLong, message)
        }
        ValidationErrorKind::Enum { options } => {
            let values = options.as_array().into_iter().flatten().filter_map(Value::as_str);
            let values = values.collect::<Vec<_>>().join(", ");
            one(IssueCode::NotInEnum, format!("must be one of {values}"))
        }
        ValidationErrorKind::UniqueItems => {
            one(IssueCode::BadFormat, "must have each option once".to_owned())
        }
        ValidationErrorKind::Pattern { .. } => {
            let message = "must be an amount with two digits after the point, such as 1234.50";
            one(IssueCode::BadFormat, message.to_owned())
        }
        ValidationErrorKind::Format { format } => {
            let example =
                if format == "date" { "a day such as 2026-05-31" } else { "an e-mail address" };
            one(IssueCode::BadFormat, format!("must be {example}"))
        }
        other => unreachable!("no schema of a form has the rule {}", other.keyword()),
    }
}
