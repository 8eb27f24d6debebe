//! What breaks a rule of the document, with the names that generated servers use.

use std::fmt;

use crate::Visible;

/// A value of a request that breaks a rule of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The part of the request.
    pub location: Location,
    /// A JSON pointer into the body, or `/` and the name of the parameter.
    pub path: String,
    /// The rule.
    pub code: ViolationCode,
    /// A text for people.
    pub message: String,
}

impl Violation {
    pub(crate) fn new(
        location: Location,
        path: impl Into<String>,
        code: ViolationCode,
        message: impl fmt::Display,
    ) -> Self {
        Self { location, path: path.into(), code, message: message.to_string() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { location, path, message, .. } = self;
        write!(formatter, "{} {}: {}", location.as_str(), Visible(path), Visible(message))
    }
}

impl std::error::Error for Violation {}

/// Defines an enum of constants, each with its text.
macro_rules! constants {
    ($(#[$attribute:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
        }

        impl $name {
            /// The text by which servers name it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }
    };
}

constants! {
    /// The part of a request that a violation is in.
    Location { Body = "body", Query = "query", Path = "path", Header = "header", }
}

constants! {
    /// The rule that a value breaks.
    ViolationCode {
        Required = "REQUIRED",
        TooShort = "TOO_SHORT",
        TooLong = "TOO_LONG",
        TooSmall = "TOO_SMALL",
        TooLarge = "TOO_LARGE",
        NotInEnum = "NOT_IN_ENUM",
        Excluded = "EXCLUDED",
        BadFormat = "BAD_FORMAT",
        Zero = "ZERO",
    }
}
