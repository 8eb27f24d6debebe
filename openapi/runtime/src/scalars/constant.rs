//! Booleans with one value, and objects with values beside their fields.

/// Gives a unit type the traits of a boolean that is always this one: `constant!(Deleted, true);`.
#[macro_export]
macro_rules! constant {
    ($name:ident, $value:literal) => {
        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&$value, formatter)
            }
        }

        impl $crate::reading::FromText for $name {
            fn from_text(text: &str) -> Result<Self, $crate::reading::Violation> {
                match <bool as $crate::reading::FromText>::from_text(text)? {
                    $value => Ok(Self),
                    _ => Err((
                        $crate::IssueCode::NotInEnum,
                        concat!("must be ", stringify!($value)).to_owned(),
                    )),
                }
            }
        }

        impl $crate::reading::FromJson for $name {
            type Value = Self;

            fn from_json(
                value: ::serde_json::Value,
                pointer: &str,
                violations: &mut $crate::reading::Violations,
            ) -> Result<Self, $crate::reading::Invalid> {
                match <bool as $crate::reading::FromJson>::from_json(value, pointer, violations)? {
                    $value => Ok(Self),
                    _ => Err(violations.add(
                        $crate::Location::Body,
                        pointer,
                        (
                            $crate::IssueCode::NotInEnum,
                            concat!("must be ", stringify!($value)).to_owned(),
                        ),
                    )),
                }
            }

            fn of_text(value: ::serde_json::Value) -> ::serde_json::Value {
                $crate::reading::boolean_of_text(value)
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bool($value)
            }
        }

        $crate::parameter!($name);
        $crate::named_schema!($name, {
            let mut schema = ::poem_openapi::registry::MetaSchema::new("boolean");
            schema.enum_items = vec![$value.into()];
            schema
        });
    };
}

/// Gives an object with values beside its fields the traits of a schema:
/// `open_object!(Labels, ["id": i64], ["id"], String);`, with the type of each field, the required
/// ones, and the type that reads the other values.
#[macro_export]
macro_rules! open_object {
    (
        $name:ident, [$($field:literal: $value:ty),*], [$($required:literal),*], $others:ty
    ) => {
        $crate::named_schema!($name, {
            let mut schema = ::poem_openapi::registry::MetaSchema::new("object");
            schema.properties =
                vec![$(($field, <$value as ::poem_openapi::types::Type>::schema_ref())),*];
            schema.required = vec![$($required),*];
            schema.additional_properties = Some(Box::new(
                <<$others as $crate::reading::FromJson>::Value as
                    ::poem_openapi::types::Type>::schema_ref(),
            ));
            schema
        });
    };
}
