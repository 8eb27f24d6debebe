//! The framework's traits for the types of the contract, by the contract's own: it reads through
//! `FromJson` and `FromText`, and writes through `Serialize`.

use poem_openapi::types::{ParseError, ParseResult, Type};
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

/// Implements `FromJson` for a type: how it is read, and how a text of a form is typed before it is
/// read as JSON, where it is no text.
#[macro_export]
macro_rules! from_json {
    ($name:ty, |$value:pat_param, $pointer:pat_param, $violations:pat_param| $read:expr) => {
        $crate::from_json!($name, |$value, $pointer, $violations| $read, |value| value);
    };
    (
        $name:ty, |$value:pat_param, $pointer:pat_param, $violations:pat_param| $read:expr,
        $of_text:expr
    ) => {
        impl $crate::reading::FromJson for $name {
            type Value = Self;

            fn from_json(
                $value: ::serde_json::Value,
                $pointer: &str,
                $violations: &mut $crate::reading::Violations,
            ) -> Result<Self, $crate::reading::Invalid> {
                $read
            }

            fn of_text(value: ::serde_json::Value) -> ::serde_json::Value {
                let of_text: $crate::reading::OfText = $of_text;
                of_text(value)
            }
        }
    };
}

/// Implements `Display` and `Serialize` of a type that is written as one of its values.
#[macro_export]
macro_rules! written_as {
    ($name:ty, |$it:pat_param| $value:expr) => {
        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let $it = self;
                ::std::fmt::Display::fmt(&$value, formatter)
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let $it = self;
                ::serde::Serialize::serialize(&$value, serializer)
            }
        }
    };
}

/// Implements the traits of a type that travels as a JSON string; `$from_text` reads it.
#[macro_export]
macro_rules! string_scalar {
    ($name:ident, |$text:pat_param| $from_text:expr) => {
        impl $crate::reading::FromText for $name {
            fn from_text($text: &str) -> Result<Self, $crate::reading::Violation> {
                $from_text
            }
        }

        $crate::from_json!($name, |value, pointer, violations| {
            $crate::reading::read_text(&value, pointer, violations)
        });
        $crate::framework!($name, parameter);
    };
}

/// Implements the traits of a type that is written as a number or a boolean.
#[macro_export]
macro_rules! scalar {
    (
        $name:ident, |$it:pat_param| $value:expr, |$text:pat_param| $from_text:expr,
        |$json:pat_param, $pointer:pat_param, $violations:pat_param| $from_json:expr, $of_text:expr
    ) => {
        $crate::written_as!($name, |$it| $value);

        impl $crate::reading::FromText for $name {
            fn from_text($text: &str) -> Result<Self, $crate::reading::Violation> {
                $from_text
            }
        }

        $crate::from_json!($name, |$json, $pointer, $violations| $from_json, $of_text);
        $crate::framework!($name, parameter);
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
