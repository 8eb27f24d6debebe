//! Value sets: a Rust enum per set of the document, for what a server writes.

/// A text outside its value set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` is none of {}", known.join(", "))]
pub struct UnknownValue {
    pub value: String,
    /// The values of the set, in the document's order.
    pub known: &'static [&'static str],
}

/// Defines the enum of a value set: `value_set! { /// Docs. Access { Users = "USERS" } }`
#[macro_export]
macro_rules! value_set {
    ($(#[$documentation:meta])* $name:ident { $($variant:ident = $text:literal,)+ }) => {
        $(#[$documentation])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, ::serde::Deserialize,
            ::serde::Serialize,
        )]
        #[allow(missing_docs, reason = "the names are the documentation")]
        pub enum $name {
            $(#[serde(rename = $text)] $variant),+
        }

        impl $name {
            /// Every value, in the document's order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The text of every value, in the same order.
            pub const VALUES: &'static [&'static str] = &[$($text),+];

            /// The value as the document writes it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),+
                }
            }

            /// Reads the value as the document writes it.
            pub fn parse(text: &str) -> Result<Self, $crate::UnknownValue> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err($crate::UnknownValue {
                        value: text.to_owned(),
                        known: Self::VALUES,
                    }),
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }
    };
}

/// Lets a request have the enum of a schema with `enum`.
#[macro_export]
macro_rules! enum_schema {
    ($name:ident) => {
        $crate::string_scalar!($name, |text| {
            Self::parse(text).map_err(|error| {
                let message = format!("must be one of {}", error.known.join(", "));
                ($crate::IssueCode::NotInEnum, message)
            })
        });
    };
}
