//! Booleans with one value.

/// Gives a unit type the traits of a boolean that is always this one: `constant!(Deleted, true);`.
#[macro_export]
macro_rules! constant {
    ($name:ident, $value:literal) => {
        impl $name {
            fn checked(value: bool) -> Result<Self, $crate::reading::Violation> {
                let violation = || {
                    let message = concat!("must be ", stringify!($value)).to_owned();
                    ($crate::IssueCode::NotInEnum, message)
                };
                (value == $value).then_some(Self).ok_or_else(violation)
            }
        }

        $crate::scalar!(
            $name,
            |_| $value,
            |text| <bool as $crate::reading::FromText>::from_text(text).and_then(Self::checked),
            |value, pointer, violations| {
                let read = <bool as $crate::reading::FromJson>::from_json;
                Self::checked(read(value, pointer, violations)?)
                    .map_err(|violation| violations.add($crate::Location::Body, pointer, violation))
            },
            $crate::reading::boolean_of_text
        );
    };
}
