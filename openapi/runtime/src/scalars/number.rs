//! Named schemas of numbers: newtypes that keep the schema's rule.

/// Gives a newtype over `i64` or `f64` its rule and the traits of a scalar:
/// `number!(PageLimit, i64, [at_least(1), at_most(100)]);`, with the default as a last argument
/// where the document has one.
#[macro_export]
macro_rules! number {
    ($name:ident, $number:ty, [$($rule:ident($argument:expr)),*] $(, $default:expr)?) => {
        impl $name {
            pub const RULE: $crate::reading::Numbers<$number> =
                $crate::reading::Numbers::<$number>::ANY$(.$rule($argument))*;

            /// Wraps a number without checking it, such as one from the database.
            pub const fn new(number: $number) -> Self {
                Self(number)
            }

            pub const fn get(self) -> $number {
                self.0
            }
        }

        $crate::scalar!(
            $name,
            |it| it.0,
            |text| Self::RULE.parse(text).map(Self),
            |value, pointer, violations| Self::RULE.read(value, pointer, violations).map(Self),
            <$number as $crate::reading::FromJson>::of_text
        );

        $(
            impl Default for $name {
                fn default() -> Self {
                    Self($default)
                }
            }
        )?
    };
}
