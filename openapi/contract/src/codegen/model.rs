//! The contract as the generators of the server see it. `read` reports everything that they cannot
//! write, so the model holds nothing else.

mod responses;
mod schemas;

use openapi_document::{Diagnostic, Idempotency, Location, SecurityRequirement};
use serde_json::Value;

pub(super) use self::{
    responses::{ErrorForm, Fill, Header, Member, Representation, Success},
    schemas::{kind, object, reached},
};
pub(super) use crate::codegen::{
    config::Scalar,
    formats::{BodyFormat, Encoding, Format, Part},
};

use crate::codegen::config::Config;

#[derive(Debug)]
pub(super) struct Model {
    pub(super) config: Config,
    /// The media types of responses that handlers write themselves: name in Rust, and media type.
    pub(super) media_types: Vec<(String, String)>,
    pub(super) schemas: Vec<Schema>,
    pub(super) operations: Vec<Operation>,
    pub(super) tags: Vec<Tag>,
    /// By status, then by first appearance.
    pub(super) error_codes: Vec<ErrorCode>,
    /// How errors are written: the usual form first.
    pub(super) error_forms: Vec<ErrorForm>,
    pub(super) scopes: Vec<String>,
    /// The supported versions of the document; its own is the last.
    pub(super) versions: Vec<Version>,
    /// What the generated code does without.
    pub(super) notes: Vec<Diagnostic>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) name: String,
    pub(super) deprecation: Option<Deprecation>,
}

/// When a version is deprecated, and when it ends, as the values of two headers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Deprecation {
    /// `Deprecation`, RFC 9745.
    pub(super) deprecated: String,
    /// `Sunset`, RFC 8594.
    pub(super) sunset: String,
}

#[derive(Debug, Clone)]
pub(super) struct Schema {
    /// Its name in Rust.
    pub(super) name: String,
    pub(super) description: String,
    /// Where it is written.
    pub(super) pointer: String,
    pub(super) kind: Kind,
    /// `x-transitions`: each value, and those that may follow it.
    pub(super) transitions: Vec<(String, Vec<String>)>,
    /// How many properties an object has.
    pub(super) counts: Counts,
    /// The name of the schema whose type it has: an equal one, for a schema in place.
    pub(super) same_as: Option<String>,
}

/// `minProperties` and `maxProperties`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) min: u64,
    pub(super) max: Option<u64>,
}

#[derive(Debug, Clone)]
#[expect(clippy::disallowed_types, reason = "a number of a document, no money")]
pub(super) enum Kind {
    Text(Text),
    Enum(Vec<String>),
    /// The only value of a boolean.
    Constant(bool),
    /// A whole number, and its default.
    Integer(Numbers<i64>, Option<i64>),
    Number(Numbers<f64>),
    /// A text that the runtime has a type for, and what the document says of it.
    Scalar(Scalar, Text),
    ValueMap,
    /// A map with any names, whose values have one type.
    Map(Type),
    TextMap(TextMap),
    Object(Object),
    Union(Union),
    Alternatives(Alternatives),
}

/// Alternatives that no member tells apart: a value is read as each of them.
#[derive(Debug, Clone)]
pub(super) struct Alternatives {
    /// True if a value can be only one of them: `oneOf`, and not `anyOf`.
    pub(super) is_exclusive: bool,
    /// The name of each in Rust, and its type.
    pub(super) variants: Vec<(String, Type)>,
}

/// The rule of a number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Numbers<T> {
    pub(super) minimum: Option<T>,
    pub(super) maximum: Option<T>,
    pub(super) excludes_minimum: bool,
    pub(super) excludes_maximum: bool,
    pub(super) multiple_of: Option<T>,
    /// The only allowed numbers, if there are any.
    pub(super) values: Vec<T>,
}

#[derive(Debug, Clone)]
pub(super) struct Union {
    pub(super) member: String,
    /// Its values, and the object with one of these values.
    pub(super) variants: Vec<(Vec<String>, String)>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) min_length: u64,
    pub(super) max_length: Option<u64>,
    pub(super) pattern: Option<String>,
    /// The message for a text that does not match; by default it has the pattern.
    pub(super) pattern_message: Option<String>,
    /// The name of a `format` that is checked.
    pub(super) format: Option<String>,
    pub(super) known_values: Vec<String>,
}

/// A map with any names, whose values are texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TextMap {
    pub(super) names: Text,
    pub(super) values: Text,
}

#[derive(Debug, Clone)]
pub(super) struct Object {
    pub(super) closed: bool,
    pub(super) fields: Vec<Field>,
    /// The type of the values beside the fields, where the document says one.
    pub(super) others: Option<Type>,
    pub(super) rules: Vec<Rule>,
    /// `readOnly` properties, which a request may have and nothing reads.
    pub(super) ignored: Vec<String>,
}

/// A rule of an object for a property, beyond the property's type. The distances of `Within` are
/// seconds before and after the request.
#[derive(Debug, Clone)]
pub(super) enum Rule {
    NotZero {
        field: String,
    },
    NotNegative {
        field: String,
    },
    LaterThan {
        field: String,
        other: String,
    },
    /// Where the other property has this value or, without one, is given.
    RequiredWhen {
        field: String,
        other: String,
        value: Option<String>,
    },
    ExcludedBy {
        field: String,
        other: String,
    },
    Within {
        field: String,
        past: Option<u32>,
        future: Option<u32>,
    },
}

