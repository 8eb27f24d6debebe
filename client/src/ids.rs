//! Ids: opaque strings that become a segment of a URL's path. (R5, V1)
//!
//! The empty string and the segments `.` and `..` are errors: URL parsers resolve them, so the
//! request would go to another resource.

use percent_encoding::{AsciiSet, CONTROLS, PercentEncode, utf8_percent_encode};

use crate::{
    InvalidValue,
    types::{PartnerId, PartnerReference},
};

/// Checks that a string can be an id.
pub(crate) fn check(text: &str) -> Result<(), InvalidValue> {
    match text {
        "" => Err(InvalidValue("an id is never empty".to_owned())),
        "." | ".." => Err(InvalidValue(format!(
            "`{text}` is not an id: in a URL it would lead to another resource"
        ))),
        _ => Ok(()),
    }
}

/// What a segment of a path cannot hold. URL parsers read a backslash as `/`.
const NO_SEGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'/')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\')
    .add(b'`')
    .add(b'{')
    .add(b'}');

/// An id as one segment of a path.
pub(crate) fn encode_path(id: &str) -> PercentEncode<'_> {
    utf8_percent_encode(id, NO_SEGMENT)
}

/// A service id names a partner. (R1)
impl From<PartnerId> for PartnerReference {
    fn from(id: PartnerId) -> Self {
        Self::from_checked(id.into())
    }
}

/// A service id names a partner. (R1)
impl From<&PartnerId> for PartnerReference {
    fn from(id: &PartnerId) -> Self {
        Self::from(id.clone())
    }
}

/// Defines a type for one kind of id: `id! { PayoutId }`.
macro_rules! id {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[derive(
            Clone,
            Debug,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            ::serde::Serialize,
            ::serde::Deserialize,
        )]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The id as a string.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            #[allow(dead_code, reason = "only PartnerReference is made from another id")]
            pub(crate) fn from_checked(text: String) -> Self {
                Self(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::InvalidValue;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                $crate::ids::check(&text)?;
                Ok(Self(text))
            }
        }

        impl TryFrom<&str> for $name {
            type Error = $crate::InvalidValue;

            fn try_from(text: &str) -> Result<Self, Self::Error> {
                Self::try_from(text.to_owned())
            }
        }

        impl TryFrom<&String> for $name {
            type Error = $crate::InvalidValue;

            fn try_from(text: &String) -> Result<Self, Self::Error> {
                Self::try_from(text.clone())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::InvalidValue;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::try_from(text)
            }
        }

        impl From<&$name> for $name {
            fn from(id: &$name) -> Self {
                id.clone()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}
pub(crate) use id;

#[cfg(test)]
mod tests {
    use super::encode_path;
    use crate::types::PayoutId;

    #[test]
    fn empty_strings_and_dot_segments_are_not_ids() {
        for text in ["", ".", ".."] {
            assert!(PayoutId::try_from(text).is_err(), "{text}");
            assert!(serde_json::from_value::<PayoutId>(text.into()).is_err());
        }
    }

    #[test]
    fn dots_inside_an_id_are_allowed() {
        for text in ["...", "a..b", ".hidden"] {
            assert_eq!(PayoutId::try_from(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn separators_of_segments_are_encoded() {
        assert_eq!(encode_path(r"..\../%2e").to_string(), "..%5C..%2F%252e");
    }
}
