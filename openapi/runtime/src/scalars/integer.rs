//! Named integer schemas: newtypes over `i64` that keep the schema's bounds.

/// Gives a newtype over `i64` its rule and the traits of a scalar: `integer!(PageLimit, 1, 100,
/// "int32");`, with the default as a fifth argument where the document has one, and then the other
/// rules: `integer!(BlockSize, 0, 9000, "int64"; one_of(&[512, 4096]));`.
#[macro_export]
macro_rules! integer {
    (
        $name:ident, $minimum:expr, $maximum:expr, $format:literal
        $(; $($rule:ident($argument:expr)),+)?
    ) => {
        impl $name {
            /// The rule of the document.
            pub const RULE: $crate::reading::Integer = $crate::reading::Integer {
                minimum: $minimum,
                maximum: $maximum,
                ..$crate::reading::Integer::ANY
            }
            $($(.$rule($argument))+)?;

            /// Wraps a number without checking it, such as one from the database.
            #[must_use]
            pub const fn new(number: i64) -> Self {
                Self(number)
            }

            /// The number.
            #[must_use]
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, formatter)
            }
        }

        impl $crate::reading::FromText for $name {
            fn from_text(text: &str) -> Result<Self, $crate::reading::Violation> {
                Self::RULE.parse(text).map(Self)
            }
        }

        impl $crate::reading::FromJson for $name {
            type Value = Self;

            fn from_json(
                value: ::serde_json::Value,
                pointer: &str,
                violations: &mut $crate::reading::Violations,
            ) -> Result<Self, $crate::reading::Invalid> {
                $crate::reading::read_integer(&Self::RULE, &value, pointer, violations).map(Self)
            }

            fn of_text(value: ::serde_json::Value) -> ::serde_json::Value {
                $crate::reading::integer_of_text(value)
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_i64(self.0)
            }
        }

        $crate::parameter!($name);
        $crate::named_schema!($name, Self::RULE.schema($format));
    };
    (
        $name:ident, $minimum:expr, $maximum:expr, $format:literal, $default:expr
        $(; $($rule:ident($argument:expr)),+)?
    ) => {
        $crate::integer!($name, $minimum, $maximum, $format $(; $($rule($argument)),+)?);

        impl Default for $name {
            /// The document's default.
            fn default() -> Self {
                Self($default)
            }
        }
    };
}
