//! The JSON Schema of what a form takes, and what of a submission does not fit it. The schema that
//! the API shows is the one that submissions are checked by.

use jsonschema::{
    JsonType, ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind},
};
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
    // A value of another type is none of the options either.
    issues.dedup_by(|next, first| next.path == first.path);
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
        ValidationErrorKind::Type { kind: TypeKind::Single(expected) } => {
            let expected = match expected {
                JsonType::Boolean => "true or false",
                JsonType::Array => "a list of options",
                _ => "a text",
            };
            one(IssueCode::WrongType, format!("must be {expected}"))
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

#[cfg(test)]
mod tests {
    use openapi_document::Document;

    use super::*;
    use crate::{forms::definition::Definition, http::docs::DOCUMENT};

    /// A form with a field of each type, and what none of them takes.
    const FORM: &str = r#"{ "name": "All", "kind": "OTHER", "review": false, "fields": [
        { "key": "text", "label": "Text", "type": "TEXT", "required": true, "maxLength": 3 },
        { "key": "long", "label": "Long", "type": "LONG_TEXT" },
        { "key": "email", "label": "E-mail", "type": "EMAIL" },
        { "key": "money", "label": "Money", "type": "MONEY", "help": "In euros." },
        { "key": "date", "label": "Date", "type": "DATE" },
        { "key": "flag", "label": "Flag", "type": "BOOLEAN" },
        { "key": "one", "label": "One", "type": "SELECT",
          "options": [{ "value": "a", "label": "A" }, { "value": "b", "label": "B" }] },
        { "key": "several", "label": "Several", "type": "MULTI_SELECT",
          "options": [{ "value": "a", "label": "A" }, { "value": "b", "label": "B" }] }
    ] }"#;

    fn fields() -> Vec<Field> {
        Definition::parse(FORM).unwrap().fields
    }

    #[test]
    fn amounts_of_a_form_are_money_of_the_document() {
        let document = Document::parse("openapi/api.yaml", DOCUMENT).unwrap();
        let money = document.shape("/components/schemas/Money").unwrap();
        assert_eq!(money.keyword("pattern").unwrap(), MONEY);
    }

    #[test]
    fn schema_of_a_form_is_a_schema_with_a_rule_for_each_type() {
        let schema = Value::from(schema(&fields()));
        assert!(jsonschema::meta::is_valid(&schema));
        insta::assert_snapshot!(serde_json::to_string_pretty(&schema).unwrap());
    }

    #[test]
    fn what_fits_the_form_has_no_issues() {
        let least = json!({ "text": "x" });
        let most = json!({
            "text": "äöü", "long": "a\nb", "email": "jo@acme.example",
            "money": "-90071992547409.93", "date": "2028-02-29", "flag": false,
            "one": "b", "several": ["b", "a"],
        });
        for values in [least, most] {
            assert_eq!(issues(&fields(), &values), [], "{values}");
        }
    }

    #[test]
    fn everything_that_does_not_fit_is_an_issue_in_the_order_of_the_form() {
        let issues_of = |values: Value| {
            let issue =
                |issue: Issue| format!("{} {:?}: {}", issue.path, issue.code, issue.message);
            issues(&fields(), &values).into_iter().map(issue).collect::<Vec<_>>().join("\n")
        };
        let all = [
            json!({ "other": "x", "a/b": "x" }),
            json!({
                "several": ["a", "c", "a"], "one": "c", "flag": "true", "date": "2027-02-29",
                "money": "1.5", "email": "jo", "long": "", "text": "four",
            }),
            json!({
                "text": true, "long": ["x"], "one": false, "several": "a", "date": "31.05.2026",
            }),
            json!({ "text": "x", "several": [] }),
        ];
        insta::assert_snapshot!(all.map(issues_of).join("\n\n"));
    }
}
