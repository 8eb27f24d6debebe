//! An argument of a handler as the framework sees it. The generated code reads every request
//! itself, and the server publishes the document itself, so the framework learns nothing of the
//! type.

use std::{borrow::Cow, iter};

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseError, ParseFromJSON, ParseFromParameter, ParseResult, Type},
};
use serde_json::Value;

/// A parameter, the query as a whole, or the body.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument<T>(pub T);

impl<T: Send + Sync> Type for Argument<T> {
    const IS_REQUIRED: bool = true;

    type RawValueType = Self;

    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        "argument".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema::ANY))
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(iter::once(self))
    }
}

impl<T: Send + Sync> ParseFromParameter for Argument<T> {
    fn parse_from_parameter(_value: &str) -> ParseResult<Self> {
        never_read()
    }
}

impl<T: Send + Sync> ParseFromJSON for Argument<T> {
    fn parse_from_json(_value: Option<Value>) -> ParseResult<Self> {
        never_read()
    }
}

fn never_read<T: Type>() -> ParseResult<T> {
    Err(ParseError::custom("the generated `decode` reads the request"))
}
