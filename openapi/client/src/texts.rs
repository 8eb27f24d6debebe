//! Types of texts, and conversions from what a caller may hold: texts, and values of responses.

/// Implements the conversions from and to texts of a type that has `FromStr` and `Display`.
#[macro_export]
macro_rules! try_from_texts {
    ($name:ident: $($text:ty),*) => {
        $(impl TryFrom<$text> for $name {
            type Error = $crate::InvalidValue;

            fn try_from(text: $text) -> Result<Self, Self::Error> {
                text.parse()
            }
        })*

        impl From<&$name> for $name {
            fn from(value: &$name) -> Self {
                *value
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.to_string()
            }
        }
    };
}

/// Implements the conversions of a type for which every text is a value, by `From<&str>` and
/// `as_str`.
#[macro_export]
macro_rules! conversions {
    ($name:ident) => {
        $crate::conversions!(@each $name: String, &String);

        impl std::str::FromStr for $name {
            type Err = std::convert::Infallible;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Ok(Self::from(text))
            }
        }

        impl From<&$name> for $name {
            fn from(value: &$name) -> Self {
                value.clone()
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.as_str().to_owned()
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }
    };
    (@each $name:ident: $($text:ty),*) => {
        $(impl From<$text> for $name {
            fn from(text: $text) -> Self {
                Self::from(text.as_str())
            }
        })*
    };
}

/// Defines a type of texts: `text! { Cursor }`. A text that it accepts may still break a rule of
/// the document; all of those are found when a request is sent.
#[macro_export]
macro_rules! text {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[derive(
            Clone,
            Debug,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            ::serde::Serialize,
            ::serde::Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The value as a string.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        $crate::conversions!($name);
    };
}
