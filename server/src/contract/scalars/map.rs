//! Named object schemas without properties: maps of JSON values in their order, or of texts,
//! sorted.

/// Gives a newtype over `serde_json::Map` the framework's traits: names and values of any JSON
/// type.
macro_rules! object_map {
    ($name:ident) => {
        impl From<::serde_json::Map<String, ::serde_json::Value>> for $name {
            fn from(map: ::serde_json::Map<String, ::serde_json::Value>) -> Self {
                Self(map)
            }
        }

        impl ::poem_openapi::types::ParseFromJSON for $name {
            fn parse_from_json(
                value: Option<::serde_json::Value>,
            ) -> ::poem_openapi::types::ParseResult<Self> {
                match value {
                    Some(::serde_json::Value::Object(map)) => Ok(Self(map)),
                    other => Err(::poem_openapi::types::ParseError::expected_type(
                        other.unwrap_or_default(),
                    )),
                }
            }
        }

        impl ::poem_openapi::types::ToJSON for $name {
            fn to_json(&self) -> Option<::serde_json::Value> {
                Some(::serde_json::Value::Object(self.0.clone()))
            }
        }

        $crate::contract::scalars::named_schema!($name, {
            let mut schema = ::poem_openapi::registry::MetaSchema::new("object");
            schema.additional_properties =
                Some(Box::new(<::serde_json::Value as ::poem_openapi::types::Type>::schema_ref()));
            schema
        });
    };
}

/// Gives a newtype over `BTreeMap<String, String>` the framework's traits: names and texts.
macro_rules! text_map {
    ($name:ident) => {
        impl From<::std::collections::BTreeMap<String, String>> for $name {
            fn from(map: ::std::collections::BTreeMap<String, String>) -> Self {
                Self(map)
            }
        }

        impl ::poem_openapi::types::ParseFromJSON for $name {
            fn parse_from_json(
                value: Option<::serde_json::Value>,
            ) -> ::poem_openapi::types::ParseResult<Self> {
                let ::serde_json::Value::Object(map) = value.unwrap_or_default() else {
                    return Err(::poem_openapi::types::ParseError::custom("must be an object"));
                };
                let texts = map.into_iter().map(|(name, value)| match value {
                    ::serde_json::Value::String(text) => Ok((name, text)),
                    _ => Err(::poem_openapi::types::ParseError::custom(format!(
                        "the value of `{name}` must be a string"
                    ))),
                });
                texts.collect::<Result<_, _>>().map(Self)
            }
        }

        impl ::poem_openapi::types::ToJSON for $name {
            fn to_json(&self) -> Option<::serde_json::Value> {
                let texts = self.0.iter().map(|(name, text)| (name.clone(), text.as_str().into()));
                Some(::serde_json::Value::Object(texts.collect()))
            }
        }

        $crate::contract::scalars::named_schema!($name, {
            let mut schema = ::poem_openapi::registry::MetaSchema::new("object");
            schema.additional_properties =
                Some(Box::new(<String as ::poem_openapi::types::Type>::schema_ref()));
            schema
        });
    };
}

pub(crate) use {object_map, text_map};
