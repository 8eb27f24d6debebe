//! Named string schemas: newtypes over `String` that keep the schema's rule when they are read.

/// Gives a newtype over `String` its rule, its constructors and the traits of a scalar.
///
/// `text!(Title, Text::ANY.at_least(1).at_most(200));`, with the pattern as a third argument
/// where the document has one, and its message as a fourth.
#[macro_export]
macro_rules! text {
    ($name:ident, $rule:expr) => {
        impl $name {
            pub const RULE: $crate::reading::Text = $rule;

            /// Wraps a text without checking it, such as one from the database.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The text, without the type.
            pub fn into_string(self) -> String {
                self.0
            }
        }

        $crate::written_as!($name, |it| it.0);

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        $crate::string_scalar!($name, |text| Self::RULE.read(text).map(Self));
    };
    ($name:ident, $rule:expr, $pattern:literal $(, $message:literal)?) => {
        $crate::text!(
            $name,
            $rule.matching($crate::reading::Pattern::new($pattern, || {
                static COMPILED: ::std::sync::LazyLock<$crate::fancy_regex::Regex> =
                    ::std::sync::LazyLock::new(|| {
                        $crate::fancy_regex::Regex::new($pattern)
                            .expect("the generator compiled this pattern")
                    });
                &COMPILED
            })$(.with_message($message))?)
        );
    };
}
