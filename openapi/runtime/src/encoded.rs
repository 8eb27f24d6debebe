//! A parameter that is an object, as the framework sees it. The generated code reads it itself.

use std::borrow::Cow;

use poem_openapi::{
    registry::MetaSchemaRef,
    types::{ParseError, ParseFromParameter, ParseResult, Type},
};

/// An object, or a list of objects, as a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded<T>(pub T);

impl<T: Type> Type for Encoded<T> {
    const IS_REQUIRED: bool = T::IS_REQUIRED;

    type RawValueType = T::RawValueType;

    type RawElementValueType = T::RawElementValueType;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }

    fn as_raw_value(&self) -> Option<&Self::RawValueType> {
        self.0.as_raw_value()
    }

    fn raw_element_iter<'a>(
        &'a self,
    ) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
        self.0.raw_element_iter()
    }
}

impl<T: Type> ParseFromParameter for Encoded<T> {
    /// Never called: a generated server reads its requests itself.
    fn parse_from_parameter(_value: &str) -> ParseResult<Self> {
        Err(ParseError::custom("the generated `decode` reads this parameter"))
    }
}
