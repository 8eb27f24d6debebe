//! Named integer schemas: newtypes over `i64` that keep the schema's bounds.

/// Gives a newtype over `i64` its rule: `integer!(PageLimit, 1, 100, "int32");`, with the default
/// as a fifth argument where the document has one.
macro_rules! integer {
    ($name:ident, $minimum:expr, $maximum:expr, $format:literal) => {
        impl $name {
            /// The rule of the document.
            pub const RULE: $crate::contract::validation::Integer =
                $crate::contract::validation::Integer { minimum: $minimum, maximum: $maximum };

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
                match value.as_i64().map(|number| (number, Self::RULE.violation(number))) {
                    Some((number, None)) => Ok(Self(number)),
                    Some((_, Some((_, message)))) => {
                        Err(::poem_openapi::types::ParseError::custom(message))
                    }
                    None => Err(::poem_openapi::types::ParseError::expected_type(value)),
                }
            }
        }

        impl ::poem_openapi::types::ParseFromParameter for $name {
            fn parse_from_parameter(value: &str) -> ::poem_openapi::types::ParseResult<Self> {
                Self::RULE
                    .parse(value)
                    .map(Self)
                    .map_err(|(_, message)| ::poem_openapi::types::ParseError::custom(message))
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
