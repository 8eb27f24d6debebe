//! Named string schemas: newtypes over `String`.
//!
//! It refuses, when parsing, everything but a JSON string that keeps the schema's rule: no number or boolean read
//! as text (R3), no U+0000.

/// Gives a newtype over `String` its rule, its constructors and the framework's traits.
///
/// `text!(PartnerName, Text::ANY.at_least(1).at_most(200));`, with a pattern as a third argument where the
/// document has one.
macro_rules! text {
    ($name:ident, $rule:expr) => {
        impl $name {
            /// What the document asks of such a text.
            pub const RULE: $crate::contract::form::Text = $rule;

            /// Wraps a text that is already known to be good, such as one out of the database.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text as it stands in the contract.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The text, without the type.
            #[must_use]
            pub fn into_string(self) -> String {
                self.0
            }

            fn parse(text: String) -> ::poem_openapi::types::ParseResult<Self> {
                match Self::RULE.violation(&text) {
                    None => Ok(Self(text)),
                    Some((_, message)) => Err(::poem_openapi::types::ParseError::custom(message)),
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self::new(text)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl ::poem_openapi::types::ParseFromJSON for $name {
            fn parse_from_json(
                value: Option<::serde_json::Value>,
            ) -> ::poem_openapi::types::ParseResult<Self> {
                match value {
                    Some(::serde_json::Value::String(text)) => Self::parse(text),
                    other => Err(::poem_openapi::types::ParseError::expected_type(
                        other.unwrap_or_default(),
                    )),
                }
            }
        }

        impl ::poem_openapi::types::ParseFromParameter for $name {
            fn parse_from_parameter(value: &str) -> ::poem_openapi::types::ParseResult<Self> {
                Self::parse(value.to_owned())
            }
        }

        impl ::poem_openapi::types::ToJSON for $name {
            fn to_json(&self) -> Option<::serde_json::Value> {
                Some(::serde_json::Value::String(self.0.clone()))
            }
        }

        $crate::contract::scalars::named_schema!($name, Self::RULE.schema());
    };
    ($name:ident, $rule:expr, $pattern:literal) => {
        $crate::contract::scalars::text!(
            $name,
            $rule.matching($crate::contract::form::Pattern::new($pattern, || {
                static COMPILED: ::std::sync::LazyLock<::regex::Regex> =
                    ::std::sync::LazyLock::new(|| {
                        ::regex::Regex::new($pattern).expect("the generator compiled this pattern")
                    });
                &COMPILED
            }))
        );
    };
}

pub(crate) use text;
