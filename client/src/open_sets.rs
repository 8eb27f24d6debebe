//! Enums that may gain values. A value that this version of the client does not know is kept as
//! `Unknown`, so that a new value breaks no client. (V13, V14)

/// Defines an open set: `open_set! { PartnerStatus { Active = "active", } }`.
macro_rules! open_set {
    ($(#[$attribute:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$attribute])*
        #[derive(
            Clone,
            Debug,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
        )]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
            /// A value that this version of the client does not know.
            Unknown(String),
        }

        impl $name {
            /// The values that this version of the client knows.
            pub const KNOWN: &'static [Self] = &[$(Self::$variant,)*];

            /// The value as requests and responses spell it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Unknown(text) => text,
                }
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                let text = <$crate::open_object::Text<'de> as ::serde::Deserialize>::deserialize(
                    deserializer,
                )?;
                Ok(Self::from(text.0.as_ref()))
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)*
                    unknown => Self::Unknown(unknown.to_owned()),
                }
            }
        }

        $crate::texts::from_texts!($name);
        $crate::texts::into_texts!($name);
    };
}
pub(crate) use open_set;

/// Defines a closed set of a request: `closed_set! { Reason { Duplicate = "DUPLICATE", } }`.
/// Another value is an error before a request is sent.
macro_rules! closed_set {
    ($(#[$attribute:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$attribute])*
        #[derive(
            Clone,
            Copy,
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
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
        }

        impl $name {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The value as requests spell it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::InvalidValue;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.iter().find(|value| value.as_str() == text);
                found.copied().ok_or_else(|| {
                    let all: &[&str] = &[$($text,)*];
                    $crate::InvalidValue(format!("`{text}` is none of {}", all.join(", ")))
                })
            }
        }

        $crate::texts::try_from_texts!($name);
        $crate::texts::into_texts!($name);
    };
}
pub(crate) use closed_set;

#[cfg(test)]
mod tests {
    use crate::types::{CommissionLineStatus, PartnerStatus, PayoutStage, PortalAccess};

    #[test]
    fn known_values_read_and_write_as_the_document_spells_them() {
        for stage in PayoutStage::KNOWN {
            let text = serde_json::to_string(stage).unwrap();
            assert_eq!(text, format!("\"{stage}\""));
            assert_eq!(serde_json::from_str::<PayoutStage>(&text).unwrap(), *stage);
        }
        assert_eq!(PartnerStatus::from("active"), PartnerStatus::Active);
    }

    #[test]
    fn unknown_value_of_a_closed_set_is_an_error_that_lists_the_known_ones() {
        let error = PortalAccess::try_from("OPEN").unwrap_err().to_string();
        let all: Vec<&str> = PortalAccess::ALL.iter().map(|value| value.as_str()).collect();
        assert_eq!(error, format!("`OPEN` is none of {}", all.join(", ")));
        assert_eq!(PortalAccess::try_from(all[0]).unwrap().to_string(), all[0]);
    }

    #[test]
    fn unknown_value_survives_reading_and_writing() {
        let status: CommissionLineStatus = serde_json::from_str("\"DISPUTED\"").unwrap();
        assert_eq!(status, CommissionLineStatus::Unknown("DISPUTED".to_owned()));
        assert_eq!(serde_json::to_string(&status).unwrap(), "\"DISPUTED\"");
    }
}
