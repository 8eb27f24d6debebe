//! The supported versions of a document.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// The name that a request sends.
    pub name: &'static str,
    /// Set where the version will end.
    pub deprecation: Option<Deprecation>,
}

/// When a version is deprecated, and when it ends, as the values of two headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deprecation {
    /// `Deprecation`, RFC 9745.
    pub deprecated: &'static str,
    /// `Sunset`, RFC 8594.
    pub sunset: &'static str,
}
