//! Types of texts, and conversions from what a caller may hold: texts, and values of responses.

/// Implements `TryFrom` for the texts, by `FromStr`, and `From` for a reference.
macro_rules! try_from_texts {
    ($name:ident) => {
        $crate::texts::try_from_texts!(@each $name: &str, String, &String);
        $crate::texts::from_reference!($name);
    };
    (@each $name:ident: $($text:ty),*) => {
        $(impl TryFrom<$text> for $name {
            type Error = $crate::InvalidValue;

            fn try_from(text: $text) -> Result<Self, Self::Error> {
                text.parse()
            }
        })*
    };
}
pub(crate) use try_from_texts;

macro_rules! from_reference {
    ($name:ident) => {
        impl From<&$name> for $name {
            fn from(value: &$name) -> Self {
                value.clone()
            }
        }
    };
}
pub(crate) use from_reference;

/// Implements the conversions of a type for which every text is a value, by `From<&str>`.
macro_rules! from_texts {
    ($name:ident) => {
        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self::from(text.as_str())
            }
        }

        impl From<&String> for $name {
            fn from(text: &String) -> Self {
                Self::from(text.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::convert::Infallible;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Ok(Self::from(text))
            }
        }

        $crate::texts::from_reference!($name);
    };
}
pub(crate) use from_texts;

/// Implements the conversions into texts, by `as_str`.
macro_rules! into_texts {
    ($name:ident) => {
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
}
pub(crate) use into_texts;

/// Defines a type of texts: `text! { Cursor }`. A text that it accepts may still break a rule of
/// the document; all of those are found when a request is sent.
macro_rules! text {
    ($(#[$attribute:meta])* $name:ident) => {
        $crate::texts::text!(@define (transparent) $(#[$attribute])* $name);
        $crate::texts::from_texts!($name);

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
    (@define ($($serde:tt)*) $(#[$attribute:meta])* $name:ident) => {
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
        #[serde($($serde)*)]
        pub struct $name(String);

        impl $name {
            /// The value as a string.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        $crate::texts::into_texts!($name);
    };
}
pub(crate) use text;
