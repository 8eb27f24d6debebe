//! The types an operation is told in.
//!
//! They refuse to hold schemas: a `schema_pointer` leads to one, and [`crate::Document`] resolves,
//! places, converts and validates by pointer.

use std::fmt;

use super::Status;
use crate::example::Example;

/// One method on one path.
#[derive(Debug, Clone)]
pub struct Operation {
    /// `operationId`; where a foreign document has none, method and path, as in `get_/pets`.
    pub id: String,
    /// The method.
    pub method: Method,
    /// The path template as written, as in `/payouts/{id}`.
    pub path: String,
    /// The first of its tags.
    pub tag: Option<String>,
    /// `x-profile`: the conformance profile it belongs to.
    pub profile: Option<String>,
    /// `x-required-scope`: what the caller's key must permit.
    pub scope: Option<String>,
    /// One line about it.
    pub summary: Option<String>,
    /// All about it, in Markdown.
    pub description: Option<String>,
    /// The path item's and its own, its own winning where both name the same.
    pub parameters: Vec<Parameter>,
    /// The body it takes, if it takes one.
    pub body: Option<RequestBody>,
    /// Its documented answers, in the order of the document.
    pub responses: Vec<Response>,
    /// Where it stands.
    pub pointer: String,
}

/// The methods an OpenAPI 3.0 path item can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the documentation")]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Location {
    Path,
    Query,
    Header,
    Cookie,
}

/// One parameter, its reference resolved.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name on the wire.
    pub name: String,
    /// Where it travels.
    pub location: Location,
    /// Whether a request without it is refused.
    pub required: bool,
    /// What it means, in Markdown.
    pub description: Option<String>,
    /// Its schema, also when it stands inside `content`; a parameter may have none.
    pub schema_pointer: Option<String>,
    /// Where it is defined (in `components`, when it was referred to).
    pub pointer: String,
}

/// The body an operation takes, its reference resolved.
#[derive(Debug, Clone)]
pub struct RequestBody {
    /// Whether a request without it is refused.
    pub required: bool,
    /// The media types it may come in.
    pub content: Vec<MediaType>,
    /// Where it is defined.
    pub pointer: String,
}

/// One representation of a body.
#[derive(Debug, Clone)]
pub struct MediaType {
    /// As in `application/json`.
    pub content_type: String,
    /// Its schema, if it has one.
    pub schema_pointer: Option<String>,
    /// Its examples, their references resolved.
    pub examples: Vec<Example>,
    /// Where it is defined.
    pub pointer: String,
}

/// One documented answer, its reference resolved.
#[derive(Debug, Clone)]
pub struct Response {
    /// Which answers it describes.
    pub status: Status,
    /// What it means, in Markdown.
    pub description: String,
    /// Its documented headers.
    pub headers: Vec<Header>,
    /// Its representations; none means no body.
    pub content: Vec<MediaType>,
    /// `x-error-codes`: the codes its error body may carry.
    pub error_codes: Vec<String>,
    /// Where it is defined (in `components`, when it was referred to).
    pub pointer: String,
}

/// One header of an answer, its reference resolved.
#[derive(Debug, Clone)]
pub struct Header {
    /// Its name as written; header names know no case.
    pub name: String,
    /// Whether every such answer carries it.
    pub required: bool,
    /// What it means, in Markdown.
    pub description: Option<String>,
    /// Its schema, also when it stands inside `content`.
    pub schema_pointer: Option<String>,
    /// Where it is defined.
    pub pointer: String,
}

impl Operation {
    /// The response for an answer's code: the code itself, else its range, else `default`.
    #[must_use]
    pub fn response(&self, code: u16) -> Option<&Response> {
        let mut fitting: Vec<&Response> = self
            .responses
            .iter()
            .filter(|response| response.status.matches(code))
            .collect();
        // `Status` orders code before range before default: the most exact comes first.
        fitting.sort_by_key(|response| response.status);
        fitting.first().copied()
    }
}

impl Method {
    pub(crate) const ALL: [Self; 8] = [
        Self::Get,
        Self::Put,
        Self::Post,
        Self::Delete,
        Self::Options,
        Self::Head,
        Self::Patch,
        Self::Trace,
    ];

    /// As it stands in a request line: `GET`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Put => "PUT",
            Self::Post => "POST",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
            Self::Head => "HEAD",
            Self::Patch => "PATCH",
            Self::Trace => "TRACE",
        }
    }

    /// As it stands in a path item: `get`.
    #[must_use]
    pub fn member_name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Put => "put",
            Self::Post => "post",
            Self::Delete => "delete",
            Self::Options => "options",
            Self::Head => "head",
            Self::Patch => "patch",
            Self::Trace => "trace",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Location {
    /// As it stands in a parameter's `in`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