#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) required: bool,
    pub(super) nullable: bool,
    /// Its value where it is absent: of an optional property that is not nullable.
    pub(super) default: Option<Value>,
    /// True if requests do not have it.
    pub(super) read_only: bool,
    /// True if responses do not have it.
    pub(super) write_only: bool,
    pub(super) value: Type,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Type {
    /// A schema by its name in Rust.
    Named(String),
    /// A schema that contains the one it is used in.
    Boxed(String),
    /// A value that may be null in a list, in a map or as a body; a field knows it itself.
    Nullable(Box<Type>),
    String,
    Boolean,
    Integer32,
    Integer64,
    Number,
    Any,
    /// A request body that nothing reads.
    Bytes,
    /// A part of a form that is a file.
    File,
    /// A response that a handler writes itself: the name in Rust of its media type.
    Content(String),
    List {
        items: Box<Type>,
        min_items: u64,
        max_items: Option<u64>,
        unique: bool,
    },
}

#[derive(Debug)]
pub(super) struct Operation {
    pub(super) id: String,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) tag: String,
    pub(super) profile: Option<String>,
    /// None where the document has no scopes.
    pub(super) scope: Option<String>,
    /// The alternatives of its `security`: names of schemes with scopes.
    pub(super) security: Vec<SecurityRequirement>,
    pub(super) summary: String,
    pub(super) description: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Option<Type>,
    pub(super) body_required: bool,
    /// How the body may be written.
    pub(super) body_formats: Vec<BodyFormat>,
    pub(super) idempotency: Idempotency,
    /// The members of the body that name a resource: the pointer of each, and the resource.
    pub(super) references: Vec<(String, String)>,
    /// `x-time-limit`.
    pub(super) time_limit_seconds: Option<u64>,
    /// `x-begins-with-read`.
    pub(super) begins_with_read: bool,
    /// What a handler returns, ascending by status, at least one: the 2XX, and other statuses whose
    /// body is not that of the errors.
    pub(super) successes: Vec<Success>,
    /// What a handler returns with a status of its own: the body of `default`.
    pub(super) other: Option<Success>,
    /// The statuses of errors, ascending.
    pub(super) errors: Vec<u16>,
    /// The errors with another form than the usual one: status, and the form's number.
    pub(super) error_forms: Vec<(u16, usize)>,
}

#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) location: Location,
    pub(super) description: String,
    pub(super) required: bool,
    pub(super) defaulted: bool,
    /// Its value where it is absent, if its type is none that knows it.
    pub(super) default: Option<Value>,
    /// True if an empty value is the same as none.
    pub(super) may_be_empty: bool,
    /// True if handlers get it.
    pub(super) is_argument: bool,
    pub(super) value: Type,
    /// Between the elements of a list; none where each is a parameter of its own.
    pub(super) separator: Option<char>,
    /// How an object, or a list of objects, is written.
    pub(super) encoding: Option<Encoding>,
}

#[derive(Debug)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) description: String,
}

#[derive(Debug)]
pub(super) struct ErrorCode {
    pub(super) code: String,
    pub(super) status: u16,
}

impl Model {
    /// The schemas that have a type of their own.
    pub(super) fn own_schemas(&self) -> impl Iterator<Item = &Schema> {
        self.schemas.iter().filter(|schema| schema.same_as.is_none())
    }

    pub(super) fn schema(&self, name: &str) -> &Schema {
        let found = self.schemas.iter().find(|schema| schema.name == name);
        found.expect("every name was checked when the document was read")
    }
}

impl Type {
    /// The schema that it names, also inside of a list.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) | Self::Boxed(name) | Self::Content(name) => Some(name),
            Self::Nullable(value) => value.name(),
            Self::List { items, .. } => items.name(),
            _ => None,
        }
    }

    /// Returns true if the innermost type is `inner`.
    pub(super) fn holds(&self, inner: &Self) -> bool {
        match self {
            Self::List { items, .. } => items.holds(inner),
            Self::Nullable(value) => value.holds(inner),
            other => other == inner,
        }
    }
}

impl Parameter {
    /// Returns true if a value that was read has it.
    pub(super) fn is_always_set(&self) -> bool {
        self.required || self.defaulted || self.default.is_some()
    }
}

impl Field {
    /// Returns true if a value that was read has it.
    pub(super) fn is_always_set(&self) -> bool {
        self.required || self.default.is_some()
    }
}

impl Operation {
    pub(super) fn parameters_in(&self, location: Location) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(move |parameter| parameter.location == location)
    }

    /// The headers that its handler gets, by name: their order in the document decides nothing.
    pub(super) fn header_arguments(&self) -> impl Iterator<Item = &Parameter> {
        let headers = self.parameters_in(Location::Header);
        let mut headers: Vec<_> = headers.filter(|parameter| parameter.is_argument).collect();
        headers.sort_by_key(|parameter| parameter.name.to_lowercase());
        headers.into_iter()
    }

    pub(super) fn is_list(&self, cursor: &str) -> bool {
        self.parameters_in(Location::Query).any(|parameter| parameter.name == cursor)
    }

    /// Returns true if its body is a text or bytes, as it was sent.
    pub(super) fn has_raw_body(&self) -> bool {
        let format = self.body_formats.first().map(|body| body.format);
        matches!(format, Some(Format::Text | Format::Bytes))
    }
}
