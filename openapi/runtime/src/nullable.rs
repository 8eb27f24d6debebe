//! A value that must be present and may be null. The framework's `Option` reads a missing key as
//! null.

use std::borrow::Cow;

use poem_openapi::{
    registry::MetaSchemaRef,
    types::{MaybeUndefined, ParseError, ParseFromJSON, ParseResult, ToJSON, Type},
};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::any_schema;

/// A required, nullable property. Absent and optional ones are `Option` or `MaybeUndefined`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Nullable<T> {
    Null,
    Value(T),
}

impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

/// For a property that may be missing, but is always sent.
impl<T> From<Nullable<T>> for MaybeUndefined<T> {
    fn from(value: Nullable<T>) -> Self {
        match value {
            Nullable::Null => Self::Null,
            Nullable::Value(value) => Self::Value(value),
        }
    }
}

impl<T: Type> Type for Nullable<T> {
    const IS_REQUIRED: bool = true;

    type RawValueType = T::RawValueType;

    type RawElementValueType = T::RawElementValueType;

    fn name() -> Cow<'static, str> {
        format!("nullable_{}", T::name()).into()
    }

    fn schema_ref() -> MetaSchemaRef {
        any_schema()
    }

    fn as_raw_value(&self) -> Option<&Self::RawValueType> {
        match self {
            Self::Null => None,
            Self::Value(value) => value.as_raw_value(),
        }
    }

    fn raw_element_iter<'a>(
        &'a self,
    ) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
        match self {
            Self::Null => Box::new(std::iter::empty()),
            Self::Value(value) => value.raw_element_iter(),
        }
    }
}

impl<T: ParseFromJSON> ParseFromJSON for Nullable<T> {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value {
            None => Err(ParseError::expected_input()),
            Some(Value::Null) => Ok(Self::Null),
            value => T::parse_from_json(value).map(Self::Value).map_err(ParseError::propagate),
        }
    }
}

impl<T: Serialize> Serialize for Nullable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_none(),
            Self::Value(value) => value.serialize(serializer),
        }
    }
}

impl<T: ToJSON> ToJSON for Nullable<T> {
    fn to_json(&self) -> Option<Value> {
        match self {
            Self::Null => Some(Value::Null),
            Self::Value(value) => value.to_json(),
        }
    }
}
