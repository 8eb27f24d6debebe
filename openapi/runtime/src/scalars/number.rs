//! Named schemas of numbers with a fraction: newtypes over `f64` that keep the schema's bounds.

/// Gives a newtype over `f64` its rule and the traits of a scalar:
/// `number!(Weight, Number::ANY.at_least(0.5));`.
#[macro_export]
macro_rules! number {
    ($name:ident, $rule:expr) => {
        impl $name {
            pub const RULE: $crate::reading::Number = $rule;

            /// Wraps a number without checking it.
            pub const fn new(number: f64) -> Self {
                Self(number)
            }

            pub const fn get(self) -> f64 {
                self.0
            }
        }

        $crate::scalar!(
            $name,
            |it| it.0,
            |text| Self::RULE.parse(text).map(Self),
            |value, pointer, violations| {
                $crate::reading::read_number(&Self::RULE, value, pointer, violations).map(Self)
            },
            $crate::reading::number_of_text
        );
    };
}
