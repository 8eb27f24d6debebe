//! The framework's traits for the types of the contract, by the contract's own: it reads through
//! `FromJson` and `FromText`, and writes through `Serialize`.

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseError, ParseResult, Type},
};
use serde_json::Value;

use crate::reading::{FromJson, Violations};

/// Implements `Type`, `ParseFromJSON` and `ToJSON`, and with `parameter` `ParseFromParameter`. The
/// framework learns nothing of the schema: the document itself is what the server publishes.
#[macro_export]
macro_rules! framework {
    ($name:ident, parameter) => {
        $crate::framework!(@parameter $name);
        $crate::framework!($name);
    };
    (@parameter $name:ident) => {
        impl ::poem_openapi::types::ParseFromParameter for $name {
            fn parse_from_parameter(value: &str) -> ::poem_openapi::types::ParseResult<Self> {
                $crate::reading::FromText::from_text(value)
                    .map_err(|(_, message)| ::poem_openapi::types::ParseError::custom(message))
            }
        }
    };
    ($name:ident) => {
        impl ::poem_openapi::types::Type for $name {
            const IS_REQUIRED: bool = true;

            type RawValueType = Self;

            type RawElementValueType = Self;

            fn name() -> ::std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_ref() -> ::poem_openapi::registry::MetaSchemaRef {
                $crate::any_schema()
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

/// Implements the traits of a type with one value: it is written as `$value`, and read by
/// `$from_text` and `$from_json`; `$of_text` types a text of a form before it is read as JSON.
#[macro_export]
macro_rules! scalar {
    ($name:ident, $value:expr, $from_text:expr, $from_json:expr, $of_text:expr) => {
        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let value = $value;
                ::std::fmt::Display::fmt(&value(self), formatter)
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let value = $value;
                ::serde::Serialize::serialize(&value(self), serializer)
            }
        }

        impl $crate::reading::FromText for $name {
            fn from_text(text: &str) -> Result<Self, $crate::reading::Violation> {
                let from_text = $from_text;
                from_text(text)
            }
        }

        impl $crate::reading::FromJson for $name {
            type Value = Self;

            fn from_json(
                value: ::serde_json::Value,
                pointer: &str,
                violations: &mut $crate::reading::Violations,
            ) -> Result<Self, $crate::reading::Invalid> {
                let from_json = $from_json;
                from_json(value, pointer, violations)
            }

            fn of_text(value: ::serde_json::Value) -> ::serde_json::Value {
                $of_text(value)
            }
        }

        $crate::framework!($name, parameter);
    };
}

/// Implements the traits of a type that travels as a JSON string and is read by its `FromText`.
#[macro_export]
macro_rules! string_scalar {
    ($name:ident) => {
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

        $crate::framework!($name, parameter);
    };
}

/// The schema of any value.
#[must_use]
pub fn any_schema() -> MetaSchemaRef {
    MetaSchemaRef::Inline(Box::new(MetaSchema::ANY))
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
