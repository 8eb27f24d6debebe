//! The framework's traits for the scalar types of the contract.

/// Implements `poem_openapi::types::Type` as the named schema that `$schema` builds.
macro_rules! named_schema {
    ($name:ident, $schema:expr) => {
        impl ::poem_openapi::types::Type for $name {
            const IS_REQUIRED: bool = true;

            type RawValueType = Self;

            type RawElementValueType = Self;

            fn name() -> ::std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_ref() -> ::poem_openapi::registry::MetaSchemaRef {
                ::poem_openapi::registry::MetaSchemaRef::Reference(stringify!($name).to_owned())
            }

            fn register(registry: &mut ::poem_openapi::registry::Registry) {
                registry.create_schema::<Self, _>(stringify!($name).to_owned(), |_| $schema);
            }

            fn as_raw_value(&self) -> Option<&Self> {
                Some(self)
            }

            fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
                Box::new(::std::iter::once(self))
            }
        }
    };
}

/// Implements the framework's traits for a type that travels as a JSON string: read by its
/// `parse(&str)`, written by its `Display`. Numbers and booleans are not read as strings (R3).
macro_rules! string_scalar {
    ($name:ident, $schema:expr) => {
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
                Some(::serde_json::Value::String(self.to_string()))
            }
        }

        $crate::contract::scalars::named_schema!($name, $schema);
    };
}

pub(crate) use {named_schema, string_scalar};
