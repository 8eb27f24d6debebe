//! How bodies and parameters are written.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BodyFormat {
    pub(crate) format: Format,
    pub(crate) media_type: String,
    /// Of a form: the properties that are not written in the usual way.
    pub(crate) encodings: Vec<(String, Encoding)>,
    /// Of `multipart/form-data`: its parts.
    pub(crate) parts: Vec<(String, Part)>,
}

/// How a part of a form is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Text,
    Json,
    JsonList,
    File { media_types: Vec<String>, min_bytes: u64, max_bytes: Option<u64> },
}

/// How the generated code reads a media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Form,
    Text,
    /// Bytes that nothing of the generated code reads.
    Bytes,
    Multipart,
}

/// How an object or a list is written in a query or a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Each property or item by itself, with the names in brackets.
    Brackets,
    /// As JSON.
    Json,
    /// The items of a list, or the names and values of an object, with a separator.
    Separated(char),
    /// Each item or property as a parameter or field of its own.
    Exploded,
}

impl Format {
    pub(crate) fn of(media_type: &str) -> Self {
        let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.split_once('/') {
            Some(("application", "json")) => Self::Json,
            Some((_, subtype)) if subtype.ends_with("+json") => Self::Json,
            Some(("application", "x-www-form-urlencoded")) => Self::Form,
            Some(("text", _)) => Self::Text,
            Some(("multipart", _)) => Self::Multipart,
            _ => Self::Bytes,
        }
    }
}
