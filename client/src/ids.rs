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
        $crate::texts::text! {
            @define (try_from = "String", into = "String") $(#[$attribute])* $name
        }
        $crate::texts::try_from_texts!($name);

        impl std::str::FromStr for $name {
            type Err = $crate::InvalidValue;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $crate::ids::check(text)?;
                Ok(Self(text.to_owned()))
            }
        }

        impl $name {
            #[allow(dead_code, reason = "only PartnerReference is made from another id")]
            pub(crate) fn from_checked(text: String) -> Self {
                Self(text)
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
