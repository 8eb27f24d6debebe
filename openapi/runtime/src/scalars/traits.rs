//! The traits of the types of the contract: reading from JSON and from texts, and writing.

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
    };
}
