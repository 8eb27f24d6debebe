//! The details of errors, whose shape depends on the code. (X10)

/// Defines the enum of details:
/// `details! { Retry(RetryDetails) = RateLimited | CreditsExhausted, }`.
macro_rules! details {
    ($($variant:ident($details:ident) = $($code:ident)|+,)*) => {
        /// The details of an error, by its code.
        ///
        /// [`Error::details`](crate::Error::details) reads them.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Details {
            $(
                #[doc = concat!("Of", $(" `", stringify!($code), "`",)+ ".")]
                $variant(types::$details),
            )*
        }

        impl Details {
            /// The details of a code; `None` where it has none, or others than this version of the
            /// client knows.
            pub(crate) fn read(code: &ErrorCode, details: &serde_json::Value) -> Option<Self> {
                match code {
                    $($(ErrorCode::$code)|+ => {
                        let read = <types::$details as ::serde::Deserialize>::deserialize(details);
                        read.ok().map(Self::$variant)
                    })*
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use details;
