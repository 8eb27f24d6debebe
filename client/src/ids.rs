//! Ids: opaque texts that go into a URL's path.
//!
//! They refuse what a path cannot carry: nothing, and the segments `.` and `..`, which every URL parser resolves, so
//! that `..` would ask for another resource. (R5, V1)

use crate::types::{PartnerId, PartnerReference};

/// A text that is no id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidId {
    /// An id has at least one character.
    #[error("an id is never empty")]
    Empty,
    /// A URL's path cannot carry it.
    #[error("`{0}` is no id: in a URL it would lead to another resource")]
    DotSegment(String),
}

/// Judges a text that wants to be an id.
pub(crate) fn check(text: &str) -> Result<(), InvalidId> {
    match text {
        "" => Err(InvalidId::Empty),
        "." | ".." => Err(InvalidId::DotSegment(text.to_owned())),
        _ => Ok(()),
    }
}

/// An id as one segment of a path. progenitor's own encoding leaves the backslash, which URL parsers read as `/`.
pub(crate) fn encode_path(id: &str) -> String {
    progenitor_client::encode_path(id).replace('\\', "%5C")
}

/// A partner can be asked for by its service id. (R1)
impl From<PartnerId> for PartnerReference {
    fn from(id: PartnerId) -> Self {
        Self::from_checked(id.into())
    }
}

/// A partner can be asked for by its service id. (R1)
impl From<&PartnerId> for PartnerReference {
    fn from(id: &PartnerId) -> Self {
        Self::from(id.clone())
    }
}

/// Defines a type for one kind of id: `id! { PayoutId }`.
macro_rules! id {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            #[allow(dead_code, reason = "only the kinds that another kind converts into need it")]
            pub(crate) fn from_checked(text: String) -> Self {
                Self(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::InvalidId;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                $crate::ids::check(&text)?;
                Ok(Self(text))
            }
        }

        impl TryFrom<&str> for $name {
            type Error = $crate::InvalidId;

            fn try_from(text: &str) -> Result<Self, Self::Error> {
                Self::try_from(text.to_owned())
            }
        }

        impl TryFrom<&String> for $name {
            type Error = $crate::InvalidId;

            fn try_from(text: &String) -> Result<Self, Self::Error> {
                Self::try_from(text.clone())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::InvalidId;

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
    use super::{InvalidId, encode_path};
    use crate::types::PayoutId;

    #[test]
    fn empty_text_and_dot_segments_are_no_ids() {
        assert_eq!(PayoutId::try_from(""), Err(InvalidId::Empty));
        for text in [".", ".."] {
            assert_eq!(
                PayoutId::try_from(text),
                Err(InvalidId::DotSegment(text.to_owned()))
            );
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
    fn whatever_separates_segments_is_encoded() {
        assert_eq!(encode_path(r"..\../%2e"), "..%5C..%2F%252e");
    }
}
