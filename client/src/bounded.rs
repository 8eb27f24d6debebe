//! Whole numbers with both bounds, such as a page's limit.
//!
//! They refuse a value outside their bounds before a request is sent.

/// A whole number outside its bounds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{value} is not between {least} and {most}")]
pub struct OutOfBounds {
    /// What was given.
    pub value: i128,
    /// The least value allowed.
    pub least: i64,
    /// The greatest value allowed.
    pub most: i64,
}

/// Defines a whole number with its bounds: `bounded_integer! { PageLimit: 1..=100 }`.
macro_rules! bounded_integer {
    ($(#[$attribute:meta])* $name:ident: $least:literal..=$most:literal) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(try_from = "i64", into = "i64")]
        pub struct $name(i64);

        impl $name {
            /// The least value allowed.
            pub const LEAST: Self = Self($least);
            /// The greatest value allowed.
            pub const MOST: Self = Self($most);

            /// The number.
            #[must_use]
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl From<$name> for i64 {
            fn from(value: $name) -> Self {
                value.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(formatter)
            }
        }

        $crate::bounded::bounded_integer!(@from $name, $least, $most, i32 i64 u8 u16 u32 u64 usize);
    };
    (@from $name:ident, $least:literal, $most:literal, $($integer:ty)*) => {
        $(impl TryFrom<$integer> for $name {
            type Error = $crate::OutOfBounds;

            fn try_from(value: $integer) -> Result<Self, Self::Error> {
                match i64::try_from(value) {
                    Ok(number) if ($least..=$most).contains(&number) => Ok(Self(number)),
                    _ => Err($crate::OutOfBounds { value: value as i128, least: $least, most: $most }),
                }
            }
        })*
    };
}
pub(crate) use bounded_integer;

#[cfg(test)]
mod tests {
    use crate::types::PageLimit;

    #[test]
    fn bounds_belong_to_the_range() {
        assert_eq!(PageLimit::try_from(1), Ok(PageLimit::LEAST));
        assert_eq!(PageLimit::try_from(100_usize), Ok(PageLimit::MOST));
    }

    #[test]
    fn values_outside_are_refused_with_the_bounds() {
        for value in [0_i64, 101, -1, i64::MAX] {
            let refusal = PageLimit::try_from(value).unwrap_err();
            assert_eq!(
                refusal.to_string(),
                format!("{value} is not between 1 and 100")
            );
        }
        assert!(PageLimit::try_from(u64::MAX).is_err());
    }
}
