//! Enums that may gain values. A value that this version of the client does not know is kept as
//! `Unknown`, so that a new value breaks no client.

/// Defines an open set: `open_set! { LoanState { Lent = "lent", } }`.
#[macro_export]
macro_rules! open_set {
    ($(#[$attribute:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
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
        #[serde(from = "String", into = "String")]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
            /// A value that this version of the client does not know.
            Unknown(String),
        }

        impl $name {
            /// The values that this version of the client knows.
            pub const KNOWN: &'static [Self] = &[$(Self::$variant,)*];

            /// The value as requests and responses spell it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Unknown(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)*
                    unknown => Self::Unknown(unknown.to_owned()),
                }
            }
        }

        $crate::conversions!($name);
    };
}
