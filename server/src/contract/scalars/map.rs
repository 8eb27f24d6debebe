//! Named object schemas without properties: maps of JSON values in their order, or of texts,
//! sorted.

/// Gives a newtype over a map the traits of a scalar: `named_map!(Labels, String);`, with the type
/// of its values.
macro_rules! named_map {
    ($name:ident, Value) => {
        $crate::contract::scalars::named_map!(
            $name,
            ::serde_json::Map<String, ::serde_json::Value>,
            ::serde_json::Value
        );
    };
    ($name:ident, String) => {
        $crate::contract::scalars::named_map!(
            $name,
            ::std::collections::BTreeMap<String, String>,
            String
        );
    };
    ($name:ident, $map:ty, $value:ty) => {
        impl From<$map> for $name {
            fn from(map: $map) -> Self {
                Self(map)
            }
        }

        impl $crate::contract::reading::FromJson for $name {
            type Value = Self;

            fn from_json(
                value: ::serde_json::Value,
                pointer: &str,
                violations: &mut $crate::contract::reading::Violations,
            ) -> Result<Self, $crate::contract::reading::Invalid> {
                $crate::contract::reading::read_map::<$value, $map>(value, pointer, violations)
                    .map(Self)
            }
        }

        $crate::contract::scalars::named_schema!($name, {
            let mut schema = ::poem_openapi::registry::MetaSchema::new("object");
            schema.additional_properties =
                Some(Box::new(<$value as ::poem_openapi::types::Type>::schema_ref()));
            schema
        });
    };
}

pub(crate) use named_map;
