//! Closed value sets: a Rust enum per named schema with `enum`.
//!
//! It refuses a value outside the set, in any letter case but the document's.

/// A text that is no value of a closed set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` is none of {}", known.join(", "))]
pub struct UnknownChoice {
    /// The text.
    pub value: String,
    /// The values of the set, in the document's order.
    pub known: &'static [&'static str],
}

/// Gives an enum its texts: `choice!(PortalAccess, [(RestrictedUsers, "RESTRICTED_USERS")]);`
macro_rules! choice {
    ($name:ident, [$(($variant:ident, $text:literal)),+ $(,)?]) => {
        impl $name {
            /// Every value, in the document's order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Every value as it stands in the contract, in the same order.
            pub const VALUES: &'static [&'static str] = &[$($text),+];

            /// The value as it stands in the contract.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),+
                }
            }

            /// The value that stands so in the contract.
            ///
            /// # Errors
            /// When the text is outside the set.
            pub fn parse(text: &str) -> Result<Self, $crate::contract::scalars::UnknownChoice> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err($crate::contract::scalars::UnknownChoice {
                        value: text.to_owned(),
                        known: Self::VALUES,
                    }),
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::contract::scalars::UnknownChoice;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse(text)
            }
        }

        impl ::poem_openapi::types::ParseFromJSON for $name {
            fn parse_from_json(
                value: Option<::serde_json::Value>,
            ) -> ::poem_openapi::types::ParseResult<Self> {
                match value {
                    Some(::serde_json::Value::String(text)) => {
                        Self::parse(&text).map_err(::poem_openapi::types::ParseError::custom)
                    }
                    other => Err(::poem_openapi::types::ParseError::expected_type(
                        other.unwrap_or_default(),
                    )),
                }
            }
        }

        impl ::poem_openapi::types::ParseFromParameter for $name {
            fn parse_from_parameter(value: &str) -> ::poem_openapi::types::ParseResult<Self> {
                Self::parse(value).map_err(::poem_openapi::types::ParseError::custom)
            }
        }

        impl ::poem_openapi::types::ToJSON for $name {
            fn to_json(&self) -> Option<::serde_json::Value> {
                Some(::serde_json::Value::String(self.as_str().to_owned()))
            }
        }

        $crate::contract::scalars::named_schema!($name, {
            let mut schema = ::poem_openapi::registry::MetaSchema::new("string");
            schema.enum_items = Self::VALUES.iter().map(|value| (*value).into()).collect();
            schema
        });
    };
}

pub(crate) use choice;
