//! Named integer schemas: newtypes over `i64` that keep the schema's bounds.

/// Gives a newtype over `i64` its rule and the traits of a scalar: `integer!(PageLimit, 1, 100);`,
/// with the default as a fourth argument where the document has one, and then the other rules:
/// `integer!(BlockSize, 0, 9000; one_of(&[512, 4096]));`.
#[macro_export]
macro_rules! integer {
    ($name:ident, $minimum:expr, $maximum:expr $(; $($rule:ident($argument:expr)),+)?) => {
        impl $name {
            pub const RULE: $crate::reading::Integer =
                $crate::reading::Integer::ANY.at_least($minimum).at_most($maximum)
                $($(.$rule($argument))+)?;

            /// Wraps a number without checking it, such as one from the database.
            pub const fn new(number: i64) -> Self {
                Self(number)
            }

            pub const fn get(self) -> i64 {
                self.0
            }
        }

        $crate::scalar!(
            $name,
            |it| it.0,
            |text| Self::RULE.parse(text).map(Self),
            |value, pointer, violations| {
                $crate::reading::read_integer(&Self::RULE, &value, pointer, violations).map(Self)
            },
            $crate::reading::integer_of_text
        );
    };
    (
        $name:ident, $minimum:expr, $maximum:expr, $default:expr
        $(; $($rule:ident($argument:expr)),+)?
    ) => {
        $crate::integer!($name, $minimum, $maximum $(; $($rule($argument)),+)?);

        impl Default for $name {
            fn default() -> Self {
                Self($default)
            }
        }
    };
}
