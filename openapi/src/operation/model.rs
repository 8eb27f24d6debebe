//! The types of an operation. [`crate::Document`] resolves and validates by their
//! `schema_pointer`s. A `pointer` is where a part is defined: for a reference, in `components`.

use serde_json::Value;
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

use super::Status;
use crate::example::Example;

/// One method on one path.
#[derive(Debug, Clone)]
pub struct Operation {
    /// `operationId`; without one, method and path, as in `get_/pets`.
    pub id: String,
    pub method: Method,
    /// The path template as written, as in `/loans/{id}`.
    pub path: String,
    /// The first of its tags.
    pub tag: Option<String>,
    /// `x-profile`: the conformance profile it belongs to.
    pub profile: Option<String>,
    /// `x-required-scope`: the scope that the caller's key needs.
    pub scope: Option<String>,
    /// The security requirements that apply, its own or the document's: alternatives, each with the
    /// schemes that it names and their scopes. No alternative, or an empty one: open to everybody.
    pub security: Vec<SecurityRequirement>,
    pub deprecated: bool,
    /// `x-idempotent`: the effect of a repeated request.
    pub idempotency: Idempotency,
    /// `x-time-limit`: how long the server may work on it, where that is longer than usual.
    pub time_limit_seconds: Option<u64>,
    /// `x-begins-with-read`: true if the server reads before it changes anything.
    pub begins_with_read: bool,
    pub summary: Option<String>,
    pub description: Option<String>,
    /// Its own parameters, and the path item's others: those of the path in its order, then the
    /// others in the order of the document.
    pub parameters: Vec<Parameter>,
    pub body: Option<RequestBody>,
    /// The members of a request that name a resource.
    pub references: Vec<ResourceReference>,
    pub responses: Vec<Response>,
    pub pointer: String,
}

/// The security schemes of one alternative, each with the scopes that it needs.
pub type SecurityRequirement = Vec<(String, Vec<String>)>;

/// The effect of a repeated request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Idempotency {
    /// `x-idempotent: false`, and without the extension: it may have another effect each time.
    #[default]
    None,
    /// `x-idempotent: true`: always.
    ByNature,
    /// `x-idempotent: key`: if it has the same `idempotency-key` in its header.
    ByKey,
}

/// The methods an OpenAPI 3.0 path item can have.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Display, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "UPPERCASE")]
pub enum Method {
    Get,
    Put,
    Post,
    Delete,
    Options,
    Head,
    Patch,
    Trace,
}

/// Where a parameter travels.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Display, EnumString, IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
pub enum Location {
    Path,
    Query,
    Header,
    Cookie,
}

/// One parameter, its reference resolved.
#[derive(Debug, Clone)]
pub struct Parameter {
    pub name: String,
    pub location: Location,
    pub required: bool,
    pub description: Option<String>,
    /// How a list or an object is written: `style`, or the default of its location.
    pub style: String,
    /// True if each element of a list is a parameter of its own: `explode`, or the style's default.
    pub explode: bool,
    /// The media type of its value, where it has `content` instead of a schema.
    pub content_type: Option<String>,
    /// Its schema, also from `content`.
    pub schema_pointer: Option<String>,
    pub pointer: String,
}

/// A request body, its reference resolved.
#[derive(Debug, Clone)]
pub struct RequestBody {
    pub required: bool,
    pub content: Vec<MediaType>,
    pub pointer: String,
}

/// A member of a request whose value is the id of a resource (`x-references` of its schema).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceReference {
    /// The name of a parameter, or the pointer of a member of the body, such as `/tierId`.
    pub member: String,
    /// Where the parameter travels; `None` for a member of the body.
    pub location: Option<Location>,
    /// The resource as people call it, such as `tier`.
    pub resource: String,
}

/// One representation of a body.
#[derive(Debug, Clone)]
pub struct MediaType {
    /// As in `application/json`.
    pub content_type: String,
    /// Its schema, if it has one.
    pub schema_pointer: Option<String>,
    pub examples: Vec<Example>,
    pub pointer: String,
}

/// One response, its reference resolved.
#[derive(Debug, Clone)]
pub struct Response {
    /// The statuses that it describes.
    pub status: Status,
    pub description: String,
    pub headers: Vec<Header>,
    /// Its media types; none for no body.
    pub content: Vec<MediaType>,
    /// `x-error-codes`: the codes its error body may carry.
    pub error_codes: Vec<String>,
    pub pointer: String,
}

/// One header of a response, its reference resolved.
#[derive(Debug, Clone)]
pub struct Header {
    pub name: String,
    /// True if every such response has it.
    pub required: bool,
    pub description: Option<String>,
    /// Its schema, also from `content`.
    pub schema_pointer: Option<String>,
    pub pointer: String,
}

impl Operation {
    /// The response for a status: the code itself, else its range, else `default`.
    pub fn response(&self, code: u16) -> Option<&Response> {
        let matching = self.responses.iter().filter(|response| response.status.matches(code));
        // `Status` orders code before range before default.
        matching.min_by_key(|response| response.status)
    }
}

impl Parameter {
    /// Returns true for the header with the key of a request that may be repeated.
    pub fn is_idempotency_key(&self) -> bool {
        self.location == Location::Header && self.name.eq_ignore_ascii_case(Idempotency::HEADER)
    }
}

impl Idempotency {
    /// The name of the header with the key.
    pub const HEADER: &'static str = "idempotency-key";

    /// The meaning of a value of `x-idempotent`; `None` for any but `true` and `key`.
    pub fn of_extension(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(false) => Some(Self::None),
            Value::Bool(true) => Some(Self::ByNature),
            Value::String(text) if text == "key" => Some(Self::ByKey),
            _ => None,
        }
    }
}

impl Method {
    /// The method in a request line: `GET`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The method in a path item: `get`.
    pub(crate) fn member_name(self) -> String {
        self.as_str().to_ascii_lowercase()
    }
}

impl Location {
    /// The value of a parameter's `in`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
