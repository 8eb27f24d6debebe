//! Named integer schemas with bounds: newtypes over `i64` that cannot leave them.
//!
//! It refuses, in a query, every spelling but the plain one: `+5`, `05` and `1.0` are no integers (R6).

/// A number outside the bounds of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{value} is not between {minimum} and {maximum}")]
pub struct IntegerOutOfBounds {
    /// The number.
    pub value: i64,
    /// The least number that the type takes.
    pub minimum: i64,
    /// The greatest number that the type takes.
    pub maximum: i64,
}

/// Gives a newtype over `i64` its bounds: `integer!(PageLimit, 1, 100, "int32");`, with a default as a fifth
/// argument where the document has one.
macro_rules! integer {
    ($name:ident, $minimum:expr, $maximum:expr, $format:literal) => {
        impl $name {
            /// The least number that the document allows.
            pub const MINIMUM: i64 = $minimum;

            /// The greatest number that the document allows.
            pub const MAXIMUM: i64 = $maximum;

            /// What the document asks of such a number.
            pub const RULE: $crate::contract::form::Integer = $crate::contract::form::Integer {
                minimum: Self::MINIMUM,
                maximum: Self::MAXIMUM,
            };

            /// Wraps a number within the bounds.
            ///
            /// # Errors
            /// When it is outside of them.
            pub const fn new(
                value: i64,
            ) -> Result<Self, $crate::contract::scalars::IntegerOutOfBounds> {
                if value < Self::MINIMUM || value > Self::MAXIMUM {
                    return Err($crate::contract::scalars::IntegerOutOfBounds {
                        value,
                        minimum: Self::MINIMUM,
                        maximum: Self::MAXIMUM,
                    });
                }
                Ok(Self(value))
            }

            /// The number.
            #[must_use]
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, formatter)
            }
        }

        impl ::poem_openapi::types::ParseFromJSON for $name {
            fn parse_from_json(
                value: Option<::serde_json::Value>,
            ) -> ::poem_openapi::types::ParseResult<Self> {
                let value = value.unwrap_or_default();
                match value.as_i64() {
                    Some(number) => {
                        Self::new(number).map_err(::poem_openapi::types::ParseError::custom)
                    }
                    None => Err(::poem_openapi::types::ParseError::expected_type(value)),
                }
            }
        }

        impl ::poem_openapi::types::ParseFromParameter for $name {
            fn parse_from_parameter(value: &str) -> ::poem_openapi::types::ParseResult<Self> {
                match Self::RULE.parse(value) {
                    Ok(number) => Ok(Self(number)),
                    Err((_, message)) => Err(::poem_openapi::types::ParseError::custom(message)),
                }
            }
        }

        impl ::poem_openapi::types::ToJSON for $name {
            fn to_json(&self) -> Option<::serde_json::Value> {
                Some(self.0.into())
            }
        }

        $crate::contract::scalars::named_schema!($name, Self::RULE.schema($format));
    };
    ($name:ident, $minimum:expr, $maximum:expr, $format:literal, $default:expr) => {
        $crate::contract::scalars::integer!($name, $minimum, $maximum, $format);

        impl Default for $name {
            /// The document's default.
            fn default() -> Self {
                Self($default)
            }
        }
    };
}

pub(crate) use integer;
