//! The operations of the document, and what a repeated request of each does.

/// The effect of a repeated request.
///
/// ```
/// use openapi_client::Idempotency;
///
/// openapi_client::operations! {
///     /// The operations of a library.
///     AddLoan = "addLoan" "POST" "/loans" ByKey,
///     GetLoan = "getLoan" "GET" "/loans/{id}" ByNature,
/// }
/// assert_eq!(Operation::AddLoan.idempotency(), Idempotency::ByKey);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Idempotency {
    /// It may have another effect each time.
    None,
    /// It has the effect of one request, whatever happens.
    ByNature,
    /// It has the effect of one request if the header `idempotency-key` is the same.
    ByKey,
}

/// Defines the enum of operations:
/// `operations! { GetLoan = "getLoan" "GET" "/loans/{id}" ByNature, }`. A row may end with the most
/// seconds that the server works on it; attributes of the enum are `#![…]`.
#[macro_export]
macro_rules! operations {
    ($(#![$about:meta])* $(
        $(#[$attribute:meta])*
        $variant:ident = $id:literal $method:literal $path:literal $idempotency:ident
            $($seconds:literal)?,
    )*) => {
        /// An operation of the API.
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Operation {
            $($(#[$attribute])* $variant,)*
        }

        impl Operation {
            /// All operations, in the order of the document.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its `operationId`.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$variant => $id,)*
                }
            }

            /// Its method.
            #[must_use]
            pub const fn method(self) -> &'static str {
                match self {
                    $(Self::$variant => $method,)*
                }
            }

            /// The template of its path, such as `/loans/{id}`.
            #[must_use]
            pub const fn path(self) -> &'static str {
                match self {
                    $(Self::$variant => $path,)*
                }
            }

            /// Returns the server's time limit where it is longer than usual.
            #[must_use]
            pub const fn time_limit(self) -> Option<std::time::Duration> {
                match self {
                    $($(Self::$variant => Some(std::time::Duration::from_secs($seconds)),)?)*
                    _ => None,
                }
            }

            /// Returns the effect of a repeated request.
            #[must_use]
            pub const fn idempotency(self) -> $crate::Idempotency {
                match self {
                    $(Self::$variant => $crate::Idempotency::$idempotency,)*
                }
            }
        }

        impl std::fmt::Display for Operation {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.id())
            }
        }
    };
}
