//! Objects that a member tells apart: `oneOf` with a discriminator.

/// Gives an enum of objects the traits of a schema: `union!(Item, "kind", Book = "book");`, with
/// the name of the member, and its value for each variant, which has the name of its schema.
#[macro_export]
macro_rules! union {
    ($name:ident, $member:literal, $($variant:ident = $value:literal),+) => {
        $(
            impl From<$variant> for $name {
                fn from(object: $variant) -> Self {
                    Self::$variant(object)
                }
            }
        )+

        impl $crate::reading::FromJson for $name {
            type Value = Self;

            fn from_json(
                value: ::serde_json::Value,
                pointer: &str,
                violations: &mut $crate::reading::Violations,
            ) -> Result<Self, $crate::reading::Invalid> {
                match value.get($member).and_then(::serde_json::Value::as_str) {
                    $(
                        Some($value) => {
                            let read = <$variant as $crate::reading::FromJson>::from_json;
                            read(value, pointer, violations).map(Self::$variant)
                        }
                    )+
                    _ => Err($crate::reading::unknown_variant(
                        &value,
                        $member,
                        &[$($value),+],
                        pointer,
                        violations,
                    )),
                }
            }

            fn of_text(value: ::serde_json::Value) -> ::serde_json::Value {
                match value.get($member).and_then(::serde_json::Value::as_str) {
                    $(Some($value) => <$variant as $crate::reading::FromJson>::of_text(value),)+
                    _ => value,
                }
            }
        }

        $crate::framework!($name);
    };
}
