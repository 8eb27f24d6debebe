//! The framework's traits for the scalar types of the contract, by the contract's own: it reads
//! through `FromJson` and `FromText`, and writes through `Serialize`.

use poem_openapi::types::{ParseError, ParseResult, Type};
use serde_json::Value;

use crate::reading::{FromJson, Violations};

/// Implements `Type`, `ParseFromJSON` and `ToJSON` as the named schema that `$schema` builds, which
/// refers to those of the types `$inner`.
#[macro_export]
macro_rules! named_schema {
    ($name:ident, $schema:expr $(, $inner:ty)*) => {
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
                registry.create_schema::<Self, _>(stringify!($name).to_owned(), |_registry| {
                    $(<$inner as ::poem_openapi::types::Type>::register(_registry);)*
                    $schema
                });
            }

            fn as_raw_value(&self) -> Option<&Self> {
                Some(self)
            }

            fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
                Box::new(::std::iter::once(self))
            }
        }

        impl ::poem_openapi::types::ParseFromJSON for $name {
            fn parse_from_json(
                value: Option<::serde_json::Value>,
            ) -> ::poem_openapi::types::ParseResult<Self> {
                $crate::parse(value)
            }
        }

        impl ::poem_openapi::types::ToJSON for $name {
            fn to_json(&self) -> Option<::serde_json::Value> {
                ::serde_json::to_value(self).ok()
            }
        }
    };
}

/// Implements the traits of a type that travels as a JSON string: read by its `FromText`, written
/// by its `Display`, or by a `Serialize` of its own that does without a formatter.
#[macro_export]
macro_rules! string_scalar {
    ($name:ident, $schema:expr) => {
        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        $crate::string_scalar!($name, $schema, own Serialize);
    };
    ($name:ident, $schema:expr, own Serialize) => {
        impl $crate::reading::FromJson for $name {
            type Value = Self;

            fn from_json(
                value: ::serde_json::Value,
                pointer: &str,
                violations: &mut $crate::reading::Violations,
            ) -> Result<Self, $crate::reading::Invalid> {
                $crate::reading::read_text(&value, pointer, violations)
            }
        }

        $crate::parameter!($name);
        $crate::named_schema!($name, $schema);
    };
}

/// Implements `ParseFromParameter` by `FromText`.
#[macro_export]
macro_rules! parameter {
    ($name:ident) => {
        impl ::poem_openapi::types::ParseFromParameter for $name {
            fn parse_from_parameter(value: &str) -> ::poem_openapi::types::ParseResult<Self> {
                $crate::reading::FromText::from_text(value)
                    .map_err(|(_, message)| ::poem_openapi::types::ParseError::custom(message))
            }
        }
    };
}

/// Reads a value for the framework, which has one message for it.
pub fn parse<T>(value: Option<Value>) -> ParseResult<T>
where
    T: Type + FromJson<Value = T>,
{
    let mut violations = Violations::default();
    let read = T::from_json(value.unwrap_or_default(), "", &mut violations);
    match (read, violations.first_message()) {
        (Ok(value), None) => Ok(value),
        (_, message) => Err(ParseError::custom(message.unwrap_or_default())),
    }
}
