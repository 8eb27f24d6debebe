//! The compiled schema, and the translation of the library's errors.
//!
//! It refuses the network: a schema is complete, and formats are checked without look-ups.

use jsonschema::{
    JsonType, ValidationError,
    error::{TypeKind, ValidationErrorKind},
};
use serde_json::Value;

use super::violation::{Keyword, Violation, order};
use crate::pointer::join;

/// A schema ready to judge values. Compile once, use often.
#[derive(Debug, Clone)]
pub struct Validator(jsonschema::Validator);

impl Validator {
    pub(crate) fn new(schema: &Value) -> Result<Self, String> {
        jsonschema::draft202012::options()
            .should_validate_formats(true)
            .offline()
            .build(schema)
            .map(Self)
            .map_err(|error| format!("the schema cannot be used: {error}"))
    }

    /// All violations, ordered by their place in the value; none means valid.
    #[must_use]
    pub fn validate(&self, value: &Value) -> Vec<Violation> {
        let mut violations = Vec::new();
        for error in self.0.iter_errors(value) {
            collect(&error, &mut violations);
        }
        violations.sort_by(order);
        violations.dedup();
        drop_consequences(violations)
    }

    /// Whether the value satisfies the schema; quicker than [`Validator::validate`].
    #[must_use]
    pub fn is_valid(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }
}

/// A value of the wrong type is not in the list either: once is enough.
fn drop_consequences(violations: Vec<Violation>) -> Vec<Violation> {
    let mistyped: Vec<String> = violations
        .iter()
        .filter(|violation| matches!(violation.keyword, Keyword::Type | Keyword::Nullable))
        .map(|violation| violation.pointer.clone())
        .collect();
    let is_consequence = |violation: &Violation| {
        violation.keyword == Keyword::Enum && mistyped.contains(&violation.pointer)
    };
    violations
        .into_iter()
        .filter(|violation| !is_consequence(violation))
        .collect()
}

fn collect(error: &ValidationError<'_>, violations: &mut Vec<Violation>) {
    let at = error.instance_path().as_str();
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            push(
                violations,
                join(at, name),
                Keyword::Required,
                "is required".to_owned(),
            );
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            for name in unexpected {
                let message = "is not known here".to_owned();
                push(
                    violations,
                    join(at, name),
                    Keyword::AdditionalProperties,
                    message,
                );
            }
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context }
            if let Some(errors) = the_one_beside_null(context, at) =>
        {
            for error in errors {
                collect(error, violations);
            }
        }
        kind => {
            let (keyword, message) = describe(kind, error.instance());
            push(violations, at.to_owned(), keyword, message);
        }
    }
}

fn push(violations: &mut Vec<Violation>, pointer: String, keyword: Keyword, message: String) {
    violations.push(Violation {
        pointer,
        keyword,
        message,
    });
}

/// Of two alternatives one of which is null: the errors of the other, which the value was meant for.
fn the_one_beside_null<'context>(
    context: &'context [Vec<ValidationError<'static>>],
    at: &str,
) -> Option<&'context [ValidationError<'static>]> {
    let is_null_alone = |errors: &[ValidationError<'static>]| match errors {
        [error] => {
            error.instance_path().as_str() == at
                && matches!(
                    error.kind(),
                    ValidationErrorKind::Type {
                        kind: TypeKind::Single(JsonType::Null)
                    }
                )
        }
        _ => false,
    };
    match context {
        [null, other] if is_null_alone(null) => Some(other),
        [other, null] if is_null_alone(null) => Some(other),
        _ => None,
    }
}

fn describe(kind: &ValidationErrorKind, value: &Value) -> (Keyword, String) {
    use ValidationErrorKind as Kind;
    match kind {
        Kind::Type { .. } if value.is_null() => (Keyword::Nullable, "must not be null".to_owned()),
        Kind::Type { kind } => (Keyword::Type, format!("must be {}", type_names(kind))),
        Kind::Enum { options } => (Keyword::Enum, format!("must be one of {options}")),
        Kind::MinLength { limit } => (
            Keyword::MinLength,
            format!("must have at least {limit} characters"),
        ),
        Kind::MaxLength { limit } => (
            Keyword::MaxLength,
            format!("must have at most {limit} characters"),
        ),
        Kind::Pattern { pattern } => (
            Keyword::Pattern,
            format!("must match the pattern {pattern}"),
        ),
        Kind::Format { format } => (Keyword::Format, format!("must be a {format}")),
        Kind::Minimum { limit } => (Keyword::Minimum, format!("must be at least {limit}")),
        Kind::Maximum { limit } => (Keyword::Maximum, format!("must be at most {limit}")),
        Kind::ExclusiveMinimum { limit } => {
            (Keyword::ExclusiveMinimum, format!("must be above {limit}"))
        }
        Kind::ExclusiveMaximum { limit } => {
            (Keyword::ExclusiveMaximum, format!("must be below {limit}"))
        }
        Kind::MultipleOf { multiple_of } => (
            Keyword::MultipleOf,
            format!("must be a multiple of {multiple_of}"),
        ),
        Kind::MinItems { limit } => (
            Keyword::MinItems,
            format!("must have at least {limit} elements"),
        ),
        Kind::MaxItems { limit } => (
            Keyword::MaxItems,
            format!("must have at most {limit} elements"),
        ),
        Kind::UniqueItems => (
            Keyword::UniqueItems,
            "must not have equal elements".to_owned(),
        ),
        Kind::MinProperties { limit } => (
            Keyword::MinProperties,
            format!("must have at least {limit} members"),
        ),
        Kind::MaxProperties { limit } => (
            Keyword::MaxProperties,
            format!("must have at most {limit} members"),
        ),
        Kind::AnyOf { .. } => (Keyword::AnyOf, "fits none of the alternatives".to_owned()),
        Kind::OneOfNotValid { .. } => (Keyword::OneOf, "fits none of the alternatives".to_owned()),
        Kind::OneOfMultipleValid { .. } => {
            (Keyword::OneOf, "fits more than one alternative".to_owned())
        }
        Kind::Not { .. } => (Keyword::Not, "is what the schema forbids".to_owned()),
        // The conversion emits no other keyword, so what is left is the engine giving up.
        other => (
            Keyword::Unjudged,
            format!("could not be judged by `{}`", other.keyword()),
        ),
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
