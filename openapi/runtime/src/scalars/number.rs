//! Named schemas of numbers with a fraction: newtypes over `f64` that keep the schema's bounds.

/// Gives a newtype over `f64` its rule and the traits of a scalar:
/// `number!(Weight, Number::ANY.at_least(0.5));`.
#[macro_export]
macro_rules! number {
    ($name:ident, $rule:expr) => {
        impl $name {
            /// The rule of the document.
            pub const RULE: $crate::reading::Number = $rule;

            /// Wraps a number without checking it.
            #[must_use]
            pub const fn new(number: f64) -> Self {
                Self(number)
            }

            /// The number.
            #[must_use]
            pub const fn get(self) -> f64 {
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
                $crate::reading::read_number(&Self::RULE, value, pointer, violations).map(Self)
            }

            fn of_text(value: ::serde_json::Value) -> ::serde_json::Value {
                $crate::reading::number_of_text(value)
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_f64(self.0)
            }
        }

        $crate::parameter!($name);
        $crate::named_schema!($name, Self::RULE.schema());
    };
}
