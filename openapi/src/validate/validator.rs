//! The compiled schema, and the translation of the library's errors. Nothing accesses the network.

use jsonschema::{
    JsonType, Keyword, ValidationError,
    error::{TypeKind, ValidationErrorKind},
};
use serde_json::{Value, json};

use super::violation::{Violation, order};
use crate::{pointer::join, schema::WHOLE_NUMBER};

/// The formats that the library knows and generated servers do not check.
const HINTS: [&str; 10] = [
    "duration",
    "idn-email",
    "idn-hostname",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "uri-reference",
    "uri-template",
];

/// A compiled schema.
#[derive(Debug, Clone)]
pub struct Validator(jsonschema::Validator);

impl Validator {
    pub(crate) fn new(schema: &Value) -> Result<Self, String> {
        let mut options =
            jsonschema::draft202012::options().should_validate_formats(true).offline();
        for hint in HINTS {
            options = options.with_format(hint, |_| true);
        }
        for format in openapi_formats::ALL {
            options = options.with_format(format.name, move |text: &str| format.accepts(text));
        }
        options
            .with_keyword(WHOLE_NUMBER, |_, _, _| Ok(Box::new(WholeNumber)))
            .build(schema)
            .map(Self)
            .map_err(|error| format!("the schema cannot be used: {error}"))
    }

    /// All violations, ordered by their place in the value.
    pub fn validate(&self, value: &Value) -> Vec<Violation> {
        let mut violations = Vec::new();
        for error in self.0.iter_errors(value) {
            collect(&error, &mut violations);
        }
        violations.sort_by(order);
        violations.dedup();
        drop_consequences(violations)
    }

    /// Returns true if the value is valid; faster than [`Validator::validate`].
    pub fn is_valid(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }
}

/// Rejects numbers that are written with a fraction although they are whole. What has more than 64
/// bits breaks a bound as well, unless it is rounded to the bound.
struct WholeNumber;

impl Keyword<'_> for WholeNumber {
    fn validate(&self, instance: &Value) -> Result<(), ValidationError<'static>> {
        let is_valid = Keyword::is_valid(self, instance);
        if is_valid { Ok(()) } else { Err(ValidationError::custom("must be an integer")) }
    }

    #[expect(clippy::disallowed_types, reason = "a number of a document, no money")]
    fn is_valid(&self, instance: &Value) -> bool {
        let Value::Number(number) = instance else { return true };
        let is_beyond = |it: f64| it > i64::MAX as f64 || it < i64::MIN as f64 || it.fract() != 0.0;
        number.is_i64() || number.is_u64() || number.as_f64().is_none_or(is_beyond)
    }
}

/// A value of the wrong type is never in the enum either; one violation is enough.
fn drop_consequences(violations: Vec<Violation>) -> Vec<Violation> {
    let mistyped: Vec<String> = violations
        .iter()
        .filter(|violation| matches!(violation.keyword.as_str(), "type" | "nullable"))
        .map(|violation| violation.pointer.clone())
        .collect();
    let is_consequence = |violation: &Violation| {
        violation.keyword == "enum" && mistyped.contains(&violation.pointer)
    };
    violations.into_iter().filter(|violation| !is_consequence(violation)).collect()
}

fn collect(error: &ValidationError<'_>, violations: &mut Vec<Violation>) {
    let at = error.instance_path().as_str();
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            push(violations, join(at, name), "required", "is required");
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            for name in unexpected {
                push(violations, join(at, name), "additionalProperties", "is not known here");
            }
        }
        ValidationErrorKind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default();
            push(violations, join(at, name), error.kind().keyword(), &message(error.kind()));
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context }
            if let Some(errors) = the_one_beside_null(context, at) =>
        {
            for error in errors {
                collect(error, violations);
            }
        }
        ValidationErrorKind::Type { .. } if error.instance().is_null() => {
            push(violations, at.to_owned(), "nullable", "must not be null");
        }
        ValidationErrorKind::Custom { message, .. } => {
            push(violations, at.to_owned(), "type", message);
        }
        kind => push(violations, at.to_owned(), kind.keyword(), &message(kind)),
    }
}

fn push(violations: &mut Vec<Violation>, pointer: String, keyword: &str, message: &str) {
    violations.push(Violation {
        pointer,
        keyword: keyword.to_owned(),
        message: message.to_owned(),
    });
}

/// If one of two alternatives is null, the errors of the other.
fn the_one_beside_null<'context>(
    context: &'context [Vec<ValidationError<'static>>],
    at: &str,
) -> Option<&'context [ValidationError<'static>]> {
    let is_of_null = |error: &ValidationError<'static>| match error.kind() {
        ValidationErrorKind::Type { kind } => matches!(kind, TypeKind::Single(JsonType::Null)),
        ValidationErrorKind::Enum { options } => **options == json!([null]),
        _ => false,
    };
    let is_null_alone = |errors: &[ValidationError<'static>]| {
        errors.iter().all(|error| error.instance_path().as_str() == at)
            && errors.iter().any(is_of_null)
    };
    match context {
        [null, other] if is_null_alone(null) => Some(other),
        [other, null] if is_null_alone(null) => Some(other),
        _ => None,
    }
}

fn message(kind: &ValidationErrorKind) -> String {
    use ValidationErrorKind as Kind;
    match kind {
        Kind::Type { kind } => format!("must be {}", type_names(kind)),
        Kind::Enum { options } => format!("must be one of {options}"),
        Kind::MinLength { limit } => format!("must have at least {limit} characters"),
        Kind::MaxLength { limit } => format!("must have at most {limit} characters"),
        Kind::Pattern { pattern } => format!("must match the pattern {pattern}"),
        Kind::Format { format } => openapi_formats::Format::named(format).map_or_else(
            || format!("must be a {format}"),
            |format| format!("must be {}", format.description),
        ),
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be above {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be below {limit}"),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}"),
        Kind::MinItems { limit } => format!("must have at least {limit} elements"),
        Kind::MaxItems { limit } => format!("must have at most {limit} elements"),
        Kind::UniqueItems => "must not have equal elements".to_owned(),
        Kind::MinProperties { limit } => format!("must have at least {limit} members"),
        Kind::MaxProperties { limit } => format!("must have at most {limit} members"),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
            "fits none of the alternatives".to_owned()
        }
        Kind::OneOfMultipleValid { .. } => "fits more than one alternative".to_owned(),
        Kind::Not { .. } => "is what the schema forbids".to_owned(),
        // The conversion writes no other keyword: the library gave up, as on a slow pattern.
        other => format!("could not be checked by `{}`", other.keyword()),
    }
}

fn type_names(kind: &TypeKind) -> String {
    let article = |name: JsonType| match name {
        JsonType::Null => "null".to_owned(),
        JsonType::Array | JsonType::Integer | JsonType::Object => format!("an {name}"),
        other => format!("a {other}"),
    };
    match kind {
        TypeKind::Single(name) => article(*name),
        TypeKind::Multiple(names) => {
            let names: Vec<String> = names.iter().map(article).collect();
            names.join(" or ")
        }
    }
}
