//! Integers with a minimum and a maximum, such as a page's limit. A value outside its bounds is an
//! error before a request is sent.

/// Defines an integer with its bounds: `bounded_integer! { PageLimit: 1..=100 }`.
macro_rules! bounded_integer {
    ($(#[$attribute:meta])* $name:ident: $min:literal..=$max:literal) => {
        $(#[$attribute])*
        #[derive(
            Clone,
            Copy,
            Debug,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            ::serde::Serialize,
            ::serde::Deserialize,
        )]
        #[serde(try_from = "i64", into = "i64")]
        pub struct $name(i64);

        impl $name {
            /// The smallest value allowed.
            pub const MIN: Self = Self($min);
            /// The largest value allowed.
            pub const MAX: Self = Self($max);

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

        $crate::bounded::bounded_integer!(@from $name, $min, $max, i32 i64 u8 u16 u32 u64 usize);
    };
    (@from $name:ident, $min:literal, $max:literal, $($integer:ty)*) => {
        $(impl TryFrom<$integer> for $name {
            type Error = $crate::InvalidValue;

            fn try_from(value: $integer) -> Result<Self, Self::Error> {
                match i64::try_from(value) {
                    Ok(number) if ($min..=$max).contains(&number) => Ok(Self(number)),
                    _ => {
                        let bounds = concat!(" is not between ", $min, " and ", $max);
                        Err($crate::InvalidValue(format!("{value}{bounds}")))
                    }
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
        assert_eq!(PageLimit::try_from(1), Ok(PageLimit::MIN));
        assert_eq!(PageLimit::try_from(100_usize), Ok(PageLimit::MAX));
    }

    #[test]
    fn values_outside_are_errors_with_the_bounds() {
        for value in [0_i64, 101, -1, i64::MAX] {
            let error = PageLimit::try_from(value).unwrap_err();
            assert_eq!(error.to_string(), format!("{value} is not between 1 and 100"));
        }
        assert!(PageLimit::try_from(u64::MAX).is_err());
    }
}
